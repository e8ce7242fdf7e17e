"""Plans: collected without a change, approved as a whole, each step run once, whatever happens."""

import asyncio
from dataclasses import replace

import pytest

from bot.adapters.tools.sending import SendMessage
from bot.domain.change import Change
from bot.domain.money.model import FinishReason
from bot.domain.plans.plan import Plan, PlanState
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role
from bot.domain.talk.reach import Level
from bot.domain.tools.tool import Code, Status, ToolCall
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import AskerBody
from bot.flow.commanding.desks import NOT_APPROVER, NOT_OURS, NOT_YOURS
from bot.flow.plans.desk import STALE
from tests.fakes.channel import Shown
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.team import group
from tests.scenarios.tools import burning, looking, submitting, writing
from tests.words import (
    APPROVE,
    APPROVED,
    CANCEL,
    CHANGE,
    DECIDED_ALREADY,
    DIFFERENT,
    HOW_TO_PRESS,
    NO_CHANGES,
    ONE_WAITS_ABOVE,
    OTHERS_PLAN,
    PLAN_STAYS,
    PLAN_STILL_WAITS,
    REVISED,
    STOPPED,
)

TEAM = ((ANN, Role.MEMBER), (BOB, Role.MEMBER))


def write(id: str, what: str) -> ToolCall:
    return call(id, "write", {"what": what})


def submit(id: str = "s", title: str = "Two files") -> ToolCall:
    return call(id, "submit_plan", {"title": title, "summary": "They will be there."})


def the_plan(scene: Stage) -> Plan:
    return list(scene.store.rows.plans.values())[-1]


def plan_card(scene: Stage) -> Shown:
    return next(s for s in scene.channel.screen.values() if s.text.startswith("📋"))


def asking_for_words(scene: Stage) -> Shown | None:
    """The message that asks what should be different."""
    return next((s for s in scene.channel.screen.values() if DIFFERENT in s.text), None)


def button(card: Shown, label: str) -> str:
    rows = card.piece.body["buttons"]
    return next(b["data"] for row in rows for b in row if label in b["label"])


async def test_in_plan_mode_reads_run_and_changes_become_steps_of_one_card() -> None:
    tool, look = writing(), looking()
    script = (calls(call("r", "look"), write("a", "1")), calls(write("b", "2"), submit()))
    async with stage(*script, tools=[tool, look, submitting()]) as scene:
        await scene.say("/plan make two files")
        await scene.settled()
        assert (len(look.ran), tool.ran) == (1, [])
        plan = the_plan(scene)
        assert (plan.state, [s.arguments for s in plan.steps]) == (
            PlanState.READY,
            ['{"what":"1"}', '{"what":"2"}'],
        )
        (card,) = scene.cards
        assert "📋 Two files · 2 steps" in card.text
        assert "They will be there." in card.text
        labels = [b["label"] for row in card.piece.body["buttons"] for b in row]
        assert labels == [APPROVE, f"{CHANGE}…", CANCEL]
        planned = [r for r in scene.results if r.status is Status.PLANNED]
        assert [r.call_id for r in planned] == ["a", "b"]
        asked = next(b for b in scene.bodies if isinstance(b, AskerBody))
        assert asked.text == "make two files"
        assert scene.turns[0].stop_reason is StopReason.PLAN_READY
        assert len(scene.texts) == 1, "the card alone: there were no words beside the calls"
        scene.assert_whole()


async def test_double_and_concurrent_presses_approve_once() -> None:
    tool = writing()
    script = (calls(write("a", "1")), says("The plan."), calls(write("b", "1")), says("Done."))
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        data, id = button(scene.cards[0], "Approve"), scene.cards[0].id
        await asyncio.gather(
            *(
                scene.application.parts.intake.accept("fake", (scene.press_update(data, id),))
                for _ in "xyz"
            )
        )
        await scene.settled(2)
        await scene.until(lambda: len(scene.channel.acknowledged) == 3)
        told = sorted(text for _, text in scene.channel.acknowledged)
        assert told == [APPROVED, *[f"{DECIDED_ALREADY}: approved by Ann."] * 2]
        assert len(scene.turns) == 2
        assert len(tool.ran) == 1


