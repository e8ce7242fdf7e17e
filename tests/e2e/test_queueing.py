"""Messages and commands that arrive while a turn runs."""

from typing import Any

import pytest

from tests.adapters.media import files
from tests.e2e.errand import Errand
from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import Gate, calls, failure, text, thinking, tool
from tests.words import APPROVE, GO_ON_WITH_TWO, NOTHING_TO_STOP, PERHAPS_DONE, STOPPED, SUMMARISED

_FLOWS_OWN = pytest.mark.flows_own("what waits is rows of the store")

LOOK = calls(tool("list_files"))


@pytest.mark.shared
@pytest.mark.commands
async def test_stop_works_during_a_model_call_a_back_off_a_tool_and_an_open_card(
    steward: Steward,
) -> None:
    thought = Gate()
    with Errand(steward.workspace) as errand:
        ask = calls(tool("run_command", {"command": errand.command}))
        steward.script(
            thinking("Hm.") + text("never").held(thought), failure(429, retry_after=600), ask, ask
        )
        await steward.start()
        steward.say("Think")
        await thought.arrived()
        steward.say("/stop")
        await steward.sees(STOPPED)
        await thought.abandoned()

        steward.say("Be refused")
        await steward.eventually(lambda: "again in 600" in steward.output)
        steward.say("/stop")
        await steward.sees(STOPPED, times=2)

        steward.say("Run")
        steward.press(await steward.card(), APPROVE)
        await errand.begun()
        steward.say("/stop")
        told = await steward.sees(STOPPED, times=3)
        assert f"{PERHAPS_DONE}\n• ❓ Run " in told.text
        errand.release()

        steward.say("Ask")
        await steward.card()
        steward.say("/stop")
        await steward.sees(STOPPED, times=4)
        await steward.until(lambda: not steward.cards)
        assert errand.runs == 1
    steward.say("/stop")
    await steward.sees(NOTHING_TO_STOP)
    steward.script(text("At your service."))
    steward.say("Still there?")
    await steward.sees("At your service.")
    assert steward.records.stop_reasons[:4] == ["user_cancelled"] * 4


@pytest.mark.shared("thorough")
@_FLOWS_OWN
async def test_stop_lets_waiting_messages_run_and_stop_all_drops_them(steward: Steward) -> None:
    first, second = Gate(), Gate()
    steward.script(text("never").held(first), text("never").held(second))
    await steward.start()
    steward.say("One")
    await first.arrived()
    steward.say("Two")
    steward.say("Three")
    steward.say("/stop")
    await steward.sees(GO_ON_WITH_TWO)
    await second.arrived()
    assert "[Turn ended: user_cancelled]\nTwo" in words_in(steward.model.requests[1])
    steward.say("/stop all")
    await steward.sees("Dropped 1 waiting message.")
    await steward.sees(STOPPED, times=2)
    assert len(steward.records.stop_reasons) == 2
    assert dropped_by(steward) == ["/stop all by Ann"]


@pytest.mark.telegrams_own("albums are Telegram's")
async def test_a_message_stopped_before_it_began_is_recorded_as_it_was_stopped(
    steward: Steward,
) -> None:
    await steward.start(STEWARD_BUNDLE_SECONDS=20)
    photo = files.picture(20, 20)
    steward.telegram.send_photo(steward.ann, photo, album=steward.telegram.album())
    steward.say("/stop")
    await steward.sees("Stopped before it began.")
    assert dropped_by(steward) == ["/stop by Ann"]


def dropped_by(steward: Steward) -> list[str]:
    """The recorded reason of each message that was dropped."""
    return [
        why for (why,) in steward.records.rows("SELECT reason FROM inbox WHERE state='dropped'")
    ]


@pytest.mark.shared
@_FLOWS_OWN
async def test_a_steering_message_joins_the_running_turn_at_its_next_round(
    steward: Steward,
) -> None:
    looking = Gate()
    steward.script(thinking("Look.") + LOOK.held(looking), thinking("I see.") + text("In French."))
    await steward.start()
    steward.say("/queue steer")
    await steward.sees("joins what I am doing")
    steward.say("List my files")
    await looking.arrived()
    late = steward.say("in French, please")
    await steward.until(lambda: late.reactions)
    looking.release()
    await steward.sees("In French.")
    last = steward.model.requests[1].body["messages"][-1]["content"]
    assert last[0]["type"] == "tool_result"
    assert "in French, please" in words_in(steward.model.requests[1])
    assert steward.records.stop_reasons == ["final_answer"]


