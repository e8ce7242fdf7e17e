"""While a turn works: nothing it says is lost or told twice; a small line tells what it took."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.money.model import FinishReason, Usage
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Markdown, Plain
from bot.domain.talk.person import Role
from bot.domain.turn.outcome import StopReason
from tests.fakes.model import PROFILE, Gate, ScriptedModel, call, calls, says
from tests.scenarios.stage import ANN, Stage, running, stage
from tests.scenarios.tools import looking, writing
from tests.words import WHOLE_ANSWER

WHY = "I write it down, since you asked for a note."


def answer_blocks(scene: Stage) -> Sequence[object]:
    rows = [row for row in scene.store.rows.outbox.values() if row.key.startswith("answer:")]
    return rows[-1].content.blocks


async def test_the_words_before_a_tool_stand_above_the_answer() -> None:
    script = (
        calls(call("a", "look"), text="I look first."),
        calls(call("b", "look", {"n": 2}), text="Once more."),
        says("There it is."),
    )
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("find it")
        await scene.settled()
        assert scene.texts == ["I look first.\n\nOnce more.\n\nThere it is."]
        first, second, last = answer_blocks(scene)
        assert first == Markdown("I look first.", said=True, links=None)
        assert second == Markdown("Once more.", said=True, links=None)
        assert last == Markdown("There it is.", links=None)


async def test_the_words_before_a_card_stand_above_it_and_not_once_more_in_the_answer() -> None:
    script = (
        calls(call("a", "write", {"what": "x"}), call("b", "look"), text=WHY),
        calls(call("c", "look"), text="Now I check it."),
        says("It is written."),
    )
    async with stage(*script, tools=[writing(), looking()]) as scene:
        await scene.say("take a note")
        await scene.parked()
        assert scene.texts[0] == WHY
        assert len(scene.cards) == 1
        assert list(scene.channel.screen.values())[1] == scene.cards[0]
        await scene.press("Approve")
        await scene.settled()
        assert scene.texts[-1] == "Now I check it.\n\nIt is written."
        assert "".join(scene.texts).count(WHY) == 1


async def test_words_above_a_card_are_there_after_a_crash_and_told_once() -> None:
    script = (calls(call("a", "write", {"what": "x"}), text=WHY), says("It is written."))
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("take a note")
        await scene.parked()
        await scene.crash()
        await scene.press("Approve")
        await scene.settled()
        assert scene.texts.count(WHY) == 1
        assert scene.texts[-1] == "It is written."


async def test_words_said_before_a_crash_stand_above_the_answer_that_comes_after_it() -> None:
    gate = Gate()
    script = (calls(call("a", "look"), text="I look first."), gate)
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("find it")
        await gate.reached()
        assert isinstance(scene.model, ScriptedModel)
        scene.model.add(says("There it is."))
        await scene.crash()
        await scene.settled()
        assert scene.texts == ["I look first.\n\nThere it is."]


async def test_words_of_an_answer_that_holds_calls_are_told_once() -> None:
    finished = calls(call("a", "look"), text="All done.", finish=FinishReason.END)
    async with stage(finished, tools=[looking()]) as scene:
        await scene.say("go")
        await scene.settled()
        assert scene.texts == ["All done."]


async def test_what_was_said_before_a_stop_is_not_lost() -> None:
    gate = Gate()
    async with stage(calls(call("a", "look"), text="I look first."), gate, tools=[looking()]) as on:
        await on.say("find it")
        await gate.reached()
        await on.say("/stop")
        turn = await on.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert on.texts[-1].startswith("I look first.\n\nStopped, as you asked.")


async def test_the_words_of_an_answer_that_is_stopped_stay_for_the_person_and_the_model() -> None:
    gate = Gate("One. Two.")
    async with stage(gate, says("Three.")) as scene:
        await scene.say("count")
        await gate.reached()
        await scene.say("/stop")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert scene.texts[-1].startswith("One. Two.\n\nStopped, as you asked.")
        gate.open()
        await scene.say("go on")
        await scene.settled(2)
        own = [m for m in scene.model.requests[-1].messages if m.role == "assistant"]
        assert ["One. Two." in str(message) for message in own] == [True]


async def test_the_words_of_an_answer_are_not_kept_when_the_program_only_ends() -> None:
    gate = Gate("One. Two.")
    async with stage(gate, says("One. Two. Three.")) as scene:
        await scene.say("count")
        await gate.reached()
        await scene.crash()
        gate.open()
        await scene.settled()
        assert scene.texts == ["One. Two. Three."]


async def test_what_a_refusing_model_began_to_say_is_not_told() -> None:
    script = (
        calls(call("a", "look"), text="I look first."),
        says("I start to", FinishReason.REFUSAL),
    )
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("go")
        await scene.settled()
        assert scene.texts[0].startswith("I look first.\n\nThe model refused")
        assert "I start to" not in scene.texts[0]


async def test_what_is_said_while_a_plan_is_collected_stands_above_its_card() -> None:
    script = (calls(call("a", "write", {"what": "x"}), text="I look at it."), says("The plan."))
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("/plan one file")
        await scene.settled()
        assert "".join(scene.texts).count("I look at it.") == 1
        assert "".join(scene.texts).count("The plan.") == 1


async def test_the_footer_is_off_at_first_and_a_press_turns_it_on() -> None:
    async with stage(says("Hello."), says("Hello again.")) as scene:
        await scene.say("hello")
        await scene.settled()
        assert answer_blocks(scene) == (Markdown("Hello.", links=None),)
        await scene.say("/footer")
        await scene.shows("No small line stands below my answers")
        await scene.press("On", card=0)
        await scene.shows("From now on a small line below each answer tells its tool calls")
        await scene.shows("`/footer off` changes that.")
        await scene.say("hello again")
        await scene.settled(2)
        assert answer_blocks(scene)[-1] == Plain(
            "under 1 s · 15 tokens · under $0.0001", style="aside"
        )


async def test_the_footer_counts_what_ran_and_what_it_cost_over_a_restart() -> None:
    gate = Gate()
    used = Usage(input=100_000, output=20_000)
    look = replace(calls(call("a", "look"), call("b", "nothing")), usage=used)
    script = (look, gate)
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("/footer on")
        await scene.shows("From now on")
        await scene.say("find it")
        await gate.reached()
        await scene.clock.advance(5)
        await scene.crash()
        assert isinstance(scene.model, ScriptedModel)
        second = Gate()
        scene.model.add(second, says("There.", usage=used))
        await second.reached()
        await scene.clock.advance(64)
        second.open()
        await scene.settled()
        # The seconds of a life that ended without a word are not on record.
        assert answer_blocks(scene)[-1] == Plain(
            "1 tool call · 1 min 4 s · 240,000 tokens · $0.40", style="aside"
        )
        assert scene.texts[-1].startswith("There.\n\n1 tool call")


async def test_no_price_is_told_where_none_is_known() -> None:
    model = ScriptedModel(says("Hello."), profile=replace(PROFILE, price=None))
    scene = Stage(model, (), Limits())
    async with running(scene, ((ANN, Role.OWNER),)):
        await scene.say("/footer on")
        await scene.shows("From now on")
        await scene.say("hello")
        await scene.settled()
        assert answer_blocks(scene)[-1] == Plain("under 1 s · 15 tokens", style="aside")


async def test_a_long_answer_as_a_file_keeps_its_words_and_its_footer_in_the_message() -> None:
    long = "A sentence of the answer. " * 600
    script = (calls(call("a", "look"), text="I look first."), says(long))
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("/long file")
        await scene.shows("From now on")
        await scene.say("/footer on")
        await scene.shows("From now on a small line")
        await scene.say("tell me")
        await scene.settled()
        told = next(text for text in scene.texts if text.startswith("I look first."))
        assert WHOLE_ANSWER in told
        assert told.endswith("$0.0001")
        (file,) = [s for s in scene.channel.screen.values() if "file" in s.piece.body]
        assert file.piece.body["file"] == long.strip()
