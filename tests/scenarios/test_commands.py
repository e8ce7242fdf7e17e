"""Commands: what they say and what they do to a running turn."""

import asyncio
from dataclasses import replace

import pytest

from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.chat import QueueMode
from bot.domain.talk.message import Sign
from bot.domain.talk.person import Role
from bot.domain.tools.tool import Code, Effect, Replay, ToolCall, ToolOutput
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import AskerBody
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import ANN, BOB, stage
from tests.scenarios.tools import looking, tool, writing
from tests.words import (
    ASKS_AGAIN,
    GOES_ON,
    NO_RULES,
    NO_USAGE,
    NOTHING_TO_DECIDE,
    PRIVATE,
    RULED,
    STOPPED,
    SUMMARISED,
)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("/start", "Hello, Ann."),
        ("/help", "Just write to me."),
        ("/help", "- `/plan <wish>`: see all steps first"),
        ("/help permissions", "**Permissions**"),
        ("/help owners", "**People, for owners**"),
        ("/help plan", "- `/plan on|off"),
        ("/help nonsense", "There is no topic or command `nonsense`. Topics: talking, plans, "),
        ("/help permissons", "`permissons`. Did you mean `/help permissions`? Topics:"),
        ("/help plans of yesterday", "**Plans and skills**"),
        ("/help /plan list", "- `/plan on|off"),
        ("/help all please", "**Talking**"),
        ("/tools", "`look`"),
        ("/queue", "At the moment, a message that comes while I am busy waits"),
        ("/rules", NO_RULES),
        ("/approvals", NOTHING_TO_DECIDE),
        ("/model", "`fake/fake`"),
        ("/model nobody/x", "no model"),
        ("/usage", NO_USAGE),
        ("/usage nonsense", "I do not know `nonsense`."),
        ("/budget", "There is no budget."),
        ("/budget day much", "Nothing was changed."),
        ("/status", "Money today, all chats: $0.00, no budget"),
        ("/status", "Cards waiting for your decision: 0"),
        (
            "/queue later",
            "`later` is no choice here. Nothing was changed.\n\nAt the moment, a message",
        ),
        ("/long x y", "`x y` is no choice here. Nothing was changed.\n\nAt the moment, an answer"),
        ("/previews maybe", "`maybe` is no choice here. Nothing was changed.\n\nLinks"),
        ("/footer 1", "`1` is no choice here. Nothing was changed.\n\nNo small line"),
        ("/tier huge", "`huge` is no choice here. Nothing was changed.\n\nNo tier"),
        ("/voice aloud", "`aloud` is no choice here. Nothing was changed.\n\nI answer"),
        ("/stop", "nothing to stop"),
        ("/stpo", "Did you mean /stop?"),
        ("/version", "There is no command `/version`. /help all shows every command."),
        ("/allow @bob", "Who? Write their number"),
        ("/revoke 99", "has no access"),
        ("/HELP@steward", "/help all"),
        ("/", "There is no command"),
    ],
)
async def test_each_command_answers(command: str, told: str) -> None:
    async with stage(tools=[looking()]) as scene:
        await scene.say(command)
        await scene.shows(told)


async def test_owner_commands_are_not_for_members() -> None:
    people = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
    async with stage(people=people) as scene:
        await scene.say("/allow 7", BOB)
        await scene.shows("Only an owner can use /allow.")


async def test_an_allowed_person_may_talk_until_revoked() -> None:
    async with stage(says("Hello Bob.")) as scene:
        await scene.say("/allow 2")
        await scene.shows("fake:2 can use me now")
        await scene.say("hello", BOB)
        await scene.shows("Hello Bob.")
        await scene.say("/revoke 2")
        await scene.shows("can no longer use me")
        await scene.say("hello?", BOB)
        await scene.shows(PRIVATE)


