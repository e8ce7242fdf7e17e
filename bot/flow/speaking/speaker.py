"""Gives people the voice notes that are owed to them; works behind the settled answers."""

import asyncio
import logging
from collections.abc import Sequence
from weakref import WeakValueDictionary

from bot.domain.change import Change, EndVoice, SetVoice, Show, Write
from bot.domain.talk.errors import Conflict, NoSuchChat, StoreError
from bot.domain.turn.voice import VoiceNote
from bot.flow.speaking.sound_sweep import SoundSweep
from bot.flow.speaking.voice_messages import answer_in, undelivered, unspoken, voice_note
from bot.flow.speaking.voicing import Unspoken, Voicing
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox, OutboxRow
from bot.ports.turns import TurnRows
from bot.ports.voice import VoiceRows

_LOG = logging.getLogger(__name__)

_AT_ONCE = 4
"""Answers that are spoken side by side; those of one chat one after another."""

_MOST = 100
_LOOK_SECONDS = 60.0
"""Seconds between two looks for sound that is delivered, and for debts that had to wait."""


class SpokenAnswers:
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
        sweep: SoundSweep,
        journal: Journal,
        clock: Clock,
    ) -> None:
        self._rows = rows
        self._outbox = outbox
        self._turns = turns
        self._voicing = voicing
        self._sweep = sweep
        self._journal = journal
        self._clock = clock
        self._owed = asyncio.Event()
        self._taken: set[str] = set()
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._lines: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

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
                    await self._sweep.sweep(self._taken)
                except StoreError as fault:
                    _LOG.warning("spoken answers have to wait: %s", fault)
                await self._clock.until(self._owed, _LOOK_SECONDS)

    async def undelivered(self, row: OutboxRow, why: str) -> None:
        """Tells a chat that it took no voice note, and turns spoken answers off there."""
        off = SetVoice(row.chat, on=False)
        await self._journal.commit(Change((off, undelivered(row, why))))

    async def _served(self, note: VoiceNote) -> None:
        line = self._lines.setdefault(note.chat, asyncio.Lock())
        try:
            async with line, self._room:
                await self._serve(note)
        except (StoreError, Conflict, NoSuchChat) as fault:
            _LOG.warning("a spoken answer has to wait: %s", fault, extra={"chat": note.chat})
        except Exception:  # a fault of one answer must not end the program
            _LOG.exception("a spoken answer failed", extra={"chat": note.chat})
        finally:
            self._taken.discard(note.turn)

    async def _serve(self, note: VoiceNote) -> None:
        row = await self._outbox.row(note.answer_key)
        said = None if row is None else await asyncio.to_thread(answer_in, row)
        if row is None or said is None or self._voicing is None or not said.text:
            await self._journal.commit(Change((EndVoice(note.turn),)))
            return
        cause = note.cause(await self._turns.get(note.turn))
        found = await self._voicing.voiced(note, cause, said)
        writes: list[Write] = [*found.records, EndVoice(note.turn)]
        if isinstance(found, Unspoken):
            writes.extend(await self._excuse(row.chat, found))
        elif await self._stands(row):
            writes.append(voice_note(note, row, said, found.path, found.seconds))
        await self._journal.commit(Change(tuple(writes)))

    async def _stands(self, row: OutboxRow) -> bool:
        """Returns False for an answer whose words were erased while they were being spoken."""
        now = await self._outbox.row(row.key)
        return now is not None and now.content == row.content

    async def _excuse(self, chat: int, found: Unspoken) -> Sequence[Show]:
        """Returns the line about a failure, unless one of its kind was told today."""
        key = f"unspoken:{chat}:{found.kind}:{self._clock.now():%Y%m%d}"
        if await self._outbox.row(key) is not None:
            return ()
        return (unspoken(key, chat, found.why),)
