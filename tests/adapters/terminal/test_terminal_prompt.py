"""The prompt itself: keys in, lines out, and printing beside it."""

import asyncio
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from bot.adapters.terminal.prompt import Prompt


class Screenful:
    """A prompt whose keys come from the test and whose screen is a string."""

    def __init__(self, keys: PipeInput, history: Path | None = None) -> None:
        self.keys = keys
        self.written = io.StringIO()
        target = Vt100_Output(self.written, lambda: Size(24, 80), term="xterm", enable_cpr=False)
        self.prompt = Prompt(history, source=keys, target=target)
        self.live = ""
        self.begun = 0
        self.began = asyncio.Event()

    async def read(self) -> str:
        return await self.prompt.read(lambda: self.live, self._begun)

    def _begun(self) -> None:
        self.begun += 1
        self.began.set()


@pytest.fixture
def screenful() -> Iterator[Screenful]:
    with create_pipe_input() as keys, create_app_session():
        yield Screenful(keys)


async def test_a_typed_line_is_read(screenful: Screenful) -> None:
    screenful.keys.send_text("hello\r")
    assert await screenful.read() == "hello"
    assert screenful.begun == 1


async def test_beginning_is_told_for_each_line(screenful: Screenful) -> None:
    screenful.keys.send_text("ab\x7f\x7fc\r")
    assert await screenful.read() == "c"
    assert screenful.begun == 2
    screenful.keys.send_text("d\r")
    assert await screenful.read() == "d"
    assert screenful.begun == 3


@pytest.mark.parametrize(("key", "error"), [("\x03", KeyboardInterrupt), ("\x04", EOFError)])
async def test_leaving_keys(screenful: Screenful, key: str, error: type[BaseException]) -> None:
    screenful.keys.send_text(key)
    with pytest.raises(error):
        await screenful.read()


async def test_printing_while_a_line_is_typed_keeps_the_line(screenful: Screenful) -> None:
    reading = asyncio.create_task(screenful.read())
    screenful.keys.send_text("hel")
    await screenful.began.wait()
    await screenful.prompt.show([("bold", "news\n")])
    screenful.keys.send_text("lo\r")
    assert await reading == "hello"
    written = screenful.written.getvalue()
    assert "news\r\n" in written
    assert "hel" in written[written.index("news") :]


async def test_printing_without_a_prompt_is_plain(screenful: Screenful) -> None:
    await screenful.prompt.show([("", "early\n")])
    assert "early\r\n" in screenful.written.getvalue()


async def test_what_moves_stands_above_the_prompt(screenful: Screenful) -> None:
    screenful.live = "⏳ read_file a\n"
    screenful.keys.send_text("x\r")
    await screenful.read()
    assert "⏳ read_file a" in screenful.written.getvalue()


async def test_escapes_never_reach_the_terminal_raw(screenful: Screenful) -> None:
    await screenful.prompt.show([("", "a\x1b[2Jb\n")])
    assert "\x1b[2J" not in screenful.written.getvalue()


async def test_the_cursor_is_never_asked_for(screenful: Screenful) -> None:
    screenful.keys.send_text("x\r")
    await screenful.read()
    assert "\x1b[6n" not in screenful.written.getvalue()


async def test_history_is_kept_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with create_pipe_input() as keys, create_app_session():
        keys.send_text("remember me\r")
        await Screenful(keys, path).read()
    assert "remember me" in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    with create_pipe_input() as keys, create_app_session():
        later = Screenful(keys, path)
        reading = asyncio.create_task(later.read())
        await asyncio.sleep(0)
        keys.send_text("x\r")
        assert await reading == "x"
