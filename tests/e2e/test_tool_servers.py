"""Tool servers in the real process: asked about, foreign, not sandboxed, and gone with it."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.errand import Errand
from tests.e2e.steward import Steward, results_in
from tests.processes import runs
from tests.standins.messages_api import Reply, calls, text, thinking, tool
from tests.words import ALWAYS, APPROVE, PLAN_ENDED, RULE_PAUSED, USE_ECHO

pytestmark = pytest.mark.flows_own("a tool server meets turns, and no platform")

SERVER = Path(__file__).parents[1] / "standins" / "tool_server.py"
TOKEN = "a-token-of-the-server"


@pytest.fixture
def lent(steward: Steward) -> Path:
    """The folder of a server that steward.toml names; what it notes lies there."""
    folder = steward.folder / "server"
    folder.mkdir()
    arguments = ", ".join(f'"{word}"' for word in ("-S", str(SERVER), str(folder)))
    (steward.folder / "steward.toml").write_text(
        f'[mcp.nasty]\ncommand = "{sys.executable}"\nargs = [{arguments}]\n'
        'env = { TOKEN = "${SERVER_TOKEN}" }\n'
    )
    (steward.folder / ".env").write_text(f"SERVER_TOKEN={TOKEN}\n")
    return folder


def noted(folder: Path, name: str) -> Sequence[str]:
    file = folder / name
    return file.read_text().split() if file.exists() else []


def alive(folder: Path) -> list[int]:
    """Processes of the server that are still there."""
    return [int(pid) for pid in noted(folder, "starts") if runs(int(pid))]


def echo(words: str) -> Reply:
    return thinking("The server knows.") + calls(tool("nasty__echo", {"text": words}))


@pytest.mark.on_each_platform
async def test_a_call_of_a_server_asks_runs_once_and_what_it_answers_is_foreign(
    steward: Steward, lent: Path
) -> None:
    steward.script(echo("hello"), text("It says hello."))
    steward.script(echo("hello"), text("Again."))
    await steward.start()
    steward.say("Ask the server")
    card = await steward.card()
    assert USE_ECHO in card.text
    assert "not sandboxed" in card.text
    assert noted(lent, "calls") == []
    steward.press(card, ALWAYS)
    await steward.sees("It says hello.")
    (told,) = results_in(steward.model.requests[1]).values()
    assert told == '<quoted_data from="MCP nasty">\nhello\n</quoted_data>'
    assert noted(lent, "calls") == ["echo"]
    steward.say("Ask it again")
    again = await steward.card()
    assert f"{RULE_PAUSED} (MCP nasty). /new resumes it." in again.text
    steward.press(again, APPROVE)
    await steward.sees("Again.")
    assert noted(lent, "calls") == ["echo", "echo"]
    offered = [[t["name"] for t in r.body["tools"]] for r in steward.model.requests]
    assert "nasty__echo" in offered[0]
    assert all(names == offered[0] for names in offered)


async def test_a_call_cut_off_by_a_kill_is_not_made_again_and_its_server_is_gone(
    steward: Steward, lent: Path
) -> None:
    steward.script(
        thinking("Now.") + calls(tool("nasty__sleep", {"text": "woken"})),
        text("I cannot tell whether it happened."),
    )
    with Errand(lent, "sleep") as errand:
        await steward.start()
        steward.say("Let it sleep")
        steward.press(await steward.card(), APPROVE)
        await errand.begun()
        assert len(alive(lent)) == 1
        # A card that was changed, but not recorded so, would be changed again in the next life.
        await steward.recorded()
        await steward.kill()
        await steward.eventually(lambda: not alive(lent))
        await steward.start()
        await steward.sees("I cannot tell whether it happened.")
        assert errand.runs == 1
    (told,) = results_in(steward.model.requests[1]).values()
    assert "may have happened" in told
    assert noted(lent, "calls") == ["sleep"]


async def test_a_restart_starts_no_server_before_it_is_called(steward: Steward, lent: Path) -> None:
    steward.script(text("One."), text("Two."), echo("third"), text("Three."))
    await steward.start()
    steward.say("One")
    await steward.sees("One.")
    assert len(noted(lent, "starts")) == 1
    await steward.restart()
    steward.say("Two")
    await steward.sees("Two.")
    assert len(noted(lent, "starts")) == 1
    steward.say("Three")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Three.")
    assert len(noted(lent, "starts")) == 2
    await steward.stop()
    assert alive(lent) == []


async def test_a_server_that_fails_keeps_nobody_from_talking_and_is_shown(
    steward: Steward, lent: Path
) -> None:
    toml = steward.folder / "steward.toml"
    toml.write_text(toml.read_text().replace(f'{lent}"]', f'{lent}", "--die"]'))
    steward.script(text("I am here."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("I am here.")
    assert not any(t["name"].startswith("nasty") for t in steward.model.requests[0].body["tools"])
    steward.say("/tools")
    shown = await steward.sees("The tool server nasty")
    assert "failed: no licence found" in shown.text


async def test_the_tokens_of_servers_are_nowhere_to_be_read(steward: Steward, lent: Path) -> None:
    steward.script(calls(tool("nasty__env", {})), text("That is all."))
    await steward.start(STEWARD_LOG_LEVEL="DEBUG")
    steward.say("What does the server have?")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("That is all.")
    (told,) = results_in(steward.model.requests[1]).values()
    assert '"TOKEN": "[secret]"' in told
    assert "ANTHROPIC" not in told
    await steward.recorded()
    files = [path for path in steward.home.rglob("*") if path.is_file()]
    assert all(TOKEN.encode() not in path.read_bytes() for path in files)
    assert TOKEN not in steward.output


async def test_the_doctor_starts_each_server_once(steward: Steward, lent: Path) -> None:
    await steward.exit_code("doctor")
    assert "mcp.nasty" in steward.output
    assert "It lends 12 tools" in steward.output
    assert len(noted(lent, "starts")) == 1
    assert alive(lent) == []


async def test_a_tool_against_the_protocol_is_named_and_the_others_are_offered(
    steward: Steward, lent: Path
) -> None:
    toml = steward.folder / "steward.toml"
    toml.write_text(toml.read_text().replace(f'{lent}"]', f'{lent}", "--broken"]'))
    await steward.exit_code("doctor")
    assert "It lends 1 tool (" in steward.output
    assert "Not offered: bare: against the protocol, inputSchema: Field required" in steward.output
    steward.script(echo("hello"), text("It says hello."))
    await steward.start()
    steward.say("Ask the server")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("It says hello.")
    steward.say("/tools")
    shown = await steward.sees("The tool server nasty")
    assert "not offered, bare: against the protocol" in shown.text
    assert "not offered, “tool 4”: against the protocol" in shown.text


@pytest.fixture
def skilled(steward: Steward) -> Path:
    """The folder of a server that a skill brings along."""
    folder = steward.folder / "brought"
    folder.mkdir()
    skill = steward.home / "skills" / "support"
    skill.mkdir(parents=True)
    arguments = "\n".join(f"      - {word}" for word in ("-S", SERVER, folder))
    (skill / "SKILL.md").write_text(
        "---\nname: support\ndescription: Answers tickets.\nmcp:\n  nasty:\n"
        f"    command: {sys.executable}\n    args:\n{arguments}\n---\nLook into the tickets.\n"
    )
    return folder


@pytest.mark.on_each_platform
async def test_a_skills_server_starts_after_an_owners_word_and_never_asks_again(
    steward: Steward, skilled: Path
) -> None:
    steward.script(
        thinking("It needs the server.") + calls(tool("nasty__start", {})),
        text("It is let in."),
        echo("hello"),
        text("It says hello."),
        text("Still there."),
    )
    await steward.start()
    steward.say("/skill support")
    await steward.sees("is on from your next message")
    steward.say("Look into the tickets")
    card = await steward.card()
    assert f"{sys.executable} -S {SERVER} {skilled}" in card.text
    assert "not sandboxed" in card.text
    assert noted(skilled, "starts") == []
    await steward.recorded()
    await steward.restart()
    steward.press(card, APPROVE)
    await steward.sees("It is let in.")
    assert noted(skilled, "starts") == []
    steward.say("Now look")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("It says hello.")
    assert noted(skilled, "calls") == ["echo"]
    await steward.restart()
    await steward.eventually(lambda: not alive(skilled))
    steward.say("And after a restart?")
    await steward.sees("Still there.")
    offered = [
        {t["name"] for t in r.body["tools"] if t["name"].startswith("nasty")}
        for r in steward.model.requests
    ]
    assert offered[0] == offered[1] == {"nasty__start"}
    assert "nasty__echo" in offered[2]
    assert offered[2] == offered[4]
    assert "nasty__start" not in offered[4]


async def test_an_owner_takes_back_what_they_let_in_and_its_process_ends(
    steward: Steward, skilled: Path
) -> None:
    steward.script(
        calls(tool("nasty__start", {})), text("In."), echo("hello"), text("It is there.")
    )
    await steward.start()
    steward.say("/skill support")
    await steward.sees("is on from your next message")
    steward.say("Look")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("In.")
    steward.say("Now look")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("It is there.")
    assert len(alive(skilled)) == 1
    steward.say("/rules")
    await steward.sees(f"Servers of skills that were let in:\n• nasty: {sys.executable} -S")
    steward.say("/rules remove nasty")
    await steward.sees("Taken back, and ended where it ran:")
    await steward.eventually(lambda: not alive(skilled))
    steward.script(text("It is gone."), text("Gone for good."))
    steward.say("And now?")
    await steward.sees("It is gone.")
    await steward.restart()
    steward.say("And after a restart?")
    await steward.sees("Gone for good.")
    offered = [
        {t["name"] for t in r.body["tools"] if t["name"].startswith("nasty")}
        for r in steward.model.requests
    ]
    assert "nasty__echo" in offered[3]
    assert offered[4] == offered[5] == {"nasty__start"}
    assert len(noted(skilled, "starts")) == 1


async def test_a_skill_that_changes_its_command_asks_anew_and_one_at_rest_lends_nothing(
    steward: Steward, skilled: Path
) -> None:
    steward.script(calls(tool("nasty__start", {})), text("In."), text("Asked anew."), text("Bare."))
    await steward.start()
    steward.say("/skill support")
    await steward.sees("is on from your next message")
    steward.say("Look")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("In.")
    started = await steward.eventually(lambda: noted(skilled, "starts"))
    file = steward.home / "skills" / "support" / "SKILL.md"
    file.write_text(file.read_text().replace("      - -S\n", "      - -S\n      - -B\n"))
    await steward.restart()
    steward.say("Look again")
    await steward.sees("Asked anew.")
    steward.say("/skill off")
    await steward.sees("is off.")
    steward.say("Nothing else")
    await steward.sees("Bare.")
    offered = [
        {t["name"] for t in r.body["tools"] if t["name"].startswith("nasty")}
        for r in steward.model.requests
    ]
    assert offered == [{"nasty__start"}] * 3 + [set()]
    assert noted(skilled, "starts") == started


async def test_an_approved_step_of_a_skills_server_runs_though_the_skill_rests_by_then(
    steward: Steward, skilled: Path
) -> None:
    steward.script(calls(tool("nasty__start", {})), text("In."), echo("hello"), text("The plan."))
    steward.script(echo("hello"), text("It says hello."))
    await steward.start()
    steward.say("/skill support")
    await steward.sees("is on from your next message")
    steward.say("Look")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("In.")
    steward.say("/plan say hello")
    await steward.sees("The plan.")
    card = await steward.card()
    assert f"by {sys.executable} -S " in card.text
    assert " of the skill support, not sandboxed" in card.text
    assert steward.records.rows("SELECT skill, lender FROM plan_step") == [("support", "support")]
    steward.say("/skill off")
    await steward.sees("is off.")
    await steward.eventually(lambda: not alive(skilled))
    await steward.recorded()
    await steward.restart()
    assert noted(skilled, "calls") == []
    steward.press(card, APPROVE)
    await steward.sees(PLAN_ENDED)
    assert noted(skilled, "calls") == ["echo"]
    await steward.eventually(lambda: not alive(skilled))
