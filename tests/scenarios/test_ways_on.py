"""The buttons below the end of a turn: once, for the right people, while nobody has gone on."""

from dataclasses import replace
from functools import partial

import pytest

from bot.domain.money.model import FinishReason
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    RequestInvalid,
)
from bot.domain.talk.limits import Limits
from bot.domain.talk.person import Role
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import AskerBody, TextPart
from bot.domain.turn.turn import TurnState, Way, WaysOn
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.channel import Shown
from tests.fakes.model import Gate, RuledModel, ScriptedModel, Torn, call, calls, says
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, BOB, Stage, running, stage
from tests.scenarios.team import EVE, TEAM, group
from tests.scenarios.tools import asking, looking, writing
from tests.words import (
    ASKERS_ONLY,
    CONNECTION_BROKE,
    GO_ON,
    GOING_ON,
    GONE_ON,
    NO_TAKEOVER,
    NO_TOOL_RAN,
    NOT_LET_IN,
    OWNER_SETS_KEY,
    PRESSED_ALREADY,
    RETRY,
    STOP,
    STOPPED,
    STOPPED_AFTER,
    TRYING_AGAIN,
    WAITED,
)

DENIED = ModelDenied("no", Trouble.KEY, "A_KEY")
CHOICES = ["Tea", "Coffee"]
ASKS = calls(call("q", "ask", {"what": "Which one?", "choices": CHOICES}))
BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


def newest(request: ModelRequest) -> str:
    return "\n".join(p.text for p in request.messages[-1].parts if isinstance(p, TextPart))


def data_of(scene: Stage, label: str) -> str:
    rows = [row for shown in scene.cards for row in shown.piece.body["buttons"]]
    return next(b["data"] for row in rows for b in row if b["label"] == label)


async def test_another_try_asks_with_the_same_message_and_answers_below() -> None:
    async with stage(DENIED, says("Here you are.")) as scene:
        await scene.say("what is new?")
        await scene.settled()
        assert scene.labels == [RETRY]
        assert await scene.press(RETRY) == ""
        turn = await scene.settled(2)
        assert (turn.way, turn.stop_reason) == (Way.AGAIN, StopReason.FINAL_ANSWER)
        assert newest(scene.model.requests[1]).count("what is new?") == 2
        assert scene.texts[-1] == "Here you are."
        assert (TRYING_AGAIN in scene.texts[0], scene.labels) == (True, [])
        asked = [body for body in scene.bodies if isinstance(body, AskerBody)]
        assert [body.message_id for body in asked] == ["m1", "m1"]


async def test_a_second_press_does_nothing_and_says_so() -> None:
    gate = Gate()
    async with stage(DENIED, gate, says("Once.")) as scene:
        await scene.say("hello")
        await scene.settled()
        data = data_of(scene, RETRY)
        assert await scene.press_data(data) == ""
        await gate.reached()
        assert PRESSED_ALREADY in await scene.press_data(data)
        gate.open()
        await scene.settled(2)
        assert PRESSED_ALREADY in await scene.press_data(data)
        assert len(scene.turns) == 2


async def test_the_next_message_takes_the_buttons_away() -> None:
    async with stage(DENIED, says("Something else.")) as scene:
        await scene.say("first")
        await scene.settled()
        data = data_of(scene, RETRY)
        await scene.say("second")
        await scene.settled(2)
        assert scene.labels == []
        assert GONE_ON in await scene.press_data(data)
        assert (len(scene.turns), scene.turns[0].ways_on) == (2, WaysOn.PAST)


async def test_a_press_beside_a_message_under_way_does_nothing() -> None:
    gate = Gate()
    async with stage(DENIED, gate, says("Something else.")) as scene:
        await scene.say("first")
        await scene.settled()
        data = data_of(scene, RETRY)
        await scene.say("second")
        await gate.reached()
        assert GONE_ON in await scene.press_data(data)
        gate.open()
        await scene.settled(2)
        assert len(scene.turns) == 2


