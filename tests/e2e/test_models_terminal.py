"""Models and memory in the terminal: a server of one's own, choices, waiting turns, an export."""

import io
import json
import zipfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.launching import Command
from tests.e2e.terminals import Terminal
from tests.standins.chat_completions import ChatCompletions, calls, failure, text, tool
from tests.standins.embeddings import Embeddings, settings_for
from tests.standins.serving import serving
from tests.words import READY, WORDS_COUNT

KEY = "sk-local-terminal-a-key-nobody-may-ever-see"
MODEL, SECOND = "local/qwen-local", "local/gpt-4.1"
CAR = "The automobile of the physician is here."


@dataclass
class Talks:
    """Talks in a folder whose steward.toml names a server."""

    folder: Path
    server: ChatCompletions
    command: Command
    settings: dict[str, str]
    opened: list[Terminal]

    async def open(self, **settings: str) -> Terminal:
        environ = self.settings | settings
        self.opened.append(Terminal(self.folder, "chat", command=self.command, environ=environ))
        await self.opened[-1].shows(READY)
        return self.opened[-1]


@pytest.fixture
async def talks(tmp_path: Path, command: Command) -> AsyncIterator[Talks]:
    server = ChatCompletions(api_key=KEY)
    async with serving(server.app) as url:
        (tmp_path / "steward.toml").write_text(
            f'[providers.local]\nbase_url = "{url}/v1"\nkey = "LOCAL_KEY"\n'
            '[models."local/qwen-local"]\nwindow = 32_000\noutput = 4_000\n'
            'price = { input = 0.5, output = 1.5, date = "2026-11-22" }\n'
            '[models."local/gpt-4.1"]\nwindow = 32_000\noutput = 4_000\n'
        )
        settings = {"STEWARD_MODEL": MODEL, "LOCAL_KEY": KEY}
        settings["STEWARD_MODEL_BACKOFF_SECONDS"] = "0.05"
        one = Talks(tmp_path, server, command, settings, [])
        try:
            yield one
        finally:
            for talk in one.opened:
                talk.close()
        server.assert_exhausted()
        assert _holding(tmp_path, KEY.encode()) == []


def _holding(folder: Path, secret: bytes) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if secret in path.read_bytes()]


async def test_a_server_of_the_settings_answers_with_tools_and_its_models_are_chosen(
    talks: Talks,
) -> None:
    talks.server.add(
        calls(tool("write_file", {"path": "b.txt", "content": "beta"})), text("Written.")
    )
    talk = await talks.open(STEWARD_FAST_MODEL=SECOND)
    talk.say("write it")
    await talk.shows("[y]")
    talk.say("y")
    await talk.shows("Written.")
    assert [path.read_text() for path in talks.folder.rglob("b.txt")] == ["beta"]
    talk.say("/model")
    await talk.shows("$0.50 / $1.50", "in / out, looked up on 2026-11-22.", f"/model {SECOND}")
    talk.say(f"/model {SECOND}")
    await talk.shows(f"From your next message on: {SECOND}.")
    talks.server.add(text("Second here."))
    talk.say("who is it?")
    await talk.shows("Second here.")
    assert talks.server.requests[-1].body["model"] == "gpt-4.1"
    talk.say("/model default")
    await talk.shows(f"Back to {MODEL}.")
    talk.say("/tier")
    await talk.shows("[f] Fast", "[b] Balanced", "[d] Deep", "[o] ✓ Off")
    talk.say("f")
    await talk.shows(f"fast, that is {SECOND}", "[f] ✓ Fast")
    talks.server.add(text("Fast here."))
    talk.say("and now?")
    await talk.shows("Fast here.")
    assert talks.server.requests[-1].body["model"] == "gpt-4.1"
    talk.say("/tier off")
    await talk.shows(f"No tier: this chat uses {MODEL}.")
    talks.server.refusals.clear()


@pytest.mark.parametrize("key", ["t", "g"])
async def test_a_turn_that_no_model_serves_waits_with_two_keys_over_a_new_start(
    talks: Talks, key: str
) -> None:
    talks.server.add(*[failure(429, "no room")] * 2)
    talk = await talks.open(STEWARD_MODEL_RETRIES="1")
    talk.say("a hard thing")
    await talk.shows("waits; nothing is lost or changed.", "[t] 🔁 Try now", "[g] ⏹ Give up")
    talk.say("/quit")
    assert await talk.ended() == 0
    again = await talks.open(STEWARD_MODEL_RETRIES="1")
    await again.shows("[t] 🔁 Try now", "[g] ⏹ Give up")
    if key == "t":
        talks.server.add(text("At last."))
    again.say(key)
    await again.shows("At last." if key == "t" else "Given up")
    assert len(talks.server.requests) == (3 if key == "t" else 2)


@pytest.fixture
async def embeddings(talks: Talks) -> AsyncIterator[Embeddings]:
    pytest.importorskip("chromadb")
    one = Embeddings()
    async with serving(one.app) as url:
        talks.settings |= settings_for(url)
        yield one


async def test_an_answer_comes_back_for_other_words_of_its_meaning(
    talks: Talks, embeddings: Embeddings
) -> None:
    talks.server.add(text(CAR), text("At the station."))
    talk = await talks.open()
    talk.say("remember the place")
    await talk.shows(CAR)
    asked = 0
    while "found by words and by meaning" not in talk.text:
        asked += 1
        talk.say("/status")
        await talk.shows_times("Memory: I can look up 1 answer", asked)
    talk.say("/new")
    await talk.shows("fresh start")
    talk.say("Auto, Arzt?")
    await talk.shows("At the station.")
    assert CAR in str(talks.server.requests[-1].body["messages"])


async def test_models_and_tiers_are_chosen_by_keys_until_something_else_is_said(
    talks: Talks,
) -> None:
    talk = await talks.open(STEWARD_FAST_MODEL=SECOND)
    talk.say("/model")
    await talk.shows("[q] ✓ qwen-local · $0.50 / $1.50", "[g] gpt-4.1")
    assert WORDS_COUNT not in talk.text
    talk.say("g")
    await talk.shows(f"From your next message on: {SECOND}.", "[g] ✓ gpt-4.1")
    talk.say("q")
    await talk.shows(f"From your next message on: {MODEL}.")
    talk.say("/tier")
    await talk.shows("[f] Fast", "[b] Balanced", "[d] Deep", "[o] ✓ Off")
    talks.server.add(text("A letter."), text("Fast here."))
    talk.say("hello")
    await talk.shows("A letter.")
    talk.say("f")
    await talk.shows("That key is spent: it was Fast")
    talk.say("f")
    await talk.shows("Fast here.")
    assert [one.body["model"] for one in talks.server.requests] == ["qwen-local"] * 2


async def test_an_export_is_a_file_in_the_folder_of_the_talk(talks: Talks) -> None:
    talks.server.add(text("Your dog is called Rex."))
    talk = await talks.open()
    talk.say("my dog is called Rex")
    await talk.shows("Your dog is called Rex.")
    talk.say("/export")
    await talk.shows("Here is everything we said in private")
    (file,) = _archives(talks.folder)
    assert file.name.startswith("steward-export-20")
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        assert archive.namelist() == ["steward.jsonl", "steward.md"]
        lines = [json.loads(line) for line in archive.read("steward.jsonl").splitlines()]
    assert [line["text"] for line in lines] == ["my dog is called Rex", "Your dog is called Rex."]


def _archives(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*.zip") if path.is_file())