@pytest.mark.shared("thorough")
@_FLOWS_OWN
async def test_an_interrupting_message_stops_the_turn_and_starts_anew(steward: Steward) -> None:
    cut = Gate()
    steward.script(text("never").held(cut), thinking("New wish.") + text("The new answer."))
    await steward.start()
    steward.say("/queue interrupt")
    await steward.sees("stops me and is next")
    steward.say("The old wish")
    await cut.arrived()
    steward.say("The new wish")
    await steward.sees("The new answer.")
    assert "The new wish" in words_in(steward.model.requests[1])
    assert steward.records.stop_reasons == ["user_cancelled", "final_answer"]


@pytest.mark.shared
async def test_an_edit_changes_a_message_that_waits_and_leaves_an_answered_one_alone(
    steward: Steward,
) -> None:
    busy = Gate()
    steward.script(text("First.").held(busy), text("Second."))
    await steward.start()
    answered = steward.say("One")
    await busy.arrived()
    waiting = steward.say("Two, with a mistkae")
    await steward.until(lambda: waiting.reactions)
    steward.edit(waiting, "Two, without one")
    steward.edit(answered, "One, too late")
    done = "SELECT count(*) FROM inbox WHERE state = 'done'"
    await steward.eventually(lambda: steward.records.rows(done) == [(2,)])
    busy.release()
    await steward.sees("Second.")
    assert "Two, without one" in words_in(steward.model.requests[1])
    assert len(steward.model.requests) == 2


@_FLOWS_OWN
async def test_a_fresh_start_and_a_summary_leave_the_old_words_behind(steward: Steward) -> None:
    steward.script(thinking("Hi.") + text("Hello."), text("- Ann likes blue"), text("Blue."))
    steward.script(text("I do not know you."))
    await steward.start()
    steward.say("I like blue")
    await steward.sees("Hello.")
    steward.say("/compact")
    await steward.sees(SUMMARISED)
    steward.say("What do I like?")
    await steward.sees("Blue.")
    summarised = str(steward.model.requests[2].body["messages"])
    assert "- Ann likes blue" in summarised
    assert "I like blue" not in summarised
    steward.say("/new")
    await steward.sees("A fresh start.")
    steward.say("Who am I?")
    await steward.sees("I do not know you.")
    assert len(steward.model.requests[3].body["messages"]) == 1
    assert "blue" not in str(steward.model.requests[3].body["messages"])


async def test_a_waiting_message_shows_how_far_it_is_and_a_quick_one_nothing(
    steward: Steward,
) -> None:
    busy, next_one = Gate(), Gate()
    steward.script(text("First.").held(busy), text("Second.").held(next_one), text("Third."))
    await steward.start()
    steward.say("One")
    await busy.arrived()
    second = steward.say("Two")
    await steward.until(lambda: steward.reactions_on(second) == ["👀"])
    busy.release()
    await steward.until(lambda: steward.reactions_on(second) == ["✍"])
    next_one.release()
    await steward.sees("Second.")
    await steward.until(lambda: steward.reactions_on(second) == ["👌"])
    quick = steward.say("Three")
    await steward.sees("Third.")
    await steward.recorded()
    assert not steward.reactions_on(quick)


async def test_a_chat_that_takes_no_reactions_is_asked_once(steward: Steward) -> None:
    steward.foreseen += ["REACTION_INVALID", "Missing Permissions"]
    busy = Gate()
    team = steward.team()
    steward.forbid_reactions(team)
    steward.script(text("1.").held(busy), text("2."), text("3."))
    await steward.start()
    sent: list[Any] = []
    for count in range(3):
        sent.append(steward.call(str(count), at=team))
        if not count:
            await busy.arrived()
            continue
        rows = f"SELECT 1 FROM inbox WHERE state = 'waiting' LIMIT 1 OFFSET {count - 1}"
        await steward.eventually(lambda rows=rows: steward.records.rows(rows))
        await steward.until(lambda: steward.way.reacted)
    busy.release()
    await steward.until(lambda: len(steward.screen(team)) == 3)
    assert steward.way.reacted == 1
    assert not any(map(steward.reactions_on, sent))