async def test_stop_ends_a_model_call() -> None:
    gate = Gate()
    async with stage(gate) as scene:
        await scene.say("go")
        await gate.reached()
        stop = await scene.say("/stop")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        await scene.shows(STOPPED)
        await scene.until(lambda: any(on == stop for _, _, on in scene.channel.signs))
        assert [sign for _, sign, on in scene.channel.signs if on == stop] == [Sign.DONE]
        assert len(scene.texts) == 1  # the end is the answer to the command


async def test_stop_ends_a_tool_and_the_model_learns_that_its_end_is_unknown() -> None:
    slow = tool("slow", Effect.READ, Replay.ONCE, gate=asyncio.Event())
    async with stage(calls(call("a", "slow")), says("I see."), tools=[slow]) as scene:
        await scene.say("go")
        await slow.started.wait()
        await scene.say("/stop")
        await scene.settled()
        assert scene.results[0].code is Code.OUTCOME_UNKNOWN
        await scene.say("what happened?")
        await scene.settled(2)
        scene.assert_whole()


async def test_stop_leaves_waiting_messages_and_stop_all_drops_them() -> None:
    first, second = Gate(), Gate()
    async with stage(first, second) as scene:
        await scene.say("one")
        await first.reached()
        await scene.say("two")
        await scene.routed()
        await scene.say("/stop")
        await scene.shows(GOES_ON)
        await second.reached()
        await scene.say("three")
        await scene.routed()
        await scene.say("/stop all")
        await scene.shows("Dropped 1 waiting message.")
        await scene.settled(2)
        asked = [b.text for b in scene.bodies if isinstance(b, AskerBody)]
        assert asked == ["one", "two"]


async def test_a_queued_message_gets_a_reaction_at_once() -> None:
    gate = Gate()
    async with stage(gate, says("one"), says("two")) as scene:
        await scene.say("1")
        await gate.reached()
        waiting = await scene.say("2")
        await scene.until(
            lambda: any(s is Sign.QUEUED and m == waiting for _, s, m in scene.channel.signs)
        )
        gate.open()
        await scene.settled(2)


async def test_steering_joins_the_running_turn_after_the_results() -> None:
    slow = tool("slow", gate=(going := asyncio.Event()))
    async with stage(calls(call("a", "slow")), says("Both."), tools=[slow]) as scene:
        await scene.say("/queue steer")
        await scene.shows("joins what I am doing")
        await scene.say("go")
        await slow.started.wait()
        await scene.say("and this too")
        await scene.routed()
        going.set()
        await scene.settled()
        last = scene.model.requests[-1].messages[-1]
        assert "and this too" in str(last.parts[-1])
        assert len(scene.turns) == 1


async def test_interrupting_stops_the_turn_and_starts_anew() -> None:
    gate = Gate()
    async with stage(gate, says("new")) as scene:
        await scene.say("/queue interrupt")
        await scene.shows("stops me and is next")
        await scene.say("old")
        await gate.reached()
        await scene.say("new")
        await scene.settled(2)
        assert scene.turns[0].stop_reason is StopReason.USER_CANCELLED
        assert scene.texts[-1] == "new"


async def test_interrupting_stops_no_card() -> None:
    write = call("a", "write", {"what": "x"})
    async with stage(calls(write), says("Two."), tools=[writing()]) as scene:
        await scene.say("/queue interrupt")
        await scene.shows("stops me and is next")
        await scene.say("write x")
        await scene.parked()
        await scene.say("what is one and one?")
        await scene.shows("Two.")
        assert scene.approvals[0].state is ApprovalState.OPEN


