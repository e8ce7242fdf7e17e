"""The page of several processes on one database, without a chat app: nobody notices it."""

import re
from collections.abc import AsyncIterator, Sequence

import pytest

from tests.e2e.browser import LINK, Browser, browser
from tests.e2e.steward import Steward
from tests.e2e.test_page import drafts
from tests.e2e.test_page_crashes import why_of
from tests.e2e.test_roles import Company, answers
from tests.ports import free_port
from tests.standins.messages_api import Gate, calls, text, tool

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(300),
    pytest.mark.flows_own("no platform is served"),
]


@pytest.fixture
async def company(own_postgres_url: str, steward: Steward) -> AsyncIterator[Company]:
    """Two processes that work or do what is due, and two that serve the page; no token."""
    steward.settings = {k: v for k, v in steward.settings.items() if not k.endswith("_BOT_TOKEN")}
    company = Company(steward, own_postgres_url)
    # Those that do not serve the page write for it all the same.
    steward.settings["STEWARD_WEB_PORT"] = str(free_port())
    try:
        await company.join("worker", "work")
        await company.join("rest", "deliver", "schedule")
        for name in ("one", "other"):
            await company.join(name, "web", STEWARD_WEB_PORT=str(free_port()))
        await company.knows_of(4)
        yield company
    finally:
        for name in [*company.processes]:
            assert await company.leave(name, orderly=True) == 0


async def links(steward: Steward) -> list[tuple[str, str]]:
    """The address of each page with a code that lets somebody in, once they answer."""
    found = await steward.eventually(
        lambda: found if len(found := LINK.findall(steward.output)) == 2 else None
    )
    for origin, _ in found:
        await steward.eventually(lambda origin=origin: answers(origin))
    return found


@pytest.mark.usefixtures("company")
async def test_a_set_of_processes_needs_no_chat_app_while_it_has_the_page(steward: Steward) -> None:
    ((first, code), (second, again)) = await links(steward)
    write = tool("write_file", {"path": "one.md", "content": "one"})
    steward.script(calls(write), text("It is there."))
    async with browser(first) as page, browser(second) as elsewhere:
        assert (await page.enter(code)).is_redirect
        assert (await elsewhere.enter(again)).is_redirect
        await page.say("Write one file")
        await page.sees("Approve")
        # It is the same talk at each address, and a press at either counts.
        await elsewhere.press("Approve", "/cards")
        await page.sees("It is there.")
        await elsewhere.sees("It is there.")
    assert (steward.workspace / "one.md").read_text() == "one"


async def test_a_kill_in_the_first_call_of_an_answer_is_told_when_another_worker_goes_on(
    company: Company, steward: Steward
) -> None:
    ((origin, code), _) = await links(steward)
    gate, lost = Gate(), "Nothing was lost"
    async with browser(origin) as page:
        assert (await page.enter(code)).is_redirect
        home = await page.home()
        steward.script(text("Nobody reads this.").held(gate, after=1), text("The whole."))
        await page.say("A question", home)
        await gate.arrived()
        await company.leave("worker")
        await company.join("heir", "work")
        assert lost in await page.sees("The whole.", home)
        told = await page.page(await why_of(page, home))
        rows = [row.get_text(" ", strip=True) for row in told.select(".fall tbody tr")]
        (at,) = [n for n, row in enumerate(rows) if "a call that was lost" in row]
        assert "Another process went on" in rows[at + 1]
        assert "Model: the answer" in rows[at + 2]
        assert "Another process went on at" in told.get_text(" ")
        # The start of a process that has nothing to do with an answer is none of its story.
        held = Gate()
        steward.script(text("Not cut.").held(held, after=1))
        await page.say("Another question", home)
        await held.arrived()
        await company.join("late", "work")
        await company.knows_of(5)
        held.release()
        assert lost not in await page.sees("Not cut.", home)
        assert "went on" not in (await page.page(await why_of(page, home))).get_text(" ")


@pytest.mark.usefixtures("company")
async def test_words_grow_on_the_page_of_each_process_and_end_there(steward: Steward) -> None:
    ((first, code), (second, again)) = await links(steward)
    async with browser(first) as page, browser(second) as elsewhere:
        for one, own in ((page, code), (elsewhere, again)):
            assert (await one.enter(own)).is_redirect
        home = await page.home()
        await shown_on_both(steward, (page, elsewhere), home)


async def test_words_of_a_process_that_does_all_grow_on_the_pages_of_another_one(
    own_postgres_url: str, steward: Steward
) -> None:
    steward.settings = {k: v for k, v in steward.settings.items() if not k.endswith("_BOT_TOKEN")}
    company = Company(steward, own_postgres_url)
    for name in ("one", "other"):
        await company.join(name, STEWARD_WEB_PORT=str(free_port()))
    await company.knows_of(2)
    ((first, code), (second, again)) = await links(steward)
    async with browser(first) as page, browser(second) as elsewhere:
        for one, own in ((page, code), (elsewhere, again)):
            assert (await one.enter(own)).is_redirect
        await shown_on_both(steward, (page, elsewhere), await page.home())
    for name in [*company.processes]:
        assert await company.leave(name, orderly=True) == 0


async def shown_on_both(steward: Steward, pages: Sequence[Browser], home: str) -> None:
    """Judge that what grows is seen at each page, and ends there."""
    for number, asking in enumerate(pages):
        gate, words = Gate(), f"Half of it, and whole, number {number}."
        steward.script(text(words).in_pieces(4).held(gate, after=4))
        async with pages[0].listening(home) as here, pages[1].listening(home) as there:
            for heard in (here, there):
                await heard.until(lambda one: one.events)
            await asking.say("A question", home)
            for heard in (here, there):
                await heard.hears("Half of it", "draft")
            gate.release()
            for heard in (here, there):
                await heard.hears(words)
                await heard.until(lambda one: drafts(one)[-1].text == "")


async def test_a_role_without_any_way_to_talk_is_refused_in_a_sentence(
    own_postgres_url: str, steward: Steward
) -> None:
    steward.settings = {k: v for k, v in steward.settings.items() if not k.endswith("_BOT_TOKEN")}
    steward.settings |= {"STEWARD_DATABASE_URL": own_postgres_url, "STEWARD_WEB_PORT": "0"}
    code, told = await steward.printed_by("run", "--role", "work")
    assert code == 2
    assert re.search(r"no chat app is set up, and the page is off\. Set .*STEWARD_WEB_PORT", told)
