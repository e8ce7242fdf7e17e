"""The program tells who held its event loop, and a test in which that happens fails."""

import os
import signal
import sys
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.e2e.steward import Steward, results_in
from tests.standins.messages_api import calls, text, tool
from tests.standins.serving import serving
from tests.words import APPROVE, EVENT_LOOP

pytestmark = pytest.mark.flows_own("the watch over the loop knows no platform")

SERVER = Path(__file__).parents[1] / "standins" / "tool_server.py"


@pytest.mark.parametrize(
    ("fault", "function"), [(signal.SIGUSR1, "compute"), (signal.SIGUSR2, "wait")]
)
async def test_a_test_fails_when_the_loop_was_held_and_is_told_by_whom(
    steward: Steward, fault: signal.Signals, function: str
) -> None:
    steward.module = "tests.e2e.held_program"
    await steward.start()
    os.kill(steward.pid, fault)
    await steward.eventually(lambda: EVENT_LOOP in steward.output)
    steward.say("/status")
    told = await steward.sees("All chats had to wait: 1 time, at most 0.")
    assert "log has more" in told.text
    steward.excused = lambda _: False
    by = rf"by .*held_program.py:\d+ {function}"
    with pytest.raises(AssertionError, match=rf"held for 0\.\d\d s \(0\.\d\d s of .*\) {by}"):
        await steward.finish()
    steward.foreseen.append(EVENT_LOOP)


async def test_nobody_is_told_of_when_the_process_was_stopped(steward: Steward) -> None:
    await steward.start()
    for _ in range(5):
        steward.say("/help")
        os.kill(steward.pid, signal.SIGSTOP)
        await stopped(steward)
        os.kill(steward.pid, signal.SIGCONT)
        steward.say("/status")
    told = await steward.sees("running for", times=5)
    assert "All chats had to wait" not in told.text


async def stopped(steward: Steward) -> None:
    """Lets more time pass than anything may take of it."""
    looks = iter(range(20))
    await steward.eventually(lambda: next(looks) == 19)


async def test_answers_of_a_server_that_take_long_to_judge_hold_nobody_up(
    steward: Steward,
) -> None:
    folder = steward.folder / "server"
    folder.mkdir()
    words = ("-S", str(SERVER), str(folder), "--heavy")
    arguments = ", ".join(f'"{word}"' for word in words)
    names = ("parts", "badly", "nested", "values", "said")
    (steward.folder / "steward.toml").write_text(
        f'[mcp.nasty]\ncommand = "{sys.executable}"\nargs = [{arguments}]\nreads = {list(names)}\n'
    )
    steward.script(*(calls(tool(f"nasty__{name}", {})) for name in names), text("Done."))
    await steward.start()
    steward.say("Ask the server")
    await steward.sees("Done.")
    told = [text for r in steward.model.requests[1:] for text in results_in(r).values()]
    assert "11700 more parts" in told[0] or "characters" in told[0]
    assert "not what the protocol allows" in told[1]
    assert "more than 500 parts" in told[2]
    assert "more than 50000 values" in told[3]
    assert "characters left out" in told[4]


@pytest.mark.commands
@pytest.mark.usefixtures("sandboxed")
async def test_a_long_command_under_a_rule_for_its_program_holds_nobody_up(
    steward: Steward,
) -> None:
    (steward.workspace / "a").write_text("a")
    long = "cat " + "a " * 15_500
    steward.script(calls(tool("run_command", {"command": "cat a"})), text("Read."))
    await steward.start()
    steward.say("Read it")
    steward.press(await steward.card(), "🔁")
    await steward.sees("Read.")
    steward.say("/rules widen 1 1")
    await steward.sees("cat")
    steward.script(calls(tool("run_command", {"command": long})), text("Long."))
    steward.say("Read it again and again")
    card = await steward.card()
    await steward.recorded()  # The whole of it comes in a document, and approval counts after that.
    steward.press(card, APPROVE)
    await steward.sees("Long.")


async def test_pages_full_of_addresses_beside_an_answer_full_of_links_hold_nobody_up(
    steward: Steward,
) -> None:
    crowded = {
        "closed": "http://a)" * 2_200,
        "open": "https://a.example/((((((((((((((((] " * 550,
        "named": "https://пример.example/п?1 " * 750,
    }

    async def page(request: Request) -> Response:
        return PlainTextResponse(crowded[request.path_params["what"]])

    async with serving(Starlette(routes=[Route("/{what}/{n}", page)])) as site:
        urls = [
            f"{site}/{what}/{n}" for n in range(4) for what in crowded if what == "closed" or n < 2
        ]
        links = " ".join(f"[a{n}](https://пример.example/п?{n})" for n in range(1_200))
        answer = text(f"{links} The end.").in_pieces(20)
        steward.script(calls(*(tool("web_fetch", {"url": url}) for url in urls)), answer)
        await steward.start(STEWARD_WEB_HOSTS=site.removeprefix("http://"))
        steward.say(f"Read {' '.join(urls)}")
        await steward.sees("The end.")
    assert len(results_in(steward.model.requests[-1])) == len(urls)
