"""Steward in any folder: its files are the workspace, and nothing is kept beside them."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.launching import Command, surroundings
from tests.e2e.steward import KEY
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import MessagesApi, calls, text, tool
from tests.standins.serving import serving

_TEST = f"{sys.executable} -m unittest -q"
_SUM = "def total(numbers):\n    return sum(numbers[1:])\n"
_CHECK = (
    "import unittest\nfrom prices import total\n\n\nclass Total(unittest.TestCase):\n"
    "    def test_all(self):\n        self.assertEqual(total([1, 2, 3]), 6)\n"
)


@dataclass(frozen=True)
class Person:
    """Somebody with a key, a home of their own and some folders."""

    place: Path
    model: MessagesApi
    access: dict[str, str]
    command: Command

    @property
    def home(self) -> Path:
        return self.place / "person" / "steward"

    def project(self, name: str = "shop", **files: str) -> Path:
        folder = self.place / name
        folder.mkdir()
        for file, words in files.items():
            (folder / file.replace("__", ".")).write_text(words)
        return folder

    @property
    def environ(self) -> dict[str, str]:
        own = {"XDG_DATA_HOME": str(self.place / "person"), "HOME": str(self.place / "account")}
        return surroundings() | {"STEWARD_HOME": ""} | own | self.access

    async def ask(
        self, folder: Path, *words: str, piped: bytes | None = None, **settings: str
    ) -> tuple[int, str, str]:
        process = await asyncio.create_subprocess_exec(
            *self.command("ask", *words),
            cwd=folder,
            env=self.environ | settings,
            stdin=DEVNULL if piped is None else PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
        out, err = await process.communicate(piped)
        return process.returncode or 0, out.decode(), err.decode()

    def chat(self, folder: Path, **settings: str) -> Terminal:
        environ = self.environ | settings
        return Terminal(folder, "chat", command=self.command, environ=environ)

    def told(self) -> str:
        """All that the model was given in its last request."""
        return str(self.model.requests[-1].body["messages"])


@pytest.fixture
async def person(tmp_path: Path, command: Command) -> AsyncIterator[Person]:
    model = MessagesApi(api_key=KEY)
    (tmp_path / "account").mkdir()
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
        yield Person(tmp_path, model, access, command)


def _names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


async def test_a_question_is_about_the_folder_that_one_stands_in(person: Person) -> None:
    shop = person.project(prices__py=_SUM)
    (shop / ".gitignore").write_text("*.log\n")
    (shop / "run.log").write_text("noise")
    person.model.script.add(calls(tool("list_files", {})), text("Prices."))
    assert await person.ask(shop, "what is here?") == (0, "Prices.\n", "✓ List the workspace\n")
    assert "prices.py" in person.told()
    assert "left out by .gitignore: run.log" in person.told()
    assert _names(shop) == [".gitignore", "prices.py", "run.log"]
    assert (person.home / "steward.db").exists()


async def test_piped_text_leaves_no_file_beside_a_project(person: Person) -> None:
    shop = person.project(prices__py=_SUM)
    person.model.script.add(text("It is full."))
    assert await person.ask(shop, "why?", piped=b"disk full\n") == (0, "It is full.\n", "")
    assert "disk full" in person.told()
    assert _names(shop) == ["prices.py"]


async def test_a_file_of_secrets_is_read_only_after_a_yes(person: Person) -> None:
    shop = person.project(__env="KEY=s3cret\n", a__txt="KEY=open\n")
    (shop / ".git").mkdir()
    (shop / ".git/config").write_text("KEY=s3cret\n")
    named = tool("search_files", {"query": "KEY", "path": f"{shop}/.env"})
    person.model.script.add(
        calls(tool("search_files", {"query": "KEY"})),
        calls(tool("read_file", {"path": "./.env"}), named),
        calls(tool("read_file", {"path": ".git/config"})),
        text("I may not."),
    )
    code, out, err = await person.ask(shop, "which keys are there?")
    assert (code, out) == (5, "I may not.\n")
    assert "a.txt:1: KEY=open" in person.told()
    assert "s3cret" not in person.told()
    assert "Read ./.env" in err
    assert "Read .git/config" in err


async def test_what_was_changed_in_a_project_is_taken_back_there(person: Person) -> None:
    shop = person.project(prices__py=_SUM)
    change = {"path": "prices.py", "old_text": "numbers[1:]", "new_text": "numbers"}
    person.model.script.add(calls(tool("edit_file", change)), text("Mended."))
    talk = person.chat(shop)
    await talk.shows("Just write to me")
    talk.say("mend the sum")
    await talk.shows("[y] ✅ Approve")
    talk.say("y")
    await talk.shows("Mended.")
    talk.say("/quit")
    assert await talk.ended() == 0
    assert "[1:]" not in (shop / "prices.py").read_text()
    talk = person.chat(shop)
    await talk.shows("Just write to me")
    talk.say("/undo")
    await talk.shows("[u] ↩", "Undo the change")
    talk.say("u")
    await talk.until(lambda: (shop / "prices.py").read_text() == _SUM, "the file as it was")
    talk.say("/quit")
    assert await talk.ended() == 0
    assert _names(shop) == ["prices.py"]


async def test_folders_named_like_those_of_chats_are_a_projects_own(person: Person) -> None:
    shop = person.project()
    for folder in ("inbox", "chats/room"):
        (shop / folder).mkdir(parents=True)
        (shop / folder / "a.py").write_text("print('mine')\n")
    listing = tool("list_files", {"pattern": "**/*.py"})
    reading = tool("read_file", {"path": "inbox/a.py"})
    person.model.script.add(calls(listing, reading), text("Two files."))
    assert (await person.ask(shop, "what is here?"))[0] == 0
    results = [b for b in person.model.requests[-1].body["messages"][-1]["content"]]
    assert "chats/room/a.py" in str(results)
    assert "somebody sent" not in str(results)
    assert "another chat" not in str(results)


async def test_each_folder_has_a_talk_of_its_own_in_one_home(person: Person) -> None:
    one, two = person.project("one"), person.project("two")
    for folder, words in ((one, "count the apples"), (two, "paint a bridge")):
        person.model.script.add(text(f"Heard in {folder.name}."))
        talk = person.chat(folder)
        await talk.shows(f"{folder.name}", "Home", "What is this project?")
        talk.say(words)
        await talk.shows(f"Heard in {folder.name}.")
        talk.say("/quit")
        assert await talk.ended() == 0
    assert "apples" not in person.told()
    assert _names(one) == _names(two) == []


async def test_settings_that_a_folder_brings_count_only_after_a_yes(person: Person) -> None:
    evil = person.project("evil", steward__toml="[mcp.evil]\ncommand = 'touch'\nargs = ['ran']\n")
    person.model.script.add(text("Hello."))
    code, out, err = await person.ask(evil, "hello")
    assert (code, out) == (0, "Hello.\n")
    assert f"I did not use the settings in {evil}" in " ".join(err.split())
    assert not (evil / "ran").exists()
    talk = person.chat(evil, STEWARD_HOME=str(person.home))
    await talk.shows("Use them?")
    assert "data/ of this folder" not in talk.text, "the home that is named stays the home"
    talk.say("perhaps")
    await talk.shows("Type y or n.")
    talk.say("n")
    await talk.shows("Just write to me")
    talk.say("/quit")
    assert await talk.ended() == 0
    assert not (evil / "ran").exists()
    person.model.script.add(text("Hello again."))
    assert await person.ask(evil, "hello") == (0, "Hello again.\n", "")


async def test_a_folder_that_others_can_change_is_asked_about_once(person: Person) -> None:
    open_to_all = person.project("open")
    open_to_all.chmod(0o777)
    code, _, err = await person.ask(open_to_all, "hello")
    assert code == 2
    assert "Other users can change" in err
    talk = person.chat(open_to_all)
    await talk.shows("Work in this folder?")
    talk.say("y")
    await talk.shows("Just write to me")
    talk.say("/quit")
    assert await talk.ended() == 0
    person.model.script.add(text("Hello."))
    assert (await person.ask(open_to_all, "hello"))[:2] == (0, "Hello.\n")


async def test_a_home_is_no_project(person: Person) -> None:
    account = person.place / "account"
    (account / "secret.txt").write_text("mine alone")
    person.model.script.add(calls(tool("list_files", {})), text("Nothing."))
    assert (await person.ask(account, "what is here?"))[0] == 0
    assert "secret.txt" not in person.told()
    named = person.place / "named"
    named.mkdir()
    (named / "a.md").write_text("a")
    person.model.script.add(calls(tool("list_files", {})), text("One file."))
    await person.ask(person.project(), "what is here?", STEWARD_WORKSPACE=str(named))
    assert "a.md" in person.told()


def _python(folder: Path) -> tuple[str, dict[str, Any]]:
    (folder / "prices.py").write_text(_SUM)
    (folder / "test_prices.py").write_text(_CHECK)
    change = {"path": "prices.py", "old_text": "numbers[1:]", "new_text": "numbers"}
    return _TEST, change


def _make(folder: Path) -> tuple[str, dict[str, Any]]:
    (folder / "Makefile").write_text("test:\n\t@sh total.sh 1 2 3 | grep -qx 6\n")
    (folder / "total.sh").write_text("echo $(($1 + $2))\n")
    return "make test", {"path": "total.sh", "old_text": "$1 + $2", "new_text": "$1 + $2 + $3"}


def _deep(folder: Path) -> tuple[str, dict[str, Any]]:
    (folder / ".gitignore").write_text("node_modules/\nbuild/\n")
    for name in ("node_modules/x", "build/x", "src/shop", "tests"):
        (folder / name).mkdir(parents=True)
    for number in range(300):
        (folder / "node_modules/x" / f"prices{number}.py").write_text(_SUM)
    (folder / "src/shop/prices.py").write_text(_SUM)
    (folder / "tests/test_prices.py").write_text(_CHECK)
    command = f"env PYTHONPATH=src/shop {_TEST.removesuffix(' -q')} discover -q tests"
    return command, {"path": "src/shop/prices.py", "old_text": "numbers[1:]", "new_text": "numbers"}


@pytest.mark.parametrize("made", [_python, _make, _deep])
async def test_run_the_tests_and_fix_what_fails(person: Person, made: Any) -> None:
    """A model that looks, runs the tests, reads, changes a file and runs the tests again."""
    shop = person.project()
    command, change = made(shop)
    run = tool("run_command", {"command": command})
    person.model.script.add(
        calls(tool("list_files", {"pattern": "**/*"})),
        calls(run),
        calls(
            tool("search_files", {"query": "total"}), tool("read_file", {"path": change["path"]})
        ),
        calls(tool("edit_file", change)),
        calls(run),
        text("The last number was left out; all tests pass now."),
    )
    talk = person.chat(shop, PYTHONDONTWRITEBYTECODE="1")
    await talk.shows("Run the tests and fix what fails")
    talk.say("Run the tests and fix what fails")
    for cards in (1, 2, 3):
        await talk.until(
            lambda count=cards: talk.text.count("No answer in 24 h") >= count, "a card"
        )
        talk.say("y")
    await talk.shows("all tests pass now")
    talk.say("/quit")
    assert await talk.ended() == 0
    assert change["new_text"] in (shop / change["path"]).read_text()
    assert not {"inbox", "data", "chats"} & set(_names(shop))
    assert "node_modules/x/prices" not in person.told()
