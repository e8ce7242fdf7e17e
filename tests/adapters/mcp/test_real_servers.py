"""Real servers from the registries: what they offer and answer, over pipes and over HTTP."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.tools.tool import Effect
from tests.adapters.mcp.conftest import Bench, Make
from tests.ports import free_port


def program(name: str) -> tuple[str, ...]:
    """A program that was installed with the tests."""
    return (str(Path(sys.executable).with_name(name)),)


class Remote:
    """npm's server-everything over HTTP, which can go away and come back at its address."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/mcp"

    def come(self) -> None:
        self._process = subprocess.Popen(
            [*self._command, "streamableHttp"],
            env={"PORT": str(self._port), "PATH": os.environ["PATH"]},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert self._process.stderr is not None
        while b"port" not in (line := self._process.stderr.readline()):
            assert line, "it ended at once"

    def go(self) -> None:
        if self._process is not None:
            with self._process as process:
                process.kill()
            self._process = None


@pytest.fixture
def remote(everything: tuple[str, ...]) -> Iterator[Remote]:
    """A server of one test alone, which may let it go."""
    remote = Remote(everything)
    remote.come()
    yield remote
    remote.go()


@pytest.fixture(scope="module")
def standing(everything: tuple[str, ...]) -> Iterator[str]:
    """The address of a server of all tests, which stays."""
    remote = Remote(everything)
    remote.come()
    yield remote.url
    remote.go()


@pytest.fixture(params=["pipes", "http"])
def both(request: pytest.FixtureRequest, everything: tuple[str, ...], bench: Make) -> Bench:
    """server-everything, reached in each way."""
    if request.param == "pipes":
        return bench(command=(*everything, "stdio"))
    return bench(command=(), url=request.getfixturevalue("standing"))


async def test_the_time_is_told(bench: Make) -> None:
    one = bench(command=program("mcp-server-time"), trusted=True)
    tools = await one.tools()
    assert {t.spec.effect for t in tools.values()} == {Effect.READ}
    told = json.loads((await one.run("get_current_time", timezone="Europe/Berlin")).text)
    assert told["timezone"] == "Europe/Berlin"
    refused = await one.run("convert_time", source_timezone="Nowhere", time="1", target_timezone="")
    assert refused.failed
    with pytest.raises(InvalidArguments, match="'timezone' is a required property"):
        await one.run("get_current_time")


@pytest.fixture
def repository(tmp_path: Path) -> str:
    folder = tmp_path / "repository"
    subprocess.run(("git", "init", "--quiet", str(folder)), check=True)
    (folder / "note.txt").write_text("hello")
    return str(folder)


async def test_a_repository_is_worked_on(bench: Make, repository: str) -> None:
    one, path = bench(command=program("mcp-server-git")), repository
    assert "note.txt" in (await one.run("git_status", repo_path=path)).text
    await one.run("git_add", repo_path=path, files=["note.txt"])
    assert "new file:   note.txt" in (await one.run("git_status", repo_path=path)).text
    assert (await one.tools())["nasty__git_reset"].spec.effect is Effect.DANGER


async def test_everything_is_offered_and_answers(both: Bench) -> None:
    tools = await both.tools()
    assert {"nasty__echo", "nasty__get-sum", "nasty__get-tiny-image"} <= set(tools)
    assert (await both.run("echo", message="hello")).text == "Echo: hello"
    assert "5" in (await both.run("get-sum", a=2, b=3)).text
    with pytest.raises(InvalidArguments, match="a: 'two' is not of type 'number'"):
        await both.run("get-sum", a="two", b=3)


async def test_structured_content_is_told_once(both: Bench) -> None:
    text = (await both.run("get-structured-content", location="Chicago")).text
    assert json.loads(text)["conditions"]


async def test_a_picture_goes_to_the_chat_and_what_cannot_be_shown_is_told(both: Bench) -> None:
    answer = await both.run("get-tiny-image")
    assert "[a picture, image/png, 4.0 kB, sent to the chat; you cannot see it]" in answer.text
    (file,) = answer.sends[0].files
    assert file.name.endswith(".png")
    assert (await asyncio.to_thread(Path(file.path).read_bytes)).startswith(b"\x89PNG")
    links = await both.run("get-resource-links", count=2)
    assert links.text.count("[a link to ") == 2


async def test_a_long_operation_ends_with_its_time(both: Bench, everything: object) -> None:
    both.spec = type(both.spec)(
        both.spec.name, both.spec.command, both.spec.url, folder="/", call_seconds=0.5
    )
    answer = await both.run("trigger-long-running-operation", duration=30, steps=2)
    assert answer.timed_out
    assert (await both.run("echo", message="still there")).text == "Echo: still there"


async def test_an_address_that_nobody_answers_at_is_told(bench: Make) -> None:
    one = bench(command=(), url="http://127.0.0.1:9/mcp")
    assert await one.tools() == {}
    (condition,) = await one.servers.condition([one.spec])
    assert "connect" in condition.state.lower()
    with pytest.raises(ToolFailure, match="connect"):
        await one.servers.tried(one.spec)


async def test_a_session_that_is_forgotten_is_opened_anew_and_the_call_is_made(
    bench: Make, remote: Remote
) -> None:
    one = bench(command=(), url=remote.url)
    assert (await one.run("echo", message="first")).text == "Echo: first"
    remote.go()
    remote.come()
    assert (await one.run("echo", message="second")).text == "Echo: second"


async def test_an_address_that_is_gone_is_named_and_used_again_when_it_is_back(
    bench: Make, remote: Remote
) -> None:
    one = bench(command=(), url=remote.url)
    echo = (await one.tools())["nasty__echo"]
    remote.go()
    with pytest.raises(ToolFailure, match=r"nasty (cannot be|ended)"):
        await echo.run({"message": "nobody"}, one.place, None)
    remote.come()
    assert (await one.run("echo", message="back")).text == "Echo: back"
