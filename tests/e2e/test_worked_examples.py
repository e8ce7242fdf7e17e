"""The worked examples of the documentation, typed as they stand there."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.e2e.launching import ROOT
from tests.e2e.sited_program import SITES
from tests.e2e.steward import Steward, results_in, words_in
from tests.e2e.test_schedules import HOUR, Times, runs_are
from tests.ports import free_port
from tests.standins.certified import certified
from tests.standins.messages_api import Call, Reply, calls, text, tool
from tests.standins.serving import serving
from tests.words import APPROVE, CANCEL

pytestmark = pytest.mark.flows_own("an example of the docs is the same on every platform")

NEWS, DOWNLOADS = "https://news.ycombinator.com", "https://www.python.org/downloads/"
WEEK = 7 * 24 * HOUR
SILENT: tuple[Reply, ...] = (calls(tool("nothing_to_report", {})), text("Nobody reads this."))


def shown_in(page: str, begin: str) -> str:
    """Returns the line of a page of docs/ that begins so and is there to be typed."""
    lines = (ROOT / "docs" / page).read_text().splitlines()
    found = [line for line in lines if line.startswith((f"    {begin}", f"> {begin}"))]
    assert len(found) == 1
    return found[0].removeprefix("> ").strip()


@dataclass
class Web:
    """The sites that the examples name; `version` is what the page of downloads offers."""

    version: str = "3.14.1"

    async def page(self, request: Request) -> Response:
        told = {"news.ycombinator.com": "1. A new comet", "www.python.org": self.version}
        words = told[request.headers["host"]]
        return HTMLResponse(f"<html><body><main><p>{words}</p></main></body></html>")


@pytest.fixture
async def web(steward: Steward, times: Times) -> AsyncIterator[Web]:
    made, hosts = Web(), ("news.ycombinator.com", "www.python.org")
    certificate = certified(steward.folder, *hosts)
    app = Starlette(routes=[Route("/{what:path}", made.page)])
    async with serving(app, certificate=certificate) as url:
        port = url.rpartition(":")[2]
        steward.settings[SITES] = " ".join(f"{host}={port}" for host in hosts)
        steward.settings["SSL_CERT_FILE"] = str(certificate)
        steward.module = "tests.e2e.sited_program"
        yield made


@pytest.fixture
def times(steward: Steward) -> Times:
    return Times(steward)


def fetch(url: str) -> Call:
    return tool("web_fetch", {"url": url})


def until_due(steward: Steward) -> int:
    """Returns the seconds to the next time of the only task, by the machine's clock."""
    ((due,),) = steward.records.rows("SELECT due FROM task")
    at = datetime.fromisoformat(due).replace(tzinfo=UTC)
    return int((at - datetime.now(UTC)).total_seconds()) + 1


async def test_a_morning_brief(steward: Steward, times: Times, web: Web) -> None:
    steward.script(
        calls(fetch(NEWS)),
        text("Sunny. A new comet."),
        calls(tool("write_file", {"path": "a.md", "content": "x"})),
        text("Rain. I would write a.md."),
        text("It comes in May."),
    )
    await steward.start()
    steward.say(shown_in("schedules.md", "/schedule every weekday 07:30"))
    made = await steward.sees("⏰ Scheduled.")
    assert made.text.count(" 07:30") == 4, "its times, and the next three of them"
    times.move(until_due(steward))
    brief = await steward.sees("Sunny. A new comet.")
    assert "late" not in brief.text
    assert "A new comet" in str(results_in(await steward.asked(2)))
    steward.press(made, "👁 Let it only read")
    await steward.sees("only read")
    times.move(WEEK)
    brief = await steward.sees("Rain. I would write a.md.")
    await runs_are(steward, "done", "done")
    assert steward.cards == []
    steward.say("tell me more about the first one", reply_to=brief)
    await steward.sees("It comes in May.")
    assert "I would write a.md." in words_in(await steward.asked(5)), "the model reads which one"


async def test_a_watched_page(steward: Steward, times: Times, web: Web) -> None:
    what = f"Fetch {DOWNLOADS}. Compare it with versions.md, and tell a new version."
    steward.script(
        calls(tool("schedule_task", {"when": "every 6h", "what": what})),
        text("I look every 6 hours."),
    )
    await steward.start()
    steward.say(shown_in("schedules.md", "Watch https://www.python.org/downloads/"))
    card = await steward.card()
    assert ("every 6h" in card.text, what in card.text) == (True, True)
    steward.press(card, APPROVE)
    await steward.sees("I look every 6 hours.")
    keep = tool("write_file", {"path": "versions.md", "content": "3.14.1\n"})
    steward.script(calls(fetch(DOWNLOADS)), calls(keep), text("Python 3.14.1 is the newest."))
    times.move(6 * HOUR)
    steward.press(await steward.sees("Create versions.md"), APPROVE)
    assert "⏰ every 6h" in (await steward.sees("Python 3.14.1 is the newest.")).text
    await runs_are(steward, "done")
    look = tool("read_file", {"path": "versions.md"})
    seen = len(steward.shown)
    for n in (2, 3):
        steward.script(calls(fetch(DOWNLOADS), look), *SILENT)
        times.move(6 * HOUR)
        await runs_are(steward, "done", *["silent"] * (n - 1))
    assert len(steward.shown) == seen, "as long as the page says the same, the chat stays silent"
    steward.script(calls(fetch(DOWNLOADS), look), text("Python 3.14.2 is out."))
    web.version = "3.14.2"
    await steward.restart()
    times.move(6 * HOUR)
    await steward.sees("Python 3.14.2 is out.")
    told = str(results_in(steward.model.requests[-1]))
    assert ("3.14.2" in told, "3.14.1" in told) == (True, True)


