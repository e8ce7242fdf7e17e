"""Tasks at their times, through the real process, over SIGKILL and clocks that are set."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.launching import Command
from tests.e2e.steward import Steward, words_in
from tests.e2e.test_plans_terminal import chat, left, shown
from tests.e2e.test_two_processes import Pair, pair
from tests.e2e.times import Times
from tests.standins.messages_api import Gate, calls, failure, text, tool
from tests.words import APPROVE, BY_PLACE, PAUSED, WHICH_CITY

_FLOWS_OWN = pytest.mark.flows_own("the clock begins the run")

HOUR = 3_600


def states(steward: Steward) -> list[str]:
    return [state for (state,) in steward.records.rows("SELECT state FROM run ORDER BY at")]


async def runs_are(steward: Steward, *expected: str) -> None:
    await steward.eventually(lambda: states(steward) == list(expected))


@pytest.mark.shared
@_FLOWS_OWN
async def test_a_brief_comes_each_time_and_a_silent_run_says_nothing(
    steward: Steward, times: Times
) -> None:
    silent = calls(tool("nothing_to_report", {}))
    steward.script(text("Sunny."), silent, text("Nobody reads this."), text("Rain."))
    await steward.start()
    steward.say("/schedule every 2h | The weather, please")
    assert "Next:" in (await steward.sees("⏰ Scheduled.")).text
    times.move(2 * HOUR)
    assert "⏰ every 2h · The weather, please" in (await steward.sees("Sunny.")).text
    assert "The weather, please" in words_in(await steward.asked(1))
    times.move(2 * HOUR)
    await runs_are(steward, "done", "silent")
    times.move(2 * HOUR)
    await steward.sees("Rain.")
    await runs_are(steward, "done", "silent", "done")
    assert not steward.showing("Nobody reads this.")
    assert len(steward.shown) == 3
    steward.say("/tasks")
    assert "every 2h" in (await steward.sees("The tasks of this chat")).text


@_FLOWS_OWN
async def test_a_kill_during_a_run_leaves_one_answer(steward: Steward, times: Times) -> None:
    held = Gate()
    steward.script(text("lost").held(held), text("Tea!"))
    await steward.start()
    steward.say("/schedule in 20m | Remind me of the tea")
    await steward.sees("⏰ Scheduled.")
    times.move(HOUR)
    await held.arrived()
    assert states(steward) == ["running"]
    await steward.restart()
    assert "late, due" in (await steward.sees("Tea!")).text
    await runs_are(steward, "done")
    assert len(steward.showing("Tea!")) == 1


@_FLOWS_OWN
async def test_what_came_due_while_it_was_dead_runs_once(steward: Steward, times: Times) -> None:
    steward.script(text("Late news."))
    await steward.start()
    steward.say("/schedule every 1h | The news")
    await steward.sees("⏰ Scheduled.")
    await steward.recorded()
    await steward.kill()
    times.move(5 * HOUR)
    await steward.start()
    await steward.sees("Late news.")
    await runs_are(steward, "done")


@_FLOWS_OWN
@pytest.mark.parametrize("jump", [HOUR, 366 * 24 * HOUR])
async def test_a_clock_that_is_set_back_stops_no_task(
    steward: Steward, times: Times, jump: int
) -> None:
    steward.script(text("One."), text("Two."))
    await steward.start()
    times.move(jump)
    steward.say("/schedule every 1h | Look")
    await steward.sees("⏰ Scheduled.")
    times.move(HOUR)
    await steward.sees("One.")
    await runs_are(steward, "done")
    planned = "SELECT due FROM task"
    before = steward.records.rows(planned)
    times.move(-jump)
    await steward.eventually(lambda: steward.records.rows(planned) != before)
    # The time of the first run comes again, and it has its run.
    times.move(2 * HOUR)
    await steward.sees("Two.")
    await runs_are(steward, "done", "done")


@_FLOWS_OWN
async def test_a_failed_run_is_tried_again_after_a_kill(steward: Steward, times: Times) -> None:
    denied = failure(401, "authentication_error")
    steward.script(denied, text("It works."))
    await steward.start()
    steward.say("/schedule in 20m | Look")
    await steward.sees("⏰ Scheduled.")
    times.move(20 * 60)
    await runs_are(steward, "again")
    await steward.kill()
    times.move(60)
    await steward.start()
    await steward.sees("It works.")
    assert len(steward.shown) == 2


@_FLOWS_OWN
async def test_a_database_that_is_locked_at_the_due_time_delays_the_run(
    steward: Steward, times: Times
) -> None:
    steward.script(text("Tea!"))
    await steward.start()
    steward.say("/schedule in 20m | Remind me of the tea")
    await steward.sees("⏰ Scheduled.")
    await steward.recorded()
    with closing(sqlite3.connect(steward.home / "steward.db", isolation_level=None)) as locker:
        locker.execute("BEGIN IMMEDIATE")
        times.move(20 * 60)
        await steward.eventually(lambda: "due tasks have to wait" in steward.output)
        assert states(steward) == []
        locker.execute("ROLLBACK")
    await steward.sees("Tea!")
    await runs_are(steward, "done")


async def test_the_model_makes_a_task_by_a_card_that_shows_its_times(
    steward: Steward, times: Times
) -> None:
    wanted = {"when": "every weekday 09:00", "what": "Tell Ann the news."}
    steward.script(calls(tool("schedule_task", wanted)), text("Every weekday then."))
    await steward.start()
    steward.say("the news every weekday at nine, please")
    card = await steward.card()
    assert ("every weekday 09:00" in card.text, card.text.count(" 09:00")) == (True, 4)
    await steward.restart()
    steward.press(card, APPROVE)
    await steward.sees("Every weekday then.")
    assert steward.records.rows("SELECT what FROM task") == [("Tell Ann the news.",)]


@pytest.mark.shared
async def test_buttons_pause_run_and_delete(steward: Steward, times: Times) -> None:
    steward.script(text("Right now."))
    await steward.start()
    steward.say("/schedule every day 09:00 | Look")
    shown = await steward.sees("⏰ Scheduled.")
    steward.press(shown, "⏸ Pause")
    await steward.sees(PAUSED)
    steward.press(shown, "⏩ Run now")
    await steward.sees("Right now.")
    steward.say("/tasks")
    listed = await steward.sees("The tasks of this chat")
    steward.press(listed, "1")
    shown = await steward.sees("Each run works in a new")
    steward.press(shown, "🗑 Delete")
    steward.press(await steward.sees("I cannot bring it back."), "🗑 Delete")
    await steward.sees("🗑 Deleted")
    assert steward.records.rows("SELECT count(*) FROM task") == [(0,)]


async def test_another_city_is_asked_for_and_sets_the_clock(steward: Steward) -> None:
    await steward.start()
    steward.say("/timezone")
    other = steward.press(await steward.sees("your time zone"), "Another city")
    steward.reply(await steward.question(other, WHICH_CITY), "Lisbon")
    await steward.sees("From now on I use")
    assert steward.records.rows("SELECT timezone FROM person") == [("Europe/Lisbon",)]


@pytest.mark.telegrams_own("locations are shared there")
async def test_a_shared_location_sets_the_clock_and_moves_tasks(steward: Steward) -> None:
    steward.script(text("A place."))
    await steward.start()
    steward.say("/schedule every day 18:00 | Look")
    await steward.sees("⏰ Scheduled.")
    steward.say("/timezone")
    steward.press(await steward.sees("your time zone"), BY_PLACE)
    question = await steward.sees("Share your location")
    await steward.recorded()
    steward.telegram.send_location(steward.ann, 43.82, 87.61, reply_to=question)
    await steward.sees("more than one clock")
    steward.telegram.send_location(steward.ann, 19.07, 72.88, reply_to=question)
    await steward.sees("From now on I use Asia/Kolkata")
    assert steward.records.rows("SELECT zone FROM task") == [("Asia/Kolkata",)]
    # A location without a question is a message as ever.
    steward.telegram.send_location(steward.ann, 48.2, 16.37)
    await steward.sees("A place.")


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_two_processes_meet_the_same_second_once(
    own_postgres_url: str, times: Times, pair: Pair, steward: Steward
) -> None:
    # The database comes first, so that the records can still be read when all has ended.
    assert steward.records.rows("SELECT count(*) FROM task") == [(0,)]
    steward.model.script.rule(lambda _: text("Once."))
    for n in range(10):
        await pair.told(n % 2, lambda: steward.say("/schedule in 1h | Look"))
    await steward.eventually(lambda: steward.records.rows("SELECT count(*) FROM task") == [(10,)])
    times.move(HOUR)
    await runs_are(steward, *["done"] * 10)
    # Both may ask the model for the same turn; the fence lets one of them write.
    assert steward.records.rows("SELECT count(*) FROM turn") == [(10,)]
    answers = "SELECT count(*) FROM outbox WHERE key LIKE 'answer:%'"
    assert steward.records.rows(answers) == [(10,)]
    await steward.eventually(lambda: not steward.records.untidy())


def test_a_task_of_the_terminal_runs_there(tmp_path: Path, command: Command) -> None:
    talk = chat(tmp_path, command)
    talk.sendline("/schedule in 1s | hello")
    shown(talk, "Scheduled.", "Next:")
    shown(talk, "in 1s · hello")
    talk.sendline("/tasks")
    shown(talk, "The tasks of this chat", "done")
    left(talk)


__all__ = ["pair"]
