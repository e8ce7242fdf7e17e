"""`steward memory`: import, search and reindex, beside a running Steward or without one."""

import asyncio
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Protocol

import pytest

from tests.e2e.launching import ROOT, Command
from tests.e2e.steward import Steward, words_in
from tests.patience import PATIENCE
from tests.standins.messages_api import calls, text, tool
from tests.words import ANSWERS_READ, APPROVE, INDEXED, NOTHING_REMEMBERED

pytestmark = pytest.mark.flows_own("the command line reads and writes the store")

LINES = [
    {"id": "1", "at": "2025-05-04T10:00:00Z", "question": "Where is the key?", "answer": "Hook."},
    {"id": 2, "at": "2025-05-05", "question": "鍵はどこ?", "answer": "棚の上です。"},
]
CHATGPT = [
    {
        "conversation_id": "c1",
        "create_time": 1714816800.5,
        "current_node": "n3",
        "mapping": {
            "n1": {"parent": None, "message": None},
            "n2": {
                "parent": "n1",
                "message": {
                    "author": {"role": "user"},
                    "content": {"parts": ["What grows in shade?", {"asset": 1}]},
                    "create_time": 1714816801,
                },
            },
            "other": {"parent": "n2", "message": {"author": {"role": "assistant"}, "content": {}}},
            "call": {
                "parent": "n2",
                "message": {
                    "author": {"role": "assistant"},
                    "recipient": "browser",
                    "content": {"parts": ["search('shade')"]},
                },
            },
            "aside": {
                "parent": "call",
                "message": {
                    "author": {"role": "assistant"},
                    "recipient": "all",
                    "content": {"parts": ["I look it up in a book about shade."]},
                },
            },
            "n3": {
                "parent": "aside",
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"parts": ["Hostas do."]},
                    "create_time": 1714816802,
                },
            },
        },
    },
    "no conversation",
]
CLAUDE = [
    {
        "uuid": "u1",
        "chat_messages": [
            {"sender": "human", "text": "Best bread?", "created_at": "2025-01-01T00:00:00Z"},
            {
                "sender": "assistant",
                "content": [
                    {"type": "text", "text": "I look for bread."},
                    {"type": "tool_use", "name": "search"},
                    {"type": "tool_result", "content": [{"type": "text", "text": "noise"}]},
                    {"type": "text", "text": "Sourdough."},
                ],
                "created_at": "2025-01-01T00:00:05Z",
            },
        ],
    }
]


class Memory(Protocol):
    def __call__(self, *arguments: str) -> tuple[int, str]: ...


@pytest.fixture
def memory(steward: Steward, command: Command) -> Memory:
    """Runs `steward memory`; returns its exit code and all it printed."""

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            command("memory", *arguments),
            cwd=steward.folder,
            env=steward.settings | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run


async def served_once(steward: Steward) -> None:
    steward.script(text("Hello."))
    await steward.start()
    steward.say("Hi")
    await steward.sees("Hello.")


async def test_lines_are_taken_once_and_broken_ones_told_by_number(
    steward: Steward, memory: Memory, tmp_path: Path
) -> None:
    await served_once(steward)
    file = tmp_path / "old.jsonl"
    broken = ["{", "[]", '{"id": "3"}', '{"id": "4", "at": "soon", "question": "q", "answer": "a"}']
    file.write_text("\n".join([*map(json.dumps, LINES), "", *broken]) + "\n")
    code, told = memory("import", str(file))
    assert code == 1
    assert ANSWERS_READ in told
    assert [line.partition(":")[0] for line in told.splitlines()[:4]] == ["4", "5", "6", "7"]
    assert "New: 0." in memory("import", str(file))[1]
    code, told = memory("search", "the", "KEYS", "--json", "--limit", "1")
    found = json.loads(told)
    assert (code, found["id"], found["found_by"]) == (0, "import:1", ["words"])
    assert found["answer"] == "Hook."
    assert "棚の上です" in memory("search", "鍵は")[1]
    assert memory("search", "zeppelin") == (1, NOTHING_REMEMBERED)
    assert memory("reindex") == (0, INDEXED)
    assert "Hook." in memory("search", "key")[1]


