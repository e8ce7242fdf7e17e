"""Rings other processes by NOTIFY; the connection that listens also holds the posts of this one."""

import asyncio
import logging
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import islice
from threading import Event, Thread
from typing import Any, Self

from sqlalchemy import Connection, TextClause, text
from sqlalchemy.exc import DBAPIError

from bot.adapters.sql.post_questions import PostQuestions, line_of
from bot.adapters.sql.postgres import PostgresDatabase
from bot.adapters.sql.postgres_lines import QUICKLY_GONE, Line
from bot.domain.talk.errors import StoreError
from bot.ports.bell import Answerer, Hearer, Peal

_log = logging.getLogger(__name__)

POSTS = 1 << 59
"""The key of the first post; those of other locks are smaller."""

_ALL = "steward"
"""The line at which every process listens."""

_RING = text(
    "SELECT pg_notify(line, told)"
    " FROM unnest(CAST(:lines AS text[]), CAST(:told AS text[])) AS rings (line, told)"
)
_TRY = text(
    "SELECT key FROM unnest(CAST(:keys AS bigint[])) AS wanted (key)"
    " WHERE pg_try_advisory_lock(key)"
)
_FREE = text("SELECT pg_advisory_unlock(key) FROM unnest(CAST(:keys AS bigint[])) AS left_ (key)")
_NAMED = text("SELECT set_config('application_name', 'steward bell', false)")

_TRY_SECONDS = 1.0
"""Seconds between two tries to have a post that another process has."""

_LEAVING_SECONDS = 2.0
"""Seconds that the end of a process waits for the last rings."""

_POST = "post"
"""Stands in a ring that the process is to hear itself."""

_AT_ONCE = 25
"""Rings that are handed to the loop at once; the next ones wait until it has heard them."""

_CLOSED_SECONDS = 0.5
"""Seconds between two looks whether the program ends, while the loop has not heard a ring."""

_PEALS = {peal.value: peal for peal in Peal}
_CUT_SECONDS = 1.0
"""Seconds without a post that no line of the log tells of: its connection was cut and made anew."""
_PAUSE_SECONDS = 0.25
"""Seconds until a connection that was lost is opened anew."""


