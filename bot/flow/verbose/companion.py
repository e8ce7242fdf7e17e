"""A companion of turns that shows what tools were given and what came of it."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from bot.domain.change import Show
from bot.domain.consent.approval import Approval
from bot.domain.loop.contribution import Ended, Share
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.tools.call_words import CALLS, Conceal
from bot.domain.tools.tool import ToolCall, ToolResult
from bot.domain.turn.step import Finish
from bot.domain.turn.turn import Turn
from bot.flow.log.companion import Companion, Results, by_calls
from bot.flow.log.work import Work
from bot.flow.verbose.wording import NO_MORE, blocks_of, fits, heading, is_full
from bot.ports.chats import Chats
from bot.ports.outbox import Outbox

MOST = 10
"""The most messages about the calls of one turn."""


@dataclass(slots=True)
class _Place:
    """The newest message about the calls of a turn."""

    number: int


class VerboseCompanion:
    """Speaks where `/verbose on` was said; each message is owed with the results that it shows.

    The calls of a round stand in one message. The next round adds to it as long as it has room and
    nothing else was said below it. The chat is read anew each time, so a switch counts at once.
    """

    def __init__(self, chats: Chats, outbox: Outbox, conceal: Conceal) -> None:
        self._chats = chats
        self._outbox = outbox
        self._conceal = conceal
        self._places: WeakKeyDictionary[Work, _Place] = WeakKeyDictionary()

    @property
    def answers(self) -> Companion:
        return Companion(by_calls(), after_results=self.after_results, ended=self.ended)

    async def after_results(self, work: Work, row: Turn, ran: Results) -> Share:
        return Share(row, writes=await self._shown(work, ran))

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        return Ended(await self._shown(work, closed))

    async def _shown(self, work: Work, ran: Results) -> tuple[Show, ...]:
        told = _untold(work, ran)
        if not told:
            return ()
        chat = await self._chats.get(work.log.chat.shown_in)
        return await self._added(work, chat, told) if chat.settings.verbose else ()

    async def _added(self, work: Work, chat: Chat, told: Results) -> tuple[Show, ...]:
        """Returns the message with these calls: the newest one, with them below, or a new one."""
        place = await self._place(work)
        new = blocks_of(told, self._conceal, whole=work.turn.origin != "errand")
        old = await self._outbox.row(_key(work, place.number)) if place.number else None
        before = old.content if old is not None else None
        if before is not None and place.number >= MOST:
            if is_full(before):
                return ()
            new = new if fits(before, new) else (NO_MORE,)
        elif before is None or not fits(before, new) or not await self._is_last(work, chat):
            place.number, before = place.number + 1, None
        head = (Plain(named, style="aside"),) if (named := heading(work)) else ()
        blocks = (*head, *new) if before is None else (*before.blocks, *new)
        content = Outbound(OutboundKind.CALLS, blocks, silent=True)
        return (Show(_key(work, place.number), chat.id, content, about=work.turn.id),)

    async def _place(self, work: Work) -> _Place:
        """Returns the newest message; after a restart the rows tell which one that is."""
        known = self._places.get(work)
        if known is None:
            known = self._places[work] = _Place(0)
            while await self._outbox.row(_key(work, known.number + 1)) is not None:
                known.number += 1
        return known

    async def _is_last(self, work: Work, chat: Chat) -> bool:
        newest = await self._outbox.newest(chat.id)
        return newest is not None and newest.key.startswith(_key(work))


def _untold(work: Work, ran: Results) -> list[tuple[ToolCall, ToolResult]]:
    """Returns the calls but for those of which a card tells already that they did not run."""
    cards: dict[str, Approval | None] = {c.call.id: c.approval for c in work.progress.open_calls}
    return [
        (call, result)
        for call, result in ran
        if not (result.synthetic and cards.get(call.id) is not None)
    ]


def _key(work: Work, number: int | None = None) -> str:
    return f"{CALLS}{work.turn.id}:{'' if number is None else number}"
