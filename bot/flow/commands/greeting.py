"""The greeting and the help."""

import difflib
from collections.abc import Callable, Sequence

from bot.domain.talk.message import ButtonRows
from bot.domain.talk.person import AT_THE_MACHINE
from bot.domain.text.markdown import inline_code
from bot.domain.text.names import named
from bot.flow.commanding.choices import choice
from bot.flow.commanding.pages import rows_of
from bot.flow.commanding.table import Answer, Command, Invocation, Topic

_WHAT = (
    "I am Steward. I answer, plan, and work with files, commands and tools in a folder of this "
    "chat. Before I change anything, I show you exactly what will change, and ask you.\n\n"
    "Three things to try:\n"
    "- `Make a shopping list for a week of simple dinners and save it as a file`\n"
    "- `/plan Tidy up my notes`\n"
)
_ON_A_PLATFORM = "- Send me a photo or a PDF, and ask about it"
_AT_THE_MACHINE = "- `What is in this folder?`"
_MORE = "/help shows what else I understand."
_HOW = "Just write to me. I ask before I change anything."
_HOW_IN_A_GROUP = "Mention me, or reply to me. I ask before I change anything."
_WORDS = {
    Topic.TALK: ("talking",),
    Topic.PLANS: ("plans", "plans and skills", "skills and plans"),
    Topic.CONSENT: ("permissions", "approvals and rules", "asking"),
    Topic.YOU: ("you", "me", "about you", "about me"),
    Topic.SETTINGS: ("chat", "this chat"),
    Topic.GROUP: ("group",),
    Topic.PEOPLE: ("people", "owner", "owners"),
}
"""The words for a topic; the first of them stands in the help."""

_LONGEST = 40
_LIKE = 0.7
"""Likeness, of 1, at which a wrong word is taken for a slip of a known one."""

_EACH_ROW = 2


class GreetingCommands:
    """Greets and helps; `everything` returns the whole table of commands."""

    def __init__(self, everything: Callable[[], Sequence[Command]]) -> None:
        self._everything = everything

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("start", "what I am and what you can try", self.start),
            Command("help", "the commands", self.help, "[topic|all]", chosen=True),
        )

    async def start(self, asked: Invocation) -> Answer:
        here = asked.chat.address.channel == AT_THE_MACHINE
        third = _AT_THE_MACHINE if here else _ON_A_PLATFORM
        # There, the name is that of an account of the machine.
        hello = "Hello." if here else f"Hello, {named(asked.person.name)}."
        return Answer(f"{hello}\n\n{_WHAT}{third}\n\n{_MORE}")

    async def help(self, asked: Invocation) -> Answer:
        """Tells the first commands, those of one topic, or all; and buttons for the rest."""
        known = self._of(asked)
        topics = [topic for topic in Topic if any(command.topic is topic for command in known)]
        said = " ".join(asked.words).lower()
        if said.partition(" ")[0] == "all":
            return Answer("\n\n".join(_part(topic, known) for topic in topics))
        names = ", ".join(_WORDS[topic][0] for topic in topics)
        if not said:
            first = "\n".join(_line(command, short=True) for command in known if command.first)
            more = f"`/help all` shows every command. `/help <topic>` shows one topic: {names}."
            how = _HOW if asked.chat.private else _HOW_IN_A_GROUP
            return Answer(f"{how}\n\n{first}\n\n{more}", buttons=_rows(topics, None))
        if (one := _topic(said, topics)) is not None:
            return Answer(_part(one, known), buttons=_rows(topics, one))
        if (told := _command(said, known)) is not None:
            return Answer(_line(told), buttons=_rows(topics, told.topic))
        unknown = f"There is no topic or command {inline_code(said[:_LONGEST])}."
        return Answer(
            f"{unknown}{_near(said, topics, known)} Topics: {names}.", buttons=_rows(topics, None)
        )

    def _of(self, asked: Invocation) -> Sequence[Command]:
        """Returns the commands that the person may use in this chat."""
        return [command for command in self._everything() if command.serves(asked)]


def _topic(said: str, topics: Sequence[Topic]) -> Topic | None:
    """Returns the topic that the words name, or else the one that their first word names."""
    for words in (said, said.partition(" ")[0]):
        if found := next((topic for topic in topics if words in _words(topic)), None):
            return found
    return None


def _command(said: str, known: Sequence[Command]) -> Command | None:
    """Returns the command that the first word names, with its slash or without."""
    name = said.lstrip("/").partition(" ")[0]
    return next((command for command in known if command.name == name), None)


def _near(said: str, topics: Sequence[Topic], known: Sequence[Command]) -> str:
    """Returns a question with the nearest word that the help knows; empty where none is near."""
    words = [*(word for topic in topics for word in _words(topic)), *(c.name for c in known)]
    near = difflib.get_close_matches(said.lstrip("/").partition(" ")[0], words, n=1, cutoff=_LIKE)
    return f" Did you mean {inline_code(f'/help {near[0]}')}?" if near else ""


def _part(topic: Topic, known: Sequence[Command]) -> str:
    lines = [
        _line(command, short=bool(command.brief)) for command in known if command.topic is topic
    ]
    return "\n".join([f"**{topic}**", *lines])


def _line(command: Command, *, short: bool = False) -> str:
    # As code: a form holds brackets and angles, which Markdown would read as its own.
    return f"- `{command.short_form if short else command.form}`: {command.summary}"


def _words(topic: Topic) -> tuple[str, ...]:
    """Returns the words that name a topic behind `/help`."""
    return (*_WORDS[topic], topic.name.lower(), topic.lower())


def _rows(topics: Sequence[Topic], now: Topic | None) -> ButtonRows:
    each = [choice(topic, "help", topic.name.lower(), now=topic is now) for topic in topics]
    buttons = [button for row in each for button in row]
    return rows_of(buttons, _EACH_ROW)
