"""Standing rules that a card offers: what they cover, and what pauses them."""

from collections.abc import Mapping
from typing import Any

from bot.domain.talk.errors import ToolFailure
from bot.domain.tools.tool import Effect, Replay, ToolOutput
from bot.domain.turn.transcript import SummaryBody
from bot.ports.tool import Place
from tests.fakes.channel import Shown
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import stage
from tests.scenarios.test_approvals import write
from tests.scenarios.tools import (
    ScenarioTool,
    burning,
    foreign,
    tool,
    writing,
)
from tests.words import (
    ALWAYS,
    ALWAYS_IN,
    RULE_PAUSED,
    RULED_ALWAYS,
    RULED_IN_NOTES,
    SUMMARISED,
    TWO_APPROVED,
)


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
            "✓ 1 more, as your rules allow",
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
        await scene.shows("They are paused: I read something here that you did not write.")
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
        assert f"{RULE_PAUSED} (a web page). /new resumes it." in scene.cards[0].text
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
        told = await scene.press("Approve all but the ⚠️", card=0)
        assert told == TWO_APPROVED
        await scene.until(lambda: len(tool.ran) == 2)
        await scene.parked()
        assert fire.ran == []
        await scene.press("Deny")
        await scene.settled()
        scene.assert_whole()


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


async def test_a_summary_of_foreign_words_is_foreign() -> None:
    async with stage(says("I see."), says("- a message about a gerbil")) as scene:
        await scene.say("Look at this gerbil", forwarded_from="Eve")
        await scene.settled()
        await scene.say("/compact")
        await scene.shows(SUMMARISED)
        (summary,) = [body for body in scene.bodies if isinstance(body, SummaryBody)]
        assert summary.untrusted == "a forward from Eve"
