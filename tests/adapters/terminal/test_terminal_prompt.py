"""The prompt itself: keys in, lines out, and printing beside it."""

import asyncio
import errno
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from bot.adapters.terminal.known_command import KnownCommand
from bot.adapters.terminal.prompt import Prompt

COMMANDS = (
    KnownCommand("people", "who may talk to me"),
    KnownCommand("plan", "collect steps", "on|off | status | use <name> <key=value> | <wish>"),
    KnownCommand("queue", "what a message during a turn does", "queue|steer|interrupt"),
)


class Written(io.StringIO):
    """A screen as a string, which tells when something is written."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()
        self.gone = False

    def write(self, text: str) -> int:
        if self.gone:
            raise OSError(errno.EIO, "Input/output error")
        self.changed.set()
        return super().write(text)


class Screenful:
    """A prompt whose keys come from the test and whose screen is a string."""

    def __init__(self, keys: PipeInput, history: Path | None = None) -> None:
        self.keys = keys
        self.written = Written()
        target = Vt100_Output(self.written, lambda: Size(24, 80), term="xterm", enable_cpr=False)
        self.prompt = Prompt(history, source=keys, target=target, surroundings={"TERM": "xterm"})
        self.prompt.commands = COMMANDS
        self.live = ""
        self.begun = 0
        self.began = asyncio.Event()

    async def shows(self, text: str) -> None:
        """Wait until the text was written to the screen."""
        while text not in self.written.getvalue():
            self.written.changed.clear()
            await self.written.changed.wait()

    async def read(self) -> str:
        return await self.prompt.read(lambda: [("dim", self.live)], self._begun)

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


async def test_a_terminal_that_closes_while_a_line_is_read_is_its_end(screenful: Screenful) -> None:
    reading = asyncio.create_task(screenful.read())
    screenful.keys.send_text("hel")
    await screenful.shows("hel")
    screenful.written.gone = True
    reading.cancel()
    with pytest.raises(EOFError):
        await reading


async def test_printing_while_a_line_is_typed_keeps_the_line(screenful: Screenful) -> None:
    reading = asyncio.create_task(screenful.read())
    screenful.keys.send_text("hel")
    await screenful.shows("hel")
    await screenful.prompt.show([("", "news\n")])
    screenful.keys.send_text("lo\r")
    assert await reading == "hello"
    written = screenful.written.getvalue()
    before, news, after = written.partition("news\r\n")
    # The prompt was taken away for the news, and drawn again below.
    assert news
    assert "\x1b[J" in before[before.index("hel") :]
    assert "hel" in after


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


@pytest.mark.parametrize("keys", ["one\x1b\rtwo\r", "\x1b[200~one\r\ntwo\x1b[201~\r"])
async def test_several_lines_are_one_message(screenful: Screenful, keys: str) -> None:
    screenful.keys.send_text(keys)
    assert await screenful.read() == "one\ntwo"


async def test_a_long_paste_is_shown_in_few_words_sent_whole_and_taken_back_at_once(
    tmp_path: Path,
) -> None:
    long, other = "".join(f"line {n}\n" for n in range(200)), "x" * 1_001
    with create_pipe_input() as keys, create_app_session():
        screenful = Screenful(keys, tmp_path / "history")
        pasted = f"\x1b[200~{long}\x1b[201~"
        keys.send_text(f"why {pasted}{pasted}\x7f and \x1b[200~{other}\x1b[201~?\r")
        assert await screenful.read() == f"why {long} and {other}?"
        written = screenful.written.getvalue()
        assert "[Pasted text 1, 200 lines]" in written
        assert "[Pasted text 3]" in written
        assert "line 17" not in written
    assert "+line 17" in (tmp_path / "history").read_text()


@pytest.mark.parametrize(
    ("begun", "line"),
    [("/pe", "/people"), ("/queue s", "/queue steer"), ("/plan u", "/plan use")],
)
async def test_tab_completes_commands_and_their_words(
    screenful: Screenful, begun: str, line: str
) -> None:
    reading = asyncio.create_task(screenful.read())
    screenful.keys.send_text(f"{begun}\t")
    await screenful.shows(line[len(begun) :])
    screenful.keys.send_text("\r")
    assert await reading == line


def test_only_words_that_are_typed_as_they_stand_are_offered() -> None:
    usage = "<id> [commands on|off] [tools all|a,b] [pace off|default|20/min,200/h]"
    words = ("commands", "on", "off", "tools", "all", "pace", "default")
    assert KnownCommand("rights", "", usage).words == words


async def test_keys_of_cards_are_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with create_pipe_input() as keys, create_app_session():
        screenful = Screenful(keys, path)
        for line in ("y", "n2", "no"):
            keys.send_text(f"{line}\r")
            await screenful.read()
    assert [line for line in path.read_text().split("\n") if line.startswith("+")] == ["+no"]


async def test_history_keeps_its_newest_lines_and_stays_small(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("".join(f"\n# 2026-01-01\n+line {n}\n" for n in range(20_000)))
    path.chmod(0o644)
    with create_pipe_input() as keys, create_app_session():
        keys.send_text("the newest\r")
        await Screenful(keys, path).read()
    lines = [line for line in path.read_text().split("\n") if line.startswith("+")]
    assert lines[-2:] == ["+line 19999", "+the newest"]
    assert path.stat().st_size < 200_000
    assert path.stat().st_mode & 0o077 == 0


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