async def test_a_fresh_start_ends_the_buttons() -> None:
    async with stage(DENIED) as scene:
        await scene.say("first")
        await scene.settled()
        data = data_of(scene, RETRY)
        await scene.say("/new")
        await scene.shows("fresh start")
        assert GONE_ON in await scene.press_data(data)
        await scene.application.parts.way_out.delivery.flushed()
        assert (scene.labels, len(scene.turns)) == ([], 1)


async def test_only_the_asker_and_owners_may_press() -> None:
    async with stage(DENIED, says("For Ann."), people=BOTH) as scene:
        await scene.say("first")
        await scene.settled()
        data = data_of(scene, RETRY)
        assert await scene.press_data(data, BOB) == ASKERS_ONLY
        stranger = await scene.press_data(data, ANN.__class__("fake", "666", "Eve"))
        assert stranger == ASKERS_ONLY
        assert len(scene.turns) == 1
        await scene.press_data(data)
        await scene.settled(2)


async def test_an_owner_presses_for_the_one_who_asked() -> None:
    async with stage(DENIED, says("For Bob."), people=BOTH) as scene:
        await scene.say("first", BOB)
        await scene.settled()
        assert OWNER_SETS_KEY in scene.texts[0]
        await scene.press(RETRY, ANN)
        turn = await scene.settled(2)
        assert (turn.asker, turn.asker_name) == (scene.turns[0].asker, "Bob")


@pytest.mark.parametrize("data", ["e:a:nothing", "e:z:x", "e:a", "e:m:{}:fake/forged", "e:q:{}:7"])
async def test_forged_data_does_nothing(data: str) -> None:
    async with stage(DENIED) as scene:
        await scene.say("first")
        turn = await scene.settled()
        assert "does nothing" in await scene.press_data(data.format(turn.id))
        assert (len(scene.turns), scene.labels) == (1, [RETRY])


async def test_another_model_answers_the_same_message() -> None:
    refused = replace(says("No."), finish=FinishReason.REFUSAL)
    model = ScriptedModel(refused, says("By the second."))
    made = Stage(model, [], Limits())
    made.fall_back(["fake/two"])
    async with running(made) as scene:
        await scene.say("first")
        await scene.settled()
        assert scene.labels == ["🔀 Try two"]
        await scene.press("🔀 Try two")
        turn = await scene.settled(2)
        assert (turn.model, turn.way) == ("fake/two", Way.AGAIN)
        assert [r.profile.name for r in scene.model.requests] == ["fake", "two"]
        assert "🔀 Trying fake/two" in scene.texts[0]


async def test_when_all_models_failed_the_wanted_one_is_told_of_and_none_is_offered() -> None:
    missing = ModelDenied("no such model", Trouble.MODEL)
    model = ScriptedModel(DENIED, missing, DENIED, missing)
    made = Stage(model, [], Limits())
    made.fall_back(["fake/two"])
    async with running(made) as scene:
        await scene.say("first")
        await scene.settled()
        assert scene.labels == [RETRY]
        assert f"{NOT_LET_IN} `fake/two` {NO_TAKEOVER}" in scene.texts[0]
        assert "give it a valid key (A_KEY)" in scene.texts[0]
        await scene.press(RETRY)
        await scene.settled(2)
        assert [r.profile.name for r in scene.model.requests] == ["fake", "two"] * 2


async def test_a_turn_stopped_by_its_rounds_goes_on_where_it_stood() -> None:
    look = looking()
    looks = [calls(call(f"l{n}", "look", {"n": n})) for n in range(2)]
    script = (*looks, calls(call("late", "look")), says("All looked at."))
    async with stage(*script, tools=[look], limits=Limits(soft_rounds=2)) as scene:
        await scene.say("look at everything")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.MAX_ROUNDS
        assert (STOPPED_AFTER in scene.texts[0], scene.labels) == (True, [GO_ON])
        await scene.press(GO_ON)
        turn = await scene.settled(2)
        assert (turn.way, turn.stop_reason) == (Way.ONWARD, StopReason.FINAL_ANSWER)
        assert scene.texts[-1] == "All looked at."
        assert GOING_ON in scene.texts[0]
        assert "Go on" in newest(scene.model.requests[-1])
        assert len([b for b in scene.bodies if isinstance(b, AskerBody)]) == 1