async def test_a_goal(steward: Steward, times: Times) -> None:
    steward.script(
        calls(tool("diary_write", {"text": "Plan: one chapter each week. Next: chapter 2."})),
        calls(tool("goal_update", {"milestone": "Read “Introduction” this week."})),
        calls(tool("write_file", {"path": "learned.md", "content": "Lox has two ends.\n"})),
        text("Nobody reads this."),
    )
    await steward.start()
    words = shown_in("goals.md", "/goal Read one chapter")
    steward.say(words)
    steward.press(await steward.sees("Pace: every day."), "Weekly")
    steward.press(await steward.sees("Pace: every week."), "▶️ Start")
    await steward.sees("🎯 Read “Introduction” this week.")
    steward.press(await steward.sees("Create learned.md"), APPROVE)
    await runs_are(steward, "done")
    assert (steward.workspace / "learned.md").read_text() == "Lox has two ends.\n"
    which = "Which chapter did you like least?"
    steward.script(calls(tool("goal_update", {"state": "stuck", "question": which})), text("x"))
    times.move(WEEK)
    question = await steward.sees(f"❓ {which}")
    await runs_are(steward, "done", "done")
    assert "Next: chapter 2." in words_in(steward.model.requests[-2])
    steward.script(
        calls(tool("goal_update", {"state": "done", "milestone": "Read it."})), text("Bye.")
    )
    steward.say("The first", reply_to=question)
    await steward.sees("🏁 Goal reached.")
    await runs_are(steward, "done", "done", "done")
    times.move(5 * WEEK)
    assert steward.records.rows("SELECT state FROM task") == [("done",)]
    assert not steward.showing("Nobody reads this.")


async def test_the_first_message_of_a_goal_is_the_one_that_the_page_shows(steward: Steward) -> None:
    await steward.start()
    words = shown_in("goals.md", "/goal Find three flats")
    steward.say(words)
    shown = await steward.sees("Pace: every day.")
    assert f"🎯 {words.removeprefix('/goal ')}" in shown.text
    assert "It costs at most $0.50 a day and $5.00 in all, and ends on " in shown.text
    id = re.search(r"\b[0-9a-f]{8}\b", shown.text)
    ((goal,),) = steward.records.rows("SELECT id FROM goal")
    assert id is None or id[0] == goal
    limits = shown_in_words("goals.md", "/goals limit day 1 whole 20 until 2027-01-31")
    # The page names a day that a reader of today may type; one day it will be in the past.
    day = f"{datetime.now(UTC) + timedelta(days=60):%Y-%m-%d}"
    steward.say(limits.replace("<id>", goal).replace("2027-01-31", day))
    changed = await steward.sees(f"$1.00 a day and $20.00 in all, and ends on {day}")
    steward.press(changed, CANCEL)


def shown_in_words(page: str, words: str) -> str:
    """Returns words that a page of docs/ shows inside a sentence."""
    assert f"`{words}`" in (ROOT / "docs" / page).read_text()
    return words


def blocks_of(page: str) -> list[str]:
    """Returns the blocks of a page's numbered steps that are there to be typed."""
    lines = (ROOT / "docs" / page).read_text().splitlines()
    kept = "\n".join(line[7:] if line.startswith(" " * 7) else line and "§" for line in lines)
    return [block.strip("\n") + "\n" for block in re.split(r"\n*§\n*", kept) if block.strip()]


@pytest.mark.skipif(not all(map(shutil.which, ("curl", "openssl"))), reason="no curl, no openssl")
async def test_a_hook_for_a_build_that_failed(steward: Steward) -> None:
    template, secret, body, curl, answer = blocks_of("hooks.md")[:5]
    port = str(free_port())
    (steward.home / "hooks").mkdir()
    (steward.home / "hooks" / "build.md").write_text(
        template.replace("telegram:42", steward.account(steward.me))
    )
    steward.script(text("No water, it says."), text("The pump had no water."))
    await typed(secret.replace("8081", port), steward.folder)
    await steward.start()
    await steward.eventually(lambda: "calls of hooks are awaited" in steward.output)
    echo, test = body.strip().splitlines()
    await typed(echo, steward.folder)
    assert await steward.exit_code(*test.split()[1:]) == 0
    assert "hook build" in (await steward.sees("No water, it says.")).text
    env = dict(re.findall("^(HOOK_.*)=(.*)$", (steward.folder / ".env").read_text(), re.MULTILINE))
    steward.secrets += env.values()
    told = await typed(curl.replace("8081", port), steward.folder, **env)
    assert json.loads(told).keys() == json.loads(answer).keys()
    await steward.sees("The pump had no water.")
    said = words_in(await steward.asked(2))
    assert "The build ⟨build.number⟩ of ⟨repo⟩ failed." in said


async def typed(words: str, folder: Path, **environment: str) -> str:
    """Runs words in a shell, as somebody types them there; returns what they print."""
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", words),
        cwd=folder,
        env=os.environ | environment,
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0
    return told.decode()
