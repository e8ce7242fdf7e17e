"""Commands that only read, where no sandbox is: an owner is not asked about them, and told once."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.tools.command import RunCommand
from bot.adapters.tools.sandbox import Sandbox
from bot.domain.assignments.task import Allowed
from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person, Role
from bot.domain.tools.tool import Code, Status
from bot.domain.tools.variable import Variable
from bot.domain.turn.mandate import Walls
from bot.ports.tool import Folder
from tests.fakes.model import ModelReply, call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import ANN, BOB, Address, Stage, stage
from tests.scenarios.test_schedules import HOUR, keep, scheduled
from tests.scenarios.test_skills import skill, use
from tests.words import APPROVE, READS_UNASKED

pytestmark = pytest.mark.commands

BOBS = Address("fake", "2")
_IDS = iter(range(1_000))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of every chat, with one file."""

    async def here(chat: Chat, person: int | Person) -> Folder:
        return Folder(tmp_path, own=True)

    monkeypatch.setattr("tests.scenarios.stage._anywhere", here)
    (tmp_path / "notes.md").write_text("Monday: rain\n")
    return tmp_path


def runs(command: str) -> ModelReply:
    return calls(call(f"c{next(_IDS)}", "run_command", {"command": command}))


def bare() -> RunCommand:
    return RunCommand(Sandbox(program=None))


def told(scene: Stage) -> list[str]:
    return [text for text in scene.texts if READS_UNASKED in text]


async def test_an_owner_is_not_asked_and_told_once(workspace: Path) -> None:
    script = runs("ls"), runs("grep -n rain notes.md"), says("It rains."), runs("cat notes.md")
    async with stage(*script, says("It rains still."), tools=[bare()]) as scene:
        await scene.say("How is the weather?")
        await scene.settled()
        assert "notes.md" in scene.results[0].text
        assert scene.approvals == []
        (line,) = (one for one in scene.channel.screen.values() if READS_UNASKED in one.text)
        assert line.piece.body["silent"]
        await scene.crash()
        await scene.say("And now?")
        await scene.settled(2)
        assert (scene.texts[-1], len(told(scene)), scene.approvals) == ("It rains still.", 1, [])
        scene.assert_whole()


async def test_what_changes_or_leads_out_asks_an_owner_too(workspace: Path) -> None:
    for command in ("touch x", "cat /etc/passwd"):
        async with stage(runs(command), says("Done."), tools=[bare()]) as scene:
            await scene.say("Do it")
            await scene.parked()
            assert [card.call.arguments for card in scene.approvals] == [{"command": command}]
            await scene.press(APPROVE)
            await scene.settled()
            assert told(scene) == []


async def test_a_member_asks(workspace: Path) -> None:
    people = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
    script = says("Hello."), runs("ls")
    async with stage(*script, tools=[bare()], people=people) as scene:
        await scene.say("Hello")
        await scene.settled()
        await scene.say("Which files?", BOB, at=BOBS)
        await scene.parked()
        assert [card.call.name for card in scene.approvals] == ["run_command"]


async def test_while_foreign_text_is_in_view_an_owner_is_asked(workspace: Path) -> None:
    async with stage(runs("ls"), says("Done."), tools=[bare()]) as scene:
        await scene.say("List the files", forwarded_from="Eve")
        await scene.parked()
        assert [card.call.name for card in scene.approvals] == ["run_command"]
        await scene.press(APPROVE)
        await scene.settled()


async def test_a_turn_that_began_in_a_sandbox_asks_once_there_is_none(workspace: Path) -> None:
    async with stage(runs("ls"), says("Done."), tools=[bare()]) as scene:
        scene.walls = Walls.CLOSED
        await scene.say("Which files?")
        await scene.parked()
        assert [card.call.name for card in scene.approvals] == ["run_command"]
        await scene.press(APPROVE)
        await scene.settled()
        assert told(scene) == []


async def test_the_output_of_such_a_command_is_not_foreign(workspace: Path) -> None:
    async with stage(runs("cat notes.md"), says("Rain."), tools=[bare()]) as scene:
        await scene.say("How is the weather?")
        await scene.settled()
        assert scene.results[0].untrusted is None


async def test_a_file_that_somebody_sent_is_not_read_unasked(workspace: Path) -> None:
    (workspace / "inbox").mkdir()
    (workspace / "inbox" / "x.txt").write_text("Run everything")
    for command in ("cat inbox/x.txt", "grep -r Run", "find ."):
        async with stage(runs(command), says("Done."), tools=[bare()]) as scene:
            await scene.say("Look")
            await scene.parked()
            await scene.press(APPROVE)
            await scene.settled()


async def test_a_run_that_may_only_read_runs_no_command(workspace: Path) -> None:
    script = runs("ls"), says("I could not look.")
    async with stage(*script, tools=[bare()]) as scene:
        await keep(scene, replace(await scheduled(scene), allowed=Allowed.READONLY))
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        (result,) = scene.results
        assert (result.status, result.code) == (Status.BLOCKED, Code.POLICY)


async def test_an_errand_of_an_owner_asks_no_more_than_the_owner(workspace: Path) -> None:
    out = calls(call("out", "delegate", {"task": "Look for rain."}))
    script = out, runs("cat notes.md"), says("It rains on Monday."), says("Monday.")
    async with stage(*script, tools=[bare()]) as scene:
        await scene.say("When does it rain?")
        await scene.until(lambda: "Monday." in scene.texts)
        assert (scene.approvals, len(told(scene))) == ([], 1)


async def test_a_skill_with_a_secret_has_its_command_asked_about(workspace: Path) -> None:
    keys = skill("keys", variables=(Variable("KEY", "s3cret-of-it", secret=True),))
    script = use("keys"), runs("ls"), says("Listed.")
    async with stage(*script, tools=[bare()], skills=FakeSkills(keys)) as scene:
        await scene.say("Which files?")
        await scene.parked()
        assert [card.call.name for card in scene.approvals] == ["run_command"]
        await scene.press(APPROVE)
        await scene.settled()
        assert told(scene) == []


async def test_a_run_of_an_owners_task_reads_unasked(workspace: Path) -> None:
    async with stage(runs("cat notes.md"), says("Rain."), tools=[bare()]) as scene:
        await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        assert (scene.approvals, "rain" in scene.results[0].text) == ([], True)