async def test_going_on_keeps_the_purpose_of_its_cards() -> None:
    looks = [calls(call(f"l{n}", "look", {"n": n})) for n in range(2)]
    script = (*looks, calls(call("late", "look")), calls(call("w", "write", {"what": "x"})))
    limits = Limits(soft_rounds=2)
    async with stage(*script, tools=[looking(), writing()], limits=limits) as scene:
        await scene.say("tidy up")
        await scene.settled()
        await scene.press(GO_ON)
        await scene.parked()
        assert [card.purpose for card in scene.approvals] == ["tidy up"]


async def test_an_answer_cut_at_its_length_goes_on() -> None:
    script = says("The first half", FinishReason.LENGTH), says("and the second.")
    async with stage(*script) as scene:
        await scene.say("tell me everything")
        await scene.settled()
        await scene.press(GO_ON)
        await scene.settled(2)
        assert scene.texts[-1] == "and the second."


async def test_a_pressed_choice_is_the_next_message_of_the_person() -> None:
    async with stage(ASKS, says("Tea it is."), tools=[asking()]) as scene:
        await scene.say("make me something")
        turn = await scene.settled()
        assert (turn.stop_reason, scene.labels) == (StopReason.WAITING_FOR_USER, CHOICES)
        await scene.press("Tea")
        turn = await scene.settled(2)
        assert (turn.way, turn.said) == (Way.ANSWER, "Tea")
        said = newest(scene.model.requests[1]).split("\n")[0]
        assert (said, scene.texts[-1], scene.labels) == ("Tea", "Tea it is.", [])
        assert "✓ Tea" in scene.texts[0]


async def test_a_typed_answer_works_as_before_and_takes_the_choices_away() -> None:
    async with stage(ASKS, says("Water it is."), tools=[asking()]) as scene:
        await scene.say("make me something")
        await scene.settled()
        await scene.say("Water, please")
        await scene.settled(2)
        assert (scene.texts[-1], scene.labels) == ("Water it is.", [])


async def test_a_question_without_choices_has_no_buttons() -> None:
    script = calls(call("q", "ask", {"what": "Which one?"})), says("Fine.")
    async with stage(*script, tools=[asking()]) as scene:
        await scene.say("make me something")
        await scene.settled()
        assert (scene.labels, scene.turns[0].ways_on) == ([], WaysOn.NONE)
        await scene.say("any")
        await scene.settled(2)


async def test_a_failed_plan_in_the_making_is_tried_again_as_a_plan() -> None:
    write = calls(call("w", "write", {"what": "x"}))
    async with stage(DENIED, write, says("One step."), tools=[writing()]) as scene:
        await scene.say("/plan write x")
        await scene.settled()
        await scene.press(RETRY)
        await scene.settled(2)
        assert "📋" in scene.texts[-1]
        assert [len(plan.steps) for plan in scene.store.rows.plans.values()] == [1]


async def test_a_conversation_that_the_provider_refuses_has_no_other_try() -> None:
    async with stage(RequestInvalid("odd"), RequestInvalid("odd")) as scene:
        await scene.say("hello")
        await scene.settled()
        assert scene.labels == []


async def test_what_had_come_before_a_cut_stays_on_the_screen() -> None:
    torn = [Torn("The answer is", ModelUnreachable("LibraryError {}")) for _ in range(3)]
    async with stage(*torn, limits=Limits(rest_minutes=())) as scene:
        await scene.say("what is it?")
        await scene.until(lambda: len(scene.model.requests) == 1 or None)
        for _ in range(6):
            await scene.clock.advance(5)
        await scene.settled()
        (told,) = scene.texts
        assert (CONNECTION_BROKE in told, "> The answer is" in told) == (True, True)
        assert (NO_TOOL_RAN in told, "LibraryError" in told) == (True, False)


async def test_a_long_pause_is_told_once_and_ends_as_a_short_line() -> None:
    busy = ModelOverloaded("no", retry_after=90)
    async with stage(busy, says("Here.")) as scene:
        await scene.say("hello")
        told = await scene.shows("I try again in 90 seconds.")
        assert (told.startswith("⏳ The model is overloaded."), scene.labels) == (True, [STOP])
        await scene.clock.advance(91)
        await scene.settled()
        assert scene.texts == [WAITED, "Here."]
        assert scene.labels == []


