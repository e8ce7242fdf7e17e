"""What is told of a server's end: its last words and its exit code, and no banner."""

import sys
from pathlib import Path

import pytest

from bot.adapters.mcp.last_words import LastWords
from bot.domain.talk.errors import OutcomeUnknown
from tests.adapters.mcp.conftest import SERVER, Make

TRACE = """\
Traceback (most recent call last):
  File "/usr/lib/python3/server.py", line 3, in <module>
    from mcp.server.fastmcp import FastMCP
ModuleNotFoundError: No module named 'mcp.server.fastmcp'
"""
NODE = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/srv/x.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Module._load (node:internal/modules/cjs/loader:1038:27) {
  code: 'MODULE_NOT_FOUND'
}
"""


def cause(text: str, exit_code: int | None = 1) -> str:
    words = LastWords()
    words.add(text)
    return words.cause(exit_code)


def test_a_trace_is_told_from_the_line_that_names_the_fault() -> None:
    told = "ModuleNotFoundError: No module named 'mcp.server.fastmcp' (exit code 1)"
    assert cause("x\n" * 9_000 + TRACE) == told
    assert cause(NODE).startswith("Error: Cannot find module '/srv/x.js'")


def test_long_words_are_cut_at_their_beginning_between_lines() -> None:
    lines = [f"line {n} {'of words ' * 5}" for n in range(50)]
    told = cause("\n".join(lines))
    assert told.startswith("line 4")
    assert told.endswith("line 49 of words of words of words of words of words (exit code 1)")


@pytest.mark.parametrize(
    ("exit_code", "told"),
    [
        (0, "it ended with exit code 0"),
        (3, "it ended with exit code 3"),
        (137, "it ended with signal SIGKILL"),
        (-9, "it ended with signal SIGKILL"),
        (255, "it ended with exit code 255"),
        (None, ""),
    ],
)
def test_an_end_without_words_is_told_by_its_exit_code(exit_code: int | None, told: str) -> None:
    assert cause("", exit_code) == told


async def test_a_program_that_says_nothing_is_named_by_its_exit_code(bench: Make) -> None:
    one = bench(command=("/bin/false",))
    assert await one.tools() == {}
    (condition,) = await one.servers.condition([one.spec])
    assert condition.state == "failed: it ended with exit code 1"


async def test_a_banner_is_no_cause_of_an_end(bench: Make, tmp_path: Path) -> None:
    program = tmp_path / "server"
    run = f"{sys.executable} -S {SERVER} {tmp_path}"
    program.write_text(f"#!/bin/sh\necho '(Starting the server...)' >&2\nexec {run}\n")
    program.chmod(0o755)
    one = bench(command=(str(program),))
    with pytest.raises(OutcomeUnknown, match=r"\(it ended with signal SIGKILL\)"):
        await one.run("kill")
    with pytest.raises(OutcomeUnknown, match=r"\(out of memory \(exit code 9\)\)"):
        await one.run("die")
