"""At night old things go, a few rows at a time; nothing that a person may still want goes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.adapters.sql.moment import change_of, moment_of
from bot.adapters.sql.verifying import verified
from bot.bootstrap.page import is_taken
from tests.e2e.browser import LINK, browser
from tests.e2e.steward import Steward
from tests.e2e.test_backup import note, server, url
from tests.e2e.times import Times
from tests.ports import free_port
from tests.standins.messages_api import calls, text, tool
from tests.words import APPROVE, BACK

__all__ = ["server", "url"]
pytestmark = pytest.mark.flows_own("the store removes what is old")

_DAY = 86_400
_FOR_EVER = (
    *("entry", "turn", "conversation", "approval", "usage", "passage", "artifact", "rule", "plan"),
    *("person", "account", "received", "note"),
)
_OLD = {
    "words": "SELECT count(*) FROM inbox WHERE state = 'taken' AND length(body) > 0",
    "presses": "SELECT count(*) FROM inbox WHERE chat IS NULL",
    "rounds": "SELECT count(*) FROM verdict",
    "calls": "SELECT count(*) FROM outbox WHERE key LIKE 'calls:%'",
    "input": "SELECT count(*) FROM audit WHERE details LIKE '%arguments%'",
}
"""What goes, each counted; of rows with numbers the newest one stays."""

_ENDED = "SELECT at FROM sweep WHERE name = 'night'"


def left(steward: Steward) -> dict[str, int]:
    return {name: steward.records.rows(count)[0][0] for name, count in _OLD.items()}


def kept(steward: Steward) -> dict[str, list[Any]]:
    return {
        name: sorted(map(str, steward.records.rows(f"SELECT * FROM {name}"))) for name in _FOR_EVER
    }


def seconds_to_the_night(days: int) -> int:
    """The seconds to half past two, by the clock of UTC, after so many days."""
    now = datetime.now(UTC)
    night = now.replace(hour=2, minute=30, second=0, microsecond=0) + timedelta(days=days)
    return int((night - now).total_seconds())


async def lived(steward: Steward) -> None:
    """Leaves turns behind: plain ones, one with a card, one with a shown call."""
    looked = calls(tool("list_files", {}))
    steward.script(text("Blue."), note("milk"), text("Written."), looked, text("Looked."))
    await steward.start()
    steward.say("Which colour?")
    await steward.sees("Blue.")
    steward.say("Note milk.")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Written.")
    steward.say("/verbose on")
    await steward.sees("Each tool call is shown")
    steward.say("Look around.")
    await steward.sees("Looked.")
    await steward.recorded()


async def test_what_is_old_goes_and_what_was_said_stays(url: str, steward: Steward) -> None:
    times = Times(steward)
    steward.module = "tests.e2e.nightly_program"
    await lived(steward)
    before, log = left(steward), kept(steward)
    assert all(before.values()), before
    steward.say("/why")
    why = (await steward.sees("Why this answer")).text
    await steward.recorded()
    await steward.stop()
    # So long that everything but the record of inputs is too old, unless it is kept on purpose.
    times.move(seconds_to_the_night(120))
    await steward.start(STEWARD_KEEP_ROUNDS_DAYS=0)
    await steward.eventually(lambda: not left(steward)["words"])
    await steward.eventually(lambda: not left(steward)["calls"])
    assert left(steward)["rounds"] == before["rounds"]
    assert left(steward)["input"] == before["input"]
    # Killed in the middle of the next night, it goes on where it was.
    await steward.stop()
    ended = steward.records.rows(_ENDED)
    times.move(300 * _DAY)
    await steward.start(STEWARD_KEEP_ROUNDS_DAYS=90)
    await steward.eventually(lambda: left(steward)["rounds"] < before["rounds"])
    await steward.restart(STEWARD_KEEP_ROUNDS_DAYS=90, STEWARD_WEB_PORT=free_port())
    await steward.eventually(lambda: left(steward)["rounds"] == 1)
    await steward.eventually(lambda: not left(steward)["input"])
    now = kept(steward)
    for name in _FOR_EVER:
        assert set(log[name]) <= set(now[name]), name
    steward.say("/why")
    assert (await steward.sees("Why this answer", times=2)).text == why
    await page_shows(steward, "Which colour?", "Note milk.")
    # The end of a night measures: after it no measure comes over the one that is changed below.
    await steward.eventually(lambda: steward.records.rows(_ENDED) != ended)
    steward.say("/status")
    assert "Database: " not in (await steward.sees("running for")).text, "it is small"
    with change_of(url) as connection:
        connection.exec_driver_sql("UPDATE measure SET bytes = bytes * 100")
    steward.say("/status")
    told = await steward.sees("• Database: ")
    assert "• Most of it: " in told.text
    assert " kB" not in told.text.partition("Most of it")[2].partition("\n")[0]
    with moment_of(url) as connection:
        assert list(verified(connection)) == []


async def page_shows(steward: Steward, *words: str) -> None:
    """Looks at the chat in a browser: words of emptied updates come from the log."""
    steward.say("/login")
    link = await steward.until(
        lambda: next((found for one in steward.shown if (found := LINK.search(one.text))), None)
    )
    port = int(link[1].rpartition(":")[2])
    await steward.eventually(lambda: is_taken(port))  # it listens some time after the first poll
    async with browser(link[1]) as page:
        await page.enter(link[2])
        shown = (await page.page(f"/chat/telegram:{steward.ann.id}")).get_text(" ")
    assert [word for word in words if word not in shown] == []


async def test_forgetting_retrying_and_undoing_cross_the_night(url: str, steward: Steward) -> None:
    times = Times(steward)
    steward.module = "tests.e2e.nightly_program"
    await lived(steward)
    await steward.stop()
    times.move(seconds_to_the_night(200))
    await steward.start()
    await steward.eventually(lambda: left(steward)["rounds"] == 1)
    steward.script(text("Looked once more."))
    steward.say("/retry")
    await steward.sees("Looked once more.")
    assert "Look around." in str(steward.model.requests[-1].body)
    steward.script(text("Green."))
    steward.say("And xyzzy?")
    await steward.sees("Green.")
    steward.say("/undo")
    await steward.sees(BACK)
    steward.say("/forget all")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.sees("Erased.")
    await steward.recorded()
    assert steward.records.holding("xyzzy") == set()
    with moment_of(url) as connection:
        assert list(verified(connection)) == []
