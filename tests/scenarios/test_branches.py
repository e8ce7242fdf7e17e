"""A talk branches off, gets a name and is opened again: where it ended, once, over deaths."""

from bot.domain.turn.view import ModelRequest
from tests.fakes.model import Gate, call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import BOB, Stage, stage
from tests.scenarios.team import TEAM, group
from tests.scenarios.test_forgetting import SECRET, left
from tests.scenarios.test_memory import kept
from tests.scenarios.test_skills import skill
from tests.scenarios.test_undo import HANDED_IN, seen_by
from tests.scenarios.tools import looking, submitting, writing
from tests.words import (
    BRANCHED,
    CARD_WAITS,
    EVERY_TALK,
    NO_SUCH_TALK,
    NOTHING_TO_BRANCH,
    OPEN_AGAIN,
    PLAN_OPEN,
    RULE_PAUSED,
    STILL_WORKING,
    TALKS,
)


def blocks(request: ModelRequest) -> list[str]:
    """Everything that a request holds, block by block."""
    return [repr(part) for message in request.messages for part in message.parts]


def current(scene: Stage) -> str:
    (chat,) = [c for c in scene.store.rows.chats.values() if c.private and c.screen is None]
    return chat.conversation


async def told(scene: Stage, words: str, turns: int) -> None:
    await scene.say(words)
    await scene.settled(turns)


async def listed(scene: Stage) -> str:
    before = len(scene.texts)
    await scene.say("/conversations")
    await scene.until(lambda: len(scene.texts) > before)
    return scene.texts[-1]


async def test_a_branch_has_the_past_in_the_same_bytes_and_goes_its_own_way() -> None:
    script = (says("One."), says("Two."), says("Three."), says("Four."))
    async with stage(*script) as scene:
        await told(scene, "first", 1)
        first = current(scene)
        await scene.say("/branch Another way")
        assert "Another way" in await scene.shows(BRANCHED)
        side = current(scene)
        assert side != first
        await told(scene, "second", 2)
        before, after = scene.model.requests
        assert blocks(after)[: len(blocks(before))] == blocks(before)
        assert (before.system, before.tools) == (after.system, after.tools)
        assert "One." in seen_by(scene)
        await scene.press("first")
        await scene.shows(OPEN_AGAIN)
        assert current(scene) == first
        await told(scene, "third", 3)
        assert "second" not in seen_by(scene)
        await scene.press(EVERY_TALK)
        shown = await scene.shows(TALKS)
        assert _open_now(shown) == "first"
        await scene.press("Another way")
        await told(scene, "fourth", 4)
        assert all(word in seen_by(scene) for word in ("first", "second", "Two."))
        assert "third" not in seen_by(scene)
        scene.assert_whole()


def _open_now(listed: str) -> str:
    """The conversation that a list marks as the open one."""
    (line,) = [line for line in listed.splitlines() if line.endswith(" · open now")]
    return line.removeprefix("- ").split(" · ")[0]


async def test_the_list_has_names_or_first_words_and_marks_the_open_one() -> None:
    async with stage(says("One."), says("Two."), says("Three.")) as scene:
        await told(scene, "plan the garden", 1)
        await scene.clock.advance(60)
        await scene.say("/branch")
        await scene.shows(BRANCHED)
        assert _open_now(await listed(scene)) == "↳ plan the garden"
        await told(scene, "only roses", 2)
        assert _open_now(await listed(scene)) == "↳ only roses"
        await scene.say("/title")
        await scene.shows("names this conversation")
        await scene.say("/title Roses <b>& more</b>")
        await scene.shows("is called")
        await scene.clock.advance(60)
        await scene.say("/new")
        await scene.shows("A fresh start.")
        await told(scene, "something else", 3)
        lines = (await listed(scene)).splitlines()[2:]
        assert [line.split(" · ")[0] for line in lines] == [
            "- something else",
            r"- Roses \<b\>\& more\</b\>",
            "- plan the garden",
        ]
        await scene.say("/title")
        await scene.say("/conversations nothing-like-it")
        await scene.shows(NO_SUCH_TALK)


async def test_a_long_list_has_pages() -> None:
    async with stage(*(says(f"Answer {n}.") for n in range(10))) as scene:
        for number in range(10):
            await told(scene, f"talk {number}", number + 1)
            await scene.clock.advance(60)
            await scene.say("/new")
            await scene.routed()
            await scene.application.parts.way_out.delivery.flushed()
        first = await listed(scene)
        assert "talk 9" in first
        assert "talk 2" not in first
        await scene.press("Older")
        second = await scene.shows("page 2")
        assert "talk 2" in second
        assert "talk 9" not in second
        await scene.press("talk 0")
        await scene.shows(OPEN_AGAIN)
        await scene.say("/conversations page 99")
        await scene.shows("no older conversations")


