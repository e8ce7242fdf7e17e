"""/forget erases for good, after a button; the model never sees the erased words again."""

import pytest

from bot.domain.talk.message import OutboundKind
from bot.domain.talk.person import Role
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.team import group
from tests.scenarios.test_approvals import write
from tests.scenarios.test_background import seen
from tests.scenarios.test_memory import indexed, kept
from tests.scenarios.test_notes import kinds
from tests.scenarios.tools import looking, writing

SECRET = "xyzzyplugh"


def left(scene: Stage) -> str:
    """Everything that the store holds, but what the platform sent."""
    rows = scene.store.rows
    return str([rows.entries, rows.passages, rows.outbox, rows.artifacts, rows.audit, rows.notes])


async def test_an_answer_is_erased_only_after_the_button() -> None:
    look = calls(call("r", "look", {"what": SECRET}))
    script = (look, says(f"It is {SECRET}."), says("I do not know."))
    async with stage(*script, tools=[looking(SECRET)]) as scene:
        await scene.say(f"The code is {SECRET}")
        await scene.settled()
        await indexed(scene)
        (one,) = kept(scene)
        await scene.say(f"/forget {one.id}")
        await scene.shows("I cannot bring it back")
        assert SECRET in left(scene)
        assert OutboundKind.OPTION in kinds(scene), "the words to confirm it stand nowhere"
        await scene.press("Erase")
        await scene.shows("Erased.")
        assert SECRET not in left(scene)
        assert scene.store.rows.audit[-1].action == "memory.erased"
        await scene.say("What is the code?")
        await scene.settled(2)
        assert SECRET not in seen(scene.model.requests[-1])
        assert "[erased 2026-11-02]" in seen(scene.model.requests[-1])
        scene.assert_whole()


async def test_a_kept_answer_stays() -> None:
    async with stage(says("Hi.")) as scene:
        await scene.say("Hello")
        await scene.settled()
        await scene.say("/forget conversation")
        await scene.press("Keep")
        await scene.shows("Kept. Nothing was erased.")
        assert len(kept(scene)) == 1
        await scene.say("/forget nothing-like-it")
        await scene.shows("I remember nothing with the id")


async def test_everything_of_a_person_goes_and_nothing_of_others() -> None:
    both = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
    async with stage(says("Ann's."), says("Bob's."), people=both) as scene:
        await scene.say("mine")
        await scene.settled()
        scene.store.rows.passages["other"] = kept(scene)[0].__class__(
            "other", "p2", scene.clock.now(), "theirs", "theirs", 2
        )
        await scene.say("/forget all")
        await scene.press("Erase")
        await scene.shows("Erased.")
        assert [one.id for one in kept(scene)] == ["other"]
        await scene.say("again")
        await scene.settled(2)


async def test_in_a_group_only_an_owner_erases_what_others_said() -> None:
    async with group(says("Hi.")) as team:
        scene = team.scene
        await team.ask("hello", ANN)
        await scene.settled()
        (one,) = kept(scene)
        for what in (one.id, "conversation", "all"):
            before = len(scene.channel.screen)
            await team.ask(f"/forget {what}", BOB)
            await scene.until(lambda before=before: len(scene.channel.screen) > before)
        assert sum("only an owner" in s.text for s in scene.channel.screen.values()) == 3
        assert len(kept(scene)) == 1


async def test_a_turn_that_runs_while_everything_is_erased_goes_on_without_the_words() -> None:
    gate = Gate()
    look = calls(call("r", "look", {"what": "it"}))
    script = (says(f"It is {SECRET}."), gate, look, says("Done."), says("I know nothing."))
    async with stage(*script, tools=[looking("fine")]) as scene:
        await scene.say(f"The code is {SECRET}")
        await scene.settled()
        await scene.say("Look at it")
        await gate.reached()
        await scene.say("/forget all")
        await scene.shows("I cannot bring it back")
        await scene.press("Erase")
        await scene.shows("Erased.")
        gate.open()
        await scene.settled(2)
        before = len(scene.model.requests)
        assert all(SECRET not in seen(one) for one in scene.model.requests[2:])
        assert SECRET not in left(scene)
        await scene.say("What is the code?")
        await scene.settled(3)
        assert SECRET not in seen(scene.model.requests[before])
        scene.assert_whole()


async def test_an_erased_conversation_leaves_notes_and_says_so() -> None:
    noting = calls(call("n", "remember", {"note": "Ann drinks tea."}))
    async with stage(noting, says("I will.")) as scene:
        await scene.say("I drink tea")
        await scene.settled()
        await scene.say("/forget conversation")
        await scene.press("Erase")
        await scene.shows("of this conversation now, except what my notes say. /memory shows them.")
        await scene.say("/memory")
        await scene.shows("My notes:")


async def test_what_people_told_about_themselves_stays_when_everything_is_erased() -> None:
    async with stage(says("Hi.")) as scene:
        await scene.say("/about I like short answers.")
        await scene.say("Hello")
        await scene.settled()
        await scene.say("/forget all")
        await scene.press("Erase")
        await scene.shows("I remember nothing now that was said before, except what /about shows.")
        await scene.say("/about")
        await scene.shows("You told me:")


@pytest.mark.parametrize("how", ["Deny", "/stop"])
@pytest.mark.parametrize("what", ["all", "conversation"])
async def test_a_card_that_outlived_its_turn_takes_no_erased_words_along(
    what: str, how: str
) -> None:
    script = calls(write("w", SECRET)), says("Four."), says("I know nothing.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say(f"write {SECRET}")
        await scene.parked()
        await scene.say("what is two and two?")
        await scene.settled(2)
        await scene.say(f"/forget {what}")
        await scene.press("Erase")
        await scene.shows("Erased.")
        assert SECRET in scene.approvals[0].preview.subject, "it can still be approved"
        if how == "Deny":
            await scene.press(how)
        else:
            await scene.say(how)
        await scene.until(lambda: not scene.cards)
        assert SECRET not in left(scene)
        assert SECRET not in str(scene.approvals)
        await scene.say("and now?")
        await scene.settled(3)
        assert SECRET not in seen(scene.model.requests[-1])
        scene.assert_whole()


async def test_a_card_of_an_erased_turn_can_be_approved() -> None:
    tool = writing()
    script = calls(write("w", SECRET)), says("Four."), says("Written after all.")
    async with stage(*script, tools=[tool]) as scene:
        await scene.say(f"write {SECRET}")
        await scene.parked()
        await scene.say("what is two and two?")
        await scene.settled(2)
        await scene.say("/forget all")
        await scene.press("Erase")
        await scene.shows("Erased.")
        await scene.press("Approve")
        await scene.settled(3)
        assert [one["what"] for one in tool.ran] == [SECRET]
