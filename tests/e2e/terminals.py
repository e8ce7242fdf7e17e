"""The program in a terminal of a given size, with what a person would see of it."""

import asyncio
import os
import signal
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect
import pyte

from tests.e2e.launching import Command, anew, surroundings
from tests.patience import PATIENCE

_HISTORY = 5_000


class Terminal:
    """A program at work in a terminal; `wait` methods let the loop serve stand-ins meanwhile."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        columns: int = 100,
        rows: int = 40,
        command: Command = anew,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        program, *words = command(*arguments)
        self.columns = columns
        self.raw = ""
        self._gone = False
        self._screen = pyte.HistoryScreen(columns, rows, history=_HISTORY)
        self._stream = pyte.Stream(self._screen)
        self._child: pexpect.spawn[str] = pexpect.spawn(
            program,
            words,
            cwd=str(folder),
            env={**surroundings(folder), "TERM": "xterm-256color", **(environ or {})},
            dimensions=(rows, columns),
            encoding="utf-8",
            codec_errors="replace",
        )

    @property
    def lines(self) -> list[str]:
        """All lines that were ever on the screen, the newest last."""
        gone = [_text(line, self._screen.columns) for line in self._screen.history.top]
        return [line.rstrip() for line in (*gone, *self._screen.display)]

    @property
    def echoes(self) -> bool:
        """True while the terminal itself shows what is typed."""
        return bool(termios.tcgetattr(self._child.child_fd)[3] & termios.ECHO)

    def cells(self) -> list[list[pyte.screens.Char]]:
        """The characters that stand on the screen, with their colours."""
        lines = [self._screen.buffer[number] for number in range(self._screen.lines)]
        return [[line[n] for n in range(self._screen.columns)] for line in lines]

    @property
    def text(self) -> str:
        """All words that were ever on the screen, without line ends and edges of boxes."""
        return " ".join(" ".join(line.removeprefix("│") for line in self.lines).split())

    def type(self, keys: str) -> None:
        self._child.send(keys)

    def say(self, line: str) -> None:
        self._child.send(f"{line}\r")

    def resize(self, columns: int, rows: int) -> None:
        self._child.setwinsize(rows, columns)
        self._screen.resize(rows, columns)
        self.columns = columns

    async def shows(self, *words: str) -> None:
        """Wait until all of these have been on the screen."""
        await self.until(lambda: all(word in self.text for word in words), words)

    async def shows_times(self, word: str, count: int) -> None:
        await self.until(lambda: self.text.count(word) >= count, (word, count))

    async def until(self, condition: Callable[[], bool], sought: object = "") -> None:
        await asyncio.to_thread(self._wait, condition, sought)

    async def quiet(self, seconds: float = 0.5) -> None:
        """Wait until the program has written nothing for so long."""
        await asyncio.to_thread(self._hear_out, seconds)

    async def ended(self) -> int:
        """The exit code, once the program has ended by itself."""
        await asyncio.to_thread(self._drain)
        self._child.close()
        code = self._child.exitstatus
        return -int(self._child.signalstatus or 0) if code is None else code

    async def hung_up(self) -> int:
        """Closes the terminal itself; returns the exit code of the program."""
        assert self._child.pid is not None
        # Its number belongs to another file soon, so nobody may close it a second time.
        vars(self._child)["ptyproc"].fileobj.close()
        self._gone = True
        _, status = await asyncio.to_thread(os.waitpid, self._child.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        if self._gone:
            return
        if self._child.isalive():
            self._child.kill(signal.SIGKILL)
        self._child.close()

    def _wait(self, condition: Callable[[], bool], sought: object) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"{sought} never came:\n" + "\n".join(self.lines)
            self._read()

    def _hear_out(self, seconds: float) -> None:
        heard, since = len(self.raw), time.monotonic()
        while time.monotonic() < since + seconds and self._read():
            if len(self.raw) != heard:
                heard, since = len(self.raw), time.monotonic()

    def _drain(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < deadline, "it did not end:\n" + "\n".join(self.lines)

    def _read(self) -> bool:
        """Read what comes within a moment; False at the end of the program."""
        try:
            came = self._child.read_nonblocking(65_536, timeout=0.2)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += came
        # pyte drops the rest of a line behind this sign, which only chooses how an emoji looks.
        self._stream.feed(came.replace("\ufe0f", ""))
        return True


def _text(line: Mapping[int, pyte.screens.Char], columns: int) -> str:
    return "".join(line[n].data for n in range(columns))
