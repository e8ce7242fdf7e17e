"""The child process of Chroma, as its owner sees it: requests, answers, and its end."""

import asyncio
import itertools
import json
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from bot.adapters.child_process import environment_of, killed, started
from bot.adapters.chroma.faults import LOST
from bot.adapters.chroma.frames import HEAD, frame, packed, sizes
from bot.domain.talk.errors import VectorsAway, VectorsLost

_PASSED_ON = (
    *("PATH", "HOME", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
)
"""Variables that the child sees; no key is among them."""

_ENDING_SECONDS = 2.0
_LIMIT = 2**20


class Died(VectorsAway):
    """The child ended before it answered."""


class ChromaProcess:
    """Starts the child at the first request, and again after its end.

    `told` gets what the child says unasked. A request that nobody awaits any more is answered all
    the same, and its answer is dropped.
    """

    def __init__(
        self, kind: str, told: Callable[[Mapping[str, Any]], None] = lambda _: None
    ) -> None:
        self._kind = kind
        self._told = told
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[tuple[Mapping[str, Any], bytes]]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ask(
        self, request: Mapping[str, Any], vectors: Sequence[Sequence[float]] = (), *, seconds: float
    ) -> tuple[Mapping[str, Any], bytes]:
        """Returns the answer; raises VectorsLost, or VectorsAway, of which one is Died.

        A child that does not answer in time is ended: nothing else can stop native code.
        """
        process = await self._started()
        number = next(self._numbers)
        answer = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            if process.stdin is None or not self.alive:
                raise Died(self._end_of(process))
            process.stdin.write(frame({"id": number, **request}, packed(vectors)))
            async with asyncio.timeout(seconds):
                # No drain: the child reads one request after the other, and few are under way.
                return self._checked(*await answer)
        except TimeoutError:
            await self.end()
            raise Died(f"the index of meaning gave no answer within {seconds:g} s") from None
        finally:
            self._waiting.pop(number, None)

    async def end(self) -> None:
        """Ends the child and waits for it; the next request starts another one."""
        process, self._process = self._process, None
        reading, self._reading = self._reading, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                async with asyncio.timeout(_ENDING_SECONDS if not self._waiting else 0):
                    await process.wait()
            except TimeoutError:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if reading is not None:
            await asyncio.wait([reading])

    def _checked(
        self, answer: Mapping[str, Any], numbers: bytes
    ) -> tuple[Mapping[str, Any], bytes]:
        fault = answer.get("fault")
        if fault is None:
            return answer, numbers
        raise (VectorsLost if fault == LOST else VectorsAway)(str(answer.get("why", "")))

    async def _started(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._process is not None and self._process.returncode is None:
                return self._process
            await self.end()
            process = self._process = await started(
                (sys.executable, "-P", "-m", "bot.adapters.chroma.child", self._kind),
                "/",
                environment_of({"ANONYMIZED_TELEMETRY": "False"}, _PASSED_ON),
                limit=_LIMIT,
                ended=killed,
            )
            self._reading = asyncio.create_task(self._read(process), name=f"chroma {self._kind}")
            return process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hands each answer to the one who waits for it, until the child ends."""
        if process.stdout is None:
            return
        with suppress(asyncio.IncompleteReadError, ConnectionError, ValueError):
            while True:
                line, numbers = sizes(await process.stdout.readexactly(HEAD.size))
                answer = json.loads(await process.stdout.readexactly(line))
                held = await process.stdout.readexactly(numbers)
                waiting = self._waiting.get(answer.get("id", 0))
                if waiting is None:
                    self._told(answer)
                elif not waiting.done():
                    waiting.set_result((answer, held))
        await process.wait()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Died(self._end_of(process)))

    @staticmethod
    def _end_of(process: asyncio.subprocess.Process) -> str:
        code = process.returncode
        if code is None or code >= 0:
            return "the process of the index of meaning ended"
        with suppress(ValueError):
            return f"the process of the index of meaning was ended by {signal.Signals(-code).name}"
        return f"the process of the index of meaning was ended by signal {-code}"
