"""The way in by a private chat: a link, one button, a session of the person who asked."""

import re
from typing import Any

from tests.e2e.browser import LINK, Browser, browser, forms_in
from tests.e2e.steward import Steward
from tests.e2e.test_page import door
from tests.e2e.times import Times
from tests.ports import free_port

ASKED, TOLD = "/login", "Open this link in your browser and press Sign in there:"
ALONE = "A sign-in link is for you alone. Send me /login in our private chat."
ELEVEN_MINUTES = 660
DAY = 24
"""Hours."""


async def link_of(steward: Steward, person: Any = None) -> tuple[str, str]:
    """The address and the code of a link that somebody asked for in their private chat."""
    before = len(steward.showing(TOLD, at=person))
    steward.order(ASKED, by=person)
    told = await steward.sees(TOLD, before + 1, at=person)
    assert "works once, for 10 minutes" in told.text
    ((origin, code),) = LINK.findall(told.text)
    return origin, code


async def test_login_in_a_private_chat_makes_one_session_of_that_person(
    steward: Steward, times: Times
) -> None:
    bob, eve = steward.person(77, "Bob"), steward.person(78, "Eve")
    await steward.start(STEWARD_WEB_PORT=free_port())
    await door(steward)
    steward.say(f"/allow {steward.account(bob)}")
    await steward.sees("can use me now.")
    origin, code = await link_of(steward, bob)
    async with browser(origin) as his, browser(origin) as late:
        # Previews of links fetch them, and spend nothing.
        shown = [await his.page("/enter") for _ in range(3)][-1]
        (form,) = forms_in(shown)
        assert form.label == "Sign in"
        assert form.fields == {"code": ""}
        assert code not in str(shown)
        assert (await his.send(form, code=code)).is_redirect
        assert await signed_in_as(his) == "Bob"
        # He is the member that he is in his chat, and sees his chat alone.
        assert (await his.get("/people")).status_code == 404
        assert len(steward.records.rows("SELECT 1 FROM session")) == 1
        assert (await late.enter(code)).status_code == 403
        # Nobody else gets in, and no link lasts.
        _, forgotten = await link_of(steward)
        times.move(ELEVEN_MINUTES)
        assert (await late.enter(forgotten)).status_code == 403
        assert (await late.get("/")).headers["location"] == "/enter"
        assert await signed_in_as(his) == "Bob"
    offered = len(steward.records.rows("SELECT 1 FROM sign_in"))
    steward.say(ASKED, by=eve)
    team = steward.team(bob)
    steward.order(ASKED, by=bob, at=team)
    await steward.sees(ALONE, at=team)
    assert not steward.showing("/enter#", at=team)
    assert not steward.showing(TOLD, at=eve)
    assert len(steward.records.rows("SELECT 1 FROM sign_in")) <= offered


async def test_a_session_is_renewed_by_visits_and_ends_after_180_days(
    steward: Steward, times: Times
) -> None:
    await steward.start(STEWARD_WEB_PORT=free_port())
    await door(steward)
    origin, code = await link_of(steward)
    async with browser(origin) as page:

        async def visit(hours: int) -> str:
            """The cookie of a visit so many hours after the one before; empty for none."""
            times.move(hours * 3_600)
            answer = await page.get("/sessions")
            assert answer.status_code == 200, hours
            return answer.headers.get("set-cookie", "")

        first = (await page.enter(code)).headers["set-cookie"]
        assert await visit(11) == ""
        # The same secret for 30 more days, and the row with it.
        assert await visit(2) == first
        assert await visit(0) == ""
        for _ in range(5):
            assert await visit(25 * DAY) == first
        # No cookie and no row lasts longer than 180 days after the sign-in.
        last = await visit(25 * DAY)
        assert last.partition(";")[0] == first.partition(";")[0]
        (left,) = re.findall(r"Max-Age=(\d+);", last)
        most = (30 * DAY - 13) * 3_600
        assert most - 600 < int(left) <= most
        await visit(29 * DAY)
        times.move(11 * 3_600)
        assert (await page.get("/sessions")).headers["location"] == "/enter"