async def test_stop_ends_a_long_pause() -> None:
    async with stage(ModelOverloaded("no", retry_after=90)) as scene:
        await scene.say("hello")
        await scene.shows("I try again in")
        assert await scene.press(STOP) == ""
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert STOPPED in scene.texts
        assert scene.labels == []


async def test_a_pause_in_which_the_program_died_leaves_no_button() -> None:
    busy = ModelOverloaded("no", retry_after=90)
    async with stage(busy, says("Here.")) as scene:
        await scene.say("hello")
        await scene.shows("I try again in")
        await scene.crash()
        await scene.settled()
        assert (scene.texts[-1], scene.labels) == ("Here.", [])


async def test_a_short_pause_is_not_told() -> None:
    async with stage(ModelOverloaded("busy"), says("Hello.")) as scene:
        await scene.say("go")
        await scene.until(lambda: scene.clock.sleepers > 1 or None)
        await scene.clock.advance(2)
        await scene.settled()
        assert scene.texts == ["Hello."]


async def test_in_a_group_the_choice_is_the_word_of_the_one_who_pressed() -> None:
    async with group(ASKS, says("Tea it is."), tools=[asking()]) as team:
        scene = team.scene
        asked = await team.ask("make us something", BOB)
        await scene.settled()
        shown = await scene.until(lambda: next(iter(scene.cards), None))
        data = shown.piece.body["buttons"][0][0]["data"]
        assert await scene.press_data(data, EVE, shown.id, TEAM) == ASKERS_ONLY
        assert await scene.press_data(data, ANN, shown.id, TEAM) == ""
        turn = await scene.settled(2)
        assert (turn.asker_name, turn.reply_to) == ("Ann", asked)
        said = team.askers[-1]
        assert (said.text, said.speaker, said.account) == ("Tea", "Ann", "fake:1")
        assert (said.group, said.governs, said.untrusted_for(turn.asker)) == ("Team", True, None)
        assert any("✓ Tea · Ann" in text for text in team.texts)


def _by_rule(request: ModelRequest, number: int) -> ModelReply:
    said = newest(request)
    if "[Steward]" in said:
        return says("Answered.")
    if "ask me" in said:
        return calls(call(f"q{number}", "ask", {"what": "Which one?", "choices": CHOICES}))
    if said.startswith("Tea"):
        return says("Answered.")
    raise _refused()


def _refused() -> ModelError:
    return ModelDenied("no", Trouble.KEY)


def _pressing(card: Shown) -> str | None:
    data = card.piece.body["buttons"][0][0]["data"]
    return str(data) if str(data).startswith("e:") else None


async def _play(words: str, fate: Fate) -> Stage:
    model = RuledModel(_by_rule)
    async with running(Stage(model, [asking()], Limits(), fate)) as scene:
        life = Life(scene, fate, _pressing)
        await life.accept(scene.message(words))
        await life.until(lambda: "Answered." in scene.texts)
    return scene


LIVES = [
    (words, at, after)
    for words in ("fail first", "ask me")
    for at, after in deaths(writes_of(partial(_play, words)))
]


@pytest.mark.parametrize(("words", "at", "after"), LIVES)
async def test_a_death_at_any_write_loses_no_press_and_doubles_no_turn(
    words: str, at: int, after: bool
) -> None:
    fate = Fate(at, after)
    scene = await _play(words, fate)
    assert fate.died.is_set()
    scene.assert_whole()
    assert [turn.state for turn in scene.turns] == [TurnState.SETTLED] * 2
    first, second = scene.turns
    assert (first.ways_on, second.follows) == (WaysOn.PRESSED, first.id)
    assert [turn.ways_on for turn in scene.turns if turn is not first] == [WaysOn.NONE]
    assert 1 <= scene.texts.count("Answered.") <= 2, "one answer, and at most one copy more"
    assert len([b for b in scene.bodies if isinstance(b, AskerBody)]) == 2
