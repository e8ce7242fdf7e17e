"""A press of a button below the end of a turn, with everything that it does."""

from datetime import datetime

from bot.domain.change import AddAudit, EndWays, SaveTurn, Write
from bot.domain.talk.message import Button
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.turn.turn import Turn, WaysOn
from bot.domain.value import frozen
from bot.flow.ways.buttons import EndButton, EndVerb, without_buttons
from bot.flow.ways.follower import follower
from bot.ports.outbox import OutboxRow

_LINES = {
    EndVerb.AGAIN: "🔁 Trying again",
    EndVerb.ONWARD: "▶️ Going on",
    EndVerb.MODEL: "🔀 Trying {of}",
    EndVerb.CHOICE: "✓ {label}",
}


@frozen
class Pressed:
    """A press that counts: its button, the message that has it, and the person."""

    meant: EndButton
    button: Button
    shown: OutboxRow
    by: Person
    at: datetime

    def writes(self, ended: Turn, *, private: bool) -> tuple[Write, ...]:
        """Returns the writes: the buttons go, and the next turn is queued."""
        line = _LINES[self.meant.verb].format(of=self.meant.of, label=self.button.label)
        line = line if private else f"{line} · {plain_name(self.by.name)}"
        details = {"way": self.button.label}
        return (
            EndWays(ended.id, WaysOn.PRESSED),
            SaveTurn(follower(ended, self.meant, self.button.label, self.by, self.at)),
            without_buttons(self.shown, line),
            AddAudit(self.at, ended.chat, self.by.id, "turn.followed", ended.id, details),
        )
