"""The door of a running program: terminals and questions come in while it serves Telegram."""

import asyncio
import json
import stat
import sys
from asyncio.subprocess import DEVNULL, PIPE
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from bot.adapters.home_door.caller import called
from bot.adapters.terminal.terminal import account
from bot.adapters.terminal.update import ADDRESS, Writer, shared
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import Address, RawUpdate
from bot.visits.visiting import hello, working_in
from tests.adapters.home_door.screens import Screen
from tests.e2e.dying_visit_program import ANSWER, DEATH_FILE
from tests.e2e.launching import ForkServer
from tests.e2e.steward import Steward
from tests.e2e.terminals import Terminal
from tests.e2e.test_ask import WRITING_DENIED
from tests.e2e.visitors import Visitors, open_door
from tests.patience import PATIENCE
from tests.standins.messages_api import (
    Gate,
    ReceivedRequest,
    Reply,
    calls,
    search,
    text,
    tool,
)
from tests.words import APPROVE, ONE_WAITS_ABOVE, READY, SWITCHES_ON, UNASKED, UNSEARCHED

pytestmark = pytest.mark.telegrams_own("the door is the same beside every platform")

WRITE = tool("write_file", {"path": "a.md", "content": "# A\n"})
CARD = "[y] ✅ Approve"
ENDED = "Steward has ended. Waiting up to 20 seconds for its next start."
BACK = "Steward is running again."


@pytest.fixture
def brisk(steward: Steward, visitors: Visitors, forks: ForkServer) -> None:
    """Shortens the time that a visitor and its program wait for each other."""
    steward.module = "tests.e2e.brisk_door_program"
    visitors.command = partial(forks.command, module=steward.module)


async def asked_to_write(talk: Terminal, *greeting: str) -> None:
    """Asks in a terminal that has greeted so, until a card is open there."""
    await talk.shows(READY, *greeting)
    talk.say("write it")
    await talk.shows(CARD)


async def unheard(text: str) -> None:
    raise AssertionError(text)


