"""`/why`: what an answer was made of, what ran for it, and who or what allowed it."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.domain.assignments.task import ApprovedCall
from bot.domain.change import InboundState
from bot.domain.money.model import Usage
from bot.domain.talk.errors import ModelDenied
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address
from bot.domain.tools.tool import ToolOutput, Warrant
from bot.domain.turn.view import ModelReply, ModelRequest
from bot.ports.tool import Place
from tests.fakes.channel import Shown
from tests.fakes.model import RuledModel, ScriptedModel, Step, call, calls, says
from tests.scenarios.stage import ANN, BOB, HOME, Stage, running, stage
from tests.scenarios.team import group
from tests.scenarios.test_errands import Family, errand, results_in
from tests.scenarios.test_schedules import HOUR, keep, scheduled
from tests.scenarios.tools import burning, failing, foreign, looking, submitting, tool, writing
from tests.words import NO_ANSWER_YET

WHY = "Why this answer"
NOT_YOURS = "That answer was for somebody else."
OUTSIDE = "something that you did not write"


def made(*asked: Any, then: str = "Done.") -> tuple[Step, ...]:
    return (calls(*asked), says(then))


async def told(scene: Stage, command: str = "/why", at: Address = HOME, **more: Any) -> str:
    """Returns the newest explanation once this command is answered."""
    before = [t for t in scene.channel.texts(at) if WHY in t]
    await scene.say(command, at=at, **more)
    return await scene.until(
        lambda: next((t for t in scene.channel.texts(at)[::-1] if WHY in t and t not in before), "")
    )


def answer(scene: Stage, text: str) -> Shown:
    return next(shown for shown in scene.channel.screen.values() if shown.text == text)


async def test_without_an_answer_there_is_nothing_to_explain() -> None:
    async with stage() as scene:
        await scene.say("/why")
        await scene.shows(NO_ANSWER_YET)


async def test_a_plain_answer_names_the_message_the_model_and_the_end() -> None:
    async with stage(says("Four.")) as scene:
        await scene.say("Two *and* two?")
        await scene.settled()
        page = await told(scene)
        assert "To “Two \\*and\\* two?”" in page
        assert "the message, with no earlier message of this conversation" in page
        assert "**1.** `fake`" in page
        assert "had nothing more to do" in page
        assert OUTSIDE not in page


async def test_an_answer_whose_tokens_nobody_counted_has_no_price() -> None:
    async with stage(says("Four."), says("Five.", usage=Usage(0, 0))) as scene:
        await scene.say("two and two?")
        await scene.settled()
        assert "$" in await told(scene)
        await scene.say("two and three?")
        await scene.settled(2)
        assert "$" not in await told(scene)


async def test_each_call_says_who_or_what_allowed_it() -> None:
    script = (
        *made(call("a", "look", {"what": "x"}), call("b", "write", {"what": "plan"})),
        *made(call("c", "write", {"what": "plan"}), then="Again."),
        *made(call("d", "burn", {"what": "all"}), call("e", "fail", {}), then="No fire."),
    )
    tools = [looking("seen"), writing(), burning(), failing()]
    async with stage(*script, tools=tools) as scene:
        await scene.say("first")
        await scene.press("Always")
        await scene.settled(1)
        first = await told(scene)
        assert "✓ `look x`: it only reads" in first
        assert "✓ `write plan`: you approved its card at once" in first
        await scene.say("second")
        await scene.settled(2)
        assert "✓ `write plan`: a rule allows it" in await told(scene)
        await scene.say("third")
        await scene.press("Deny")
        await scene.settled(3)
        third = await told(scene)
        assert "⏭ `burn all`: you said no at once" in third
        assert "✗ `fail`: it only reads" in third
        assert "with 2 earlier messages" in third
        kinds = [result.warrant for result in scene.results if not result.synthetic]
        assert kinds == [Warrant.READS, Warrant.CARD, Warrant.RULE, Warrant.READS]


async def test_it_explains_the_answer_that_the_command_replies_to() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        await scene.say("first")
        await scene.settled(1)
        await scene.say("second")
        await scene.settled(2)
        one, two = answer(scene, "One."), answer(scene, "Two.")
        assert "To “first”" in await told(scene, reply_to=one)
        page = await told(scene, reply_to=two)
        assert "To “second”" in page
        notice = next(s for s in scene.channel.screen.values() if s.text == page)
        await scene.say("/why", reply_to=notice)
        await scene.shows("That message is no answer of mine.")


async def test_foreign_text_in_view_is_named_also_when_it_came_earlier() -> None:
    script = (*made(call("a", "fetch", {})), says("Later."))
    async with stage(*script, tools=[foreign()]) as scene:
        await scene.say("read it")
        await scene.settled(1)
        await scene.say("and now?")
        await scene.settled(2)
        assert f"{OUTSIDE}: a web page" in await told(scene)


async def test_hostile_words_format_nothing_and_secrets_stay_hidden() -> None:
    def act(_: Mapping[str, Any], __: Place) -> ToolOutput:
        return ToolOutput("x", untrusted="[press](https://evil.example) **now** s3cret")

    script = made(call("a", "grab", {"what": "s3cret `x` [b](https://evil.example)"}))
    with ScriptedModel(*script) as model:
        scene = Stage(model, [tool("grab", act=act)], Limits())
        scene.conceal = lambda told: told.replace("s3cret", "[hidden]")
        scene.application = scene.composed()
        async with running(scene):
            await scene.say("s3cret [a](https://evil.example) `b")
            await scene.settled()
            page = await told(scene)
    assert "s3cret" not in page
    assert "[hidden]" in page
    assert r"To “\[hidden] \[a](https://evil.example) \`b”" in page
    assert r"\[press](https://evil.example) \*\*now\*\*" in page
    assert r"`grab [hidden] \x60x\x60 b (https://evil.example)`: it only reads" in page


async def test_others_do_not_see_why_and_owners_do() -> None:
    async with group(says("For Ann."), says("For Bob.")) as team:
        await team.ask("hers")
        await team.scene.settled(1)
        assert NOT_YOURS in await team.command("/why", BOB)
        await team.ask("his", BOB)
        await team.scene.settled(2)
        for who in (ANN, BOB):
            assert "To “his”" in await team.command("/why", who)


async def test_a_long_turn_stays_short_and_says_what_is_left_out() -> None:
    rounds = [
        calls(*(call(f"r{n}c{m}", "look", {"what": f"{n}"}) for m in range(12))) for n in range(15)
    ]
    async with stage(*rounds, says("At last."), tools=[looking("seen")]) as scene:
        await scene.say("dig")
        await scene.settled()
        page = await told(scene)
        assert "… and 9 more calls" in page
        assert len(page) < 4_000
        assert "… 6 steps in between left out …" in page
        assert page.count("**16.**") == page.count("**1.**") == 1
        assert "**5.**" not in page


async def test_a_note_is_told_as_a_note_and_not_as_a_wish() -> None:
    noted = call("n", "remember", {"note": "Ann is allergic to nuts."})
    async with stage(*made(noted)) as scene:
        await scene.say("I am allergic to nuts")
        await scene.settled()
        page = await told(scene)
        assert "a note needs no card, as it can be taken back" in page
        assert scene.results[0].warrant is Warrant.NOTED


async def test_a_call_that_was_approved_later_is_told_with_its_own_answer() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("Sunny."), says("Written after all.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("how is the weather?")
        await scene.settled(2)
        await scene.crash()
        await scene.press("Approve")
        await scene.settled(3)
        page = await told(scene)
        assert "To a card that was decided later" in page
        assert "its task, with" in page
        assert "**What was decided later**\n- ✓ `write x`: you approved its card" in page


async def test_a_step_of_a_plan_is_told_as_one() -> None:
    script = (
        calls(call("a", "write", {"what": "1"})),
        says("This is the plan."),
        calls(call("c", "write", {"what": "1"}), call("d", "write", {"what": "2"})),
        says("Both are there."),
    )
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan make a file")
        await scene.settled(1)
        assert "The plan was ready" in await told(scene)
        await scene.press("Approve")
        await scene.parked()
        await scene.press("Approve")
        await scene.settled(2)
        page = await told(scene)
        assert "✓ `write 1`: a step of the approved plan" in page
        assert "✓ `write 2`: you approved its card" in page


async def test_a_call_that_was_running_at_a_stop_has_no_known_end() -> None:
    changing = writing(asyncio.Event())
    first, second = (call(n, "write", {"what": n}) for n in "ab")
    async with stage(calls(first, second), tools=[changing]) as scene:
        await scene.say("write two")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.press("Approve", card=1)
        await scene.press("Approve", card=0)
        await changing.started.wait()
        await scene.say("/stop")
        await scene.settled()
        page = await told(scene)
        assert "❓ `write a`: you approved its card at once, but no end is known" in page
        assert "⏭ `write b`: you approved its card at once. " in page


async def test_a_call_that_failed_says_so() -> None:
    async with stage(*made(call("e", "fail", {})), tools=[failing()]) as scene:
        await scene.say("try")
        await scene.settled()
        page = await told(scene)
        assert "✗ `fail`: it only reads, but it failed: “" in page


async def test_an_owner_reads_of_the_asker_by_name() -> None:
    async with group(*made(call("a", "fetch", {})), tools=[foreign()]) as team:
        await team.ask("read it", BOB)
        await team.scene.settled()
        assert "something that Bob did not write: a web page" in await team.command("/why", ANN)
        assert f"{OUTSIDE}: a web page" in await team.command("/why", BOB)


async def test_in_a_group_an_owner_s_approval_is_told_with_their_name() -> None:
    async with group(*made(call("a", "write", {"what": "x"})), tools=[writing()]) as team:
        await team.ask("please", BOB)
        await team.scene.parked()
        await team.scene.press("Approve", ANN)
        await team.scene.settled()
        assert "✓ `write x`: Ann approved its card" in await team.command("/why", BOB)


async def test_after_a_restart_and_a_fresh_start_it_is_still_explained() -> None:
    async with stage(*made(call("a", "write", {"what": "plan"})), tools=[writing()]) as scene:
        await scene.say("first")
        await scene.press("Approve")
        await scene.settled()
        await scene.crash()
        await scene.say("/new")
        assert "✓ `write plan`: you approved its card" in await told(scene)


async def test_erased_words_are_not_told() -> None:
    async with stage(says("A secret.")) as scene:
        await scene.say("my code is 1234")
        await scene.settled()
        await scene.say("/forget conversation")
        await scene.press("Erase")
        await scene.shows("Erased")
        page = await told(scene)
        assert "[erased" in page
        assert "1234" not in page


async def test_a_turn_that_no_model_answered_tells_its_end() -> None:
    async with stage(ModelDenied("the key is refused")) as scene:
        await scene.say("Hello")
        await scene.settled()
        page = await told(scene)
        assert "**How it ended:** No model answered." in page
        assert "token" not in page
        assert "**1.**" not in page


async def test_an_answer_that_was_taken_back_says_so_and_the_undo_names_no_model() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        for number, words in enumerate(("first", "second"), 1):
            await scene.say(words)
            await scene.settled(number)
        two = answer(scene, "Two.")
        await scene.say("/undo")
        await scene.settled(3)
        undone = await told(scene)
        assert "To a change that was taken back" in undone
        assert "**How it ended:** No model was asked." in undone
        assert "What the model saw" not in undone
        assert "It was taken back later" in await told(scene, reply_to=two)
        assert "taken back" not in await told(scene, reply_to=answer(scene, "One."))


async def test_calls_that_ask_nobody_are_not_all_said_to_read() -> None:
    def parent(request: ModelRequest) -> ModelReply:
        return says("Done.") if results_in(request) else calls(errand("e", "task dig"))

    model = RuledModel(Family(parent, dig=lambda _: says("found")))
    async with running(Stage(model, [], Limits())) as scene:
        await scene.say("go")
        await scene.settled(2)
        assert "each call of a helper is checked by itself" in await told(scene)


async def test_a_tool_that_is_not_there_is_told_without_the_names_of_the_others() -> None:
    script = (*made(call("a", "nope", {}), call("b", "end_conversation", {})), says("- a summary"))
    async with stage(*script) as scene:
        await scene.say("go")
        await scene.settled()
        page = await told(scene)
        assert "⏭ `nope`: there is no such tool\n" in page
        assert "`End the conversation`: it changes nothing outside this chat" in page


async def test_one_press_for_a_round_is_told_at_each_of_its_calls() -> None:
    both = made(call("a", "write", {"what": "x"}), call("b", "write", {"what": "y"}))
    async with stage(*both, tools=[writing()]) as scene:
        await scene.say("write both")
        await scene.press("Approve all")
        await scene.settled()
        page = await told(scene)
        assert "✓ `write x`: you approved its card" in page
        assert "✓ `write y`: you approved its card" in page


async def test_a_call_that_a_task_was_given_is_told_as_agreed_to() -> None:
    script = made(call("a", "write", {"what": "a"}), call("b", "write", {"what": "b"}))
    async with stage(*script, tools=[writing()]) as scene:
        task = await scheduled(scene)
        until = scene.clock.now() + timedelta(days=1)
        given = (ApprovedCall("write", '{"what":"a"}'),)
        await keep(scene, replace(task, calls=given, calls_until=until))
        await scene.clock.advance(2 * HOUR)
        await scene.press("Deny")
        await scene.settled()
        page = await told(scene)
        assert "✓ `write a`: agreed to when the task was made" in page
        assert "⏭ `write b`: you said no" in page


async def test_the_words_of_a_failure_are_told_as_words() -> None:
    def act(_: Mapping[str, Any], __: Place) -> ToolOutput:
        return ToolOutput("no such *file*\n[press](https://evil.example)", failed=True)

    async with stage(*made(call("a", "grab", {})), tools=[tool("grab", act=act)]) as scene:
        await scene.say("try")
        await scene.settled()
        page = await told(scene)
    words = r"but it failed: “no such \*file\* \[press](https://evil.example)”"
    assert words in page


async def test_a_message_that_joined_is_told_where_it_joined() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("Both.")
    changing = writing(gate := asyncio.Event())
    async with stage(*script, tools=[changing]) as scene:
        await scene.say("/queue steer")
        await scene.say("write x")
        await scene.press("Approve")
        await changing.started.wait()
        await scene.say("and mind the *stars*")
        await scene.until(lambda: InboundState.WAITING in inbox_states(scene))
        gate.set()
        await scene.settled()
        page = await told(scene)
    assert r"↳ a message joined: “and mind the \*stars\*”" in page


def inbox_states(scene: Stage) -> list[InboundState]:
    return [row.state for row in scene.store.rows.inbox.values()]


async def test_helpers_are_told_with_their_calls_and_their_price() -> None:
    def parent(request: ModelRequest) -> ModelReply:
        return says("Done.") if results_in(request) else calls(errand("e", "task dig"))

    def dig(request: ModelRequest) -> ModelReply:
        asked = calls(call("l", "look", {"what": "deep"}))
        return says("found") if results_in(request) else asked

    model = RuledModel(Family(parent, dig=dig))
    async with running(Stage(model, [looking("seen")], Limits())) as scene:
        await scene.say("go")
        await scene.settled(2)
        page = await told(scene)
    assert "**What its helpers did**\n- “task dig”: 2 steps, 1 call" in page
    assert "  - ✓ `look deep`: it only reads" in page
