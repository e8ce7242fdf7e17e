"""The way in by a private chat: a link, one button, a session of the person who asked."""

from typing import Any

from tests.e2e.browser import LINK, Browser, browser, forms_in
from tests.e2e.steward import Steward
from tests.e2e.test_page import door
from tests.e2e.times import Times
from tests.ports import free_port

ASKED, TOLD = "/login", "Open this link in your browser and press Sign in there:"
ALONE = "A sign-in link is for you alone. Send me /login in our private chat."
ELEVEN_MINUTES = 660


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


async def signed_in_as(page: Browser) -> str:
    """The name that stands in the head of a page."""
    whose = (await page.page()).select_one("header .who")
    assert whose is not None
    return whose.get_text(" ", strip=True).removeprefix("Signed in as ")
