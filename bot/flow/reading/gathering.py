"""Gathers waiting rows that are fragments of one message, and says how long to wait for more."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from bot.domain.change import InboundState, MarkInbound, Show, Write
from bot.domain.talk.bundle import Bundle, Seam, belong, bundle, fits, seam_of
from bot.domain.talk.chat import Chat
from bot.domain.talk.limits import BundleBounds
from bot.domain.talk.message import InboundMessage, Outbound, OutboundKind, Plain
from bot.domain.talk.person import Person
from bot.domain.turn.transcript import AskerBody, ReplyBody
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen, replace
from bot.flow.log.history import ChatLog
from bot.flow.reading.message_reader import Asked, MessageReader
from bot.flow.reading.overhearing import Heard
from bot.flow.reading.row_reader import RowReader
from bot.flow.signs.life_signs import Signs
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow

_LATE = "[Steward] This came late: it is a part of the message before, sent together with it."
_BEFORE = "[Steward] This came late: it stands before the words above, sent together with them."
_MORE = "[Steward] More was sent at once than is read as one message: the rest comes after this."


@frozen
class Gathered:
    """Waiting rows that are one message; `wait` is the seconds in which more of it may come."""

    rows: tuple[InboundRow, ...]
    asked: Asked
    wait: float = 0.0

    @property
    def since(self) -> datetime:
        """Returns the time at which the first row came."""
        return min(row.received_at for row in self.rows)

    def taken(self, chat: int, turn: str) -> tuple[Write, ...]:
        """Returns the writes, besides the entry, that make this part of a turn."""
        waiting = (InboundState.WAITING,)
        marks = tuple(
            MarkInbound(row.id, InboundState.TAKEN, waiting, chat, turn=turn) for row in self.rows
        )
        wholes = (replace(one, turn=turn) for one in self.asked.enclosed.wholes)
        return (*marks, *wholes, *self._told(chat, turn))

    def stands(self, waiting: Sequence[InboundRow]) -> bool:
        """Returns True when every row still waits as it was read: neither edited nor dropped."""
        return set(self.rows) <= set(waiting)

    def hearing(self, heard: Heard | None) -> "Gathered":
        return replace(self, asked=replace(self.asked, heard=heard))

    def _told(self, chat: int, turn: str) -> tuple[Write, ...]:
        """Returns notices: more was sent than one message may hold, or than the inbox may."""
        first, shown = self.rows[0].id, list[Show]()
        if self.asked.bundle.more:
            count = len(self.rows)
            told = f"That is more than I read as one message. I begin with {count} parts of it."
            shown.append(_notice(f"bundle:{first}", chat, turn, Plain(told)))
        if self.asked.enclosed.unkept:
            told = "\n".join(self.asked.enclosed.unkept)
            shown.append(_notice(f"unkept:{first}", chat, turn, Plain(told)))
        if self.asked.enclosed.unheard:
            told = "\n".join(self.asked.enclosed.unheard)
            shown.append(_notice(f"unheard:{first}", chat, turn, Plain(told, style="line")))
        for number, words in enumerate(self.asked.enclosed.heard):
            told = Plain(f"🎤 “{words}”", style="aside")
            shown.append(_notice(f"heard:{first}:{number}", chat, turn, told))
        return tuple(shown)


@frozen
class Gathering:
    """Gathers messages from stored rows alone, so a restart gathers the same message."""

    _rows: RowReader
    _reader: MessageReader
    _clock: Clock
    _bounds: BundleBounds

    async def next(
        self,
        waiting: Sequence[InboundRow],
        chat: Chat,
        senders: Mapping[int, Person] | None = None,
    ) -> Gathered | None:
        """Returns the message that waits longest; None when its sender may not ask any more.

        `senders` are people who were just read.
        """
        first = waiting[0]
        asked = await self._reader.read(first, chat, senders)
        if asked is None:
            return None
        if len(waiting) == 1 and not seam_of(asked.bundle.first).open:
            return Gathered((first,), asked)
        whole = self._gathered(first, asked, waiting)
        messages = [await self._reader.quoting(m, chat) for m in whole.asked.bundle.messages]
        named = replace(whole.asked.bundle, messages=tuple(messages))
        return replace(whole, asked=replace(whole.asked, bundle=named))

    def _gathered(self, first: InboundRow, asked: Asked, waiting: Sequence[InboundRow]) -> Gathered:
        found = {first.id: (first, asked.bundle.first)}
        found |= {row.id: (row, message) for row, message in self._near(first, asked, waiting)}
        whole = bundle([message for _, message in found.values()], self._bounds)
        rows = tuple(row for one in whole.messages for row, m in found.values() if m is one)
        notes = (_MORE,) if whole.more else ()
        together = replace(asked, bundle=whole, notes=notes)
        return Gathered(rows, together, self._wait(rows, whole))

    def _near(
        self, first: InboundRow, asked: Asked, waiting: Sequence[InboundRow]
    ) -> Iterator[tuple[InboundRow, InboundMessage]]:
        """Yields the sender's next messages, as long as they are fragments of the same message."""
        seams = [seam_of(asked.bundle.first)]
        for row in waiting:
            if row.id <= first.id or row.person != first.person:
                continue
            message = self._rows.message(row)
            seam = seam_of(message) if message is not None else None
            if message is None or seam is None or not any(belong(seam, one) for one in seams):
                return
            # One message over the bound is enough to know that there are more.
            if len(seams) > self._bounds.messages:
                return
            seams.append(seam)
            yield row, message

    def _wait(self, rows: Sequence[InboundRow], whole: Bundle) -> float:
        if whole.more or not seam_of(whole.messages[-1]).open:
            return 0.0
        newest = max(row.received_at for row in rows)
        waited = (self._clock.now() - newest).total_seconds()
        return min(self._bounds.seconds, max(0.0, self._bounds.seconds - waited))

    def signed(self, gathered: Gathered) -> Signs:
        """Shows typing while the block waits for more fragments of a message."""
        return self._reader.signed(gathered.asked)

    async def late(
        self, waiting: Sequence[InboundRow], log: ChatLog, turn: Turn
    ) -> Gathered | None:
        """Returns late fragments of a turn's opening, unless the model has replied already."""
        if not waiting or turn.stop_asked is not None:
            return None
        await log.read(turn.conversation)
        seam = unanswered(log, turn.id)
        if seam is None:
            return None
        for at, row in enumerate(waiting):
            message = self._rows.message(row)
            if row.person != turn.asker or message is None or not belong(seam, seam_of(message)):
                continue
            gathered = await self.next(waiting[at:], log.chat)
            if gathered is None or not fits(seam, gathered.asked.bundle, self._bounds):
                return None
            noted = self.noted(gathered, seam)
            return replace(noted, asked=replace(noted.asked, after=seam))
        return None

    def noted(self, gathered: Gathered, seam: Seam | None) -> Gathered:
        """Returns the message, with a note if it is a late fragment of the one before."""
        first = seam_of(gathered.asked.bundle.first)
        if seam is None or not belong(seam, first):
            return gathered
        note = _BEFORE if first.number < seam.number else _LATE
        told = replace(gathered.asked, notes=(note, *gathered.asked.notes))
        return replace(gathered, asked=told)

    async def opened(self, gathered: Gathered, chat: Chat) -> Gathered:
        """Returns the message with its attachments read.

        Reading takes time: check afterwards that the rows still stand.
        """
        if not gathered.asked.enclosing:
            return gathered
        return replace(gathered, asked=await self._reader.opened(gathered.asked, chat))


def _notice(key: str, chat: int, turn: str, words: Plain) -> Show:
    return Show(key, chat, Outbound(OutboundKind.NOTICE, (words,)), about=turn)


def newest_seam(log: ChatLog) -> Seam | None:
    """Returns the end of the newest message in the current conversation."""
    bodies = (entry.body for entry in reversed(log.entries()))
    return next((body.seam for body in bodies if isinstance(body, AskerBody)), None)


def unanswered(log: ChatLog, turn: str) -> Seam | None:
    """Returns the end of a turn's message; None once the model has replied in the turn."""
    bodies = [entry.body for entry in log.entries(turn)]
    if any(isinstance(body, ReplyBody) for body in bodies):
        return None
    return next((b.seam for b in reversed(bodies) if isinstance(b, AskerBody)), None)
