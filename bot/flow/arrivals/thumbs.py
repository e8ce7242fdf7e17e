"""Takes thumbs on answers: each known person has one opinion about an answer."""

from bot.domain.change import Change, CheckAccess, DropFeedback, InboundState, Write
from bot.domain.talk.message import Reaction
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.flow.arrivals.marks import marked
from bot.flow.arrivals.presses import Presses
from bot.flow.log.opinions import Opinions
from bot.ports.chats import Chats
from bot.ports.feedback import FeedbackRows
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.people import People

_NOT_OURS = "a reaction to no answer, or of somebody unknown"


@frozen
class Thumbs:
    """Keeps the opinions that people give by a reaction; no chat is made for one."""

    _people: People
    _chats: Chats
    _rows: FeedbackRows
    _opinions: Opinions
    _journal: Journal

    async def take(self, row: InboundRow, reaction: Reaction) -> None:
        writes = await self._writes(reaction)
        reason = "" if writes else _NOT_OURS
        done = marked(row, InboundState.DONE, reason, forget=True)
        await self._journal.commit(Change((*writes, *done.writes), durable=True))

    async def _writes(self, reaction: Reaction) -> tuple[Write, ...]:
        person = await self._people.by_sender(reaction.sender)
        write = None if person is None else await self._opinion(reaction, person)
        return () if person is None or write is None else (CheckAccess(person.id), write)

    async def _opinion(self, reaction: Reaction, person: Person) -> Write | None:
        chats = [chat.id for chat in await self._chats.within(reaction.address)]
        turn = await self._rows.answer_at(chats, reaction.message_id) if chats else None
        if turn is None:
            return None
        if reaction.taken_back:
            return DropFeedback(turn, person.id, reaction.verdict)
        return await self._opinions.given(turn, person, reaction.verdict)


@frozen
class Touches:
    """The parts that take what people do to a message: presses of its buttons, and thumbs."""

    presses: Presses
    thumbs: Thumbs
