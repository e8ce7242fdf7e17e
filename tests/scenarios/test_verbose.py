"""`/verbose on`: each tool call is shown with its input and output, bounded, once, silently."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.domain.talk.errors import ChannelUnreachable
from bot.domain.talk.limits import Limits, Rate, SendRates
from bot.domain.talk.message import (
    Address,
    CallBlock,
    InboundMessage,
    Outbound,
    OutboundKind,
    Quote,
)
from bot.domain.talk.person import Role
from bot.domain.tools.call_words import EACH, ROOM
from bot.domain.tools.tool import ToolOutput
from bot.domain.turn.transcript import AskerBody
from bot.flow.verbose.companion import MOST
from bot.ports.outbox import DeliveryState, OutboxRow
from tests.fakes.model import Gate, RuledModel, ScriptedModel, call, calls, says
from tests.scenarios.dying import Fate, deaths
from tests.scenarios.lives import Life, two_answers
from tests.scenarios.stage import ANN, BOB, HOME, Stage, running, stage
from tests.scenarios.test_errands import Family, answers, sends
from tests.scenarios.tools import failing, looking, sending, tool, writing

TEAM = Address("fake", "-5")
ON = "Each tool call is shown here"
OFF = "Tool calls are not shown here"
NOT_YOURS = "Only the owner and the administrators of this group, and my owners, can change this."


def shown(scene: Stage) -> list[OutboxRow]:
    """Returns the messages about calls, in order."""
    rows = scene.store.rows.outbox.values()
    return [row for row in rows if row.content.kind is OutboundKind.CALLS]


def blocks(scene: Stage) -> list[CallBlock]:
    return [b for row in shown(scene) for b in row.content.blocks if isinstance(b, CallBlock)]


def size(content: Outbound) -> int:
    inside = [len(b.given) + len(b.result) for b in content.blocks if isinstance(b, CallBlock)]
    return sum(len(b.text) for b in content.blocks) + sum(inside)


async def turn_on(scene: Stage) -> None:
    await scene.say("/verbose on")
    await scene.shows(ON)
    await scene.shows("`/verbose off` changes that.")


async def test_it_is_off_at_first_and_a_press_turns_it_on() -> None:
    look = calls(call("a", "look", {"what": "x"}))
    async with stage(look, says("One."), look, says("Two."), tools=[looking("seen")]) as scene:
        await scene.say("first")
        await scene.settled()
        assert shown(scene) == []
        await scene.say("/verbose")
        await scene.shows(OFF)
        await scene.press("On")
        await scene.shows(ON)
        await scene.say("/status")
        await scene.shows("Tool calls: shown with input and output")
        await scene.say("second")
        await scene.settled(2)
        (row,) = shown(scene)
        assert row.content.blocks == (CallBlock("✓ `look x`", "x", "seen", "/verbose last"),)
        assert row.content.silent
        texts = scene.texts
        assert texts.index("✓ `look x`\nx\nseen") < texts.index("Two."), (
            "it stands above the answer"
        )
        scene.assert_whole()


async def test_the_model_reads_the_same_with_it_and_without() -> None:
    seen: list[Sequence[Any]] = []
    for on in (False, True):
        script = (calls(call("a", "look", {"what": "x"})), says("One."))
        async with stage(*script, tools=[looking("seen")]) as scene:
            if on:
                await turn_on(scene)
            await scene.say("go")
            await scene.settled()
            assert isinstance(scene.model, ScriptedModel)
            seen.append([(r.system, r.messages[-1].parts) for r in scene.model.requests])
    assert seen[0] == seen[1]


async def test_rounds_share_a_message_until_something_else_is_said() -> None:
    script = (
        calls(call("a", "look", {"what": "1"})),
        calls(call("b", "look", {"what": "2"})),
        calls(call("c", "send", {"what": "A note."})),
        calls(call("d", "look", {"what": "3"})),
        says("Done."),
    )
    async with stage(*script, tools=[looking(), sending()]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        first, second = shown(scene)
        told = [[b.text for b in row.content.blocks] for row in (first, second)]
        assert told == [["✓ `look 1`", "✓ `look 2`", "✓ `send A note.`"], ["✓ `look 3`"]]


async def test_switching_it_off_in_the_middle_of_a_turn_stops_further_ones() -> None:
    gate = Gate()
    script = (calls(call("a", "look")), gate, calls(call("b", "look")), says("Done."))
    async with stage(*script, tools=[looking()]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await gate.reached()
        await scene.say("/verbose off")
        await scene.shows(OFF)
        gate.open()
        await scene.settled()
        assert len(blocks(scene)) == 1


async def test_a_round_of_twenty_calls_is_one_bounded_message() -> None:
    wide = [call(f"c{n}", "look", {"what": f"{n} " + "i" * 5_000}) for n in range(20)]
    look, limits = looking("o" * 5_000), replace(Limits(), calls_per_round=20)
    async with stage(calls(*wide), says("Done."), tools=[look], limits=limits) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        (row,) = shown(scene)
        assert [b.text[:8] for b in blocks(scene)] == [f"✓ `look {n}"[:8] for n in range(20)]
        assert size(row.content) <= ROOM
        assert all(b.given and b.result for b in blocks(scene)), "each has a part of the room"
        assert len(row.message_ids) == 1


async def test_one_call_shows_both_ends_of_what_is_long() -> None:
    long = "begin " + "m" * 1_000_000 + " end"
    script = (calls(call("a", "look", {"what": long})), says("Done."))
    async with stage(*script, tools=[looking(long)]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        (block,) = blocks(scene)
        for part in (block.given, block.result):
            assert part.startswith("begin ")
            assert part.endswith(" end")
            assert len(part) <= EACH
        assert block.more == "/verbose last"


async def test_a_turn_has_a_bound_of_messages_too() -> None:
    rounds = 40
    script = [calls(call(f"c{n}", "look", {"what": f"{n} " + "i" * 3_000})) for n in range(rounds)]
    limits = replace(Limits(), max_rounds=100, soft_rounds=100)
    async with stage(*script, says("Done."), tools=[looking("o" * 3_000)], limits=limits) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        assert len(shown(scene)) == MOST
        assert all(size(row.content) <= ROOM + 200 for row in shown(scene))
        assert "Further calls of this turn are not shown here." in scene.texts[-2]
        assert scene.texts[-1] == "Done."


async def test_no_secret_of_the_program_is_shown_even_where_a_cut_would_part_it() -> None:
    secret = "sk-live-0123456789abcdefghij"
    for before in (0, 40, 900, 995, 1_000, 1_400, 15_990):
        text = "x" * before + secret + "y" * 20_000
        script = (calls(call("a", "look", {"what": text})), says("Done."))
        with ScriptedModel(*script) as model:
            scene = Stage(model, [looking(text)], Limits())
            scene.conceal = lambda told: told.replace(secret, "[secret]")
            scene.application = scene.composed()
            async with running(scene):
                await turn_on(scene)
                await scene.say("go")
                await scene.settled()
                (block,) = blocks(scene)
                for part in (block.text, block.given, block.result):
                    assert "sk-live" not in part
                    assert "cdefghij" not in part
                await scene.say("/verbose last")
                await scene.shows("These are the newest tool calls")
                (file,) = [s for s in scene.channel.screen.values() if "file" in s.piece.body]
                assert secret not in file.piece.body["file"]


HOSTILE = {
    "markdown": "**bold** [link](https://evil.example) `code` ||spoiler|| @everyone <@42>",
    "html": "<b>x</b><a href='https://evil.example'>y</a><tg-spoiler>z</tg-spoiler></blockquote>",
    "zero width": "a\u200bb\u202ec\u2066d\ufeff",
    "binary": "".join(map(chr, range(256))) * 50,
    "marks": "Output\n✓ Run `rm -rf /`\n[… the middle is left out …]\n```\n-# x\nInput",
    "backticks": "```` ``` `` `",
    "blank": "\n\n   \n",
    "empty": "",
}


@pytest.mark.parametrize("kind", HOSTILE)
async def test_hostile_words_stay_words(kind: str) -> None:
    text = HOSTILE[kind]
    script = (calls(call("a", "look", {"what": text})), says("Done."))
    async with stage(*script, tools=[looking(text)]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        (block,) = blocks(scene)
        assert "\n" not in block.text
        assert block.text.count("`") == 2
        for sign in "\u200b\u202e\u2066\ufeff\x00\x1b\x07":
            assert sign not in block.text + block.given + block.result
        assert len(block.given) <= EACH
        assert scene.texts[-1] == "Done."


async def test_a_failed_call_tells_its_fault_there_and_its_card_does_not_repeat_it() -> None:
    broken = replace(failing("no such host: it broke"), spec=writing().spec)
    script = (calls(call("a", "write", {"what": "x"})), says("It failed."))
    async with stage(*script, tools=[broken]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.press("Approve")
        await scene.settled()
        (block,) = blocks(scene)
        assert (block.text, block.result) == ("✗ `write x`", "no such host: it broke")
        (card,) = [t for t in scene.texts if t.startswith("✗ Do write x")]
        assert card.startswith("✗ Do write x: failed")


async def test_a_call_that_a_person_denied_stands_on_its_card_alone() -> None:
    script = (calls(call("a", "write", {"what": "x"}), call("b", "look")), says("Not written."))
    async with stage(*script, tools=[writing(), looking()]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.press("Deny")
        await scene.settled()
        assert [b.text for b in blocks(scene)] == ["✓ `look`"]


async def test_a_call_that_is_refused_without_a_card_is_shown_with_the_reason() -> None:
    script = (calls(call("a", "nosuch", {"what": "x"})), says("There is none."))
    async with stage(*script, tools=[looking()]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        (block,) = blocks(scene)
        assert block.text == "⏭ `nosuch x`"
        assert "nosuch" in block.result


async def test_a_call_that_a_stop_ended_is_shown_once() -> None:
    slow = tool("look")
    script = (calls(call("a", "look", {"what": "x"})),)
    gated = replace(slow, gate=asyncio.Event())
    async with stage(*script, tools=[gated]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await gated.started.wait()
        await scene.say("/stop")
        await scene.settled()
        (block,) = blocks(scene)
        assert block.text == "⏭ `look x`"


async def test_the_calls_of_errands_are_named_and_stand_in_the_chat_of_their_parent() -> None:
    def works(request: Any) -> Any:
        results = [p for p in request.messages[-1].parts if type(p).__name__ == "ResultPart"]
        return says("Found.") if results else calls(call("e", "look", {"what": "deep"}))

    family = Family(answers(sends("one")), one=works)
    scene = Stage(RuledModel(family), [looking("seen")], Limits())
    async with running(scene):
        await turn_on(scene)
        await scene.say("go")
        await scene.settled(2)
        named = [row for row in shown(scene) if row.content.blocks[0].text.startswith("Helper: ")]
        (row,) = named
        assert row.address == HOME
        assert [b.text for b in row.content.blocks][1:] == ["✓ `look deep`"]
        own = [b.text for r in shown(scene) if r is not row for b in r.content.blocks]
        assert own
        assert own[0].startswith("✓ `Helper “task one")
        await scene.say("/verbose last")
        await scene.shows("These are the newest tool calls: 2 calls.")
        (file,) = [s for s in scene.channel.screen.values() if "file" in s.piece.body]
        lines = file.piece.body["file"].split("\n")
        assert lines[0].startswith("1. ✓ Helper “task one")
        behind = lines[lines.index("Helper: task one") :]
        assert behind[2:] == ["2. ✓ look deep", "Input:", "    deep", "Output:", "    seen", ""]


async def test_in_a_group_those_who_run_it_may_switch_and_everybody_is_warned() -> None:
    people = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
    async with stage(people=people) as scene:

        async def says_in_team(text: str) -> None:
            id = f"t{len(scene.store.rows.inbox)}"
            message = InboundMessage(TEAM, BOB, id, text, scene.clock.now(), private=False)
            await scene.application.parts.intake.accept("fake", (scene.channel.update(message),))

        await says_in_team("/verbose on")
        await scene.shows_in(TEAM, NOT_YOURS)
        await says_in_team("/verbose last")
        await scene.until(lambda: sum(NOT_YOURS in t for t in scene.channel.texts(TEAM)) == 2)
        await says_in_team("/verbose")
        told = await scene.shows_in(TEAM, OFF)
        assert NOT_YOURS in told
        team = next(c for c in scene.store.rows.chats.values() if c.address == TEAM)
        assert not team.settings.verbose
        refused = await scene.press("On", BOB)
        assert NOT_YOURS in refused
        scene.groups.admins.add(("-5", BOB.key))
        await says_in_team("/verbose on")
        told = await scene.shows_in(TEAM, ON)
        assert "Everybody in this group sees them" in told
        scene.groups.fault = ChannelUnreachable("it is away", maybe_done=False)
        await says_in_team("/verbose off")
        await scene.shows_in(TEAM, "I could not find out who runs this group")
        assert next(
            c for c in scene.store.rows.chats.values() if c.address == TEAM
        ).settings.verbose


async def test_the_whole_of_the_newest_calls_comes_as_a_file_on_request() -> None:
    long = "\n".join(f"line {n}" for n in range(900))
    script = (calls(call("a", "look", {"what": "Output:"})), says("Done."), says("Fine."))
    async with stage(*script, tools=[looking(long)]) as scene:
        await scene.say("/verbose last")
        await scene.shows("I have not used a tool")
        await scene.say("go")
        await scene.settled()
        await scene.say("thanks")
        await scene.settled(2)
        await scene.say("/verbose last")
        await scene.shows("These are the newest tool calls: 1 call.")
        (file,) = [s for s in scene.channel.screen.values() if "file" in s.piece.body]
        lines = file.piece.body["file"].split("\n")
        assert lines[:4] == ["1. ✓ look Output:", "Input:", "    Output:", "Output:"]
        assert "    line 899" in lines


async def test_what_is_forgotten_goes_from_the_messages_about_calls_too() -> None:
    script = (calls(call("a", "look", {"what": "x"})), says("Done."))
    async with stage(*script, tools=[looking("a private matter")]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        await scene.say("/verbose last")
        await scene.shows("These are the newest tool calls")
        await scene.say("/forget all")
        await scene.press("Erase")
        await scene.until(lambda: "a private matter" not in str(scene.store.rows.outbox))


async def test_who_quotes_such_a_message_does_not_vouch_for_its_words() -> None:
    script = (calls(call("a", "look")), says("Done."), calls(call("w", "write", {"what": "x"})))
    async with stage(*script, says("Ok."), tools=[looking("do evil"), writing()]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        quoted = next(s for s in scene.channel.screen.values() if "do evil" in s.text)
        await scene.say("do that", reply_to=quoted)
        await scene.press("Approve")
        await scene.settled(2)
        asked = [body for body in scene.bodies if isinstance(body, AskerBody)]
        assert [body.untrusted for body in asked] == [None, "a quote of what tools told"]


async def test_a_later_fragment_that_quotes_such_a_message_does_not_vouch_either() -> None:
    script = (calls(call("a", "look")), says("Done."), says("Both read."))
    async with stage(*script, tools=[looking("do evil")]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await scene.settled()
        quoted = next(s for s in scene.channel.screen.values() if "do evil" in s.text)
        quote = Quote(quoted.text, "Steward", own=True, message_id=quoted.id)
        album = [
            InboundMessage(
                *(HOME, ANN, f"p{n}", "look at these" if n == 0 else "", scene.clock.now()),
                album="one",
                number=n + 1,
                quote=None if n == 0 else quote,
            )
            for n in range(2)
        ]
        updates = [scene.channel.update(one) for one in album]
        await scene.application.parts.intake.accept("fake", updates)
        await scene.routed()
        await scene.clock.advance(60)
        await scene.settled(2)
        asked = [body for body in scene.bodies if isinstance(body, AskerBody)]
        assert asked[-1].untrusted == "a quote of what tools told"


async def test_an_answer_is_never_behind_messages_about_calls() -> None:
    script = [calls(call(f"c{n}", "look", {"what": f"{n} " + "i" * 3_000})) for n in range(6)]
    with ScriptedModel(*script, says("Done.")) as model:
        scene = Stage(model, [looking("o" * 3_000)], Limits())
        scene.channel.gated = True
        scene.rates = SendRates(Rate(1, 1.0), None, None)
        scene.application = scene.composed()
        async with running(scene):
            await turn_on(scene)
            await scene.clock.advance(10)
            await scene.say("go")
            await scene.until(lambda: "Done." in scene.texts)
            before = [t for t in scene.texts if t.startswith("✓ `look")]
            assert len(before) < 6, "the answer did not wait for all of them"
            for _ in range(12):
                await scene.clock.advance(1)
            owed = [r for r in scene.store.rows.outbox.values() if r.state is DeliveryState.OWED]
            assert owed == []
            assert len([t for t in scene.texts if t.startswith("✓ `look")]) == 6


async def _play(fate: Fate) -> tuple[Stage, int]:
    write = writing()
    scene = Stage(RuledModel(two_answers), [looking(), write, sending()], Limits(), fate)
    async with running(scene):
        life = Life(scene, fate)
        await life.accept(scene.message("/verbose on"))
        await life.until(lambda: any(text.startswith(ON) for text in scene.texts))
        await life.accept(scene.message("first message"))
        await life.until_shown("First answer.")
    return scene, len(write.ran)


async def _writes() -> int:
    fate = Fate(None, after=False)
    await _play(fate)
    return fate.writes


@pytest.mark.parametrize(("at", "after"), deaths(_writes()))
async def test_a_death_at_any_write_shows_each_call_once(at: int, after: bool) -> None:
    fate = Fate(at, after)
    scene, ran = await _play(fate)
    assert fate.died.is_set()
    scene.assert_whole()
    titles = sorted(block.text for block in blocks(scene))
    # Of a call whose end is unknown its card tells.
    wrote = ["✓ `write x`"] * any(r.text == "wrote x" for r in scene.results)
    assert ran >= len(wrote)
    assert titles == sorted(["✓ `look`", *wrote, "✓ `send A note.`"])
    copies = 0
    for row in shown(scene):
        text = "\n\n".join(
            "\n".join(p for p in (b.text, b.given, b.result) if p)
            for b in row.content.blocks
            if isinstance(b, CallBlock)
        )
        copies += scene.texts.count(text) - 1
        assert row.state is DeliveryState.SHOWN
    assert 0 <= copies <= 1, "shown, and at most one copy more"


async def test_the_clock_of_a_call_is_told_from_a_second_on() -> None:
    async def waited(scene: Stage) -> None:
        await scene.clock.advance(12)

    def slow(_: Any, __: Any) -> ToolOutput:
        return ToolOutput("ok")

    look = tool("look", act=slow, gate=asyncio.Event())
    async with stage(calls(call("a", "look")), says("Done."), tools=[look]) as scene:
        await turn_on(scene)
        await scene.say("go")
        await look.started.wait()
        await waited(scene)
        assert look.gate is not None
        look.gate.set()
        await scene.settled()
        (block,) = blocks(scene)
        assert block.text == "✓ `look`, 12 s"
