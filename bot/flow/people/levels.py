"""The levels of people in words, and the buttons that give and take them."""

from bot.domain.talk.message import ButtonRows
from bot.domain.talk.reach import Level
from bot.flow.commanding.choices import choice

SPELLED = {Level.TALK: "off", Level.CHANGES: "changes", Level.COMMANDS: "commands"}
"""The word of each level in `/rights`."""

READ = {**{word: level for level, word in SPELLED.items()}, "on": Level.CHANGES}
"""The level of each word; `on` is the word of before, which gave more."""

TOLD = {
    Level.TALK: "They can chat with me. Before I change anything for them, I ask you.",
    Level.CHANGES: (
        "They may approve changes of files in the folder of their chat. I ask you about commands "
        "and everything else."
    ),
    Level.COMMANDS: (
        "They may approve changes of files in the folder of their chat, and commands that a "
        "sandbox without network keeps in it. I ask you about everything else."
    ),
}
"""A sentence for owners about what somebody at a level may do."""

BRIEF = {
    Level.TALK: "may talk; an owner approves their changes and commands",
    Level.CHANGES: "approves their own changes; an owner approves their commands",
    Level.COMMANDS: "approves their own changes, and commands in the sandbox",
}
"""The same for a list of people."""

_LABELS = {
    Level.TALK: "💬 Only talk",
    Level.CHANGES: "✏️ Let them approve changes",
    Level.COMMANDS: "⌨️ Let them approve commands, too",
}


def level_buttons(account: str, now: Level) -> ButtonRows:
    """Returns the buttons for the next level and, behind the first one, back to talking alone."""
    levels = list(Level)
    offered = [
        *levels[levels.index(now) + 1 :][:1],
        *([Level.TALK] if now is not levels[0] else []),
    ]
    rows = (choice(_LABELS[one], "rights", account, "approve", SPELLED[one]) for one in offered)
    return tuple(row for row in rows if row)
