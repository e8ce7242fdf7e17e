"""Models that stay away, tiers that choose one, and turns that no model can serve."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import ModelDenied, ModelOverloaded, ModelUnreachable
from bot.domain.talk.limits import Limits
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.tier import Tiers
from bot.domain.turn.turn import TurnState
from bot.ports.tool import Tool
from tests.fakes.model import ScriptedModel, Step, call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import BOB, Stage, running
from tests.scenarios.tools import looking, writing
from tests.words import OVERLOADED, STAYS_DONE

TIERS = Tiers("fake/small", "fake/middle", "fake/large")
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>'


def gone(times: int = 1) -> list[Step]:
    """Faults that end a call at once: the provider wishes for a wait of an hour."""
    return [ModelOverloaded("no room", retry_after=3600) for _ in range(times)]


@asynccontextmanager
async def stage(
    *script: Step,
    tools: Sequence[Tool] = (),
    skills: FakeSkills | None = None,
    fallbacks: Sequence[str] = (),
    tiers: Tiers | None = None,
) -> AsyncGenerator[Stage]:
    """A running stage with these models, whose script must be used up at the end."""
    with ScriptedModel(*script) as model:
        scene = Stage(model, tools, Limits(), skills=skills)
        scene.fallbacks, scene.tiers = fallbacks, tiers or scene.tiers
        scene.application = scene.composed()
        async with running(scene):
            yield scene


def asked(scene: Stage) -> list[str]:
    """The names of the models that were asked, in order."""
    return [request.profile.name for request in scene.model.requests]


async def rests(scene: Stage, times: int = 1) -> None:
    """Waits until the card of so many rests is on the screen."""
    await scene.until(lambda: scene.turns and scene.turns[0].rests == times)
    await scene.until(lambda: scene.cards)


async def test_an_answer_by_another_model_says_so() -> None:
    script = [*gone(), says("Hello.")]
    async with stage(*script, fallbacks=["fake/second"]) as scene:
        await scene.say("go")
        await scene.settled()
        assert asked(scene) == ["fake", "second"]
        assert scene.texts == [
            "Hello.\n\n(Answered by `fake/second`: `fake/fake` does not respond.)"
        ]
        answer = [e.body for e in scene.store.rows.entries.values()][-1]
        assert "does not respond" not in str(answer)


async def test_a_model_that_stays_away_is_left_alone_and_then_tried_by_one_call() -> None:
    script = [*gone(), says("1"), says("2"), *gone(), says("3"), says("4"), says("5")]
    async with stage(*script, fallbacks=["fake/second"]) as scene:
        await scene.say("one")
        await scene.settled()
        await scene.say("two")
        await scene.settled(2)
        assert asked(scene) == ["fake", "second", "second"]
        await scene.say("/status")
        await scene.shows("No answer from `fake/fake`: I try again in 30 s")
        await scene.clock.advance(31)
        await scene.say("three")
        await scene.settled(3)
        assert asked(scene)[3:] == ["fake", "second"]
        await scene.clock.advance(31)
        await scene.say("four")
        await scene.settled(4)
        assert asked(scene)[5:] == ["second"]
        await scene.clock.advance(31)
        await scene.say("five")
        await scene.settled(5)
        assert asked(scene)[6:] == ["fake"]
        assert scene.texts[-1] == "5"
        shown = len(scene.texts)
        await scene.say("/status")
        await scene.until(lambda: len(scene.texts) > shown)
        assert "No answer from" not in scene.texts[-1]


async def test_a_fallback_answers_the_whole_turn_with_its_tools() -> None:
    script = [*gone(), calls(call("a", "look")), says("Done.")]
    async with stage(*script, tools=[looking()], fallbacks=["fake/second"]) as scene:
        await scene.say("go")
        await scene.settled()
        assert asked(scene) == ["fake", "second", "second"]


async def test_with_no_other_model_one_that_stays_away_is_asked_all_the_same() -> None:
    async with stage(*gone(), says("Hello.")) as scene:
        await scene.say("go")
        await rests(scene)
        assert await scene.press("Try now") == "Trying again."
        await scene.shows("Hello.")


async def test_a_turn_that_no_model_can_serve_is_tried_after_1_5_15_and_60_minutes() -> None:
    async with stage(*gone(5)) as scene:
        await scene.say("a hard thing")
        for number, minutes in enumerate((1, 5, 15, 60), start=1):
            await rests(scene, number)
            (card,) = scene.cards
            assert "“a hard thing” waits; nothing is lost or changed." in card.text
            assert OVERLOADED in card.text
            assert f"in {minutes} minute" in card.text
            await scene.clock.advance(minutes * 60 - 1)
            assert len(asked(scene)) == number
            await scene.clock.advance(1)
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.MODEL_FAILURE
        assert "is overloaded" in scene.texts[-1]
        assert "Try again" in str(scene.cards[-1].piece.body)


async def test_what_was_done_stays_done_and_the_turn_goes_on_from_there() -> None:
    script = [calls(call("a", "write", {"what": "x"})), *gone(), says("Done.")]
    write = writing()
    async with stage(*script, tools=[write]) as scene:
        await scene.say("go")
        await scene.press("Approve")
        await rests(scene)
        assert STAYS_DONE in scene.cards[-1].text
        await scene.clock.advance(60)
        await scene.shows("Done.")
        assert len(write.ran) == 1


async def test_a_progress_between_two_silences_begins_the_waits_anew() -> None:
    script = [*gone(2), calls(call("a", "look")), *gone(), says("Done.")]
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("go")
        await rests(scene)
        await scene.clock.advance(60)
        await rests(scene, 2)
        await scene.clock.advance(300)
        await rests(scene, 1)
        await scene.clock.advance(60)
        await scene.shows("Done.")


async def test_others_are_answered_while_a_turn_waits() -> None:
    async with stage(*gone(), says("Second."), says("First.")) as scene:
        await scene.say("first")
        await rests(scene)
        await scene.say("second")
        await scene.shows("Second.")
        await scene.clock.advance(60)
        await scene.shows("First.")
        assert "first" in str(scene.model.requests[-1].messages[-1])


async def test_only_the_asker_or_an_owner_gives_a_waiting_turn_up() -> None:
    async with stage(*gone()) as scene:
        await scene.say("go")
        await rests(scene)
        assert "Only the one who asked" in await scene.press("Give up", BOB)
        assert await scene.press("Give up") == "Giving up."
        assert (await scene.settled()).stop_reason is StopReason.USER_CANCELLED


async def test_a_wait_outlives_a_restart() -> None:
    async with stage(*gone(), says("At last.")) as scene:
        await scene.say("go")
        await rests(scene)
        await scene.crash()
        assert asked(scene) == ["fake"]
        await scene.clock.advance(60)
        await scene.shows("At last.")


async def test_stop_ends_a_waiting_turn() -> None:
    async with stage(*gone()) as scene:
        await scene.say("go")
        await rests(scene)
        await scene.say("/stop")
        assert (await scene.settled()).stop_reason is StopReason.USER_CANCELLED


async def test_a_refused_key_ends_the_turn_but_not_where_another_model_may_come_back() -> None:
    async with stage(ModelDenied("the key is refused")) as scene:
        await scene.say("go")
        assert (await scene.settled()).stop_reason is StopReason.MODEL_FAILURE
    script = [*gone(), ModelDenied("the key is refused"), says("Back.")]
    async with stage(*script, fallbacks=["fake/second"]) as scene:
        await scene.say("go")
        await rests(scene)
        await scene.clock.advance(60)
        await scene.shows("Back.")


async def test_a_tier_chooses_the_model_and_off_gives_it_back() -> None:
    async with stage(says("1"), says("2"), says("3"), tiers=TIERS) as scene:
        await scene.say("/tier fast")
        await scene.shows("From your next message on: fast, that is `fake/small`.")
        await scene.say("one")
        await scene.settled()
        assert await scene.press("Deep") == ""
        await scene.say("two")
        await scene.settled(2)
        await scene.say("/tier off")
        await scene.say("three")
        await scene.settled(3)
        assert asked(scene) == ["small", "large", "fake"]


async def test_a_tier_whose_provider_is_missing_is_the_default_model() -> None:
    async with stage(says("Hello.")) as scene:
        await scene.say("/tier deep")
        await scene.shows("deep, that is `fake/fake`")
        await scene.say("go")
        await scene.settled()
        assert asked(scene) == ["fake"]


async def test_a_stack_trace_goes_on_with_deep_between_rounds_and_is_on_record() -> None:
    script = calls(call("a", "look")), says("A bug.")
    async with stage(*script, tools=[looking(TRACE)], tiers=TIERS) as scene:
        await scene.say("/tier balanced")
        await scene.say("look")
        await scene.settled()
        assert asked(scene) == ["middle", "large"]
        first, second = (verdict.details for verdict in scene.store.rows.verdicts)
        assert (first["model"], second["model"]) == ("fake/middle", "fake/large")
        assert "raised to deep for a stack trace" in str(second["why"])


async def test_the_footer_names_the_model_of_a_tier_and_why_it_was_raised() -> None:
    script = says("1"), calls(call("a", "look")), says("A bug.")
    async with stage(*script, tools=[looking(TRACE)], tiers=TIERS) as scene:
        await scene.say("/footer on")
        await scene.say("/tier balanced")
        await scene.say("hello")
        await scene.settled()
        assert "middle, balanced" in str(_last(scene))
        await scene.say("look")
        await scene.settled(2)
        assert "large, raised to deep for a stack trace" in str(_last(scene))


def _last(scene: Stage) -> object:
    """The newest answer as it was sent, with what stands below it."""
    return list(scene.channel.screen.values())[-1].piece.body


async def test_code_in_the_question_begins_with_deep_and_the_setting_forbids_it() -> None:
    code = "Mend this:\n```python\n" + "x = 1\n" * 10 + "```"
    for raises, expected in ((True, "large"), (False, "small")):
        tiers = Tiers("fake/small", "fake/middle", "fake/large", raises=raises)
        async with stage(says("Done."), tiers=tiers) as scene:
            await scene.say("/tier fast")
            await scene.say(code)
            await scene.settled()
            assert asked(scene) == [expected]


async def test_a_model_that_a_person_chose_is_never_changed() -> None:
    skill = _skill(model_tier="deep")
    script = calls(call("a", "look")), says("A bug.")
    skills = FakeSkills(skill)
    async with stage(*script, tools=[looking(TRACE)], tiers=TIERS, skills=skills) as scene:
        await scene.say("/model fake/chosen")
        await scene.say("/skill deeply")
        await scene.say("go")
        await scene.settled()
        assert asked(scene) == ["chosen", "chosen"]


async def test_a_name_that_no_setting_has_is_taken_unchecked_and_said_so() -> None:
    unchecked = "I could not check this name; `/model default` goes back."
    async with stage(fallbacks=["fake/second"]) as scene:
        await scene.say("/model fake/second")
        assert "not check" not in await scene.shows("From your next message on: `fake/second`.")
        await scene.say("/model fake/nonsense")
        await scene.shows(f"From your next message on: `fake/nonsense`. {unchecked}")


async def test_a_part_of_a_name_is_understood_when_one_model_alone_has_it() -> None:
    fallbacks = ["fake/opus-5-5", "fake/sonnet-5-5"]
    async with stage(says("One."), says("Two."), fallbacks=fallbacks) as scene:
        await scene.say("/model 5-5")
        await scene.shows("There is no model `5-5` here.")
        await scene.say("/model Opus")
        await scene.shows("From your next message on: `fake/opus-5-5`.")
        await scene.say("go")
        await scene.settled()
        await scene.say("/retry sonnet-5-5")
        await scene.shows("Two.")
        assert asked(scene) == ["opus-5-5", "sonnet-5-5"]


async def test_a_name_that_the_provider_does_not_have_is_refused_with_near_names() -> None:
    async with stage(says("Hello.")) as scene:
        scene.model.listed = ("swift-3", "swift-3-mini", "grand-3")
        await scene.say("/model fake/swift-4")
        told = await scene.shows("fake has no model `swift-4`, so nothing was changed.")
        assert "Did you mean:\n\n- `/model fake/swift-3` · " in told
        await scene.press("swift-3-mini")
        told = await scene.shows("From your next message on: `fake/swift-3-mini`.")
        assert "check" not in told
        await scene.say("hi")
        await scene.settled()
        assert asked(scene) == ["swift-3-mini"]
        await scene.say("/model fake/zzz")
        await scene.shows("has no model `zzz`, so nothing was changed. /model shows some names.")


async def test_a_skill_has_its_wish() -> None:
    skills = FakeSkills(_skill(model_tier="deep"))
    async with stage(says("Done."), says("Done."), tiers=TIERS, skills=skills) as scene:
        await scene.say("before")
        await scene.settled()
        await scene.say("/skill deeply")
        await scene.say("go")
        await scene.settled(2)
        assert asked(scene) == ["fake", "large"]


async def test_a_turn_on_a_tier_keeps_its_fallback() -> None:
    script = [calls(call("a", "look")), *gone(), calls(call("b", "look")), says("Done.")]
    more: dict[str, Any] = {"tools": [looking(TRACE)], "tiers": TIERS}
    async with stage(*script, **more, fallbacks=["fake/second"]) as scene:
        await scene.say("/tier fast")
        await scene.say("go")
        await scene.settled()
        assert asked(scene) == ["small", "large", "second", "second"]
        assert "(Answered by `fake/second`: `fake/large` does not respond.)" in scene.texts[-1]


async def test_the_keyboard_of_models_has_those_of_the_settings_with_prices() -> None:
    async with stage(fallbacks=["fake/second", "elsewhere/x"], tiers=TIERS) as scene:
        await scene.say("/model")
        told = await scene.shows("US dollars for a million tokens")
        assert "- `/model fake/second` · $1 / $5" in told, "a terminal has no buttons for them"
        rows = scene.cards[-1].piece.body["buttons"]
        labels = [button["label"] for row in rows for button in row]
        assert labels == [
            "✓ fake · $1 / $5",
            *(f"{name} · $1 / $5" for name in ("second", "small", "middle", "large")),
        ]


async def test_a_call_that_was_cut_off_does_not_count_as_a_failure() -> None:
    script = [ModelUnreachable("cut")] * 2
    async with stage(*script, says("Hello.")) as scene:
        await scene.say("go")
        for _ in range(3):
            await scene.clock.advance(5)
        await scene.shows("Hello.")
        assert scene.turns[0].state is TurnState.SETTLED


def _skill(**changes: Any) -> Skill:
    return Skill("deeply", "Does it deeply.", "Do it deeply.", "/skills/deeply", **changes)
