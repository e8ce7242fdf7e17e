"""A message that has come in from a person the bot listens to."""

from bot.domain.change import InboundState, MarkInbound
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import InboundMessage
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.inbox import InboundRow


@frozen
class Arrival:
    """A message with its stored row, its chat, and the person who wrote it."""

    row: InboundRow
    message: InboundMessage
    chat: Chat
    person: Person

    def waiting(self, *, fragment: bool) -> MarkInbound:
        """Returns the mark of a message that waits for a turn.

        A `fragment` does not count as a message in the person's pace.
        """
        return MarkInbound(
            self.row.id,
            InboundState.WAITING,
            (self.row.state,),
            self.chat.id,
            message_id=self.message.message_id,
            person=self.person.id,
            fragment=fragment,
        )

    def done(self) -> MarkInbound:
        """Returns the mark of a message that needs no turn: it is carried out or has no effect."""
        return MarkInbound(self.row.id, InboundState.DONE, (self.row.state,), self.chat.id)

    def asked(self) -> MarkInbound:
        """Returns the mark of a command that waits until the person confirms it."""
        return MarkInbound(self.row.id, InboundState.ASKED, (self.row.state,), self.chat.id)

    def declined(self, reason: str) -> MarkInbound:
        """Returns the mark of a message that the bot does not take."""
        expect = (self.row.state,)
        return MarkInbound(self.row.id, InboundState.DROPPED, expect, self.chat.id, reason=reason)