@pytest.mark.parametrize(
    ("export", "words", "answer", "broken"),
    [(CHATGPT, "shade", "Hostas do.", 1), (CLAUDE, "bread", "Sourdough.", 0)],
    ids=["ChatGPT", "Claude"],
)
async def test_exports_of_others_are_taken(
    steward: Steward,
    memory: Memory,
    tmp_path: Path,
    export: object,
    words: str,
    answer: str,
    broken: int,
) -> None:
    await served_once(steward)
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(export))
    code, told = memory("import", str(file))
    assert (code, told.splitlines()[-1]) == (
        broken,
        f"Answers read: 1. New: 1. Could not be read: {broken}.",
    )
    told = memory("search", words)[1]
    assert answer in told
    assert "look" not in told, "it was said on the way to the answer"


@pytest.mark.parametrize(
    ("export", "question", "answer"),
    [
        (LINES, "Where is the key of the door?", "Hook."),
        (CHATGPT, "Which plants grow in the shade of a tree?", "Hostas do."),
        (CLAUDE, "Which bread is the best?", "Sourdough."),
    ],
    ids=["lines", "ChatGPT", "Claude"],
)
async def test_an_export_of_others_is_recalled_in_a_chat_as_content_from_outside(
    steward: Steward, memory: Memory, tmp_path: Path, export: object, question: str, answer: str
) -> None:
    await steward.start()
    file = tmp_path / "conversations.json"
    lines = "\n".join(map(json.dumps, LINES))
    file.write_text(lines if export is LINES else json.dumps(export))
    # In a thread: the running Steward talks to the services of this process meanwhile.
    await asyncio.to_thread(memory, "import", str(file))
    await steward.eventually(lambda: steward.records.rows("SELECT 1 FROM passage WHERE indexed"))
    steward.script(calls(tool("remember", {"note": "They garden."})), text("As I said."))
    steward.say(question)
    # Taking a note asks only because foreign content is in view.
    steward.press(await steward.card(), APPROVE)
    await steward.sees("As I said.")
    asked = words_in(steward.model.requests[-2])
    block = '<quoted_data from="the memory"'
    assert asked.index(block) < asked.index(answer) < asked.rindex(question)


async def test_a_wrong_file_or_person_is_told_in_a_sentence(
    steward: Steward, memory: Memory, tmp_path: Path
) -> None:
    await served_once(steward)
    file = tmp_path / "x.json"
    file.write_text("[{]")
    assert memory("import", str(file))[0] == 2
    assert memory("import", str(tmp_path / "none"))[0] == 2
    code, told = memory("search", "x", "--person", f"{steward.platform}:7")
    assert (code, told) == (2, f"steward: nobody here has the account {steward.platform}:7.\n")


@pytest.mark.telegrams_own("no platform has a part in it, so one is enough")
async def test_before_the_first_start_a_sentence_says_what_to_do(
    steward: Steward, memory: Memory, tmp_path: Path
) -> None:
    old, file = tmp_path / "old.jsonl", steward.home / "steward.db"
    old.write_text(json.dumps(LINES[0]))
    file.unlink()
    for state in ("There is no database yet", "The database is not ready: it is empty."):
        for asked in (("import", str(old)), ("search", "x"), ("reindex",)):
            code, told = memory(*asked)
            assert (code, told.startswith(f"steward: {state}")) == (2, True), told
            assert told.endswith(" Start Steward once, then try again.\n")
        assert file.exists() is ("empty" in state), "none is made by looking"
        file.touch()
    file.unlink()


@pytest.mark.parametrize(
    "content", ["[" * 100_000 + "]" * 100_000, '[{"a":' * 100_000 + "1" + "}]" * 100_000]
)
async def test_a_file_that_is_nested_deep_is_told_in_a_sentence(
    steward: Steward, memory: Memory, tmp_path: Path, content: str
) -> None:
    await served_once(steward)
    file = tmp_path / "deep.json"
    file.write_text(content)
    code, told = memory("import", str(file))
    assert (code, told) == (2, f"steward: {file} cannot be read: it is nested too deeply.\n")


