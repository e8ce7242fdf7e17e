"""Cards: asked once, decided once, whatever happens in between."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.domain.approval import ApprovalState
from bot.domain.errors import ChannelUnreachable, RecipientGone, ToolFailure
from bot.domain.limits import Limits
from bot.domain.message import Attachment, InboundMessage, Press, Quote
from bot.domain.outcome import StopReason
from bot.domain.person import Role, Sender
from bot.domain.tool import Code, Effect, Replay, Status, ToolCall, ToolOutput
from bot.domain.transcript import LateResultBody
from bot.domain.turn import TurnState
from bot.flow.approvals.desk import WAITS
from bot.flow.approvals.desks import NOT_OURS, NOT_YOURS
from bot.ports.tool import Place
from tests.fakes.channel import Shown
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.scenarios.tools import (
    ScenarioTool,
    burning,
    closing,
    foreign,
    looking,
    risky,
    tool,
    writing,
)
from tests.words import (
    ALWAYS,
    ALWAYS_IN,
    APPROVE,
    APPROVED,
    CARD_DENIED,
    CARD_STILL_WAITS,
    CARD_STOPPED,
    CHANGE,
    DECIDED_ALREADY,
    DENIED,
    DIFFERENT,
    HOW_TO_PRESS,
    MADE_TWICE,
    NOT_IN_TIME,
    NOTHING_TO_DECIDE,
    ONE_WAITS_ABOVE,
    RULE_PAUSED,
    RULED_ALWAYS,
    RULED_IN_NOTES,
    SHOWN_AGAIN,
    SKIPPED_LATE,
    STOP,
    STOPPED_UNRUN,
    TWO_APPROVED,
)

TEAM = ((ANN, Role.MEMBER), (BOB, Role.MEMBER))


def write(id: str = "w", what: str = "x") -> ToolCall:
    return call(id, "write", {"what": what})


async def test_an_approved_call_runs_once_and_the_card_tells_who_decided() -> None:
    tool = writing()
    async with stage(calls(write()), says("Written."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        assert tool.ran == []
        assert await scene.press("Approve") == APPROVED
        await scene.settled()
        assert len(tool.ran) == 1
        assert scene.texts[0] == "✅ Do write x: done"
        assert scene.texts[1] == "Written."
        assert scene.cards == []


async def test_a_denial_does_not_end_the_turn() -> None:
    tool = writing()
    async with stage(calls(write()), says("Then not."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.press("Deny")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        assert (scene.results[0].code, tool.ran) == (Code.DENIED, [])


async def test_a_reply_to_the_card_denies_with_a_reason_the_model_reads() -> None:
    async with stage(calls(write()), says("I see."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("use another name", reply_to=scene.cards[0])
        await scene.settled()
        assert "They said: use another name" in scene.results[0].text
        assert "“use another name”" in scene.texts[0]


@pytest.mark.parametrize(
    "words", ["yes", "OK", "👍", "Yes, go ahead!", "do it", "ja, bitte", "はい"]
)
async def test_assent_in_a_reply_never_denies_and_tells_how_to_press(words: str) -> None:
    tool = writing()
    async with stage(calls(write()), says("Written."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say(words, reply_to=scene.cards[0])
        await scene.shows(HOW_TO_PRESS)
        assert scene.approvals[0].state is ApprovalState.OPEN
        assert not scene.approvals[0].set_aside
        await scene.press("Approve")
        await scene.settled()
        assert len(tool.ran) == 1


@pytest.mark.parametrize(
    ("words", "foreign", "files"),
    [
        ("", None, (Attachment("voice", "voice.ogg", 4, "v"),)),
        ("", "a picture", (Attachment("photo", "photo.jpg", 4, "p"),)),
        ("[sticker: 👍]", "a sticker", ()),
    ],
    ids=["voice message", "picture", "sticker"],
)
async def test_a_reply_without_words_of_the_person_denies_nothing(
    words: str, foreign: str | None, files: tuple[Attachment, ...]
) -> None:
    tool = writing()
    async with stage(calls(write()), says("Well."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        quote = Quote(scene.cards[0].text, "Steward", own=True, message_id=scene.cards[0].id)
        reply = InboundMessage(
            HOME,
            ANN,
            "m99",
            words,
            scene.clock.now(),
            quote=quote,
            attachments=files,
            foreign=foreign,
        )
        await scene.application.parts.intake.accept("fake", (scene.channel.update(reply),))
        await scene.shows("Well.")
        assert scene.approvals[0].state is ApprovalState.OPEN
        assert tool.ran == []


async def test_assent_without_a_reply_is_meant_for_the_card_that_the_turn_waits_for() -> None:
    script = (calls(write()), says("Something else."), says("You are welcome."))
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("yes!")
        await scene.shows(HOW_TO_PRESS)
        assert (len(scene.turns), scene.approvals[0].set_aside) == (1, False)
        await scene.say("how is the weather?")
        await scene.settled(2)
        await scene.say("ok, thanks")
        await scene.settled(3)
        assert scene.texts[-1].startswith("You are welcome.")


async def test_a_question_in_a_reply_is_answered_and_the_card_stays() -> None:
    tool = writing()
    script = (calls(write()), says("An x, and no more."), says("Written."))
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("what exactly will it write?", reply_to=scene.cards[0])
        await scene.shows(HOW_TO_PRESS)
        await scene.settled(2)
        assert scene.texts[-1] == f"An x, and no more.\n\n{ONE_WAITS_ABOVE}"
        assert scene.approvals[0].state is ApprovalState.OPEN
        await scene.press("Approve")
        await scene.settled(3)
        assert len(tool.ran) == 1


async def test_change_asks_for_the_words_and_the_reply_is_the_reason() -> None:
    async with stage(calls(write()), says("I see."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        assert await scene.press(CHANGE) == ""
        asked = await scene.until(lambda: the_question(scene))
        assert scene.approvals[0].state is ApprovalState.OPEN
        await scene.crash()
        await scene.say("can it be shorter?", reply_to=asked)
        await scene.settled()
        assert "They said: can it be shorter?" in scene.results[0].text
        assert f"{CARD_DENIED}: “can it be shorter?” · Do write x" in scene.texts


async def test_a_reply_to_the_question_of_a_decided_card_is_an_ordinary_message() -> None:
    script = (calls(write()), says("Written."), says("Next time."))
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.press(CHANGE)
        asked = await scene.until(lambda: the_question(scene))
        await scene.press("Approve")
        await scene.settled(1)
        await scene.say("shorter", reply_to=asked)
        await scene.settled(2)
        assert scene.texts[-1] == "Next time."


async def test_only_the_asker_may_ask_for_a_change() -> None:
    async with stage(calls(write()), says("No."), tools=[writing()], people=TEAM) as scene:
        await scene.say("write x")
        await scene.parked()
        assert await scene.press(CHANGE, BOB) == NOT_YOURS
        assert the_question(scene) is None
        assert scene.channel.refusals == [NOT_YOURS]
        assert await scene.press("Deny") == DENIED
        await scene.settled()
        assert scene.channel.refusals == [NOT_YOURS]


def the_question(scene: Stage) -> Shown | None:
    """The message that asks what should be different."""
    return next((s for s in scene.channel.screen.values() if DIFFERENT in s.text), None)


async def test_the_card_of_a_call_that_failed_says_so() -> None:
    tool = risky(("x", "x"))
    async with stage(calls(write()), says("It broke."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.press("Approve")
        await scene.settled()
        assert scene.texts[0] == "✗ Do write x: x broke"


async def test_the_card_of_an_approved_call_that_never_ran_says_so() -> None:
    gate = asyncio.Event()
    tool = writing(gate)
    script = (calls(write("a", "1"), write("b", "2")),)
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write two")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.press("Approve", card=1)
        await scene.press("Approve", card=0)
        await tool.started.wait()
        await scene.say("/stop")
        await scene.settled()
        assert scene.texts[0] == "❓ Do write 1: outcome unknown"
        assert scene.texts[1] == STOPPED_UNRUN


async def test_a_card_that_nobody_stopped_is_skipped_with_the_reason() -> None:
    gate = asyncio.Event()
    slow = tool("slow", gate=gate)
    script = calls(call("a", "slow"), call("b", "write", {"what": "x"}))
    limits = Limits(turn_seconds=100)
    async with stage(script, tools=[slow, writing()], limits=limits) as scene:
        await scene.say("go")
        await slow.started.wait()
        await scene.clock.advance(101)
        gate.set()
        await scene.settled()
        assert SKIPPED_LATE in scene.texts


async def test_the_time_on_a_decided_card_is_that_of_the_person() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("Done.")
    async with stage(*script, tools=[writing()]) as scene:
        ann = scene.store.rows.people[1]
        scene.store.rows.people[1] = replace(ann, timezone="Asia/Tokyo")
        await scene.say("go")
        await scene.parked()
        await scene.press(APPROVE)
        await scene.settled()
        assert "✅ Do write x: done · 21:00" in scene.texts


async def test_the_time_on_a_decided_card_is_that_of_the_chat() -> None:
    async with stage(calls(write()), says("No."), tools=[writing()]) as scene:
        chat = await scene.store.chats.at(HOME, private=True)
        scene.store.rows.chats[chat.id] = replace(chat, timezone="Asia/Tokyo")
        await scene.say("write x")
        await scene.parked()
        local = scene.clock.now().astimezone(ZoneInfo("Asia/Tokyo"))
        await scene.press("Deny")
        await scene.settled()
        assert scene.texts[0] == f"{CARD_DENIED} · Do write x · {local:%H:%M}"


async def test_a_round_is_counted_on_its_cards() -> None:
    script = calls(write("a", "1"), write("b", "2")), says("Done.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.cards) == 2)
        first, second = (card.text.split("\n\n")[0] for card in scene.cards)
        assert (first, second) == ("🔐 Do write 1 · 1 of 2", "🔐 Do write 2 · 2 of 2")
        assert await scene.press("Deny", card=0) == f"{DENIED} 1 card left."
        assert await scene.press("Deny") == DENIED
        await scene.settled()


async def test_open_cards_are_shown_again_with_their_buttons_and_the_old_ones_say_so() -> None:
    tool = writing()
    async with stage(calls(write()), says("Four."), says("Written."), tools=[tool]) as scene:
        await scene.say("/approvals")
        await scene.shows(NOTHING_TO_DECIDE)
        await scene.say("write x")
        await scene.parked()
        await scene.say("what is two and two?")
        await scene.settled(2)
        (old,) = scene.cards
        await scene.say("/approvals")
        await scene.shows("1 card is waiting for a decision.")
        await scene.until(lambda: len(scene.cards) == 1 and scene.cards[0].id != old.id)
        assert scene.channel.screen[old.id].text == SHOWN_AGAIN
        assert await scene.press("Approve") == APPROVED
        await scene.settled(3)
        assert (len(tool.ran), scene.cards) == (1, [])


async def test_stop_ends_a_card_that_was_set_aside() -> None:
    tool = writing()
    async with stage(calls(write()), says("Four."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("what is two and two?")
        await scene.settled(2)
        await scene.say("/stop")
        await scene.shows("Stopped 1 waiting card.")
        assert f"{CARD_STOPPED} · Do write x" in scene.texts
        assert (scene.cards, tool.ran) == ([], [])


async def test_a_document_offers_a_rule_for_its_folder_that_covers_the_next_one() -> None:
    tool = documents()
    written = {"path": "notes/b.md", "content": "2", "what": "notes/b.md"}
    other = call("b", "write_file", written)
    outside = call("c", "write_file", {"path": "c.md", "content": "3"})
    script = (
        calls(call("a", "write_file", {"path": "notes/a.md", "content": "1"})),
        says("One."),
        calls(other),
        says("Two."),
        calls(outside),
        says("Not that."),
    )
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("note one")
        await scene.press(f"{ALWAYS_IN}notes/")
        await scene.settled(1)
        await scene.say("note two")
        await scene.settled(2)
        assert [a["path"] for a in tool.ran] == ["notes/a.md", "notes/b.md"]
        told = [text for text in scene.texts if RULED_IN_NOTES in text]
        assert told == [f"Two.\n\n✓ Do write_file notes/b.md: done, {RULED_IN_NOTES}"]
        await scene.say("/rules")
        await scene.shows("Write documents in notes/")
        await scene.say("and another")
        await scene.parked()
        assert not any(ALWAYS_IN in label for label in labels(scene.cards[0]))
        await scene.press("Deny")
        await scene.settled(3)


async def test_what_ran_under_a_rule_is_told_once_also_by_a_turn_that_is_set_aside() -> None:
    paths = [f"notes/{name}.md" for name in "abbcde"]
    made = [
        call(str(n), "write_file", {"path": path, "content": str(n), "what": path})
        for n, path in enumerate(paths)
    ]
    outside = call("x", "write_file", {"path": "x.md", "content": "3"})
    script = (calls(made[0]), says("One."), calls(*made[1:]), calls(outside), says("Hello."))
    async with stage(*script, tools=[documents()]) as scene:
        await scene.say("note one")
        await scene.press(f"{ALWAYS_IN}notes/")
        await scene.settled(1)
        await scene.say("note the others")
        await scene.parked()
        await scene.say("hello")
        await scene.settled(3)
        (told,) = [text for text in scene.texts if RULED_IN_NOTES in text]
        assert told.split("\n") == [
            f"✓ Do write_file notes/b.md: done, {RULED_IN_NOTES} (2 times)",
            f"✓ Do write_file notes/c.md: done, {RULED_IN_NOTES}",
            f"✓ Do write_file notes/d.md: done, {RULED_IN_NOTES}",
            f"✓ 1 more, {RULED_ALWAYS}",
        ]
        (row,) = [one for one in scene.store.rows.outbox.values() if one.key.startswith("ruled:")]
        assert row.content.silent
        scene.assert_whole()


async def test_what_failed_under_a_rule_is_not_told_as_done() -> None:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        if arguments["content"] == "2":
            raise ToolFailure("the disk is full")
        return ToolOutput("written")

    made = [
        call(text, "write_file", {"path": "notes/a.md", "content": text, "what": text})
        for text in "12"
    ]
    broken = tool("write_file", Effect.WRITE, Replay.ONCE, act)
    script = (calls(made[0]), says("One."), calls(made[1]), says("It failed."))
    async with stage(*script, tools=[broken]) as scene:
        await scene.say("note one")
        await scene.press(f"{ALWAYS_IN}notes/")
        await scene.settled(1)
        await scene.say("note two")
        await scene.settled(2)
        assert len(broken.ran) == 2, "the rule let it run"
        assert not any(RULED_ALWAYS in text for text in scene.texts)


async def test_stop_ends_the_running_turn_and_counts_the_cards_that_still_wait() -> None:
    gate = Gate()
    async with stage(calls(write()), gate, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("and what is two and two?")
        await gate.reached()
        await scene.say("/stop")
        await scene.shows(CARD_STILL_WAITS)
        await scene.settled(2)
        assert len(scene.cards) == 1


async def test_no_rule_is_offered_while_content_from_outside_is_in_view() -> None:
    script = (calls(call("f", "fetch")), calls(write()), says("Done."))
    async with stage(*script, tools=[writing(), foreign()]) as scene:
        await scene.say("read the page and write")
        await scene.parked()
        assert not any("🔁" in label for label in labels(scene.cards[0]))
        assert RULE_PAUSED not in scene.cards[0].text
        await scene.press("Deny")
        await scene.settled()


async def test_a_card_does_not_speak_of_a_rule_that_was_removed() -> None:
    script = (calls(write("a")), says("one"), calls(call("f", "fetch")), calls(write("b")))
    async with stage(*script, says("No."), tools=[writing(), foreign()]) as scene:
        await scene.say("write x")
        await scene.press(ALWAYS)
        await scene.settled(1)
        await scene.say("read the page and write")
        await scene.parked()
        assert RULE_PAUSED in scene.cards[0].text
        await scene.say("/rules")
        await scene.shows("They are paused: this chat contains output from outside.")
        (rule,) = scene.store.rows.rules.values()
        await scene.say(f"/rules remove {rule.id}")
        await scene.until(lambda: RULE_PAUSED not in scene.cards[0].text)
        await scene.press("Deny")
        await scene.settled(2)


def labels(shown: Shown) -> list[str]:
    return [b["label"] for row in shown.piece.body.get("buttons", ()) for b in row]


def documents() -> ScenarioTool:
    """A tool with the name of the one that writes files, so that rules for folders are possible."""
    return tool("write_file", Effect.WRITE, Replay.ONCE)


async def test_a_card_says_what_its_asker_said_and_not_what_they_quoted() -> None:
    script = (
        says('<quoted_data from="a quote of Ann">\nA\n</quoted_data>\n\nplease'),
        calls(write()),
        says("No."),
    )
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("hello")
        await scene.settled(1)
        (said,) = scene.channel.screen.values()
        await scene.say("write x", reply_to=said)
        await scene.parked()
        assert "for “write x”" in scene.cards[0].text
        await scene.press("Deny")
        await scene.settled(2)


async def test_always_lets_the_same_call_run_unasked_and_no_other() -> None:
    tool = writing()
    script = (
        calls(write("a")),
        says("one"),
        calls(write("b")),
        says("two"),
        calls(write("c", "y")),
        says("three"),
    )
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write x")
        await scene.press("Always")
        await scene.settled(1)
        await scene.say("again")
        await scene.settled(2)
        assert len(tool.ran) == 2
        await scene.say("write y")
        await scene.parked()
        await scene.press("Approve")
        await scene.settled(3)


async def test_foreign_content_in_view_makes_a_rule_ask() -> None:
    tool = writing()
    script = (
        calls(write("a")),
        says("one"),
        calls(call("f", "fetch")),
        calls(write("b")),
        says("two"),
    )
    async with stage(*script, tools=[tool, foreign()]) as scene:
        await scene.say("write x")
        await scene.press("Always")
        await scene.settled(1)
        await scene.say("read the page and write")
        await scene.parked()
        assert f"{RULE_PAUSED} Source: a web page." in scene.cards[0].text
        await scene.press("Approve")
        await scene.settled(2)


async def test_a_forwarded_message_taints_too() -> None:
    script = calls(write("a")), says("one"), calls(write("b")), says("two")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.press("Always")
        await scene.settled(1)
        await scene.say("please write x", forwarded_from="Mallory")
        await scene.parked()
        assert "Mallory" in scene.cards[0].text
        await scene.press("Deny")
        await scene.settled(2)


async def test_danger_offers_no_rule_and_is_left_out_of_approve_all() -> None:
    tool, fire = writing(), burning()
    script = calls(write("a", "1"), write("b", "2"), call("c", "burn")), says("Done.")
    async with stage(*script, tools=[tool, fire]) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.cards) == 3)
        labels = [b["label"] for row in scene.cards[2].piece.body["buttons"] for b in row]
        assert not any("Always" in label for label in labels)
        told = await scene.press("Approve all (2, not the ⚠️)", card=0)
        assert told == TWO_APPROVED
        await scene.until(lambda: len(tool.ran) == 2)
        await scene.parked()
        assert fire.ran == []
        await scene.press("Deny")
        await scene.settled()
        scene.assert_whole()


async def test_reads_run_while_a_card_is_open_and_writes_in_call_order() -> None:
    tool, look = writing(), looking()
    script = calls(write("a", "1"), write("b", "2"), call("c", "look")), says("Done.")
    async with stage(*script, tools=[tool, look]) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.parked()
        assert len(look.ran) == 1
        assert await scene.press("Approve", card=1) == f"Approved. {WAITS} 1 card left."
        await scene.parked()
        assert tool.ran == []
        await scene.press("Approve", card=0)
        await scene.settled()
        assert [a["what"] for a in tool.ran] == ["1", "2"]


async def test_only_the_asker_or_an_owner_may_press() -> None:
    people = (*TEAM, (ANN, Role.MEMBER))
    async with stage(calls(write()), says("Done."), tools=[writing()], people=people) as scene:
        await scene.say("write x")
        await scene.parked()
        assert await scene.press("Approve", BOB) == NOT_YOURS
        assert scene.approvals[0].state is ApprovalState.OPEN
        await scene.press("Approve", ANN)
        await scene.settled()


async def test_forged_foreign_and_spent_buttons_do_nothing() -> None:
    tool = writing()
    async with stage(calls(write()), says("Done."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        data = scene.cards[0].piece.body["buttons"][0][0]["data"]
        assert await scene.press_data("a:forged:y") == NOT_OURS
        assert await scene.press_data("other bot") == NOT_OURS
        assert await scene.press_data(data.replace(":y", ":zz")) == NOT_OURS
        await scene.press("Approve")
        await scene.settled()
        told = await scene.press_data(data)
        assert told == f"{DECIDED_ALREADY}: approved by you, less than a minute ago."
        assert len(tool.ran) == 1


async def test_an_open_card_outlives_a_crash_and_its_button_works() -> None:
    tool = writing()
    async with stage(calls(write()), says("Written."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.crash()
        await scene.press("Approve")
        await scene.settled()
        assert len(tool.ran) == 1
        assert scene.texts[-1] == "Written."


async def test_a_card_expires_with_its_turn_and_without_a_model_call() -> None:
    async with stage(calls(write()), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.clock.advance(25 * 3600)
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.EXPIRED
        assert scene.results[0].code is Code.EXPIRED
        assert scene.texts[0] == NOT_IN_TIME
        assert "Nobody decided in time" in scene.texts[1]


async def test_a_card_that_cannot_be_shown_blocks_its_call() -> None:
    async with stage(calls(write()), says("Nobody can be asked."), tools=[writing()]) as scene:
        scene.channel.fail_next(RecipientGone("blocked"))
        await scene.say("write x")
        await scene.settled()
        assert (scene.results[0].status, scene.results[0].code) == (
            Status.BLOCKED,
            Code.UNASKABLE,
        )


async def test_a_message_sets_the_waiting_turn_aside_and_a_late_approval_continues() -> None:
    tool = writing()
    script = calls(write()), says("Something else."), says("Written after all.")
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("how is the weather?")
        await scene.settled(2)
        assert scene.turns[0].stop_reason is StopReason.SET_ASIDE
        assert scene.results[0].code is Code.AWAITING_DECISION
        assert len(scene.cards) == 1
        await scene.crash()
        await scene.press("Approve")
        await scene.settled(3)
        assert len(tool.ran) == 1
        assert scene.texts[-1] == "Written after all."
        late = next(b for b in scene.bodies if isinstance(b, LateResultBody))
        assert late.decision.startswith("approved by Ann")
        assert "wrote x" in str(scene.model.requests[-1].messages[-1])


async def test_cards_set_aside_run_in_call_order_and_say_that_they_wait() -> None:
    tool = writing()
    wished = calls(write("a", "1"), write("b", "2"), write("c", "3"))
    script = wished, says("Something else."), says("One."), says("Two."), says("Three.")
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write three")
        await scene.parked()
        await scene.say("how is the weather?")
        await scene.settled(2)
        for card in (2, 1):
            told = await scene.press("Approve", card=card)
            assert told == f"Approved. {WAITS} {card} card{'s' * (card > 1)} left."
            await scene.clock.advance(60)
        assert await scene.press("Approve", card=0) == APPROVED
        await scene.settled(5)
        assert [a["what"] for a in tool.ran] == ["1", "2", "3"]


async def test_a_late_denial_is_told_at_the_next_opening_without_a_turn_of_its_own() -> None:
    script = calls(write()), says("Something else."), says("As you wish.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("never mind")
        await scene.settled(2)
        await scene.press("Deny")
        await scene.say("go on")
        await scene.settled(3)
        assert "denied by Ann; it did not run" in str(scene.model.requests[-1].messages[-1])


async def test_a_fresh_conversation_does_not_hear_of_the_cards_of_the_one_before() -> None:
    script = calls(write()), says("Something else."), says("Hello."), says("Again.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("never mind")
        await scene.settled(2)
        await scene.say("/new")
        await scene.say("good morning")
        await scene.settled(3)
        await scene.say("and again")
        await scene.settled(4)
        assert not any(isinstance(body, LateResultBody) for body in scene.bodies)
        assert "write x" not in str(scene.model.requests[-1].messages)


async def test_a_late_press_names_the_age_of_the_card_and_what_ran_since() -> None:
    tool = writing()
    script = calls(write("a", "1")), calls(write("b", "2")), says("two"), says("one")
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write 1")
        await scene.parked()
        await scene.say("write 2")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.parked()
        await scene.press("Approve", card=1)
        await scene.settled(2)
        await scene.clock.advance(3600)
        told = await scene.press("Approve", card=0)
        assert "1 h old" in told
        assert "write 2" in told
        await scene.settled(3)


async def test_a_conversation_that_is_closed_takes_its_cards_along() -> None:
    closes = calls(call("c", "close"))
    script = calls(write()), closes, says("Bye."), says("- we said bye")
    async with stage(*script, tools=[writing(), closing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("we are done")
        await scene.settled(2)
        assert scene.approvals[0].state is ApprovalState.CANCELLED
        await scene.application.parts.way_out.delivery.flushed()
        assert scene.cards == []


async def test_an_equal_call_gets_no_second_card() -> None:
    script = calls(write("a"), write("b")), says("Done.")
    tool = writing()
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("go")
        await scene.parked()
        assert len(scene.cards) == 1
        await scene.press("Approve")
        await scene.settled()
        codes = {r.call_id: r.code for r in scene.results}
        assert codes == {"a": None, "b": Code.AWAITING_DECISION}


async def test_the_third_identical_call_asks_whether_to_go_on() -> None:
    look = looking()
    script = [calls(call(f"c{n}", "look")) for n in range(6)]
    async with stage(*script, tools=[look]) as scene:
        await scene.say("go")
        await scene.parked()
        assert len(look.ran) == 2
        assert MADE_TWICE in scene.cards[0].text
        assert await scene.press("Go on") == "Going on."
        await scene.until(lambda: len(look.ran) == 5)
        await scene.parked()
        assert await scene.press(STOP) == "Stopped."
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.REPEAT_GUARD
        assert len(look.ran) == 5
        assert "⏹ Stopped · look" in scene.texts
        scene.assert_whole()


async def test_a_press_on_stop_ends_the_turn_and_every_card() -> None:
    script = (calls(write("a", "1"), write("b", "2")),)
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.press("Stop")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert {a.state for a in scene.approvals} == {ApprovalState.CANCELLED}
        scene.assert_whole()


async def test_more_calls_than_a_round_may_have_are_skipped() -> None:
    look = looking()
    script = calls(*(call(f"c{n}", "look", {"n": n}) for n in range(4))), says("Done.")
    async with stage(*script, tools=[look], limits=Limits(calls_per_round=2)) as scene:
        await scene.say("go")
        await scene.settled()
        assert [r.code for r in scene.results].count(Code.LIMIT) == 2
        assert len(look.ran) == 2


async def test_a_waiting_turn_holds_no_task() -> None:
    async with stage(calls(write()), tools=[writing()]) as scene:
        await scene.say("go")
        turn = await scene.parked()
        assert turn.state is TurnState.PARKED
        await scene.until(lambda: not _working())


async def test_every_decision_is_on_record() -> None:
    async with stage(calls(write()), says("Written."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.clock.advance(60)
        await scene.press("Approve")
        await scene.settled()
        actions = [a.action for a in scene.store.rows.audit]
        assert actions == ["card.opened", "card.decided", "call.ran", "turn.ended"]
        assert scene.approvals[0].expires_at - scene.approvals[0].created_at == timedelta(hours=24)


def _working() -> list[str]:
    names = (task.get_name() for task in asyncio.all_tasks())
    return [name for name in names if name.startswith(("lane", "live"))]


async def test_a_card_too_long_for_a_message_brings_a_document_and_runs_only_with_it() -> None:
    tool = writing()
    script = calls(write(what="x" * 5_000)), says("Written.")
    async with stage(*script, tools=[tool]) as scene:
        scene.channel.fail_next(ChannelUnreachable("away", maybe_done=False))
        await scene.say("write much")
        await scene.until(lambda: scene.clock.sleepers > 1)
        assert scene.cards == []
        await scene.clock.advance(5)
        await scene.parked()
        assert "is in the document card.txt" in scene.cards[0].text
        assert any("file" in s.piece.body for s in scene.channel.screen.values())
        await scene.press("Approve")
        await scene.settled()
        assert len(tool.ran) == 1


async def test_a_clock_set_back_or_on_ends_no_turn_and_the_card_keeps_to_what_it_says() -> None:
    write = writing()
    async with stage(calls(call("a", "write", {"what": "x"})), says("Done."), tools=[write]) as s:
        await s.say("write x")
        await s.parked()
        s.clock.set_wall(-3600)
        await s.clock.advance(61)
        s.clock.set_wall(7200)
        await s.clock.advance(61)
        assert [a.state for a in s.approvals] == [ApprovalState.OPEN]
        await s.press("Approve")
        turn = await s.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER


async def test_a_rule_covers_no_call_whose_card_would_offer_none() -> None:
    writer = writing()
    script = (calls(write("a")), says("one"), calls(write("b")), says("two"))
    async with stage(*script, tools=[writer]) as scene:
        await scene.say("write x")
        await scene.press("Always")
        await scene.settled(1)
        writer.unruled.append("x")
        await scene.say("again")
        await scene.parked()
        await scene.press("Approve")
        await scene.settled(2)


async def test_presses_of_strangers_that_nobody_answers_hold_no_message_up() -> None:
    async with stage(says("Here.")) as scene:
        scene.channel.acknowledging.clear()
        strangers = [Sender("fake", str(n), "Eve") for n in range(100, 120)]
        presses = [Press(HOME, eve, "x:y:z", "h", "1") for eve in strangers]
        updates = [scene.channel.update(press) for press in presses]
        await scene.application.parts.intake.accept("fake", updates)
        await scene.say("hello")
        await scene.settled()
        assert scene.channel.acknowledged == []
        scene.channel.acknowledging.set()
