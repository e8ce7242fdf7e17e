"""Takes thumbs on answers: each known person has one opinion about an answer."""

from dataclasses import dataclass

from bot.domain.change import Change, DropFeedback, InboundState, Write
from bot.domain.message import Reaction
from bot.flow.arrivals.marks import marked
from bot.flow.arrivals.presses import Presses
from bot.flow.log.opinions import Opinions
from bot.ports.chats import Chats
from bot.ports.feedback import FeedbackRows
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.people import People

_NOT_OURS = "a reaction to no answer, or of somebody unknown"


class Thumbs:
    """Keeps the opinions that people give by a reaction; no chat is made for one."""

    def __init__(
        self,
        people: People,
        chats: Chats,
        rows: FeedbackRows,
        opinions: Opinions,
        journal: Journal,
    ) -> None:
        self._people = people
        self._chats = chats
        self._rows = rows
        self._opinions = opinions
        self._journal = journal

    async def take(self, row: InboundRow, reaction: Reaction) -> None:
        write = await self._write(reaction)
        reason = _NOT_OURS if write is None else ""
        done = marked(row, InboundState.DONE, reason, forget=True)
        kept = () if write is None else (write,)
        await self._journal.commit(Change((*kept, *done.writes), durable=True))

    async def _write(self, reaction: Reaction) -> Write | None:
        person = await self._people.by_sender(reaction.sender)
        if person is None:
            return None
        chats = [chat.id for chat in await self._chats.within(reaction.address)]
        turn = await self._rows.answer_at(chats, reaction.message_id) if chats else None
        if turn is None:
            return None
        if reaction.taken_back:
            return DropFeedback(turn, person.id, reaction.verdict)
        return await self._opinions.given(turn, person, reaction.verdict)


@dataclass(frozen=True, slots=True)
class Touches:
    """The parts that take what people do to a message: presses of its buttons, and thumbs."""

    presses: Presses
    thumbs: Thumbs
