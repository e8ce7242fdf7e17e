"""Cards that stand further up than the newest messages of an open page change there, too."""

from collections.abc import AsyncIterator

import pytest
from bs4 import BeautifulSoup

from bot.adapters.sql.moment import change_of
from bot.adapters.sql.store import open_store
from bot.domain.change import Change, Show
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain
from bot.ports.outbox import Delivered, DeliveryState
from tests.e2e.browser import LINK, Browser, Event, browser
from tests.e2e.steward import Steward
from tests.e2e.test_page import door
from tests.e2e.test_page_reading import signed_in
from tests.ports import free_port
from tests.standins.messages_api import calls, text, tool
from tests.words import APPROVE

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

_BEHIND = 61
"""Messages behind a card: one more than the newest ones that a page always looks at."""

WRITE = tool("write_file", {"path": "a.txt", "content": "x"})
PHONE = "/chat/telegram:42"


@pytest.fixture
async def page(steward: Steward) -> AsyncIterator[Browser]:
    async with signed_in(steward) as found:
        yield found


async def filled(steward: Steward, home: Address) -> None:
    """Writes messages of a chat, shown already, while the program is away."""
    await steward.stop()
    async with open_store(f"sqlite:///{steward.home / 'steward.db'}", upgrade=False) as store:
        chat = await store.chats.at(home, private=True)
        told = [
            Show(f"told:{n}", chat.id, Outbound(OutboundKind.NOTICE, (Plain(f"told {n}"),)))
            for n in range(_BEHIND)
        ]
        await store.journal.commit(Change(tuple(told)))
        for row in await store.page.shown(chat.id, 2**62, _BEHIND):
            here = (f"m{row.id}",)
            shown = Delivered(row.id, 1, DeliveryState.SHOWN, 1, (), here, 0, row.created_at)
            await store.outbox.record(shown)
    await steward.start()
    await door(steward)


async def asked(steward: Steward, page: Browser) -> str:
    """Has a card wait, and returns the address of its conversation."""
    home = await page.home()
    steward.script(calls(WRITE), text("Written."))
    await page.say("Write a file", home)
    await page.sees("Approve", home)
    return home


async def card_above(page: Browser, chat: str) -> str:
    """Returns the name of the open card, which only an earlier part of the chat shows."""
    shown = await page.page(chat)
    assert shown.select(".card.open") == []
    link = shown.select_one("#older a")
    assert link is not None
    answer = await page.get(str(link["href"]))
    (card,) = BeautifulSoup(answer.text, "html.parser").select("li:has(.card.open)")
    return str(card["id"])


def changed(events: list[Event], card: str) -> Event | None:
    """Returns the event that shows a card without its buttons, for pages that have it."""
    found = [one for one in events if one.element == card and "Deny" not in one.text]
    assert all(one.name == "past" for one in found)
    return found[0] if found else None


def texts_of(events: list[Event], element: str) -> list[str]:
    return [one.text for one in events if one.element == element]


async def test_a_card_further_up_than_the_newest_messages_changes_when_it_is_decided(
    steward: Steward, page: Browser
) -> None:
    home = await asked(steward, page)
    await filled(steward, Address.from_key(home.removeprefix("/chat/")))
    card = await card_above(page, home)
    async with page.listening(home) as heard:
        await page.press("Approve", "/cards")
        told = await heard.until(lambda one: changed(one.events, card))
        assert "Decided by you" in told.text
        # It changes again when its work is done.
        await heard.until(
            lambda one: [e for e in one.events if e.element == card and "Undo" in e.text]
        )


async def test_a_page_that_stood_open_while_a_card_moved_up_hears_of_its_end(
    steward: Steward, page: Browser
) -> None:
    home = await asked(steward, page)
    async with page.listening(home) as heard:
        (card,) = [id for id, told in await page.messages(home) if "Approve" in told]
        form = next(one for one in await page.forms(home) if one.action.endswith("/say"))
        for n in range(_BEHIND):
            await page.send(form, text="/version", id=f"version-{n:03}")
        await heard.until(lambda one: len(_answers(one.events)) == _BEHIND)
        await page.press("Approve", "/cards")
        assert "Decided by you" in (await heard.until(lambda one: changed(one.events, card))).text


async def test_a_message_far_up_that_is_no_open_card_leaves_the_mark_of_an_open_page(
    steward: Steward, page: Browser
) -> None:
    """A mark that only grew would be too long one day, and the page would hear nothing more."""
    home = await page.home()
    steward.script(text("Hello."), text("Good bye."), text("At last."))
    await page.say("Hi", home)
    await page.sees("Hello.", home)
    await filled(steward, Address.from_key(home.removeprefix("/chat/")))
    ids = [row for (row,) in steward.records.rows("SELECT id FROM outbox ORDER BY id")]
    ((said,),) = steward.records.rows("SELECT max(id) FROM inbox")
    with change_of(f"sqlite:///{steward.records.path}") as rows:
        changed_once = "UPDATE outbox SET version = 2, shown_version = 2 WHERE id = ?"
        rows.exec_driver_sql(changed_once, (ids[0],))
    async with page.listening(home, f"{said}.{ids[-1]}.{ids[0]}:2") as heard:
        await page.say("Bye", home)
        await heard.until(lambda one: [e for e in one.events if "Good bye." in e.text])
        # The mark is made short behind each look, so a later event tells it.
        await page.say("Bye, bye", home)
        last = await heard.until(lambda one: [e for e in one.events if "At last." in e.text])
    assert f"{ids[0]}:" not in last[-1].id


def _answers(events: list[Event]) -> set[str]:
    return {one.element for one in events if one.element.startswith("m-o")}


async def test_a_press_on_the_phone_changes_a_card_further_up_on_the_page(
    steward: Steward,
) -> None:
    await steward.start(STEWARD_WEB_PORT=free_port())
    await door(steward)
    steward.say("/login")
    link = LINK.search((await steward.sees("Open this link in your browser")).text)
    assert link is not None
    async with browser(link[1]) as page:
        assert (await page.enter(link[2])).status_code == 303
        steward.script(calls(WRITE), text("Written."))
        steward.say("Write a file")
        asked = await steward.card(about="a.txt")
        await filled(steward, Address("telegram", "42"))
        card = await card_above(page, PHONE)
        async with page.listening(PHONE) as heard:
            steward.press(asked, APPROVE)
            told = await heard.until(lambda one: changed(one.events, card))
            assert "Decided by you" in told.text
