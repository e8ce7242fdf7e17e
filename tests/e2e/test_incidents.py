"""Each way of docs/incidents.md: broken for real, seen as the page says, and back as it says."""

import asyncio
import os
import re
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.records import Records
from tests.e2e.steward import KEY, Steward
from tests.e2e.test_damage import DAMAGED, damage
from tests.e2e.test_metrics import Operator
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.bot_api.faults import Refuse
from tests.standins.messages_api import failure, text
from tests.words import EVENT_LOOP

pytestmark = [
    pytest.mark.telegrams_own("an operator asks beside any platform"),
    pytest.mark.timeout(300),
]

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "incidents.md").read_text()
MODEL = "model=anthropic/claude-sonnet-5-5"


def on_the_page(*words: str) -> None:
    """Judges that the page says what the test does and sees."""
    page = " ".join(PAGE.split())
    assert [one for one in words if one not in page] == []


class Watched:
    """A program with the port for operators, and what is seen there."""

    def __init__(self, steward: Steward, port: int) -> None:
        self.steward = steward
        self.asked = Operator(port)

    async def shows(self, name: str, wanted: Callable[[float], bool]) -> None:
        """Waits for a number."""
        await self._until(lambda told: wanted(told.get(name, 0.0)), name)

    async def _until(self, condition: Callable[[Any], bool], what: str) -> None:
        told: Any = None
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while told is None or not condition(told):
                    await asyncio.sleep(0.1)
                    with suppress(httpx.TransportError):
                        told = await self.asked.numbers()
                return
        raise AssertionError(f"{what} never came: {told}")

    async def lacks(self, words: str) -> None:
        """Waits until /readyz says this; "ready" when nothing lacks."""
        said = ""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while words not in said:
                    await asyncio.sleep(0.1)
                    with suppress(httpx.TransportError):
                        said = (await self.asked.get("/readyz")).text
                return
        raise AssertionError(f"it never said {words!r}, but {said!r}")

    async def answers(self, question: str, answer: str) -> None:
        """Is back: a person asks and is answered."""
        self.steward.script(text(answer))
        self.steward.say(question)
        await self.steward.sees(answer)


def at_least(least: float) -> Callable[[float], bool]:
    return lambda value: value >= least


async def test_what_breaks_while_it_runs_is_seen_and_is_back(steward: Steward) -> None:
    port = free_port()
    steward.module = "tests.e2e.incident_program"
    steward.foreseen += ["getUpdates", "sendMessage", "x-api-key", EVENT_LOOP]
    await steward.start(STEWARD_METRICS_LISTEN=port)
    watched = Watched(steward, port)
    await watched.answers("Are you there?", "I am.")
    await watched.lacks("ready")
    for way in (everybody_waits, a_turn_fails, a_model_fails, a_delivery_waits, no_room):
        await way(watched)
    await a_platform_is_away(watched)
    await another_program_polls(watched)


async def everybody_waits(watched: Watched) -> None:
    on_the_page("## Everybody waits", "`StewardLoopHeld`", "the event loop was held for")
    steward = watched.steward
    steward.tell(signal.SIGUSR1)
    await watched.shows("steward_loop_holds_total", at_least(1))
    await steward.eventually(
        lambda: re.search(r"was held for .*held_program\.py:\d+ compute", steward.output)
    )
    await watched.answers("And now?", "Here again.")


async def a_turn_fails(watched: Watched) -> None:
    on_the_page("## A turn ends by a fault", "`StewardFaults`", "tries it again", "`/stop`")
    steward = watched.steward
    steward.tell(signal.SIGUSR2)
    await watched.answers("Fail, please.", "Tried again.")
    await steward.eventually(lambda: "KeyError: 'a planted fault'" in steward.output)


async def a_model_fails(watched: Watched) -> None:
    on_the_page("## A model fails", "`StewardModelFails`", "`overloaded`", "`key`", "/model")
    steward = watched.steward
    steward.script(failure(401, "invalid x-api-key"))
    steward.say("Which key?")
    await steward.sees("refused the API key")
    await watched.shows(f"steward_model_calls_total{{{MODEL},status=key}}", at_least(1))
    await watched.answers("Is the key good?", "It is.")


async def a_delivery_waits(watched: Watched) -> None:
    on_the_page("## Messages or deliveries wait", "`StewardDeliveriesWait`", "asks for a pause")
    steward = watched.steward
    pause = Refuse(429, "Too Many Requests: retry after 4", 4)
    steward.telegram.faults.order("sendMessage", pause)
    steward.script(text("Late, but here."))
    steward.say("Be quick.")
    await watched.shows("steward_queue_oldest_seconds{queue=deliveries}", at_least(1))
    await steward.sees("Late, but here.")
    await watched.shows("steward_queue_length{queue=deliveries}", lambda value: value == 0)