class SqlBell:
    """The ports `Bell` and `Posts`, by one thread that waits at its connection.

    When the server ends the connection, the thread notices at once, and all posts are lost. Use as
    an async context manager.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._hearers: list[Hearer] = []
        self._rings: dict[tuple[str, str], None] = {}
        """The next rings: the line and the words of each."""
        self._questions = PostQuestions(database.process, self._send)
        self._ringing = asyncio.Event()
        self._wanted: dict[int, asyncio.Event] = {}
        """The posts that this process wants, with the event that is set while it has them."""
        self._lost = asyncio.Event()
        self._shared: set[int] = set()
        """The posts that this process has together with others."""
        # The thread alone changes these three.
        self._held: set[int] = set()
        self._heard_at: set[int] = set()
        self._line: Line | None = None
        self._ended = False
        self._thread = Thread(target=self._listen, name="bell", daemon=True)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        self._task = asyncio.create_task(self._ring_on(), name="bell")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._questions.close()
        self._ended = True
        self._task.cancel()
        if self._rings:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LEAVING_SECONDS):
                    await self._ring_all()
        if (line := self._line) is not None:
            line.cut()
        await asyncio.wait([self._task])
        await asyncio.to_thread(self._thread.join, 2.0)

    def ring(self, peal: Peal, chat: int) -> None:
        self._send(_ALL, f"{self._database.process} {peal} {chat}")

    def hear(self, hearer: Hearer) -> None:
        self._hearers.append(hearer)

    async def keep(self, post: str, work: Callable[[], Awaitable[None]]) -> None:
        key = _key(post)
        gained = self._wanted[key] = asyncio.Event()
        # The thread waits at its connection: its own ring has it try at once.
        self._try_at_once()
        lost_at = float("-inf")
        try:
            while True:
                await gained.wait()
                told = logging.INFO if time.monotonic() - lost_at > _CUT_SECONDS else logging.DEBUG
                _log.log(told, "this process is the one for: %s", post)
                if await self._done_while(gained, work):
                    return
                # Whoever uses the store tells of a server that is away, once.
                _log.debug("the connection is lost, and with it the post: %s", post)
                lost_at = time.monotonic()
        finally:
            del self._wanted[key]

    def has(self, post: str) -> bool:
        gained = self._wanted.get(_key(post))
        return gained is not None and gained.is_set()

    def answer(self, post: str, answerer: Answerer) -> None:
        self._questions.answerers[_key(post)] = answerer

    def share(self, post: str, answerer: Answerer) -> None:
        self.answer(post, answerer)
        self._shared.add(_key(post))
        self._try_at_once()

    def tell(self, post: str, words: str) -> None:
        self._questions.tell(_key(post), words)

    def _try_at_once(self) -> None:
        self._send(line_of(self._database.process), f"{self._database.process} {_POST} 0")

    async def ask(self, post: str, question: str) -> str:
        return await self._questions.ask(_key(post), question)

    def _send(self, line: str, told: str) -> None:
        self._rings[line, told] = None
        self._ringing.set()

    async def _done_while(self, gained: asyncio.Event, work: Callable[[], Awaitable[None]]) -> bool:
        """Returns False when the post was lost before the work was done."""
        working = asyncio.ensure_future(work())
        losing = asyncio.create_task(self._lost.wait())
        try:
            await asyncio.wait([working, losing], return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
                return True
            return False
        finally:
            losing.cancel()
            working.cancel()
            await asyncio.wait([working, losing])

    async def _ring_on(self) -> None:
        while True:
            await self._ringing.wait()
            self._ringing.clear()
            await self._ring_all()

    async def _ring_all(self) -> None:
        rings, self._rings = self._rings, {}
        lines, told = zip(*rings, strict=True)
        try:
            await self._database.fetch(_RING, {"lines": [*lines], "told": [*told]})
        except StoreError as fault:
            _log.info("other processes were not rung: %s", fault)

    def _heard(self, told: str) -> None:
        if self._questions.heard(told):
            return
        process, peal, chat = told.split()
        known = _PEALS.get(peal)
        if int(process) == self._database.process or known is None:
            return
        for hearer in self._hearers:
            hearer(known, int(chat))

    def _listen(self) -> None:
        """Waits at the connection in a thread of its own, and opens a new one after a loss."""
        while not self._ended:
            try:
                self._line = self._database.open_line()
                self._wait_at(self._line)
            except (StoreError, DBAPIError):
                time.sleep(_PAUSE_SECONDS)
            finally:
                line, self._line = self._line, None
                if line is not None:
                    line.end()
                self._held, self._heard_at = set(), set()
                self._tell(self._lose)

    def _wait_at(self, line: Line) -> None:
        for statement in (
            _listen(_ALL),
            _listen(line_of(self._database.process)),
            QUICKLY_GONE,
            _NAMED,
        ):
            line.connection.execute(statement)
        line.connection.commit()
        self._tell(self._questions.listening.set)
        while not self._ended:
            self._move_posts(line.connection)
            heard = line.heard(_TRY_SECONDS)
            # After an outage thousands come at once, and others want the loop as well.
            while told := [*islice(heard, _AT_ONCE)]:
                self._hand_over(told)

    def _hand_over(self, told: Sequence[str]) -> None:
        taken = Event()
        self._tell(self._hear_all, told, taken)
        while not (taken.wait(_CLOSED_SECONDS) or self._ended):
            pass

    def _hear_all(self, told: Sequence[str], taken: Event) -> None:
        taken.set()
        for one in told:
            self._heard(one)

    def _move_posts(self, connection: Connection) -> None:
        if new := {*self._shared} - self._heard_at:
            for key in new:
                connection.execute(_listen(line_of(key)))
            connection.commit()
            self._heard_at |= new
        wanted = {*self._wanted}
        if freed := self._held - wanted:
            for key in freed:
                connection.execute(text(f"UNLISTEN {line_of(key)}"))
            connection.execute(_FREE, {"keys": [*freed]})
            connection.commit()
            self._held -= freed
        if missing := wanted - self._held:
            found = {key for (key,) in connection.execute(_TRY, {"keys": [*missing]})}
            for key in found & {*self._questions.answerers}:
                connection.execute(_listen(line_of(key)))
            connection.commit()
            self._held |= found
            for key in found:
                self._tell(self._gain, key)

    def _gain(self, key: int) -> None:
        if key in self._wanted:
            self._lost.clear()
            self._wanted[key].set()

    def _lose(self) -> None:
        self._lost.set()
        self._questions.listening.clear()
        for gained in self._wanted.values():
            gained.clear()

    def _tell(self, told: Callable[..., None], *given: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(told, *given)
        except RuntimeError:
            # The loop is closed: nobody is left to hear it.
            self._ended = True


def _listen(line: str) -> TextClause:
    return text(f"LISTEN {line}")


def _key(post: str) -> int:
    return POSTS + zlib.crc32(post.encode())
