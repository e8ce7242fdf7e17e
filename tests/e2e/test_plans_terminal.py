"""A plan in the terminal, with the demo model: keys, a remark, a card that outlives it."""

import os
import re
import sys
from pathlib import Path

import pexpect
import pytest

from tests.words import APPROVED, NO_PLAN

ROOT = Path(__file__).resolve().parents[2]


def chat(folder: Path) -> "pexpect.spawn[str]":
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    talk = pexpect.spawn(
        sys.executable,
        ["-m", "bot", "run"],
        cwd=str(folder),
        env=environ,  # pyright: ignore[reportArgumentType]
        timeout=20,
        encoding="utf-8",
    )
    talk.expect("the demo model answers")
    return talk


def shown(talk: "pexpect.spawn[str]", *words: str) -> None:
    """Wait until these are printed, in this order."""
    for word in words:
        talk.expect(re.escape(word))


def shown_in_any_order(talk: "pexpect.spawn[str]", *words: str) -> None:
    """Wait until all of these are printed."""
    awaited = list(words)
    while awaited:
        del awaited[talk.expect([re.escape(word) for word in awaited])]


def left(talk: "pexpect.spawn[str]") -> None:
    talk.sendline("/quit")
    talk.expect(pexpect.EOF)
    talk.close()
    assert talk.exitstatus == 0


def test_a_plan_is_changed_approved_and_carried_out_by_keys(tmp_path: Path) -> None:
    note = tmp_path / "data" / "workspace" / "demo-note.txt"
    talk = chat(tmp_path)
    talk.sendline("/plan make a plan")
    shown(talk, "📋 A note and a greeting · 2 steps", "1. write_file demo-note.txt")
    shown(talk, "[y] ✅ Approve  [c] ✏️ Change  [n] ❌ Cancel")
    talk.sendline("yes")
    shown(talk, "To answer the card, type y, c or n. Other text changes it.")
    talk.sendline("another plan please")
    shown(talk, "this is void", "revision 2", "[y] ✅ Approve")
    assert not note.exists()
    left(talk)
    # The card outlives the program: its key works in the next one.
    talk = chat(tmp_path)
    shown(talk, "revision 2", "[y] ✅ Approve")
    talk.sendline("n")
    shown(talk, "Cancelled.")
    assert not note.exists()
    talk.sendline("/plan status")
    shown(talk, NO_PLAN)
    left(talk)


@pytest.mark.commands
def test_an_approved_plan_runs_its_steps(tmp_path: Path) -> None:
    talk = chat(tmp_path)
    talk.sendline("/plan make a plan")
    # Where no sandbox works every command is dangerous: the card says so, and the step asks again.
    asks_again = talk.expect([re.escape("[y] ✅ Approve"), "A dangerous step asks again"]) == 1
    if asks_again:
        shown(talk, "[y] ✅ Approve")
    talk.sendline("y")
    shown(talk, APPROVED)
    if asks_again:
        shown_in_any_order(talk, "✅ 1. write_file demo-note.txt", "[y2] ✅ Approve")
        talk.sendline("y2")
    else:
        shown(talk, "✅ 1. write_file demo-note.txt")
    shown(talk, "All 2 steps of the plan done")
    assert (tmp_path / "data" / "workspace" / "demo-note.txt").exists()
    left(talk)


def test_a_second_plan_is_asked_about_by_keys_that_outlive_the_program(tmp_path: Path) -> None:
    talk = chat(tmp_path)
    talk.sendline("/plan make a plan")
    shown(talk, "[y] ✅ Approve")
    talk.sendline("/plan another plan please")
    shown(talk, "Shall “another plan please” take its place?", "[r2] 🔁 Replace  [k2] ↩️ Keep")
    talk.sendline("k2")
    shown(talk, "↩️ Kept by")
    talk.sendline("/plan another plan please")
    shown(talk, "[r2] 🔁 Replace")
    left(talk)
    talk = chat(tmp_path)
    shown(talk, "[y] ✅ Approve", "Shall “another plan please” take its place?", "[r2] 🔁 Replace")
    talk.sendline("r2")
    shown(talk, "🔁 Replaced by", "[y] ✅ Approve")
    talk.sendline("/plan list")
    shown(talk, "waits for your word", "cancelled")
    left(talk)