async def test_a_fresh_start_ends_cards_and_leaves_the_past_behind() -> None:
    write = call("a", "write", {"what": "x"})
    async with stage(calls(write), says("Hello."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("/new")
        await scene.settled()
        assert scene.approvals[0].state is ApprovalState.CANCELLED
        await scene.say("hello")
        await scene.settled(2)
        assert len(scene.model.requests[-1].messages) == 1


async def test_compaction_on_demand_summarises_what_was() -> None:
    async with stage(says("one"), says("- the past"), says("two")) as scene:
        await scene.say("first")
        await scene.settled()
        await scene.say("/compact")
        await scene.shows(SUMMARISED)
        await scene.say("second")
        await scene.settled(3)
        assert "- the past" in str(scene.model.requests[-1].messages[0])


async def test_stop_ends_a_compaction() -> None:
    gate = Gate()
    async with stage(says("one"), gate, says("two")) as scene:
        await scene.say("first")
        await scene.settled()
        await scene.say("/compact")
        await gate.reached()
        await scene.say("/stop")
        assert (await scene.settled(2)).stop_reason is StopReason.USER_CANCELLED
        await scene.shows(STOPPED)
        await scene.say("second")
        await scene.settled(3)
        assert "first" in str(scene.model.requests[-1].messages[0])


async def test_a_compaction_for_which_no_model_is_set_up_ends_and_the_chat_goes_on() -> None:
    async with stage(says("one"), says("two")) as scene:
        await scene.say("first")
        await scene.settled()
        chat = next(iter(scene.store.rows.chats.values()))
        scene.store.rows.chats[chat.id] = replace(
            chat, settings=replace(chat.settings, model="gone/gone")
        )
        await scene.say("/compact")
        assert (await scene.settled(2)).stop_reason is StopReason.MODEL_FAILURE
        await scene.shows("There is no model `gone/gone`")
        await scene.say("/model default")
        await scene.say("second")
        await scene.shows("two")


async def test_a_mode_is_kept() -> None:
    async with stage() as scene:
        await scene.say("/queue steer")
        await scene.shows("joins what I am doing")
        assert next(iter(scene.store.rows.chats.values())).settings.queue_mode is QueueMode.STEER


async def test_rules_are_listed_and_taken_back() -> None:
    def write(id: str) -> ToolCall:
        return call(id, "write", {"what": "x"})

    script = calls(write("a")), says("one"), calls(write("b")), says("two")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.press("Always")
        await scene.settled()
        await scene.say("/rules")
        await scene.shows("1: write x, with exactly these values")
        await scene.say("/rules remove 1")
        await scene.shows(ASKS_AGAIN)
        await scene.say("write x")
        await scene.parked()
        await scene.press("Approve")
        await scene.settled(2)
        changed = [one for one in scene.store.rows.audit if one.action.startswith("rule.")]
        assert [(one.action, one.person) for one in changed] == [
            ("rule.added", 1),
            ("rule.removed", 1),
        ]
        assert all(one.at == scene.clock.now() for one in changed)


async def test_a_rule_is_widened_by_buttons_where_it_can_be() -> None:
    def run(id: str, command: str) -> ToolCall:
        return call(id, "run_command", {"command": command})

    tools = [tool("run_command", Effect.WRITE, Replay.ONCE, lambda _, __: ToolOutput("ran"))]
    script = calls(run("a", "wc -w a.md")), says("one"), calls(run("b", "wc -w b.md")), says("two")
    async with stage(*script, tools=tools) as scene:
        await scene.say("count a")
        await scene.press("Always")
        await scene.settled()
        await scene.shows(RULED)
        await scene.say("/rules")
        await scene.shows("1: Run `wc -w a.md`")
        assert scene.labels == ["Remove 1", "Widen 1…"]
        await scene.press("Widen 1")
        await scene.shows("What may run without asking?")
        for line in ("\u00b2", "0", "9" * 5_000):
            before = len(scene.texts)
            await scene.say(f"/rules widen 1 {line}")
            await scene.until(lambda before=before: len(scene.texts) > before)
            assert scene.texts[-1].startswith("What may run without asking?")
        await scene.press("2: Run `wc")
        await scene.shows("From now on without asking: Run `wc")
        await scene.say("count b")
        await scene.settled(2)
        assert (
            scene.texts[-1] == "two\n\n✓ Do run_command : done, as your rule for `wc -w …` allows"
        )
