"""Pages for people who look: cards in one place, a turn explained, now, money, the record."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from bs4 import BeautifulSoup

from tests.e2e.browser import LINK, Browser, browser
from tests.e2e.steward import Steward
from tests.ports import free_port
from tests.standins.messages_api import calls, text, tool

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

HOSTILE = "<img src=x onerror=alert(1)>\"'{{7*7}}"


@pytest.fixture
async def page(steward: Steward) -> AsyncIterator[Browser]:
    async with signed_in(steward) as found:
        yield found


@asynccontextmanager
async def signed_in(steward: Steward) -> AsyncIterator[Browser]:
    """Starts the program; a browser in which the person at the machine is signed in."""
    await steward.start(STEWARD_WEB_PORT=free_port())
    origin, code = (await steward.eventually(lambda: LINK.search(steward.output))).groups()
    async with browser(origin) as found:
        await steward.eventually(lambda: _answers(origin))
        assert (await found.enter(code)).status_code == 303
        yield found


def _answers(origin: str) -> bool:
    try:
        return httpx.get(f"{origin}/enter").status_code == 200
    except httpx.TransportError:
        return False


def words(soup: BeautifulSoup) -> str:
    return " ".join(soup.get_text(" ", strip=True).split())


def measured(cards: BeautifulSoup) -> dict[str, str]:
    """Returns the figures about consent by their names."""
    rows = cards.select("dl.figures > div")
    return {
        one.dt.get_text(): " ".join(one.dd.stripped_strings) for one in rows if one.dt and one.dd
    }


async def test_a_card_is_decided_in_one_place_and_its_turn_is_explained(
    steward: Steward, page: Browser
):
    home = await page.home()
    assert measured(await page.page("/cards")) == {
        "Cards for each request": "no cards",
        "Half are pressed within": "no presses",
        "Pressed in under 2 s": "no presses",
        "Denied or changed": "no presses",
    }
    script = calls(tool("write_file", {"path": f"{HOSTILE}.txt", "content": HOSTILE}))
    steward.script(script, text("Written."))
    await page.say(f"Write {HOSTILE}", home)
    await page.sees("Approve", home)
    cards = await page.page("/cards")
    assert len(cards.select("article.card.open")) == 1
    assert "None" not in words(cards)
    assert not cards.find_all("img")
    assert (await page.press("Approve", "/cards")).status_code == 303
    await page.sees("Written.", home)
    decided = await page.page("/cards")
    assert decided.select("article.card.open") == []
    assert measured(decided)["Cards for each request"] == "1.00 before: no cards"
    assert measured(decided)["Denied or changed"] == "0 % 0 of 1"
    link = decided.select_one("a[href^='/turn/']")
    assert link is not None
    turn = await page.page(str(link["href"]))
    told = words(turn)
    assert f"Why: “Write {HOSTILE}”" in told
    assert "Waited for" in told
    assert "Ran once" in told
    assert not turn.find_all("img")
    assert len(turn.select(".fall tbody tr")) > 5
    for part in ("request", "log", "reply", "differences"):
        shown = await page.page(f"{link['href']}?round=1&part={part}&unfold=1")
        assert not shown.find_all("img")
        (here,) = shown.select(".tabs [aria-current]")
        assert f"part={part}" in str(here["href"])
    assert HOSTILE in words(await page.page(f"{link['href']}?part=log"))


async def test_a_press_for_a_card_that_waits_no_more_says_so_and_does_nothing(
    steward: Steward, page: Browser
):
    home = await page.home()
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "x"})), text("Left."))
    await page.say("Write", home)
    await page.sees("Approve", home)
    form = next(one for one in await page.forms("/cards") if one.label.startswith("Approve"))
    await page.press("Deny", "/cards")
    await page.sees("Left.", home)
    late = await page.send(form)
    assert late.status_code == 409
    assert "does not wait for you any more" in late.text
    foreign = await page.send(form, key="card:nothing", chat="1")
    forged = await page.send(form, csrf="forged")
    assert (foreign.status_code, forged.status_code) == (409, 403)
    assert not (steward.home / "workspace" / "a.txt").exists()


async def test_words_for_a_card_are_a_denial_with_a_reason(steward: Steward, page: Browser):
    home = await page.home()
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "x"})), text("Changed."))
    await page.say("Write", home)
    await page.sees("Approve", home)
    form = next(one for one in await page.forms("/cards") if one.action == "/word")
    assert (await page.send(form, text="call it b.txt")).status_code == 303
    await page.sees("Changed.", home)
    assert "call it b.txt" in words(await page.page("/cards"))


async def test_now_money_and_the_record_are_shown_to_an_owner(steward: Steward, page: Browser):
    home = await page.home()
    unspent = await page.page("/money")
    assert unspent.select_one("svg.columns") is None
    assert "Nothing was spent in this time." in words(unspent)
    steward.script(text("Hello."))
    await page.say("Hi", home)
    await page.sees("Hello.", home)
    now = words(await page.page("/now"))
    assert "Nothing is under way" in now
    assert "Channels" in now
    assert "Program" in now
    money = await page.page("/money?span=month&by=person")
    assert money.select_one("svg.columns") is not None
    record = words(await page.page("/record?action=program"))
    assert "program.started" in record
    assert "turn.ended" not in record
    table = await page.get("/record.csv?action=turn")
    assert table.headers["content-disposition"].startswith("attachment")
    assert "turn.ended" in table.text


async def test_addresses_that_mean_nothing_lead_nowhere(page: Browser):
    assert (await page.get("/turn/nothing")).status_code == 404
    for query in ("after=x", "before=~~", f"after={HOSTILE}", "before=2026-01-01T00:00:00~1~a"):
        assert (await page.get(f"/cards?{query}")).status_code == 200
    for address in ("/record?before=x", "/record?person=99999999999999999999", "/money?by=x"):
        assert (await page.get(address)).status_code == 200


async def test_nobody_reads_without_being_signed_in(page: Browser):
    async with browser(page.origin) as stranger:
        for path in ("/cards", "/now", "/money", "/record", "/record.csv", "/turn/x"):
            answer = await stranger.get(path)
            assert answer.status_code in (303, 401, 403), path
            assert "program.started" not in answer.text


async def test_a_person_sees_their_own_and_nothing_of_another(steward: Steward, page: Browser):
    home = await page.home()
    steward.script(calls(tool("write_file", {"path": "hers.txt", "content": "x"})), text("Hers."))
    await page.say("A private question", home)
    await page.sees("Approve", home)
    await page.press("Approve", "/cards")
    await page.sees("Hers.", home)
    hers = (await page.page("/cards")).select_one("a[href^='/turn/']")
    assert hers is not None
    bob = steward.person(77, "Bob")
    steward.say(f"/allow {steward.account(bob)}")
    await steward.sees("can use me now.")
    steward.say("/login", by=bob)
    link = LINK.search((await steward.sees("Open this link in your browser", at=bob)).text)
    assert link is not None
    async with browser(link[1]) as theirs:
        assert (await theirs.enter(link[2])).status_code == 303
        assert (await theirs.get(str(hers["href"]))).status_code == 404
        for path in ("/record", "/record.csv"):
            assert (await theirs.get(path)).status_code == 404
        for path in ("/cards", "/now", "/money"):
            told = words(await theirs.page(path))
            assert "hers.txt" not in told
            assert "Channels" not in told