async def test_an_old_list_and_a_second_press_do_what_they_say() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        await told(scene, "first", 1)
        first = current(scene)
        await listed(scene)
        old = scene.cards[-1]
        data = old.piece.body["buttons"][0][0]["data"]
        await scene.say("/new")
        await scene.shows("A fresh start.")
        await scene.crash()
        assert await scene.press_data(data, message_id=old.id) == ""
        assert current(scene) == first
        assert await scene.press_data(data, message_id=old.id) == ""
        await scene.shows(TALKS)
        assert current(scene) == first
        await told(scene, "second", 2)
        assert "One." in seen_by(scene)


async def test_nothing_branches_off_or_opens_while_something_is_under_way() -> None:
    gate = Gate()
    script = (says("One."), gate, says("Two."), calls(call("w", "write", {"what": "x"})))
    async with stage(*script, says("Three."), tools=[writing()]) as scene:
        await scene.say("/branch")
        await scene.shows(NOTHING_TO_BRANCH)
        await told(scene, "first", 1)
        await scene.say("/branch Side")
        await scene.shows(BRANCHED)
        side = current(scene)
        await scene.say("second")
        await gate.reached()
        assert STILL_WORKING in await scene.press("first")
        await scene.say("/branch")
        await scene.shows(STILL_WORKING)
        gate.open()
        await scene.settled(2)
        await scene.say("third")
        await scene.parked()
        assert STILL_WORKING in await scene.press("first")
        await scene.say("wait, what?")
        await scene.settled(4)
        assert CARD_WAITS in await scene.press("first")
        await scene.say("/branch")
        await scene.shows(CARD_WAITS)
        assert current(scene) == side
        assert "Deny" in str(scene.labels)


async def test_an_open_plan_keeps_its_conversation() -> None:
    planned = calls(call("w", "write", {"what": "x"}), call("s", "submit_plan", HANDED_IN))
    async with stage(says("One."), planned, tools=[submitting(), writing()]) as scene:
        await told(scene, "first", 1)
        await scene.say("/plan tidy up")
        await scene.settled(2)
        await scene.say("/branch")
        await scene.shows(PLAN_OPEN)


async def test_a_conversation_is_opened_with_its_model_and_its_skill() -> None:
    skills = FakeSkills(skill("minutes"), skill("letters"))
    script = (says("One."), says("Two."), says("Three."))
    async with stage(*script, skills=skills) as scene:
        await scene.say("/skill minutes")
        await scene.say("/model fake/other")
        await told(scene, "first", 1)
        first = current(scene)
        await scene.say("/branch Side")
        await scene.shows(BRANCHED)
        await scene.say("/skill letters")
        await scene.say("/model default")
        await told(scene, "second", 2)
        await scene.say(f"/conversations {first}")
        await scene.shows(OPEN_AGAIN)
        (chat,) = scene.store.rows.chats.values()
        assert (chat.skill, chat.settings.model) == ("minutes", "fake/other")
        await scene.say("third")
        turn = await scene.settled(3)
        assert (turn.skill, turn.model) == ("minutes", "fake/other")
        assert "second" not in seen_by(scene)


async def test_undo_and_retry_of_the_shared_past_leave_the_other_talk_as_it_was() -> None:
    script = (says("One."), says("Two."), says("Anew."), says("Three."), says("4."), says("5."))
    async with stage(*script) as scene:
        await told(scene, "first", 1)
        await told(scene, "second", 2)
        first = current(scene)
        await scene.say("/branch")
        await scene.shows(BRANCHED)
        await scene.say("/retry")
        await scene.settled(3)
        await scene.shows("Anew.")
        assert scene.turns[-1].conversation == current(scene) != first
        assert "Two." not in seen_by(scene)
        await scene.say(f"/conversations {first}")
        await scene.shows(OPEN_AGAIN)
        await told(scene, "third", 4)
        assert "Two." in seen_by(scene)
        assert "Anew." not in seen_by(scene)
        await scene.say("/branch")
        await scene.until(lambda: current(scene) not in (first, scene.turns[2].conversation))
        await scene.say("/undo")
        await scene.settled(5)
        await told(scene, "fourth", 6)
        assert "third" not in seen_by(scene)
        await scene.say(f"/conversations {first}")
        await scene.until(lambda: current(scene) == first)
        await told(scene, "fifth", 7)
        assert "third" in seen_by(scene)


async def test_a_summary_counts_in_a_branch_only_from_before_it() -> None:
    script = (says("One."), says("The sum."), says("Two."), says("Later sum."), says("Three."))
    async with stage(*script) as scene:
        await told(scene, "first", 1)
        await scene.say("/compact")
        await scene.settled(2)
        await scene.say("/branch Side")
        await scene.shows(BRANCHED)
        side = current(scene)
        await scene.press("first")
        await scene.shows(OPEN_AGAIN)
        await told(scene, "second", 3)
        await scene.say("/compact")
        await scene.settled(4)
        await scene.say(f"/conversations {side}")
        await told(scene, "third", 5)
        assert "The sum." in seen_by(scene)
        assert "Later sum." not in seen_by(scene)


