"""Goals through the real process: SIGKILL at each boundary, and the terminal."""

from pathlib import Path

import pytest

from tests.e2e.launching import Command
from tests.e2e.steward import Steward, words_in
from tests.e2e.test_plans_terminal import chat, left, shown
from tests.e2e.test_schedules import HOUR, runs_are
from tests.e2e.test_two_processes import Pair, pair
from tests.e2e.times import Times
from tests.standins.messages_api import (
    Gate,
    ReceivedRequest,
    Reply,
    calls,
    failure,
    text,
    tool,
)
from tests.standins.messages_api.wire import content_blocks
from tests.words import APPROVE

_FLOWS_OWN = pytest.mark.flows_own("a goal lives in its rows and files")

DAY = 24 * HOUR
CANARY = "xyzzyplugh"


def update(**arguments: str) -> Reply:
    return calls(tool("goal_update", arguments))


def written(words: str) -> Reply:
    return calls(tool("diary_write", {"text": words}))


async def begun(steward: Steward, words: str = "Learn to sail") -> None:
    await steward.start()
    steward.say(f"/goal {words}")
    card = await steward.sees("Pace: every day.")
    await steward.recorded()
    steward.press(card, "▶️ Start")
    await steward.sees("▶️ I begin now")


async def tried_again(steward: Steward, times: Times) -> None:
    """Lets the newest run fail, and its further tries but for the end of the last one."""
    newest = "SELECT state, tries FROM run ORDER BY at DESC LIMIT 1"
    for tries, wait in ((1, 60), (2, 300), (3, 900)):
        await steward.eventually(
            lambda tries=tries: steward.records.rows(newest) == [("again", tries)]
        )
        times.move(wait)


async def proposed_and_killed(steward: Steward) -> None:
    """Proposes a goal and starts it, with a death before the start and one due in its first run."""
    held = Gate()
    await steward.start()
    steward.say("/goal Learn to sail")
    card = await steward.sees("Pace: every day.")
    await steward.recorded()
    await steward.restart()
    steward.script(text("lost").held(held))
    steward.press(card, "Weekly")
    card = await steward.sees("Pace: every week.")
    await steward.recorded()
    steward.press(card, "▶️ Start")
    await held.arrived()
    await steward.recorded()


@_FLOWS_OWN
async def test_a_goal_lives_through_kills_at_each_of_its_boundaries(
    steward: Steward, times: Times
) -> None:
    again = Gate()
    steward.foreseen.append("message is not modified")
    await proposed_and_killed(steward)
    steward.script(update(milestone="The club took me."), text("lost too").held(again))
    await steward.restart()
    await again.arrived()
    await steward.sees("🎯 The club took me.")
    await steward.recorded()
    steward.script(written("They open on Monday."), text("Done for today."))
    await steward.restart()
    await runs_are(steward, "done")
    steward.script(update(state="stuck", question="Which harbour?"), text("Asked."))
    times.move(7 * DAY)
    question = await steward.sees("❓ Which harbour?")
    await runs_are(steward, "done", "done")
    assert "They open on Monday." in words_in(steward.model.requests[-2])
    await steward.recorded()
    await steward.restart()
    steward.script(update(state="done", milestone="You sail."), text("Bye."))
    steward.say("Porto", reply_to=question)
    await steward.sees("🏁 Goal reached.")
    await runs_are(steward, "done", "done", "done")
    assert "Porto" in words_in(steward.model.requests[-2])
    await steward.recorded()
    await steward.restart()
    times.move(30 * DAY)
    steward.say("/goals")
    assert "done" in (await steward.sees("The goals of this chat")).text
    for words in ("🎯 The club took me.", "❓ Which harbour?", "🏁 Goal reached."):
        assert len(steward.showing(words)) == 1
    assert not steward.showing("Bye.")
    told = "SELECT count(*) FROM outbox WHERE key LIKE 'goal:%' AND key NOT LIKE '%:answered'"
    assert steward.records.rows(told) == [(3,)]
    assert steward.records.rows("SELECT state FROM task") == [("done",)]


@_FLOWS_OWN
async def test_a_reflection_outlives_a_kill_and_the_next_run_reads_it(
    steward: Steward, times: Times
) -> None:
    held = Gate()
    failures = [failure(401, "authentication_error") for _ in range(8)]
    steward.script(*failures[:4])
    await begun(steward)
    await tried_again(steward, times)
    await runs_are(steward, "failed")
    steward.script(*failures[4:], text("lost").held(held))
    times.move(DAY - 1_200)
    await tried_again(steward, times)
    await held.arrived()
    await steward.recorded()
    steward.script(text("Ask at the other harbour."))
    await steward.restart()
    read = "SELECT text FROM diary WHERE kind = 'reflection'"
    await steward.eventually(lambda: steward.records.rows(read) == [("Ask at the other harbour.",)])
    assert steward.model.requests[-1].body.get("tools", []) == []
    steward.script(written("Asked there."), text("x"))
    times.move(DAY)
    await runs_are(steward, "failed", "failed", "done")
    assert "Ask at the other harbour." in words_in(steward.model.requests[-2])
    assert not steward.showing("other harbour")