async def no_room(watched: Watched) -> None:
    """The files of the process cannot grow, as on a full disk."""
    on_the_page("## The database does not answer", "`StewardDatabaseAway`", "room on the disk")
    steward = watched.steward
    await steward.recorded()
    bounds = resource.prlimit(steward.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(steward.pid, resource.RLIMIT_FSIZE, (4096, bounds[1]))
    steward.script(text("Room again."))
    steward.say("Is there room?")
    await watched.shows("steward_database_up", lambda value: value == 0)
    await watched.lacks("the database cannot be written")
    resource.prlimit(steward.pid, resource.RLIMIT_FSIZE, bounds)
    await watched.lacks("ready")
    await steward.sees("Room again.")


async def a_platform_is_away(watched: Watched) -> None:
    on_the_page("## A platform is not reached", "`StewardChannelAway`", "`steward_channel_up` is 0")
    steward = watched.steward
    steward.telegram.faults.order("getUpdates", Refuse(502, "Bad Gateway"), times=3)
    await watched.answers("Ends the poll that waits.", "Heard.")
    await watched.lacks("telegram is not reached")
    await watched.shows("steward_channel_up{channel=telegram}", lambda value: value == 0)
    steward.say("/help")
    await watched.lacks("ready")


async def another_program_polls(watched: Watched) -> None:
    on_the_page("Another program reads this bot's updates", "Stop one of the two.")
    steward = watched.steward
    conflict = Refuse(409, "Conflict: terminated by other getUpdates request")
    steward.telegram.faults.order("getUpdates", conflict)
    await watched.answers("Ends the next poll.", "Heard, too.")
    await steward.eventually(lambda: "Another program reads this bot's updates" in steward.output)
    await watched.lacks("telegram is not reached")
    steward.say("/help")
    await watched.lacks("ready")


async def test_what_does_not_start_says_why_and_is_back(steward: Steward) -> None:
    on_the_page("## Steward does not answer", "`StewardDown`")
    port = free_port()
    asked = Operator(port)
    await steward.start(STEWARD_METRICS_LISTEN=port)
    watched = Watched(steward, port)
    await watched.answers("Are you there?", "I am.")
    await steward.recorded()

    assert healthy(port)

    on_the_page("Steward runs already")
    code, told = await steward.printed_by("run")
    assert (
        code,
        f"Steward runs already with {steward.home}: it is process {steward.pid}." in told,
    ) == (2, True)

    on_the_page("It was killed")
    await steward.kill()
    assert not await asked.alive()
    assert not healthy(port)
    assert (
        "It was killed; its next start goes on with the work."
        in (await steward.printed_by("doctor"))[1]
    )
    steward.script(text("Still here."))
    steward.say("You were killed.")
    await steward.start()
    await steward.sees("Still here.")

    on_the_page("exit code 2 is a wrong setting")
    await steward.recorded()
    await steward.stop()
    code, told = await steward.printed_by("run", STEWARD_TIMEZONE="Mars/Olympus")
    assert (code, "STEWARD_TIMEZONE" in told.splitlines()[-1]) == (2, True), told
    await steward.start()
    await watched.answers("Is it right?", "It is.")
    await steward.recorded()
    await steward.stop()
    await a_damaged_database(watched)


def healthy(port: int) -> bool:
    """Asks as the image does."""
    here = {"STEWARD_METRICS_LISTEN": str(port), "PATH": os.environ["PATH"]}
    check = ["bash", str(ROOT / "docker" / "healthy.sh")]
    return subprocess.run(check, env=here, capture_output=True, check=False).returncode == 0


async def a_damaged_database(watched: Watched) -> None:
    on_the_page(
        "exit code 65 is a damaged database", "steward restore", "--into", "Repeat each `/forget`"
    )
    steward = watched.steward
    code, told = await steward.printed_by("backup")
    assert code == 0, told
    damage(steward.records.path, "entry")
    before = steward.records
    steward.records = Records(steward.home / "none.db")
    assert await steward.exit_code("run") == DAMAGED
    await steward.sees("My database is damaged")
    (newest,) = (steward.home / "backups").glob("steward-*.tar.gz")
    again = steward.folder / "again"
    code, told = await steward.printed_by("restore", str(newest), "--into", str(again))
    assert code == 0, told
    shutil.rmtree(steward.home)
    again.rename(steward.home)
    steward.records = before
    await steward.start()
    await watched.answers("Are you back?", "I am back.")
    assert KEY not in steward.output
