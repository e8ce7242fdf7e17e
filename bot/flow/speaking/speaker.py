"""Gives people the voice notes that are owed to them; works behind the settled answers."""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from weakref import WeakValueDictionary

from bot.domain.budget import CallKind, Cause
from bot.domain.change import Change, EndVoice, SetVoice, Show, Write
from bot.domain.errors import Conflict, NoSuchChat, StoreError
from bot.domain.message import Markdown, Outbound, OutboundKind
from bot.domain.speakable import Speakable, speakable
from bot.domain.voice import VoiceNote
from bot.flow.speaking.voicing import Unspoken, Voiced, Voicing
from bot.flow.speaking.wording import failed, refused
from bot.flow.tasks import awaited
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import DeliveryState, Outbox, OutboxRow
from bot.ports.speaking import Sounds
from bot.ports.turns import TurnRows
from bot.ports.voice import VoiceRows

_LOG = logging.getLogger(__name__)

_AT_ONCE = 4
"""Answers that are spoken side by side; those of one chat one after another."""

_MOST = 100
_LOOK_SECONDS = 60.0
"""Seconds between two looks for sound that is delivered, and for debts that had to wait."""


class Speaker:
    """Speaks settled answers; whatever it has not done is owed, and the next start does it.

    The voice note and the end of its debt are one transaction. A failure is told once a day in its
    chat. Without a `voicing`, nothing is set up and nothing is spoken.
    """

    def __init__(
        self,
        rows: VoiceRows,
        outbox: Outbox,
        turns: TurnRows,
        voicing: Voicing | None,
        sounds: Sounds,
        journal: Journal,
        clock: Clock,
    ) -> None:
        self._rows = rows
        self._outbox = outbox
        self._turns = turns
        self._voicing = voicing
        self._sounds = sounds
        self._journal = journal
        self._clock = clock
        self._owed = asyncio.Event()
        self._taken: set[str] = set()
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._lines: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @property
    def speaks(self) -> bool:
        """Returns True when a service speaks."""
        return self._voicing is not None

    def wake(self) -> None:
        """Notes that a voice note is owed."""
        self._owed.set()

    async def run(self) -> None:
        """Speaks until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                self._owed.clear()
                try:
                    for note in await self._rows.owed(_MOST):
                        if note.turn not in self._taken:
                            self._taken.add(note.turn)
                            group.create_task(self._served(note), name=f"voice {note.turn}")
                    await self._tidy()
                except StoreError as fault:
                    _LOG.warning("spoken answers have to wait: %s", fault)
                await awaited(self._owed, self._clock, _LOOK_SECONDS)

    async def undelivered(self, row: OutboxRow, why: str) -> None:
        """Tells a chat that it took no voice note, and turns spoken answers off there."""
        told = _told(f"unspoken:{row.key}", row.chat, refused(why))
        await self._journal.commit(Change((SetVoice(row.chat, on=False), told)))

    async def _served(self, note: VoiceNote) -> None:
        line = self._lines.setdefault(note.chat, asyncio.Lock())
        try:
            async with line, self._room:
                await self._serve(note)
        except (StoreError, Conflict, NoSuchChat) as fault:
            _LOG.warning("a spoken answer has to wait: %s", fault, extra={"chat": note.chat})
        except Exception:  # noqa: BLE001 - a fault of one answer must not end the program
            _LOG.exception("a spoken answer failed", extra={"chat": note.chat})
        finally:
            self._taken.discard(note.turn)

    async def _serve(self, note: VoiceNote) -> None:
        row = await self._outbox.row(note.answer_key)
        said = Speakable() if row is None else await self._words(row)
        if row is None or self._voicing is None or not said.text:
            await self._journal.commit(Change((EndVoice(note.turn),)))
            return
        found = await self._voicing.voiced(note, await self._cause(note), said)
        writes: list[Write] = [*found.records, EndVoice(note.turn)]
        if isinstance(found, Unspoken):
            writes.extend(await self._excuse(row.chat, found))
        elif await self._stands(row):
            writes.append(_spoken(note, row, found))
        await self._journal.commit(Change(tuple(writes)))

    async def _stands(self, row: OutboxRow) -> bool:
        """Returns False for an answer whose words were erased while they were being spoken."""
        now = await self._outbox.row(row.key)
        return now is not None and now.content == row.content

    async def _words(self, row: OutboxRow) -> Speakable:
        """Returns the answer as it is spoken: without the words said on the way to it."""
        if row.state is DeliveryState.DEAD:
            return Speakable()
        blocks = (b for b in row.content.blocks if isinstance(b, Markdown) and not b.said)
        text = "\n\n".join(block.text for block in blocks)
        return await asyncio.to_thread(partial(speakable, text))

    async def _cause(self, note: VoiceNote) -> Cause:
        turn = await self._turns.get(note.turn)
        if turn is None:
            return Cause(CallKind.SPEAKING, note.chat)
        return Cause(CallKind.SPEAKING, turn.chat, turn.asker, turn.id, turn.skill)

    async def _excuse(self, chat: int, found: Unspoken) -> Sequence[Show]:
        """Returns the line about a failure, unless one of its kind was told today."""
        key = f"unspoken:{chat}:{found.kind}:{self._clock.now():%Y%m%d}"
        if await self._outbox.row(key) is not None:
            return ()
        return (_told(key, chat, failed(found.why)),)

    async def _tidy(self) -> None:
        """Deletes the sound that no message needs any more."""
        for turn in await self._sounds.all():
            if turn in self._taken:
                continue
            row = await self._outbox.row(VoiceNote(turn, 0, self._clock.now()).key)
            if row is None or row.state is not DeliveryState.OWED:
                await self._sounds.drop(turn)


def _spoken(note: VoiceNote, row: OutboxRow, found: Voiced) -> Show:
    content = Outbound(
        OutboundKind.VOICE, (), files=(found.file,), reply_to=row.content.reply_to, silent=True
    )
    return Show(note.key, row.chat, content)


def _told(key: str, chat: int, words: str) -> Show:
    return Show(key, chat, Outbound(OutboundKind.NOTICE, (Markdown(words),)))
