"""`steward doctor --fix` fixes what is safe to fix, says it, and leaves everything else alone."""

import json
import os
import socket
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from bot.adapters.home_door.place import NAME
from tests.e2e.steward import Steward
from tests.e2e.test_doctor import Practice, practice
from tests.ports import free_port
from tests.standins.messages_api import text

__all__ = ["practice"]


def leave(home: Path) -> list[Path]:
    """Leaves behind what a run does that was killed hours ago; and young and strange files."""
    folder = home / "backups"
    folder.mkdir(mode=0o700)
    (home / ".steward-tried").mkdir()
    (folder / "before-upgrade-1.part").touch()
    (folder / "times.json.123").touch()
    old = [home / ".steward-tried", folder / "before-upgrade-1.part", folder / "times.json.123"]
    hours_ago = time.time() - 9_000
    for one in old:
        os.utime(one, (hours_ago, hours_ago))
    (folder / "young.part").touch()
    (home / "notes.part").touch()
    with closing(socket.socket(socket.AF_UNIX)) as door:
        door.bind(str(home / NAME))
    return [*old, home / NAME]


async def test_the_doctor_fixes_rights_folders_leftovers_and_the_index(
    practice: Practice,
) -> None:
    await practice.been_left_with_a_damaged_index()
    left = leave(practice.home)
    (practice.folder / ".env").write_text("ANTHROPIC_API_KEY=sk-a-key\n")
    (practice.folder / ".env").chmod(0o644)
    practice.home.chmod(0o755)

    report = await practice.run("doctor", "--fix")
    fixed = [line for line in report.text.splitlines() if line.startswith("fixed  ")]
    assert [one for one in left if one.exists()] == []
    assert (practice.home / "backups" / "young.part").exists()
    assert (practice.home / "notes.part").exists()
    modes = [path.stat().st_mode & 0o777 for path in (practice.home, practice.folder / ".env")]
    assert modes == [0o700, 0o600]
    assert (practice.home / "workspace").is_dir()
    told = "\n".join(fixed)
    for words in (
        f"Only your user can read {practice.home} now.",
        f"Made the folder {practice.home / 'workspace'}.",
        f"Deleted {practice.home / NAME}, which an earlier run left behind.",
        "Made the index of words anew: 2 answers and notes.",
    ):
        assert words in told, told
    assert report.about("memory").startswith("ok memory 2 of 2 answers are found by words.")
    again = await practice.run("doctor", "--fix")
    assert "fixed  " not in again.text
    assert "Nothing had to be fixed." in again.text


async def test_beside_a_running_program_the_doctor_asks_it_and_waits_with_its_rows(
    steward: Steward,
) -> None:
    port = str(free_port())
    await steward.start(STEWARD_METRICS_LISTEN=port)
    steward.script(text("Blue."))
    steward.say("Which colour?")
    await steward.sees("Blue.")
    await steward.recorded()
    left = steward.home / ".steward-old"
    left.mkdir()
    os.utime(left, (1, 1))
    code, told = await steward.printed_by("doctor", "--fix")
    assert "left   Steward runs, so its rows and files were not touched." in told, told
    assert left.exists()
    assert f"Process {steward.pid} has run since" in told
    assert f"The running Steward is ready; its numbers are on port {port} of 127.0.0.1." in told
    await steward.stop()
    with closing(sqlite3.connect(steward.home / "steward.db")) as rows:
        rows.execute("UPDATE chat SET last_seq = last_seq + 3")
        rows.commit()
    code, told = await steward.printed_by("doctor", "--fix", "--json")
    fixed = "\n".join(json.loads(told)["fixed"])
    assert "does not end where its row says" in fixed
    assert f"Deleted {left}, which an earlier run left behind." in fixed
    with closing(socket.create_server(("127.0.0.1", int(port)))):
        code, told = await steward.printed_by("doctor")
    assert (code, f"Port {port} of 127.0.0.1 is used by another program." in told) == (0, True)
    code, told = await steward.printed_by("doctor")
    assert f"A start opens it; port {port} of 127.0.0.1 is free." in told
