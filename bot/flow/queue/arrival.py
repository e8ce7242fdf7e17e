"""A message as it comes in from somebody the bot listens to."""

from dataclasses import dataclass

from bot.domain.change import InboundState, MarkInbound
from bot.domain.chat import Chat
from bot.domain.message import InboundMessage
from bot.domain.person import Person
from bot.ports.inbox import InboundRow


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message with the row that keeps it, the chat it stands in, and the person who wrote it."""

    row: InboundRow
    message: InboundMessage
    chat: Chat
    person: Person

    def waiting(self, *, fragment: bool) -> MarkInbound:
        """The mark that lets it wait its turn; a `fragment` counts for no pace."""
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
        """The mark of what needs no turn: it is carried out, or there is nothing to do."""
        return MarkInbound(self.row.id, InboundState.DONE, (self.row.state,), self.chat.id)

    def asked(self) -> MarkInbound:
        """The mark of what waits for a word whether it is meant."""
        return MarkInbound(self.row.id, InboundState.ASKED, (self.row.state,), self.chat.id)

    def declined(self, reason: str) -> MarkInbound:
        """The mark of what nobody takes."""
        expect = (self.row.state,)
        return MarkInbound(self.row.id, InboundState.DROPPED, expect, self.chat.id, reason=reason)