async def test_hostile_lines_are_told_and_the_answers_beside_them_taken(
    steward: Steward, memory: Memory, tmp_path: Path
) -> None:
    await served_once(steward)
    line = {"at": "2025-05-04T10:00:00Z", "question": "Where is the key?", "answer": "Hook."}
    ids = ["a b\nc `x`", "y" * 300, "y" * 299 + "z", "\ud800", "a b\nc `x`"]
    lines = [json.dumps(line | {"id": id}) for id in ids]
    lines += ['{"id": ' + "[" * 100_000, "x" * 10_000_001, '{"id": "n", "at": NaN}']
    lines.append(json.dumps(line | {"id": "last", "at": 1e300}))
    lines.append(json.dumps(line | {"id": "last"}))
    file = tmp_path / "hostile.jsonl"
    file.write_text("\n".join(lines))
    code, told = memory("import", str(file))
    assert code == 1
    assert "6: it is nested too deeply" in told
    assert "7: it is longer than 10,000,000 characters" in told
    assert "Answers read: 6. New: 5. Could not be read: 4." in told

    def ids_found() -> list[str]:
        return [json.loads(row)["id"] for row in memory("search", "key", "--json")[1].splitlines()]

    found = ids_found()
    assert len(found) == 5
    assert all(len(id) <= 90 and id.split() == [id] and "`" not in id for id in found)

    def left() -> int:
        ((count,),) = steward.records.rows("SELECT count(*) FROM passage WHERE id LIKE 'import:%'")
        return count

    short = min(found, key=len)
    steward.say(f"/forget {short}")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.eventually(lambda: left() == 4)
    long = max(found, key=len)
    steward.say(f"/forget {long}")
    await steward.sees(f"/forget yes {long}")
    steward.say(f"/forget yes {long}")
    await steward.eventually(lambda: left() == 3)
    assert not {short, long} & set(ids_found())


def zipped(file: Path, entries: dict[str, object]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, export in entries.items():
            archive.writestr(name, export if isinstance(export, bytes) else json.dumps(export))
    return file


async def test_an_export_is_taken_as_the_archive_that_it_comes_in(
    steward: Steward, memory: Memory, tmp_path: Path
) -> None:
    await served_once(steward)
    # No name of an archive becomes a file of this machine.
    entries = {"../../conversations.json": CLAUDE, "users.json": [], "chat.html": b"<html>"}
    archive = zipped(tmp_path / "claude.zip", entries)
    code, told = memory("import", str(archive))
    assert (code, told.splitlines()[-1]) == (0, "Answers read: 1. New: 1. Could not be read: 0.")
    assert "Sourdough." in memory("search", "bread")[1]
    assert not (tmp_path.parents[1] / "conversations.json").exists()
    parts = {"conversations-000.json": CHATGPT, "conversations-001.json": CLAUDE, "a.dat": b"x"}
    code, told = memory("import", str(zipped(tmp_path / "chatgpt.zip", parts)))
    assert code == 1
    assert told.splitlines()[0] == "2: conversations-000.json: it is no JSON object"
    assert told.splitlines()[-1] == "Answers read: 2. New: 1. Could not be read: 1."
    assert "Hostas do." in memory("search", "shade")[1]


@pytest.mark.telegrams_own("no platform has a part in it, so one is enough")
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("other", "it is an archive without conversations.json"),
        ("cut", "it is a damaged archive"),
        ("changed", "it is a damaged archive"),
        ("locked", "it is locked by a password"),
        ("bomb", "is larger than 500 MB when it is unpacked: split it first"),
        ("no JSON", "it is no JSON (Expecting value at character 2)"),
        ("no list", "it is neither JSON Lines nor a list of conversations"),
    ],
)
async def test_an_archive_that_cannot_be_taken_is_told_in_a_sentence(
    steward: Steward, memory: Memory, tmp_path: Path, kind: str, why: str
) -> None:
    await served_once(steward)
    file = tmp_path / "export.zip"
    match kind:
        case "other":
            zipped(file, {"photo.json": CLAUDE, "conversations.json/": b""})
        case "no JSON":
            zipped(file, {"conversations.json": b"[x"})
        case "no list":
            zipped(file, {"conversations.json": {"a": 1}})
        case "bomb":
            zipped(file, {"conversations.json": b"[" + b" " * 500_000_000})
        case _:
            data = zipped(file, {"conversations.json": CLAUDE}).read_bytes()
            at = data.index(b"PK\x01\x02")
            spoilt = {
                "cut": data[:at],
                "changed": data[:60] + bytes(8) + data[68:],
                "locked": data[:6] + b"\x01" + data[7 : at + 8] + b"\x01" + data[at + 9 :],
            }
            file.write_bytes(spoilt[kind])
    code, told = memory("import", str(file))
    assert (code, told.count("\n")) == (2, 1)
    assert why in told
