"""Questions to the process that has a post, and their answers, as the payloads of NOTIFY."""

import asyncio
import logging
from collections.abc import Callable
from itertools import count

from bot.ports.bell import Answerer

_log = logging.getLogger(__name__)

_SECONDS = 10.0
"""Seconds after which a question has no answer: the process with the post may have died."""

_MOST_ANSWERED = 256
"""Questions that are answered at a time; others get no answer."""

_QUESTION, _ANSWER, _TOLD = "?", "!", "."
"""The first words of a payload."""


def line_of(number: int) -> str:
    """Returns the name under which one listens: that of a process, or of the one with a post."""
    return f"steward_{number}"


class PostQuestions:
    """The questions of this process, and those that it answers; `send` takes a line and words."""

    def __init__(self, process: int, send: Callable[[str, str], None]) -> None:
        self._process = process
        self._send = send
        self._numbers = count()
        self._asked: dict[int, asyncio.Future[str]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self.answerers: dict[int, Answerer] = {}
        """Whoever answers at a post, by its key."""
        self.listening = asyncio.Event()
        """Set while an answer reaches this process."""

    async def ask(self, key: int, question: str) -> str:
        number = next(self._numbers)
        self._asked[number] = answer = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(_SECONDS):
                await self.listening.wait()
                self._send(line_of(key), f"{_QUESTION} {self._process} {number} {key} {question}")
                return await answer
        finally:
            del self._asked[number]

    def tell(self, key: int, words: str) -> None:
        self._send(line_of(key), f"{_TOLD} {self._process} 0 {key} {words}")

    def heard(self, told: str) -> bool:
        """Takes a payload; returns False for one that is a ring."""
        kind, _, rest = told.partition(" ")
        if kind in (_QUESTION, _TOLD):
            process, number, key, question = rest.split(" ", 3)
            if kind == _QUESTION or int(process) != self._process:
                self._begin(int(process), number if kind == _QUESTION else "", int(key), question)
        elif kind == _ANSWER:
            number, _, words = rest.partition(" ")
            answer = self._asked.get(int(number))
            if answer is not None and not answer.done():
                answer.set_result(words)
        return kind in (_QUESTION, _ANSWER, _TOLD)

    async def close(self) -> None:
        for task in self._answering:
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering)

    def _begin(self, process: int, number: str, key: int, question: str) -> None:
        answerer = self.answerers.get(key)
        if answerer is None or len(self._answering) >= _MOST_ANSWERED:
            return
        task = asyncio.create_task(
            self._answer(answerer, process, number, question), name="answer to another process"
        )
        self._answering.add(task)
        task.add_done_callback(self._answered)

    async def _answer(self, answerer: Answerer, process: int, number: str, question: str) -> None:
        words = await answerer(question)
        if number:
            self._send(line_of(process), f"{_ANSWER} {number} {words}")

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answering.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("a question of another process has no answer", exc_info=fault)