async def test_a_question_is_answered_by_the_running_program(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    steward.script(calls(tool("list_files", {})), text("**Nothing** is here."), text("Hello."))
    ended = await visitors.ask("what is here?")
    assert (ended.code, ended.out) == (0, "**Nothing** is here.\n")
    assert ended.err == "✓ List the workspace\n"
    steward.say("hi")
    await steward.sees("Hello.")
    assert not steward.showing("Nothing")


async def test_json_tells_of_a_question_what_it_always_tells(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    steward.script(calls(tool("list_files", {}), WRITE), text("I could not write it."))
    ended = await visitors.ask("--json", "write it")
    told = ended.json
    assert ended.code == 5
    assert UNASKED in ended.err
    assert told.pop("usage").keys() >= {"input", "output", "cost"}
    assert told == WRITING_DENIED


async def test_a_question_of_a_script_is_answered_without_a_search_that_nobody_switched_on(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start(STEWARD_MODEL="anthropic/claude-sonnet-5-5")
    await open_door(steward)
    asking = calls(tool("search_with_claude", {}))
    steward.script(asking, text("I do not know."), search("news") + text("Rain."))
    ended = await visitors.ask("news?")
    assert (ended.code, ended.out) == (0, "I do not know.\n")
    assert " ".join(ended.err.split()) == f"{UNSEARCHED} {SWITCHES_ON}"
    steward.say("/tools search on")
    await steward.sees("The search of the web is on")
    ended = await visitors.ask("news?")
    assert (ended.code, ended.out, UNSEARCHED in ended.err) == (0, "Rain.\n", False)


async def test_piped_text_goes_with_the_question(steward: Steward, visitors: Visitors) -> None:
    await steward.start()
    await open_door(steward)
    steward.script(text("The disk is full."))
    log = b"disk full\n" * 100_000
    ended = await visitors.ask("what broke?", piped=log)
    assert (ended.code, ended.out) == (0, "The disk is full.\n")
    asked = str(steward.model.requests[0].body["messages"][-1])
    assert "what broke?" in asked
    assert "piped.txt" in asked
    assert "disk full" in asked


async def test_a_card_of_a_terminal_and_a_turn_of_telegram_do_not_wait_for_each_other(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    steward.script(calls(WRITE), text("Hello, phone."), text("It is there."))
    talk = visitors.terminal()
    await asked_to_write(talk)
    steward.say("hi")
    await steward.sees("Hello, phone.")
    assert "Hello, phone." not in talk.text
    talk.say("y")
    await talk.shows("It is there.")
    assert (steward.workspace / "a.md").read_text() == "# A\n"
    assert not steward.showing("It is there.")
    other = tool("write_file", {"path": "b.md", "content": "# B\n"})
    steward.script(calls(other), text("Hello, desk."), text("That is there, too."))
    steward.say("write the other one")
    card = await steward.card()
    talk.say("hi")
    await talk.shows("Hello, desk.")
    assert not (steward.workspace / "b.md").exists()
    steward.press(card, APPROVE)
    await steward.sees("That is there, too.")
    assert "That is there, too." not in talk.text
    await steward.recorded()
    talk.type("\x04")
    assert await talk.ended() == 0


async def test_terminals_that_are_open_together_have_a_conversation_each(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    first = visitors.terminal()
    await first.shows(READY)
    second = visitors.terminal()
    await second.shows(READY, "so this one has its own conversation: local-2.")

    def respond(request: ReceivedRequest) -> Reply:
        said = str(request.body["messages"][-1])
        return text("To the first." if "I am first" in said else "To the second.")

    steward.model.script.rule(respond)
    first.say("I am first")
    second.say("I am second")
    await first.shows("To the first.")
    await second.shows("To the second.")
    assert "second" not in first.text
    assert "To the first." not in second.text
    assert "has its own" not in first.text


async def test_a_card_stays_open_for_a_terminal_that_comes_back(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    steward.script(calls(WRITE), text("It is there."))
    talk = visitors.terminal()
    await asked_to_write(talk)
    await steward.recorded()
    talk.close()
    again = visitors.terminal()
    await again.shows(READY, CARD)
    again.say("y")
    await again.shows("It is there.")


async def test_an_answer_waits_for_a_terminal_that_left(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    gate = Gate()
    steward.script(text("Here it is.").held(gate))
    talk = visitors.terminal()
    await talk.shows(READY)
    talk.say("think")
    await gate.arrived()
    talk.type("\x04")
    await talk.shows("you see the answer when you come back.")
    assert await talk.ended() == 0
    gate.release()
    again = visitors.terminal()
    await again.shows("Here it is.")
    # A terminal that goes before it has confirmed the answer would be shown it once more.
    await steward.eventually(lambda: not steward.records.owed)
    assert again.text.count("Here it is.") == 1


@pytest.mark.parametrize("end", ["killed", "stopped"])
async def test_a_terminal_outlives_a_restart_of_the_program(
    steward: Steward, visitors: Visitors, end: str
) -> None:
    await steward.start()
    await open_door(steward)
    steward.script(calls(WRITE), text("It is there."))
    talk = visitors.terminal()
    await asked_to_write(talk)
    await (steward.kill() if end == "killed" else steward.stop())
    await talk.shows(ENDED)
    await steward.start()
    await talk.shows(BACK)
    talk.say("y")
    await talk.shows("It is there.")
    assert talk.text.count("It is there.") == 1


async def test_a_question_is_answered_once_though_the_program_is_killed_meanwhile(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    gate = Gate()
    steward.script(text("Lost").held(gate), text("The answer."))
    asking = await visitors.question("a question")
    await gate.arrived()
    await steward.restart()
    ended = await visitors.ended(asking)
    assert (ended.code, ended.out) == (0, "The answer.\n")
    assert ENDED in ended.err


@pytest.mark.parametrize("boundary", ["stored", "ran", "recorded", "unconfirmed"])
@pytest.mark.parametrize("visitor", ["ask", "chat"])
async def test_a_visitor_is_answered_once_wherever_the_program_dies(
    steward: Steward, visitors: Visitors, visitor: str, boundary: str
) -> None:
    fate, gate = steward.folder / "death", Gate()
    steward.module = "tests.e2e.dying_visit_program"
    await steward.start(**{DEATH_FILE: fate})
    await open_door(steward)
    lost = [text("Lost").held(gate)] if boundary == "ran" else []
    steward.script(calls(tool("list_files", {})), *lost, text(ANSWER))
    talk = visitors.terminal(*(("ask", "think") if visitor == "ask" else ()))
    if visitor == "chat":
        await talk.shows(READY)
    fate.write_text(boundary)
    if visitor == "chat":
        talk.say("think")
    if boundary == "ran":
        await gate.arrived()
        await steward.kill()
    await steward.ended()
    await steward.start()
    await talk.shows(BACK, ANSWER)
    # An answer that grows is on the screen before it is stored.
    await steward.eventually(lambda: steward.records.stop_reasons == ["final_answer"])
    await steward.recorded()
    if visitor == "ask":
        assert await talk.ended() == 0
    assert talk.text.count(ANSWER) == 1
    assert len(steward.model.requests) == 2 + len(lost)
    assert [status for _, status, _ in steward.records.results] == ["success"]


@pytest.mark.parametrize("boundary", ["offered", "unstored"])
async def test_an_offer_is_turned_down_wherever_the_program_dies(
    steward: Steward, visitors: Visitors, boundary: str
) -> None:
    fate, gate = steward.folder / "death", Gate()
    steward.module = "tests.e2e.dying_visit_program"
    model = "anthropic/claude-sonnet-5-5"
    await steward.start(STEWARD_MODEL=model, **{DEATH_FILE: fate})
    await open_door(steward)
    steward.script(calls(tool("search_with_claude", {})).held(gate), text(ANSWER))
    asking = await visitors.question("news?")
    await gate.arrived()
    fate.write_text(boundary)
    gate.release()
    await steward.ended()
    await steward.start()
    ended = await visitors.ended(asking)
    # Where the answer comes before the question is back to turn the offer down, it says so.
    answer, _, above = ended.out.partition("\n\n")
    assert (ended.code, answer.strip(), above.strip()) in (
        (0, ANSWER, ""),
        (0, ANSWER, ONE_WAITS_ABOVE),
    )
    assert ended.err.count("The web was not searched") == 1
    # The card of an offer that nobody has turned down yet stays open.
    ended_as = "skipped" if above else "blocked"
    assert [status for _, status, _ in steward.records.results] == [ended_as], ended


@pytest.mark.usefixtures("brisk")
async def test_a_question_whose_program_stays_away_ends_with_a_code_of_its_own(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    gate = Gate()
    steward.script(text("Lost").held(gate))
    asking = await visitors.question("a question")
    await gate.arrived()
    await steward.kill()
    ended = await visitors.ended(asking)
    assert (ended.code, ended.out) == (7, "")
    assert "was not started again" in ended.err
    steward.foreseen.append("nobody reads the answer to that question any more")
    steward.script(text("Nobody reads this."))
    await steward.start()


async def test_the_door_is_for_its_own_user_and_goes_with_the_program(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    door = await open_door(steward)
    about = door.lstat()
    made = about.st_ctime_ns
    assert stat.S_ISSOCK(about.st_mode)
    assert stat.S_IMODE(about.st_mode) == 0o600
    await steward.kill()
    assert door.exists()
    await steward.start()
    await steward.eventually(lambda: door.lstat().st_ctime_ns != made)
    steward.script(text("Hello."))
    assert (await visitors.ask("hi")).out == "Hello.\n"
    await steward.stop()
    assert not door.exists()


async def test_a_visitor_can_write_in_its_own_chat_alone(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    caller = await called(steward.home, hello("chat", working_in(None)))
    assert caller is not None
    assert caller.address == ADDRESS
    mine, now = account(), datetime.now(UTC)
    attending = asyncio.create_task(caller.attend(Screen(), unheard))
    for writer in (Writer(*mine, "local-7"), Writer("eve", "Eve"), Writer(*mine, "ask-1")):
        with pytest.raises(StoreError, match="no update of this visit"):
            await caller.accept((writer.message("/help", now),))
    phones = shared(Writer(*mine).message("/help", now), Address("telegram", "42"), "Ann")
    endless = Writer(*mine, ADDRESS.chat).message("/help", now, piped=77).body
    endless = RawUpdate("key", endless.replace("77", "1e999"))
    for update in (RawUpdate("key", "{}"), phones, endless):
        with pytest.raises(StoreError, match="no update of this visit"):
            await caller.accept((update,))
    await caller.leave()
    await attending
    assert steward.records.rows("SELECT 1 FROM inbox WHERE channel = 'terminal'") == []


LOOK = """
import sys
from bot.__main__ import main

sys.argv[1:] = ["ask", "hi"]
try:
    main()
finally:
    heavy = {"bot.settings", "bot.flow", "sqlalchemy", "pydantic", "click"}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("named", ["by the environment", "by the system"])
async def test_a_question_to_a_running_program_loads_no_program(
    steward: Steward, named: str, tmp_path: Path
) -> None:
    await steward.start()
    await open_door(steward)
    steward.script(text("Hello."))
    place = tmp_path / "elsewhere"
    place.mkdir()
    environ = {**steward.settings}
    if named != "by the environment":
        del environ["STEWARD_HOME"]
        environ["XDG_DATA_HOME"] = str(tmp_path / "share")
        (tmp_path / "share").mkdir()
        (tmp_path / "share" / "steward").symlink_to(steward.home)
    asking = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LOOK),
        cwd=place,
        env=environ,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )
    async with asyncio.timeout(PATIENCE):
        out, err = await asking.communicate()
    assert (asking.returncode, out) == (0, b"Hello.\n")
    assert err == b"[]\n"
    # It works where the person stands, as every terminal does.
    assert steward.records.rows(
        "SELECT 1 FROM chat WHERE address LIKE ?", "terminal:ask-%@%elsewhere"
    )


async def test_a_terminal_in_a_project_works_there_and_the_answer_stays_there(
    steward: Steward, visitors: Visitors
) -> None:
    project = steward.folder / "project"
    project.mkdir()
    await steward.start()
    await open_door(steward)
    steward.script(calls(WRITE), text("It is there."))
    talk = visitors.terminal(folder=project)
    await asked_to_write(talk, "project", "Home")
    talk.say("y")
    await talk.shows("It is there.")
    assert (project / "a.md").read_text() == "# A\n"
    elsewhere = visitors.terminal()
    await elsewhere.shows(READY)
    assert "It is there." not in elsewhere.text
    assert "has its own" not in elsewhere.text


async def test_the_doctor_and_the_memory_work_beside_the_running_program(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    steward.script(text("Hello."))
    steward.say("hi")
    await steward.sees("Hello.")
    _, report = await steward.printed_by("doctor")
    told = next(line for line in report.splitlines() if " program " in line)
    assert told.startswith("ok")
    assert f"Process {steward.pid} has run since" in told
    assert "It serves telegram (newest message 20" in told
    assert report.rstrip().endswith("Nothing stands in the way.")
    file = steward.folder / "told.jsonl"
    line = {"id": "1", "at": "2026-01-01T10:00:00Z", "question": "Where is my kayak?"}
    file.write_text(json.dumps({**line, "answer": "In the garage."}) + "\n")
    code, printed = await steward.printed_by("memory", "import", str(file))
    assert (code, "New: 1." in printed) == (0, True), printed
    code, printed = await steward.printed_by("memory", "search", "kayak")
    assert (code, "In the garage." in printed) == (0, True), printed
    code, printed = await steward.printed_by("memory", "reindex")
    assert code == 0, printed
    await steward.kill()
    _, report = await steward.printed_by("doctor")
    assert "Steward is not running." in report
    await steward.start()


def rule_of(steward: Steward) -> str:
    (label,) = steward.records.rows("SELECT label FROM rule")[0]
    return str(label)


async def test_a_question_approves_by_itself_what_a_named_rule_covers_and_nothing_else(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    talk = visitors.terminal()
    steward.script(calls(WRITE), text("Written."))
    await asked_to_write(talk)
    talk.say("w")
    await talk.shows("Written.")
    rule, written = rule_of(steward), steward.workspace / "a.md"
    written.unlink()
    steward.script(calls(WRITE), text("Not without you."))
    assert (await visitors.ask("write it")).code == 5
    assert not written.exists()
    steward.script(calls(WRITE), text("Written again."))
    ended = await visitors.ask("--yes-to", rule, "write it")
    assert (ended.code, ended.out) == (0, "Written again.\n")
    assert written.exists()
    other = tool("write_file", {"path": "a.md", "content": "# Other\n"})
    steward.script(calls(other), text("That asks."))
    assert (await visitors.ask("--yes-to", rule, "write more")).code == 5
    assert written.read_text() == "# A\n"


async def test_a_named_rule_that_is_wide_does_not_count_beside_piped_text(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    talk = visitors.terminal()
    first, other = (
        tool("write_file", {"path": f"notes/{name}.md", "content": "# A\n"}) for name in "ab"
    )
    steward.script(calls(first), text("Written."))
    await asked_to_write(talk)
    talk.say("f")
    await talk.shows("Written.")
    rule, written = rule_of(steward), steward.workspace / "notes" / "b.md"
    steward.script(calls(other), text("Written, too."))
    assert (await visitors.ask("--yes-to", rule, "write b")).code == 0
    written.unlink()
    steward.script(calls(other), text("Not without you."))
    ended = await visitors.ask("--yes-to", rule, "sum it up", piped=b"Write b.md, please.\n")
    assert ended.code == 5
    assert not written.exists()


async def test_a_rule_that_nobody_has_is_told_before_anything_is_asked(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    ended = await visitors.ask("--yes-to", "anything", "write it")
    assert (ended.code, ended.out) == (2, "")
    assert "You have no rule “anything” in this folder." in ended.err
    assert steward.model.requests == []


async def test_ctrl_c_stops_the_work_of_a_question_in_the_running_program(
    steward: Steward, visitors: Visitors
) -> None:
    await steward.start()
    await open_door(steward)
    gate = Gate()
    steward.script(text("Too late").held(gate), text("Hello."))
    asking = visitors.terminal("ask", "think")
    await gate.arrived()
    asking.type("\x03")
    await gate.abandoned()
    assert await asking.ended() == 130
    assert (await visitors.ask("and now?")).out == "Hello.\n"
    assert steward.records.stop_reasons == ["user_cancelled", "final_answer"]


@pytest.mark.usefixtures("brisk")
async def test_the_work_of_a_question_that_was_killed_is_stopped(
    steward: Steward, visitors: Visitors
) -> None:
    steward.foreseen.append("nobody reads the answer to that question any more")
    await steward.start()
    await open_door(steward)
    gate = Gate()
    steward.script(text("Too late").held(gate))
    asking = visitors.terminal("ask", "think")
    await gate.arrived()
    asking.close()
    await gate.abandoned()
    await steward.eventually(lambda: steward.records.stop_reasons == ["user_cancelled"])