async def test_change_goes_back_to_collecting_and_voids_the_older_card() -> None:
    tool = writing()
    script = (
        calls(write("a", "1")),
        says("The plan."),
        calls(write("b", "2"), submit(title="Another")),
        calls(write("c", "2")),
        says("Done."),
    )
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        old = scene.cards[0]
        approve = button(old, "Approve")
        assert await scene.press(CHANGE) == ""
        asked = await scene.until(lambda: asking_for_words(scene))
        assert the_plan(scene).state is PlanState.READY
        await scene.say("call it 2", reply_to=asked)
        await scene.settled(2)
        plan = the_plan(scene)
        assert (plan.revision, [s.arguments for s in plan.steps]) == (2, ['{"what":"2"}'])
        assert scene.texts[1] == REVISED
        assert await scene.press_data(approve) == STALE
        assert tool.ran == []
        await scene.press("Approve")
        await scene.settled(3)
        assert [a["what"] for a in tool.ran] == ["2"]


async def test_a_reply_to_the_card_is_the_remark() -> None:
    script = (
        calls(write("a", "1")),
        says("The plan."),
        calls(write("b", "2")),
        says("The other plan."),
    )
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.say("call it 2", reply_to=scene.cards[0])
        await scene.settled(2)
        assert the_plan(scene).revision == 2
        asked = [b for b in scene.bodies if isinstance(b, AskerBody)][-1]
        assert "call it 2" in asked.text
        assert len(scene.cards) == 1


@pytest.mark.parametrize("words", ["yes", "OK, go ahead!", "👍"])
async def test_assent_to_a_plans_card_changes_nothing_and_tells_how_to_press(words: str) -> None:
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.say(words, reply_to=scene.cards[0])
        await scene.shows(HOW_TO_PRESS)
        assert (the_plan(scene).state, the_plan(scene).revision) == (PlanState.READY, 1)
        assert len(scene.turns) == 1


@pytest.mark.parametrize(("words", "state"), [("yes", "ready"), ("no", "cancelled")])
async def test_a_bare_word_below_a_plans_card_is_meant_for_it(words: str, state: str) -> None:
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.say(words)
        if words == "yes":
            await scene.shows(HOW_TO_PRESS)
        await scene.routed()
        assert (the_plan(scene).state, len(scene.turns)) == (state, 1)


