"""What a skill asks to do unasked: offered once, allowed by a press, ended with the skill's use."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from bot.domain.change import AddRule, Change, ChooseSkill
from bot.domain.consent.approval import ApprovalState, Rule
from bot.domain.consent.pre_approval import pre_approved
from bot.domain.skills.skill import Skill
from bot.domain.talk.person import Role
from bot.domain.talk.rights import NEWCOMER
from bot.domain.tools.tool import Effect, PathRule, Replay, ToolOutput
from bot.domain.turn.view import ModelReply
from bot.ports.tool import Place
from tests.fakes.channel import Shown
from tests.fakes.model import call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.scenarios.test_skills import skill, use
from tests.scenarios.tools import ScenarioTool, foreign, tool
from tests.words import (
    ALLOW,
    ASKS_AGAIN,
    INCLUDES_THIS,
    NOT_YOURS,
    NOTES_ALLOWED,
    NOTES_ASKS,
    READING_COMMANDS,
)


def wrote(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
    return ToolOutput(f"wrote {arguments['path']}")


def files() -> ScenarioTool:
    return tool("write_file", Effect.WRITE, Replay.ONCE, wrote)


def commands(effect: Effect = Effect.WRITE) -> ScenarioTool:
    return tool("run_command", effect, Replay.ONCE, lambda _, __: ToolOutput("exit code 0"))


def notes(**fields: object) -> Skill:
    return skill("notes", pre_approved=pre_approved(["Write(notes/**)", "Read"]), **fields)


def write(path: str, id: str = "w") -> ModelReply:
    return calls(call(id, "write_file", {"path": path}))


def run(command: str, id: str = "r") -> ModelReply:
    return calls(call(id, "run_command", {"command": command}))


def asking(scene: Stage) -> list[Shown]:
    """The open cards on the screen, without the menus of commands."""
    return [card for card in scene.cards if card.text.startswith("🔐")]


def offers(scene: Stage) -> list[str]:
    """The cards on the screen that offer what a skill asks for."""
    return [card.text for card in asking(scene) if ALLOW in str(card.piece.body["buttons"])]


def under(scene: Stage) -> list[str]:
    """The skills that asked for the rules in force."""
    return [rule.under.partition("@")[0] for rule in scene.store.rows.rules.values()]


async def test_a_press_approves_the_card_and_lets_the_like_run_unasked() -> None:
    script = use("notes"), write("notes/a.md"), write("notes/b.md", "w2"), says("Done.")
    written = files()
    async with stage(*script, tools=[written], skills=FakeSkills(notes())) as scene:
        await scene.say("Go")
        await scene.parked()
        (card,) = offers(scene)
        assert NOTES_ASKS in card
        assert "• Write documents in notes/" in card
        assert INCLUDES_THIS in card
        told = await scene.press(ALLOW)
        assert told == NOTES_ALLOWED
        await scene.settled()
        assert [a["path"] for a in written.ran] == ["notes/a.md", "notes/b.md"]
        assert [card.state for card in scene.approvals] == [ApprovalState.APPROVED]
        (line,) = [line for line in scene.store.rows.audit if line.action == "skill.allowed"]
        assert (line.subject, line.person) == ("notes", 1)
        assert line.details["rules"] == ["Write documents in notes/"]
        await scene.say("/rules")
        await scene.shows("Write documents in notes/, while the skill `notes` is in use")
        await scene.say("/rules remove 1")
        await scene.shows(ASKS_AGAIN)
        assert under(scene) == []


async def test_a_call_that_no_rule_covers_keeps_its_card_without_the_offer() -> None:
    script = use("notes"), write("x.sh"), write("notes/b.md", "w2"), says("Done.")
    written = files()
    async with stage(*script, tools=[written], skills=FakeSkills(notes())) as scene:
        await scene.say("Go")
        await scene.parked()
        assert "This call still asks." in offers(scene)[0]
        assert (await scene.press(ALLOW)).endswith("This call still waits.")
        await scene.until(lambda: not offers(scene))
        assert len(asking(scene)) == 1
        assert written.ran == []
        assert under(scene) == ["notes"]
        await scene.press("Approve")
        await scene.settled()
        assert [a["path"] for a in written.ran] == ["x.sh", "notes/b.md"]
        assert len(scene.approvals) == 1


async def test_what_is_not_allowed_is_not_offered_again_while_the_skill_is_in_use() -> None:
    script = (
        use("notes"),
        write("notes/a.md"),
        write("notes/b.md", "w2"),
        says("Done."),
        write("notes/c.md", "w3"),
        says("Again."),
    )
    async with stage(*script, tools=[files()], skills=FakeSkills(notes())) as scene:
        await scene.say("Go")
        for offered in (1, 0):
            await scene.until(lambda: asking(scene))
            assert len(offers(scene)) == offered
            await scene.press("Approve")
            await scene.until(lambda: not asking(scene))
        await scene.settled()
        await scene.say("And one more")
        await scene.until(lambda: asking(scene))
        assert offers(scene) == []
        await scene.press("Approve")
        await scene.settled(2)


async def switched_off(scene: Stage) -> None:
    await scene.say("/skill off")
    await scene.shows("is off.")


async def another_chosen(scene: Stage) -> None:
    await scene.say("/skill other")
    await scene.shows("`other` is on from")


async def begun_afresh(scene: Stage) -> None:
    await scene.say("/new")
    await scene.shows("A fresh start.")


async def edited(scene: Stage) -> None:
    skills = scene.skills
    skills.put(notes(body="Do it otherwise."))


async def removed(scene: Stage) -> None:
    scene.skills.take("notes")


@pytest.mark.parametrize(
    ("ending", "chosen", "offered"),
    [
        (switched_off, "/skill notes", 1),
        (another_chosen, "/skill notes", 1),
        (begun_afresh, "Go on", 1),
        (edited, "Go on", 1),
        (removed, "Go on", 0),
    ],
)
async def test_the_rules_end_with_the_use_of_the_skill_and_are_offered_anew(
    ending: Callable[[Stage], Awaitable[None]], chosen: str, offered: int
) -> None:
    script = write("notes/a.md"), says("Done."), write("notes/b.md", "w2"), says("Again.")
    written = files()
    skills = FakeSkills(notes(), skill("other"))
    async with stage(*script, tools=[written], skills=skills) as scene:
        await scene.say("/skill notes")
        await scene.shows("is on from your next message")
        await scene.say("Go")
        await scene.press(ALLOW)
        await scene.settled()
        assert under(scene) == ["notes"]
        await ending(scene)
        await scene.say(chosen)
        if chosen.startswith("/"):
            await scene.until(lambda: len([t for t in scene.texts if "`notes` is on" in t]) > 1)
            await scene.say("Go on")
        await scene.until(lambda: asking(scene))
        assert under(scene) == []
        assert len(offers(scene)) == offered
        await scene.press("Approve")
        await scene.settled(2)
        assert len(written.ran) == 2


@pytest.mark.parametrize("next_use", ["none", "other"])
async def test_the_rules_end_when_the_model_lays_the_skill_down_or_takes_another(
    next_use: str,
) -> None:
    script = (
        use("notes"),
        write("notes/a.md"),
        use(next_use, "u2"),
        write("notes/b.md", "w2"),
        use("notes", "u3"),
        says("Done."),
        write("notes/c.md", "w3"),
        says("Again."),
    )
    skills = FakeSkills(notes(), skill("other"))
    async with stage(*script, tools=[files()], skills=skills) as scene:
        await scene.say("Go")
        await scene.press(ALLOW)
        await scene.until(lambda: len(scene.approvals) == 2)
        await scene.until(lambda: asking(scene))
        assert offers(scene) == []
        assert under(scene) == []
        await scene.press("Approve")
        await scene.settled()
        await scene.say("Go on")
        await scene.until(lambda: len(offers(scene)) == 1)
        await scene.press("Approve")
        await scene.settled(2)


async def test_the_rules_end_at_a_hand_over() -> None:
    first = notes(next_skill="report")
    script = write("notes/a.md"), says("Facts."), write("notes/b.md", "w2"), says("A report.")
    async with stage(*script, tools=[files()], skills=FakeSkills(first, skill("report"))) as scene:
        await scene.say("/skill notes")
        await scene.shows("is on from your next message")
        await scene.say("Go")
        await scene.press(ALLOW)
        await scene.until(lambda: len(scene.approvals) == 2)
        assert under(scene) == []
        await scene.press("Approve")
        await scene.settled()


async def test_card_press_and_rules_outlive_the_process() -> None:
    script = (
        use("notes"),
        write("notes/a.md"),
        says("Done."),
        write("notes/b.md", "w2"),
        says("Again."),
    )
    written = files()
    async with stage(*script, tools=[written], skills=FakeSkills(notes())) as scene:
        await scene.say("Go")
        await scene.parked()
        await scene.crash()
        await scene.press(ALLOW)
        await scene.settled()
        await scene.crash()
        await scene.say("Go on")
        await scene.settled(2)
        assert [a["path"] for a in written.ran] == ["notes/a.md", "notes/b.md"]
        assert len(scene.approvals) == 1


async def test_commands_are_allowed_as_far_as_they_only_read_and_where_the_card_said() -> None:
    reader = skill("reader", pre_approved=pre_approved(["Bash", "Read", "Grep"]))
    script = (
        use("reader"),
        run("python3 x.py"),
        run("git log", "r2"),
        run("git push", "r3"),
        says("Done."),
    )
    ran = commands()
    async with stage(*script, tools=[ran], skills=FakeSkills(reader)) as scene:
        await scene.say("Go")
        await scene.parked()
        (card,) = offers(scene)
        assert READING_COMMANDS in card
        assert "Commands run here." in card
        await scene.press(ALLOW)
        await scene.press("Approve")
        await scene.until(lambda: len(scene.approvals) == 2 and asking(scene))
        assert [a["command"] for a in ran.ran] == ["python3 x.py", "git log"]
        (rule,) = scene.store.rows.rules.values()
        assert rule.surroundings.where == "here"
        await scene.press("Deny")
        await scene.settled()


async def test_where_every_command_asks_no_rule_for_commands_is_offered() -> None:
    reader = skill("reader", pre_approved=pre_approved(["Bash"]))
    script = use("reader"), run("ls"), says("Done.")
    ran = commands(Effect.DANGER)
    async with stage(*script, tools=[ran], skills=FakeSkills(reader)) as scene:
        await scene.say("Go")
        await scene.parked()
        assert offers(scene) == []
        await scene.press("Approve")
        await scene.settled()


async def test_nothing_is_offered_while_foreign_text_is_in_view() -> None:
    script = use("notes"), calls(call("f", "fetch")), write("notes/a.md"), says("Done.")
    async with stage(*script, tools=[files(), foreign()], skills=FakeSkills(notes())) as scene:
        await scene.say("Go")
        await scene.parked()
        assert offers(scene) == []
        await scene.press("Approve")
        await scene.settled()


async def test_only_who_may_approve_may_allow_and_it_counts_for_the_asker_alone() -> None:
    script = use("notes"), write("notes/a.md"), says("Done.")
    people = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
    async with stage(*script, tools=[files()], skills=FakeSkills(notes()), people=people) as scene:
        await scene.say("Go")
        await scene.parked()
        told = await scene.press(ALLOW, BOB)
        assert told == NOT_YOURS
        assert under(scene) == []
        await scene.press(ALLOW)
        await scene.settled()
        assert [rule.person for rule in scene.store.rows.rules.values()] == [1]


async def test_a_person_without_the_right_to_approve_is_offered_nothing() -> None:
    script = use("notes"), write("notes/a.md"), says("Refused.")
    people = ((BOB, Role.MEMBER),)
    async with stage(*script, tools=[files()], skills=FakeSkills(notes()), people=people) as scene:
        bob = scene.store.rows.people[1]
        scene.store.rows.people[1] = type(bob)(1, "Bob", Role.MEMBER, NEWCOMER)
        await scene.say("Go", BOB)
        await scene.settled()
        assert scene.approvals == []


async def test_a_card_that_was_set_aside_can_still_be_allowed() -> None:
    script = use("notes"), write("notes/a.md"), says("Hello."), says("So it ran.")
    written = files()
    async with stage(*script, tools=[written], skills=FakeSkills(notes())) as scene:
        await scene.say("Go")
        await scene.parked()
        await scene.say("Hello?")
        await scene.shows("Hello.")
        await scene.press(ALLOW)
        await scene.shows("So it ran.")
        assert [a["path"] for a in written.ran] == ["notes/a.md"]
        assert under(scene) == ["notes"]


@pytest.mark.parametrize("in_use", [None, "notes"])
async def test_a_rule_of_another_edition_or_another_skill_covers_nothing(
    in_use: str | None,
) -> None:
    script = write("notes/a.md"), says("Done.")
    async with stage(*script, tools=[files()], skills=FakeSkills(notes())) as scene:
        home = await scene.store.chats.at(HOME, private=True)
        of_old = Rule(
            *(0, 1, home.id, "write_file", PathRule("notes"), "", scene.clock.now()),
            under="notes@an-older-edition",
        )
        await scene.store.journal.commit(Change((ChooseSkill(home.id, in_use), AddRule(of_old))))
        await scene.say("Go")
        await scene.parked()
        await scene.press("Approve")
        await scene.settled()
