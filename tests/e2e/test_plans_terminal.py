"""A plan in the terminal, with the demo model: keys, a remark, a card that outlives it."""

import re
from pathlib import Path

import pexpect
import pytest

from tests.e2e.launching import Command, anew, surroundings
from tests.patience import PATIENCE
from tests.words import (
    APPROVED,
    DEMO_PLAN,
    HOW_TO_TYPE,
    KEPT,
    NO_PLAN,
    PLAN_ENDED,
    REPLACED,
    RETRY,
    SKIP,
    WORDS_COUNT,
)


def chat(folder: Path, command: Command = anew) -> "pexpect.spawn[str]":
    program, *words = command("chat")
    environ = surroundings(folder) | {"TERM": "dumb"}
    talk = pexpect.spawn(
        program,
        words,
        cwd=str(folder),
        env=environ,
        timeout=PATIENCE,
        encoding="utf-8",
    )
    talk.expect("Just write to me")
    return talk


def _pattern(words: str) -> str:
    """Signs stand two spaces before their word where terminals draw them wide."""
    return re.escape(words).replace("\\ ", " +")


def shown(talk: "pexpect.spawn[str]", *words: str) -> None:
    """Wait until these are printed, in this order."""
    for word in words:
        talk.expect(_pattern(word))


def shown_in_any_order(talk: "pexpect.spawn[str]", *words: str) -> None:
    """Wait until all of these are printed."""
    awaited = list(words)
    while awaited:
        del awaited[talk.expect([_pattern(word) for word in awaited])]


def left(talk: "pexpect.spawn[str]") -> None:
    talk.sendline("/quit")
    talk.expect(pexpect.EOF)
    talk.close()
    assert talk.exitstatus == 0


def test_a_plan_is_changed_approved_and_carried_out_by_keys(
    tmp_path: Path, command: Command
) -> None:
    report = tmp_path / "data" / "workspace" / "demo-report.md"
    talk = chat(tmp_path, command)
    talk.sendline("/plan make a plan")
    shown(talk, f"📋 {DEMO_PLAN} · 3 steps", "1. Create demo-report.md")
    shown(talk, "[y] ✅ Approve  [c] ✏️ Change…  [n] 🗑 Cancel", WORDS_COUNT)
    talk.sendline("yes")
    shown(talk, HOW_TO_TYPE)
    talk.sendline("c: another plan please")
    shown(talk, "replaced by revision 2", "revision 2", "[y] ✅ Approve")
    assert not report.exists()
    left(talk)
    # The card outlives the program: its key works in the next one.
    talk = chat(tmp_path, command)
    shown(talk, "revision 2", "[y] ✅ Approve")
    talk.sendline("n")
    shown(talk, "Cancelled, nothing was done")
    assert not report.exists()
    talk.sendline("/plan status")
    shown(talk, NO_PLAN)
    left(talk)


@pytest.mark.commands
def test_an_approved_plan_runs_its_steps_and_asks_about_the_one_that_fails(
    tmp_path: Path, command: Command
) -> None:
    workspace = tmp_path / "data" / "workspace"
    talk = chat(tmp_path, command)
    talk.sendline("/plan make a plan")
    # With a sandbox and without one: what stands in the approved plan does not ask again.
    shown(talk, "[y] ✅ Approve")
    talk.sendline("y")
    shown(talk, APPROVED)
    shown(talk, "✓ Create demo-report.md")
    shown(talk, f"[r] {RETRY}", f"[k] {SKIP}")
    # What was missing is there now: the same step, tried again, goes well.
    with (workspace / "demo-report.md").open("a") as report:
        report.write("Signed by Ana\n")
    talk.sendline("r")
    shown(talk, PLAN_ENDED)
    assert (workspace / "demo-outbox.txt").exists()
    left(talk)


def test_a_second_plan_is_asked_about_by_keys_that_outlive_the_program(
    tmp_path: Path, command: Command
) -> None:
    talk = chat(tmp_path, command)
    talk.sendline("/plan make a plan")
    shown(talk, "[y] ✅ Approve")
    talk.sendline("/plan another plan please")
    shown(talk, "Replace it with “another plan please”?", "[r2] 🔁 Replace  [k2] Keep")
    talk.sendline("k2")
    shown(talk, KEPT)
    talk.sendline("/plan another plan please")
    shown(talk, "[r2] 🔁 Replace")
    left(talk)
    talk = chat(tmp_path, command)
    shown(talk, "[y] ✅ Approve", "Replace it with “another plan please”?", "[r2] 🔁 Replace")
    talk.sendline("r2")
    shown(talk, REPLACED, "[y] ✅ Approve")
    talk.sendline("/plan list")
    shown(talk, "waiting for your decision", "cancelled")
    left(talk)