async def test_erased_words_are_gone_from_every_branch_and_answers_are_kept_once() -> None:
    look = calls(call("r", "look", {"what": SECRET}))
    script = (look, says(f"It is {SECRET}."), says("Hm."), says("No."), says("No."))
    async with stage(*script, tools=[looking(SECRET)]) as scene:
        await told(scene, f"The code is {SECRET}", 1)
        first = current(scene)
        await scene.say(f"/branch {SECRET}")
        await scene.shows(BRANCHED)
        await scene.say(f"/title The {SECRET}")
        await scene.shows("is called")
        await told(scene, "go on", 2)
        assert len(kept(scene)) == 2
        await listed(scene)
        await scene.say("/forget conversation")
        await scene.press("Erase")
        await scene.shows("Erased.")
        assert SECRET not in left(scene)
        assert SECRET not in str(scene.store.rows.conversations)
        await told(scene, "third", 3)
        assert SECRET not in seen_by(scene)
        await scene.say(f"/conversations {first}")
        await scene.shows(OPEN_AGAIN)
        await told(scene, "fourth", 4)
        assert SECRET not in seen_by(scene)
        scene.assert_whole()


async def test_a_question_about_one_conversation_never_erases_another() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        await told(scene, "first", 1)
        first = current(scene)
        await scene.say("/forget conversation")
        await scene.shows("and the same words in copies that /branch made")
        await scene.say("/new")
        await scene.shows("A fresh start.")
        await told(scene, "second", 2)
        assert "Another conversation is open" in await scene.press("Erase")
        assert len(kept(scene)) == 2
        await scene.say(f"/conversations {first}")
        await scene.shows(OPEN_AGAIN)
        await scene.press("Erase")
        await scene.shows("Erased.")
        (one,) = kept(scene)
        assert one.question == "second"


async def test_an_export_tells_the_shared_past_once() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        await told(scene, "the first words", 1)
        await scene.say("/branch")
        await scene.shows(BRANCHED)
        await told(scene, "the second words", 2)
        await scene.say("/export")
        await scene.until(lambda: scene.packing.packed)
        (pages,) = scene.packing.packed.values()
        packed = "".join(page.markdown for page in pages)
        assert packed.count("the first words") == packed.count("the second words") == 1


async def test_members_of_a_group_branch_and_open_as_they_may_start_afresh() -> None:
    async with group(says("One.")) as team:
        await team.ask("first")
        await team.scene.settled()
        await team.command("/branch Side", BOB)
        side = team.chat.conversation
        (shown,) = [c for c in team.scene.cards if "first" in str(c.piece.body["buttons"])]
        data = shown.piece.body["buttons"][0][0]["data"]
        assert await team.scene.press_data(data, BOB, shown.id, TEAM) == ""
        assert team.chat.conversation != side


async def test_an_answer_taken_back_in_a_branch_is_remembered_while_its_parent_shows_it() -> None:
    script = (says("One."), says("Anew."))
    async with stage(*script) as scene:
        await told(scene, "first", 1)
        first = current(scene)
        await scene.say("/branch Another way")
        await scene.shows(BRANCHED)
        await scene.say("/retry")
        await scene.settled(2)
        assert [one.answer for one in kept(scene)] == ["One.", "Anew."]
        await listed(scene)
        await scene.press("first")
        await scene.shows(OPEN_AGAIN)
        assert current(scene) == first
        await scene.say("/undo")
        await scene.settled(3)
        assert [one.answer for one in kept(scene)] == ["Anew."]
        scene.assert_whole()


async def test_a_branch_and_an_opened_conversation_keep_their_mark_and_a_fresh_one_has_none() -> (
    None
):
    writer = writing()
    write = [calls(call(id, "write", {"what": "x"})) for id in "abcd"]
    script = (write[0], says("One."), says("A gerbil."), write[1], says("Two."))
    rest = (write[2], says("Three."), write[3], says("Four."))
    async with stage(*script, *rest, tools=[writer]) as scene:
        await scene.say("write x")
        await scene.press("Always")
        await scene.settled()
        first = current(scene)
        await scene.say("Look at this gerbil", forwarded_from="Eve")
        await scene.settled(2)
        await scene.say("/branch Side")
        await scene.shows(BRANCHED)
        await denied_beside_eve(scene, 3)
        side = current(scene)
        await scene.say("/new")
        await scene.until(lambda: current(scene) != side)
        await told(scene, "Please begin afresh", 4)
        assert len(writer.ran) == 2
        await scene.say(f"/conversations {first}")
        await scene.shows(OPEN_AGAIN)
        await denied_beside_eve(scene, 5)


async def denied_beside_eve(scene: Stage, turns: int) -> None:
    """Asks for what a rule allows, and denies the card, which names the source of the pause."""
    await scene.say("write x")
    await scene.parked()
    assert f"{RULE_PAUSED} (a forward from Eve). /new resumes it." in scene.cards[-1].text
    await scene.press("Deny")
    await scene.settled(turns)