async def test_a_question_about_a_plan_is_answered_and_the_plan_stays() -> None:
    script = (calls(write("a", "1")), says("The plan."), says("It makes one file."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.say("what will it make?", reply_to=scene.cards[0])
        await scene.settled(2)
        await scene.shows(HOW_TO_PRESS)
        assert scene.texts[-1] == f"It makes one file.\n\n{ONE_WAITS_ABOVE}"
        assert the_plan(scene).state is PlanState.READY


async def test_a_plan_that_nobody_named_has_the_title_of_its_wish_in_every_revision() -> None:
    script = (
        calls(write("a", "1")),
        says("The plan."),
        calls(write("b", "2")),
        says("The other plan."),
    )
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan on")
        await scene.until(lambda: scene.texts)
        await scene.say("make one file of all the notes that lie about in the folder of my desk")
        await scene.settled(1)
        title = "Make one file of all the notes that lie about in the folder…"
        assert f"📋 {title} · 1 step\n" in plan_card(scene).text
        await scene.say("call it 2", reply_to=scene.cards[0])
        await scene.settled(2)
        assert f"📋 {title} · 1 step · revision 2\n" in scene.cards[0].text


async def test_while_a_plan_is_collected_the_number_of_steps_is_told() -> None:
    gate = asyncio.Event()
    look = replace(looking(), gate=gate)
    script = (calls(write("a", "1"), write("b", "2"), call("r", "look")), says("The plan."))
    async with stage(*script, tools=[writing(), look, submitting()]) as scene:
        await scene.say("/plan two files")
        await look.started.wait()
        gate.set()
        await scene.settled(1)
        drafts = [text for _, text in scene.channel.sent_drafts]
        assert "✓ look\n\n🔎 Looking around, 2 steps so far…" in drafts


async def test_cancel_ends_it_and_the_next_message_is_an_ordinary_one() -> None:
    tool = writing()
    script = (calls(write("a", "1")), says("The plan."), calls(write("b", "1")), says("Well."))
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        assert await scene.press("Cancel") == "Cancelled."
        await scene.say("do it anyway")
        await scene.parked()
        assert the_plan(scene).state is PlanState.CANCELLED
        await scene.press("Deny")
        await scene.settled(2)
        assert tool.ran == []


async def test_a_plan_without_steps_says_so_and_ends_plan_mode() -> None:
    async with stage(
        says("There is nothing to do."), says("Hello."), tools=[submitting()]
    ) as scene:
        await scene.say("/plan on")
        await scene.until(lambda: scene.texts)
        await scene.say("do nothing")
        await scene.settled(1)
        assert NO_CHANGES in scene.texts[-1]
        assert the_plan(scene).state is PlanState.CANCELLED
        assert scene.cards == []
        await scene.say("hello")
        await scene.settled(2)
        assert scene.texts[-1] == "Hello."


async def test_calls_of_a_reply_that_says_it_is_finished_are_recorded_first() -> None:
    finished = calls(write("a", "1"), text="This is all.", finish=FinishReason.END)
    async with stage(finished, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        assert [s.number for s in the_plan(scene).steps] == [1]
        assert the_plan(scene).state is PlanState.READY


async def test_wrong_arguments_are_no_step_and_what_cannot_be_foreseen_is_one() -> None:
    odd = call("a", "write", {"bad": 1})
    early = call("b", "write", {"what": "x\u202ey", "impossible": True})
    async with stage(
        calls(odd, early), says("The plan."), tools=[writing(), submitting()]
    ) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        (step,) = the_plan(scene).steps
        assert scene.results[0].code is Code.ARGUMENTS
        assert "impossible" in step.arguments
        assert "x\\u202ey" in scene.cards[0].text


async def test_no_more_than_so_many_steps_are_recorded() -> None:
    many = calls(*(write(f"c{n}", str(n)) for n in range(5)))
    limits = Limits(plan_steps=3)
    async with stage(many, says("Plan."), tools=[writing(), submitting()], limits=limits) as scene:
        await scene.say("/plan five files")
        await scene.settled(1)
        assert len(the_plan(scene).steps) == 3
        assert [r.code for r in scene.results][3:] == [Code.LIMIT, Code.LIMIT]


async def test_submit_plan_is_refused_where_no_plan_is_collected() -> None:
    async with stage(calls(submit()), says("I see."), tools=[submitting()]) as scene:
        await scene.say("hello")
        await scene.settled(1)
        assert (scene.results[0].status, scene.results[0].code) == (Status.BLOCKED, Code.POLICY)


async def test_without_exploring_reads_are_steps_too() -> None:
    look = looking()
    script = (
        calls(call("a", "look")),
        calls(submit()),
        calls(call("b", "look")),
        says("Seen."),
    )
    async with stage(*script, tools=[look, submitting()], explore=False) as scene:
        await scene.say("/plan look around")
        await scene.settled(1)
        assert look.ran == []
        await scene.press("Approve")
        await scene.settled(2)
        assert len(look.ran) == 1
        assert the_plan(scene).state is PlanState.DONE


@pytest.mark.parametrize("what", ["1", "x" * 4_000], ids=["on the card", "in a document"])
async def test_a_long_summary_is_shown_whole_wherever_the_plan_is_approved(what: str) -> None:
    summary = f"{'Why it is right. ' * 90}And it deletes the old ones."
    handed_in = call("s", "submit_plan", {"title": "One file", "summary": summary})
    script = (calls(write("a", what), handed_in), says("Done."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan a file")
        await scene.settled()
        await scene.until(lambda: APPROVE in str(plan_card(scene).piece))
        row = await scene.store.outbox.row(the_plan(scene).key_in(the_plan(scene).chat))
        assert row is not None
        attached = "".join(file.text or "" for file in row.content.files)
        assert summary in (attached or plan_card(scene).text)
        assert bool(attached) == (len(what) > 1)
        await scene.press(APPROVE)
        await scene.settled(2)


async def test_a_long_plan_comes_as_a_document_that_must_be_there_before_it_is_approved() -> None:
    tool = writing()
    script = (calls(write("a", "x" * 4_000)), says("The plan."))
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        row = scene.store.rows.outbox[the_plan(scene).key_in(1)]
        (document,) = row.content.files
        assert "x" * 4_000 in (document.text or "")
        scene.store.rows.outbox[row.key] = replace(row, shown_version=0)
        assert "not on the screen yet" in await scene.press("Approve")
        scene.store.rows.outbox[row.key] = row
        assert the_plan(scene).state is PlanState.READY


async def test_only_the_asker_or_an_owner_may_press_and_forged_buttons_do_nothing() -> None:
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()], people=TEAM) as scene:
        await scene.grant(ANN, Level.CHANGES)
        await scene.say("/plan one file")
        await scene.settled(1)
        data = button(scene.cards[0], "Approve")
        assert await scene.press("Approve", BOB) == NOT_YOURS
        token = the_plan(scene).token
        assert await scene.press_data(data.replace(token, "forged")) == NOT_OURS
        assert await scene.press_data(f"p:{token}:x:y") == NOT_OURS
        assert await scene.press_data(f"p:{token}:1:zz") == NOT_OURS
        assert await scene.press_data(f"p:{token}:999999999:y") == STALE
        assert the_plan(scene).state is PlanState.READY


async def test_who_may_not_approve_needs_an_owner() -> None:
    people = ((BOB, Role.OWNER), (ANN, Role.MEMBER))
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()], people=people) as scene:
        await scene.store.chats.at(Address("fake", "2"), private=True)
        await scene.say("/plan one file")
        await scene.settled(1)
        assert await scene.press("Approve") == NOT_APPROVER


async def test_somebody_elses_messages_are_not_planned() -> None:
    tool = writing()
    script = (calls(write("a", "1")), says("Well."))
    async with stage(*script, tools=[tool, submitting()], people=TEAM) as scene:
        await scene.grant(ANN, Level.CHANGES)
        await scene.grant(BOB, Level.CHANGES)
        await scene.say("/plan on")
        await scene.until(lambda: scene.texts)
        await scene.say("write 1", BOB)
        await scene.parked()
        await scene.press("Deny", BOB)
        await scene.settled(1)
        assert the_plan(scene).steps == ()
        assert the_plan(scene).collecting


async def test_a_card_that_fell_behind_is_brought_up_to_date_before_a_wait() -> None:
    script = (
        calls(write("a", "1"), write("b", "2"), call("c", "burn", {"what": "it"})),
        says("The plan."),
        calls(write("d", "1"), write("e", "2"), call("f", "burn", {"what": "it"})),
    )
    async with stage(*script, tools=[writing(), burning(), submitting()]) as scene:
        await scene.say("/plan three things")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.parked()
        # All steps fall into one second here, in which the card is written once.
        assert "2 of 3 steps done" in plan_card(scene).text
        assert "⏳ 3. Do burn it" in plan_card(scene).text


async def test_a_new_conversation_ends_the_plan_that_waits() -> None:
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.say("/new")
        await scene.until(lambda: "fresh start" in scene.texts[-1])
        await scene.application.parts.way_out.delivery.flushed()
        assert the_plan(scene).state is PlanState.CANCELLED
        assert scene.cards == []


async def test_a_plan_stays_in_the_conversation_in_which_it_was_made() -> None:
    """Elsewhere its words, written beside foreign text perhaps, would have no mark."""
    ending = call("e", "end_conversation", {})
    script = (calls(write("a", "1")), calls(submit(), ending), calls(ending), says("Not yet."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        made_in = scene.turns[0].conversation
        await scene.say("bye")
        await scene.settled(2)
        failed = [r for r in scene.results if r.tool == "end_conversation"]
        assert ["a plan is open here" in r.text for r in failed] == [True, True]
        (chat,) = scene.store.rows.chats.values()
        assert (chat.conversation, the_plan(scene).ready) == (made_in, True)


async def test_nobody_leaves_a_conversation_with_the_plan_of_somebody_else() -> None:
    async with group(calls(write("a", "1")), says("The plan."), tools=[writing()]) as team:
        await team.ask("/plan one file")
        await team.scene.settled(1)
        before = team.chat.conversation
        assert await team.command("/new", BOB) == OTHERS_PLAN
        assert (team.chat.conversation, the_plan(team.scene).ready) == (before, True)
        assert "A fresh start" in await team.command("/new")
        assert the_plan(team.scene).state is PlanState.CANCELLED


async def test_where_the_bot_is_gone_the_plan_ends() -> None:
    async with stage(calls(write("a", "1")), says("The plan."), tools=[writing()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        plan = the_plan(scene)
        writes = scene.application.parts.rooms.plans.desk.left(plan, None)
        await scene.store.journal.commit(Change(writes))
        assert the_plan(scene).state is PlanState.CANCELLED
        assert scene.application.parts.rooms.plans.desk.left(replace(plan, turn="t"), None) == ()


async def test_a_message_is_a_step_and_a_question_is_asked_while_planning() -> None:
    ask = call("q", "send_message", {"message": "For whom?", "is_question": True})
    news = call("n", "send_message", {"message": "All is **done**."})
    sent = call("m", "send_message", {"message": "All is **done**."})
    script = (calls(ask), calls(write("a", "1"), news), says("The plan."))
    script = (*script, calls(write("b", "1")), calls(sent), says("So it went."))
    async with stage(*script, tools=[writing(), SendMessage()]) as scene:
        await scene.say("/plan tell them")
        await scene.settled(1)
        assert "For whom?" in scene.texts[-1]
        await scene.say("for all")
        await scene.settled(2)
        assert [step.tool for step in the_plan(scene).steps] == ["write", "send_message"]
        assert "All is done." not in scene.texts
        await scene.press(APPROVE)
        await scene.settled(3)
        assert sum(text.startswith("All is") for text in scene.texts) == 1
        assert the_plan(scene).state is PlanState.DONE


async def test_stop_ends_the_running_turn_and_a_second_one_the_plan_that_still_waits() -> None:
    gate, script = Gate(), (calls(write("a", "1"), submit()),)
    async with stage(*script, gate, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan make a file")
        await scene.settled()
        await scene.say("and what is two and two?")
        await gate.reached()
        await scene.say("/stop")
        await scene.shows(PLAN_STILL_WAITS)
        await scene.settled(2)
        assert the_plan(scene).state is PlanState.READY
        await scene.say("/stop")
        await scene.until(lambda: the_plan(scene).state is PlanState.CANCELLED)
        await scene.shows("Cancelled the plan. I answer your next message without a plan.")


async def test_stop_says_nothing_of_a_plan_that_is_being_made() -> None:
    gate = Gate()
    async with stage(calls(write("a", "1")), gate, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan make a file")
        await gate.reached()
        await scene.say("/stop")
        await scene.settled()
        await scene.routed()
        assert not any(PLAN_STILL_WAITS in text for text in scene.texts)
        (told,) = [text for text in scene.texts if text.startswith(STOPPED)]
        assert PLAN_STAYS in told
