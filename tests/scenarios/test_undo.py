"""Changes of files and whole turns are taken back: once, by the right people, over deaths."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from bot.domain.change import Change, SaveTerms
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.limits import Limits
from bot.domain.talk.person import Role
from bot.domain.talk.rights import NEWCOMER
from bot.domain.tools.tool import Code
from bot.domain.turn.transcript import CutBody, TextPart
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart
from tests.fakes.channel import Shown
from tests.fakes.model import Gate, RuledModel, Step, call, calls, says
from tests.scenarios.dying import Fate
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, BOB, Stage, running, stage
from tests.scenarios.team import group
from tests.scenarios.test_errands import family, results_in, sends
from tests.scenarios.tools import filing, submitting, writing
from tests.words import (
    ALWAYS,
    APPROVE,
    APPROVERS_UNDO,
    AT_IT,
    BACK,
    CHANGE_GONE,
    CHANGE_UNDONE,
    CHANGED_SINCE,
    DEAD_BUTTON,
    DONE_ALREADY,
    KEEP,
    KEPT_AS_IS,
    NOTHING_TO_TAKE_BACK,
    PLAN_OPEN,
    PUT_BACK_ANYWAY,
    REDO,
    RULED_ALWAYS,
    STILL_WORKING,
    SUMMARISED,
    TAKERS_ONLY,
    UNDO,
    UNDO_LATER,
    UNDONE,
    UNSUMMED,
)

BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
Files = dict[str, bytes]
HANDED_IN = {"title": "Tidy", "summary": "It tidies."}


def files_as(what: str, text: str | None, id: str = "f") -> ModelReply:
    arguments = {"what": what} if text is None else {"what": what, "text": text}
    return calls(call(id, "file", arguments))


@asynccontextmanager
async def filed(files: Files, *script: Step) -> AsyncGenerator[Stage]:
    """A stage whose tool and whose door hold the same files."""
    async with stage(*script, tools=[filing(files), writing()]) as scene:
        scene.workspace_door.files = files
        yield scene


async def changed(scene: Stage, words: str = "change it", turns: int = 1) -> None:
    """Lets the model make its change, and approves it."""
    await scene.say(words)
    await scene.press(APPROVE)
    await scene.settled(turns)


def seen_by(scene: Stage) -> str:
    """Everything that the newest request to the model says."""
    texts: list[str] = []
    for message in scene.model.requests[-1].messages:
        for part in message.parts:
            if isinstance(part, TextPart | ResultPart):
                texts.append(part.text)
    return "\n".join(texts)


@pytest.mark.parametrize(
    ("before", "text"),
    [(b"old", "new"), (None, "new"), (b"old", None)],
    ids=["changed", "created", "deleted"],
)
async def test_the_card_of_a_change_takes_it_back_and_does_it_again(
    before: bytes | None, text: str | None
) -> None:
    files = {} if before is None else {"a.md": before}
    async with filed(files, files_as("a.md", text), says("Done.")) as scene:
        await changed(scene)
        after = dict(files)
        assert scene.labels == [UNDO]
        assert await scene.press(UNDO) == ""
        await scene.settled(2)
        assert files == ({} if before is None else {"a.md": before})
        assert scene.labels == [REDO]
        assert any(UNDONE in shown for shown in scene.texts)
        assert await scene.press(REDO) == ""
        await scene.settled(3)
        assert files == after
        assert scene.labels == [UNDO]
        assert not any(UNDONE in shown for shown in scene.texts)
        scene.assert_whole()


async def test_the_model_is_told_that_a_change_was_undone() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done."), says("I see.")) as scene:
        await changed(scene)
        await scene.press(UNDO)
        await scene.settled(2)
        await scene.say("and now?")
        await scene.settled(3)
        assert "The person undid changes" in seen_by(scene)
        assert '"a.md"' in seen_by(scene)


async def test_a_second_press_of_the_same_button_does_nothing() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        old = scene.cards[0]
        data = old.piece.body["buttons"][0][0]["data"]
        await scene.press(UNDO)
        await scene.settled(2)
        assert await scene.press_data(data, message_id=old.id) == DONE_ALREADY
        assert files == {"a.md": b"old"}
        assert scene.workspace_door.puts == ["a.md"]


async def test_a_press_while_the_file_is_being_put_back_changes_nothing() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        shown = scene.cards[0]
        data = shown.piece.body["buttons"][0][0]["data"]
        gate = scene.workspace_door.gate = asyncio.Event()
        assert await scene.press_data(data, message_id=shown.id) == ""
        assert await scene.press_data(data, message_id=shown.id) == AT_IT
        gate.set()
        await scene.settled(2)
        assert scene.workspace_door.puts == ["a.md"]
        assert files == {"a.md": b"old"}
        assert len(scene.turns) == 2


async def test_who_may_not_approve_changes_may_not_undo_them() -> None:
    files: Files = {"a.md": b"old"}
    async with group(files_as("a.md", "new"), says("Done."), tools=[filing(files)]) as team:
        scene = team.scene
        scene.workspace_door.files = files
        bob = await scene.store.people.by_sender(BOB)
        assert bob is not None
        terms = SaveTerms(bob.id, NEWCOMER, None)
        await scene.store.journal.commit(Change((terms,)))
        await team.ask("change it", BOB)
        await scene.press(APPROVE)
        await scene.settled()
        shown = await scene.until(lambda: next(iter(scene.cards), None))
        data = shown.piece.body["buttons"][0][0]["data"]
        told = await scene.press_data(data, BOB, shown.id, shown.address)
        assert told == APPROVERS_UNDO
        assert files == {"a.md": b"new"}


async def test_a_file_that_changed_since_is_shown_and_asked_about_again() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        files["a.md"] = b"mine"
        await scene.press(UNDO)
        await scene.settled(2)
        assert files == {"a.md": b"mine"}
        shown = await scene.shows(CHANGED_SINCE)
        assert "-mine" in shown
        assert "+old" in shown
        files["a.md"] = b"mine again"
        await scene.press(PUT_BACK_ANYWAY)
        await scene.settled(3)
        # It is not what was shown, so it is asked once more.
        assert files == {"a.md": b"mine again"}
        await scene.until(lambda: any("-mine again" in text for text in scene.texts))
        await scene.press(PUT_BACK_ANYWAY)
        await scene.settled(4)
        assert files == {"a.md": b"old"}
        await scene.press(REDO)
        await scene.settled(5)
        assert files == {"a.md": b"mine again"}


async def test_a_file_that_changed_since_can_be_kept() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        files["a.md"] = b"mine"
        await scene.press(UNDO)
        await scene.settled(2)
        await scene.press(KEEP)
        await scene.shows(KEPT_AS_IS)
        assert scene.labels == [UNDO]
        assert files == {"a.md": b"mine"}


async def test_a_file_that_is_as_before_already_is_left_alone() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        files["a.md"] = b"old"
        await scene.press(UNDO)
        await scene.settled(2)
        assert scene.workspace_door.puts == []
        assert scene.labels == []
        assert not scene.store.rows.file_changes


async def test_a_file_behind_a_link_is_not_touched() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        scene.workspace_door.locked.add("a.md")
        await scene.press(UNDO)
        await scene.shows("✗ a.md: it is a link")
        assert files == {"a.md": b"new"}
        scene.workspace_door.locked.clear()
        await scene.press(UNDO)
        await scene.settled(3)
        assert files == {"a.md": b"old"}


async def test_after_a_day_the_button_is_gone_and_a_late_press_is_told() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        shown = scene.cards[0]
        data = shown.piece.body["buttons"][0][0]["data"]
        await scene.clock.advance(24 * 3_600 + 1)
        assert await scene.press_data(data, message_id=shown.id) == CHANGE_GONE
        await scene.until(lambda: not scene.labels)
        assert files == {"a.md": b"new"}


async def test_the_sweep_takes_the_buttons_of_old_changes_away() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        await scene.clock.advance(24 * 3_600 + 1)
        await scene.application.parts.one_turn.chores.undoing.sweep.sweep()
        await scene.until(lambda: not scene.labels)
        assert not scene.store.rows.file_changes


async def test_only_the_asker_and_owners_may_press() -> None:
    files: Files = {"a.md": b"old"}
    script = (files_as("a.md", "new"), says("Done."))
    async with group(*script, tools=[filing(files)]) as team:
        scene = team.scene
        scene.workspace_door.files = files
        await team.ask("change it")
        await scene.press(APPROVE)
        await scene.settled()
        shown = scene.cards[0]
        data = shown.piece.body["buttons"][0][0]["data"]
        assert await scene.press_data(data, BOB, shown.id, shown.address) == TAKERS_ONLY
        assert files == {"a.md": b"new"}
        # From another chat the button is nobody's.
        assert await scene.press_data(data, ANN, shown.id) == DEAD_BUTTON
        assert await scene.press_data(data, ANN, shown.id, shown.address) == ""
        await scene.settled(2)
        assert files == {"a.md": b"old"}


async def test_a_press_while_a_turn_runs_waits_for_its_end() -> None:
    files: Files = {"a.md": b"old"}
    gate, second = Gate(), says("Second.")
    async with filed(files, files_as("a.md", "new"), says("Done."), gate, second) as scene:
        await changed(scene)
        await scene.say("more")
        await gate.reached()
        assert await scene.press(UNDO) == UNDO_LATER
        assert files == {"a.md": b"new"}
        gate.open()
        await scene.settled(3)
        assert files == {"a.md": b"old"}


async def test_undo_takes_the_last_turn_out_of_view_and_offers_its_changes() -> None:
    files: Files = {"a.md": b"old", "b.md": b"b"}
    both = calls(
        call("f1", "file", {"what": "a.md", "text": "one"}),
        call("f2", "file", {"what": "a.md", "text": "two"}),
        call("w", "write", {"what": "a letter"}),
    )
    script = (says("Hello."), both, says("All done."), says("Which?"))
    async with filed(files, *script) as scene:
        await scene.say("hi")
        await scene.settled()
        await scene.say("change all")
        await scene.press("Approve all")
        await scene.settled(2)
        assert files["a.md"] == b"two"
        await scene.say("/undo")
        shown = await scene.shows(BACK)
        assert "“change all”" in shown
        assert "write" in shown.split("cannot be undone")[1]
        await scene.press("Undo the 2 changes")
        await scene.settled(4)
        assert files["a.md"] == b"old"
        await scene.say("what did I ask?")
        await scene.settled(5)
        assert "hi" in seen_by(scene)
        assert "change all" not in seen_by(scene)
        assert "All done." not in seen_by(scene)
        assert "Calls that cannot be undone: 1" in seen_by(scene)


async def test_undo_goes_back_turn_by_turn() -> None:
    async with stage(says("One."), says("Two."), says("Three.")) as scene:
        for number, words in enumerate(("first", "second"), 1):
            await scene.say(words)
            await scene.settled(number)
        await scene.say("/undo")
        await scene.shows("“second”")
        await scene.settled(3)
        await scene.say("/undo")
        await scene.shows("“first”")
        await scene.settled(4)
        await scene.say("/undo")
        await scene.shows(NOTHING_TO_TAKE_BACK)
        await scene.say("third")
        await scene.settled(5)
        assert "first" not in seen_by(scene)
        assert "second" not in seen_by(scene)
        assert not scene.store.rows.passages.keys() & {turn.id for turn in scene.turns[:2]}


async def test_undo_after_a_summary_takes_the_summary_back_and_not_the_answer() -> None:
    script = (says("One."), says("Two."), says("- a summary"), says("Three."), says("Four."))
    async with stage(*script) as scene:
        for number, words in enumerate(("first", "second"), 1):
            await scene.say(words)
            await scene.settled(number)
        await scene.say("/compact")
        await scene.shows(SUMMARISED)
        await scene.say("/undo")
        await scene.shows(UNSUMMED)
        await scene.settled(4)
        await scene.say("third")
        await scene.settled(5)
        said = seen_by(scene)
        assert "- a summary" not in said
        assert all(words in said for words in ("first", "One.", "second", "Two.", "third"))
        for number, words in enumerate(("“third”", "“second”"), 6):
            await scene.say("/undo")
            await scene.shows(words)
            await scene.settled(number)
        await scene.say("fourth")
        await scene.settled(8)
        said = seen_by(scene)
        assert "first" in said
        assert "second" not in said


async def test_there_is_nothing_to_summarise_once_everything_was_taken_back() -> None:
    async with stage(says("One.")) as scene:
        await scene.say("first")
        await scene.settled()
        await scene.say("/undo")
        await scene.shows("“first”")
        await scene.settled(2)
        await scene.say("/compact")
        await scene.shows("There is nothing to summarise yet.")
        assert len(scene.model.requests) == 1


async def test_a_summary_is_taken_back_after_the_answer_that_came_behind_it() -> None:
    script = (says("One."), says("- a summary"), says("Two."), says("Three."))
    async with stage(*script) as scene:
        await scene.say("first")
        await scene.settled()
        await scene.say("/compact")
        await scene.shows(SUMMARISED)
        await scene.say("second")
        await scene.settled(3)
        assert "- a summary" in seen_by(scene)
        await scene.say("/undo")
        await scene.shows("“second”")
        await scene.settled(4)
        await scene.say("/undo")
        await scene.shows(UNSUMMED)
        await scene.settled(5)
        await scene.say("third")
        await scene.settled(6)
        said = seen_by(scene)
        assert "- a summary" not in said
        assert "One." in said


async def test_undo_is_refused_while_a_turn_runs_and_while_a_plan_is_open() -> None:
    gate = Gate()
    planned = calls(call("w", "write", {"what": "x"}), call("s", "submit_plan", HANDED_IN))
    async with stage(gate, says("Later."), planned, tools=[submitting(), writing()]) as scene:
        await scene.say("hi")
        await gate.reached()
        await scene.say("/undo")
        await scene.shows(STILL_WORKING)
        gate.open()
        await scene.settled()
        await scene.say("/plan tidy up")
        await scene.settled(2)
        await scene.say("/undo")
        await scene.shows(PLAN_OPEN)


async def test_undo_files_puts_the_files_of_the_newest_turn_back() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("Done.")) as scene:
        await changed(scene)
        await scene.say("/undo files")
        await scene.shows("↩ a.md is as it was before")
        assert files == {"a.md": b"old"}
        await scene.say("/undo files")
        await scene.shows("I have changed no file")


async def test_undo_ends_the_open_cards_of_the_turn_it_takes_back() -> None:
    script = (calls(call("w", "write", {"what": "x"})), says("Something else."))
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("never mind")
        await scene.settled(2)
        await scene.say("/undo")
        await scene.shows("“never mind”")
        await scene.settled(3)
        await scene.say("/undo")
        await scene.settled(4)
        assert [card.state for card in scene.approvals] == [ApprovalState.CANCELLED]


async def test_too_many_old_contents_of_a_chat_lose_the_oldest() -> None:
    files: Files = {"a.md": b"old"}
    script = (files_as("a.md", "new"), says("One."), files_as("b.md", None, "g"), says("Two."))
    async with filed({**files, "b.md": b"b" * 19_999_999}, *script) as scene:
        await changed(scene)
        await changed(scene, "again", 2)
        await scene.application.parts.one_turn.chores.undoing.sweep.sweep()
        (left,) = scene.store.rows.file_changes.values()
        assert left.path == "b.md"


def _files_it(request: ModelRequest) -> ModelReply:
    if results_in(request):
        return says("Errand done.")
    return files_as("a.md", "new")


async def test_what_an_errand_changed_is_taken_back_with_the_turn_that_sent_it() -> None:
    files: Files = {"a.md": b"old"}
    async with family(sends("tidy"), [filing(files)], tidy=_files_it) as scene:
        scene.workspace_door.files = files
        await scene.say("send somebody")
        await scene.press(APPROVE)
        await scene.settled(2)
        assert files == {"a.md": b"new"}
        assert UNDO in scene.labels
        await scene.say("/undo")
        await scene.press("Undo the change")
        await scene.shows("a.md is as it was before")
        assert files == {"a.md": b"old"}


def _by_rule(request: ModelRequest, number: int) -> ModelReply:
    newest = request.messages[-1].parts
    if any(isinstance(part, ResultPart) for part in newest):
        return says("Done.")
    return calls(
        call("f1", "file", {"what": "a.md", "text": "one"}),
        call("f2", "file", {"what": "a.md", "text": "two"}),
        call("f3", "file", {"what": "b.md"}),
    )


def _pressing(card: Shown) -> str | None:
    for row in card.piece.body["buttons"]:
        for button in row:
            data = str(button["data"])
            if data.startswith("u:t:") or "Approve all" in button["label"]:
                return data
    return None


async def _play(fate: Fate) -> tuple[Stage, Files]:
    files: Files = {"a.md": b"old", "b.md": b"b"}
    scene = Stage(RuledModel(_by_rule), [filing(files)], Limits(), fate)
    scene.workspace_door.files = files
    async with running(scene):
        life = Life(scene, fate, _pressing)
        await life.accept(scene.message("change all"))
        await life.until(lambda: "Done." in "".join(scene.texts))
        await life.accept(scene.message("/undo"))
        await life.until(lambda: any(end in "".join(scene.texts) for end in ENDS))
    return scene, files


ENDS = ("a.md is as it was before", CHANGED_SINCE)
LIVES = [(at, after) for at in range(1, 53) for after in (False, True)]
"""A few writes more or less: an edit that comes soon enough needs no message of its own."""


@pytest.mark.parametrize(("at", "after"), LIVES)
async def test_a_death_at_any_write_leaves_every_file_as_before_once(at: int, after: bool) -> None:
    scene, files = await _play(Fate(at, after))
    unknown = [r for r in scene.results if r.code is Code.OUTCOME_UNKNOWN]
    told = "".join(scene.texts)
    if unknown:
        assert "These cannot be undone:" in told
    else:
        assert files == {"a.md": b"old", "b.md": b"b"}
        assert scene.workspace_door.puts == ["b.md", "a.md", "a.md"]
        assert len([b for b in scene.bodies if isinstance(b, CutBody) and b.without]) == 1
    assert all(turn.state is TurnState.SETTLED for turn in scene.turns)
    scene.assert_whole()


async def test_what_a_rule_let_happen_is_taken_back_and_nothing_else() -> None:
    files: Files = {"a.md": b"old", "b.md": b"old"}
    again = call("g", "file", {"what": "a.md", "text": "new"})
    other = call("h", "file", {"what": "b.md", "text": "new"})
    script = (files_as("a.md", "new"), says("One."), calls(again, other), says("Two."))
    async with filed(files, *script) as scene:
        await scene.say("change it")
        await scene.press(ALWAYS)
        await scene.settled(1)
        await scene.press(UNDO)
        await scene.settled(2)
        await scene.say("change both")
        await scene.press(APPROVE)
        await scene.settled(3)
        assert files == {"a.md": b"new", "b.md": b"new"}
        (told,) = [text for text in scene.texts if RULED_ALWAYS in text]
        assert "b.md" not in told
        shown = next(one for one in scene.cards if RULED_ALWAYS in one.text)
        data = shown.piece.body["buttons"][0][0]["data"]
        assert await scene.press("↩ Undo the change") == ""
        await scene.settled(4)
        assert files == {"a.md": b"old", "b.md": b"new"}
        assert await scene.shows("↩ a.md is as it was before")
        assert not any(RULED_ALWAYS in one.text for one in scene.cards)
        assert await scene.press_data(data, message_id=shown.id) == DONE_ALREADY
        scene.assert_whole()


async def test_beside_a_new_rule_the_button_and_its_answer_are_about_the_change_alone() -> None:
    files: Files = {"a.md": b"old"}
    async with filed(files, files_as("a.md", "new"), says("One.")) as scene:
        await scene.say("change it")
        await scene.press(ALWAYS)
        await scene.settled(1)
        assert scene.labels == [f"{UNDO} the change"]
        await scene.press(UNDO)
        await scene.settled(2)
        assert scene.labels == [f"{REDO} the change"]
        assert any(CHANGE_UNDONE in shown for shown in scene.texts)
        await scene.press(REDO)
        await scene.settled(3)
        assert scene.labels == [f"{UNDO} the change"]
        await scene.say("/rules")
        await scene.shows("Runs without asking:")


async def test_nobody_else_takes_back_what_a_rule_let_happen() -> None:
    files: Files = {"a.md": b"old"}
    again = calls(call("g", "file", {"what": "a.md", "text": "new"}))
    script = (files_as("a.md", "new"), says("One."), again, says("Two."))
    async with stage(*script, tools=[filing(files)], people=BOTH) as scene:
        scene.workspace_door.files = files
        await scene.say("change it")
        await scene.press(ALWAYS)
        await scene.settled(1)
        await scene.say("change it again")
        await scene.settled(2)
        assert await scene.press("↩ Undo the change", sender=BOB) == TAKERS_ONLY
        assert files == {"a.md": b"new"}


async def test_a_turn_that_is_set_aside_offers_to_take_back_what_a_rule_let_happen() -> None:
    files: Files = {"a.md": b"old"}
    both = calls(
        call("g", "file", {"what": "a.md", "text": "new"}), call("w", "write", {"what": "x"})
    )
    script = (files_as("a.md", "new"), says("One."), both, says("Hello."))
    async with filed(files, *script) as scene:
        await scene.say("change it")
        await scene.press(ALWAYS)
        await scene.settled(1)
        await scene.press(UNDO)
        await scene.settled(2)
        await scene.say("change it again, and write")
        await scene.parked()
        await scene.say("hello")
        await scene.settled(4)
        await scene.press("↩ Undo the change")
        await scene.settled(5)
        assert files == {"a.md": b"old"}