@pytest.mark.shared
async def test_changes_of_a_goal_ask_by_cards(steward: Steward, times: Times) -> None:
    change = calls(tool("write_file", {"path": "plan.md", "content": "1. Sail"}))
    steward.script(change, written("Wrote the plan."), text("x"))
    await begun(steward)
    card = await steward.sees("Create plan.md")
    await steward.restart()
    steward.press(card, APPROVE)
    await runs_are(steward, "done")
    assert (steward.workspace / "plan.md").read_text() == "1. Sail"


@_FLOWS_OWN
async def test_no_column_holds_a_word_of_an_ended_goal_after_everything_is_forgotten(
    steward: Steward, times: Times
) -> None:
    steward.script(
        written(f"The code is {CANARY}."),
        update(state="stuck", question=f"Is it {CANARY}?"),
        text(f"{CANARY}."),
    )
    await begun(steward, f"Find {CANARY}")
    question = await steward.sees(f"Is it {CANARY}?")
    await runs_are(steward, "done")
    steward.script(update(state="done", milestone=f"It is {CANARY}."), text("Bye."))
    steward.say(f"yes, {CANARY}", reply_to=question)
    await steward.sees("🏁 Goal reached.")
    await runs_are(steward, "done", "done")
    steward.say("/export")
    await steward.sees("Here is everything we said")
    steward.say("/goals")
    await steward.sees("The goals of this chat")
    await steward.recorded()
    held = steward.records.holding(CANARY)
    assert {"goal.text", "diary.text", "task.what", "outbox.content", "entry.body"} <= held
    steward.say("/forget all")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.sees("Erased.")
    await steward.recorded()
    assert steward.records.holding(CANARY) == set()


@_FLOWS_OWN
async def test_the_doctor_counts_goals_that_go_on(steward: Steward, times: Times) -> None:
    steward.script(update(state="stuck", question="Which harbour?"), text("x"), text("y"))
    await begun(steward)
    await steward.sees("❓ Which harbour?")
    steward.say("/goal Learn to row")
    steward.press(await steward.sees("Learn to row"), "▶️ Start")
    await runs_are(steward, "done", "done")
    await steward.stop()
    await steward.exit_code("doctor")
    assert "1 goal is under way, 1 goal waits for your answer." in steward.output


@pytest.mark.telegrams_own("two processes take turns with getUpdates")
@pytest.mark.postgres
async def test_two_processes_run_each_time_of_a_goal_once_and_tell_it_once(
    own_postgres_url: str, times: Times, pair: Pair, steward: Steward
) -> None:
    # The database comes first, so that the records can still be read when all has ended.
    rows = steward.records.rows
    steward.model.script.rule(_tells_a_milestone)
    for n in range(4):
        await pair.told(n % 2, lambda n=n: steward.say(f"/goal Learn to sail {n}"))
    await steward.eventually(lambda: rows("SELECT count(*) FROM goal") == [(4,)])
    for n, (id,) in enumerate(rows("SELECT id FROM goal")):
        await pair.told(n % 2, lambda id=id: steward.say(f"/goals start {id}"))
    await runs_are(steward, *["done"] * 4)
    times.move(DAY)
    await runs_are(steward, *["done"] * 8)
    assert rows("SELECT count(*) FROM turn") == [(8,)]
    milestones = "SELECT count(*) FROM outbox WHERE key LIKE 'goal:%'"
    await steward.eventually(lambda: len(steward.showing("🎯 A step.")) == 8)
    assert rows(milestones) == [(8,)]
    kept = "SELECT kind, count(*) FROM diary GROUP BY kind ORDER BY kind"
    assert rows(kept) == [("milestone", 8), ("result", 8)]
    await steward.eventually(lambda: not steward.records.untidy())


def _tells_a_milestone(request: ReceivedRequest) -> Reply:
    blocks = content_blocks(request.body["messages"][-1]["content"])
    done = any(block["type"] == "tool_result" for block in blocks)
    return text("Bye.") if done else update(milestone="A step.")


def test_a_goal_of_the_terminal_begins_and_ends_there(tmp_path: Path, command: Command) -> None:
    talk = chat(tmp_path, command)
    talk.sendline("/goal say hello to me")
    shown(talk, "say hello to me", "Pace: every day.", "[s]")
    talk.sendline("s")
    shown(talk, "I begin now")
    talk.sendline("/goals done 1")
    shown(talk, "It ends now, and cannot go on later.", "[d]")
    talk.sendline("d")
    shown(talk, "Done: say hello to me")
    talk.sendline("/goals")
    shown(talk, "The goals of this chat", "done")
    left(talk)


__all__ = ["pair"]