async def test_an_owner_lets_somebody_in_who_has_a_browser_alone(steward: Steward) -> None:
    bob = steward.person(77, "Bob")
    await steward.start(STEWARD_WEB_PORT=free_port())
    await door(steward)
    steward.say(f"/allow {steward.account(bob)}")
    await steward.sees("can use me now.")
    origin, code, account = await newcomer(steward, "/allow page Carl  Gauss")
    async with browser(origin) as his, browser(origin) as late:
        for _ in range(3):
            assert code not in str(await his.page("/enter"))
        assert (await late.enter(f"{code[:-1]}x")).status_code == 403
        assert (await his.enter(code)).is_redirect
        assert (await late.enter(code)).status_code == 403
        assert await signed_in_as(his) == "Carl Gauss"
        # He has the rights of everybody who is let in, and no others.
        for path in ("/people", "/record", "/doctor"):
            assert (await his.get(path)).status_code == 404
        csrf = (await his.forms("/sessions"))[0].fields["csrf"]
        fields = {"csrf": csrf, "command": "allow", "account": "page", "second": "Eve"}
        assert (await his.post("/people", fields)).status_code == 404
        await his.say("/allow page Eve")
        await his.sees("Only an owner can use /allow.")
        rights = "SELECT DISTINCT rights FROM person WHERE role = 'member'"
        assert len(steward.records.rows(rights)) == 1
        # No second link opens what he has said to somebody else.
        steward.order(f"/allow {account}")
        await steward.sees("Carl Gauss can use me already. I make no second link")
        steward.order(f"/revoke {account}")
        await steward.sees(f"({account}) can no longer use me")
        assert (await his.get("/")).headers["location"] == "/enter"


async def test_nobody_but_an_owner_makes_a_link_for_somebody_and_none_where_others_read(
    steward: Steward,
) -> None:
    bob = steward.person(77, "Bob")
    await steward.start(STEWARD_WEB_PORT=free_port())
    steward.say(f"/allow {steward.account(bob)}")
    await steward.sees("can use me now.")
    before = len(steward.records.rows("SELECT 1 FROM sign_in"))
    steward.order("/allow page Eve", by=bob)
    await steward.sees("Only an owner can use /allow.", at=bob)
    team = steward.team(bob)
    steward.order("/allow page Eve", at=team)
    await steward.sees("A sign-in link is for one person.", at=team)
    steward.order("/allow page")
    await steward.sees("Write their name, as in")
    steward.order("/allow web:4711")
    await steward.sees("web:4711 is nobody's number.")
    assert len(steward.records.rows("SELECT 1 FROM sign_in")) == before


async def test_a_link_for_somebody_else_ends_by_itself_and_with_the_access(
    steward: Steward, times: Times
) -> None:
    await steward.start(STEWARD_WEB_PORT=free_port())
    origin, dead, account = await newcomer(steward, "/allow page Dora")
    await door(steward)
    async with browser(origin) as late:
        times.move(ELEVEN_MINUTES)
        assert (await late.enter(dead)).status_code == 403
        _, void, same = await newcomer(steward, f"/allow {account}")
        assert same == account
        steward.order(f"/revoke {account}")
        await steward.sees(f"Dora ({account}) can no longer use me")
        assert (await late.enter(void)).status_code == 403
        assert (await late.get("/")).headers["location"] == "/enter"
    audit = "SELECT action FROM audit WHERE action LIKE 'person.%' OR action = 'page.offered'"
    told = [action for (action,) in steward.records.rows(f"{audit} ORDER BY id")]
    assert told == ["person.allowed", "page.offered", "page.offered", "person.revoked"]


async def newcomer(steward: Steward, order: str) -> tuple[str, str, str]:
    """The address and the code of a link for somebody else, and the account that it is for."""
    told = "Pass this link on to them, and to nobody else"
    before = len(steward.showing(told))
    steward.order(order)
    shown = (await steward.sees(told, before + 1)).text
    assert "It works once, for 10 minutes." in shown
    assert "Before I change anything for them, I ask you." in shown
    ((origin, code),) = LINK.findall(shown)
    account = re.search(r"\((web:\d+)\)", shown)
    assert account is not None
    return origin, code, account[1]


async def signed_in_as(page: Browser) -> str:
    """The name that stands in the head of a page."""
    whose = (await page.page()).select_one("header .who")
    assert whose is not None
    return whose.get_text(" ", strip=True).removeprefix("Signed in as ")
