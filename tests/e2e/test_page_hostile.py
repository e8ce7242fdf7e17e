"""People who may not: another person, one whose access ended, and forms that come twice."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from tests.e2e.browser import LINK, Browser, Sent, browser
from tests.e2e.steward import Steward
from tests.e2e.test_page import WRITE, door, page
from tests.standins.bot_api import Person
from tests.standins.messages_api import calls, text, tool

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

__all__ = ("page",)


@asynccontextmanager
async def signed_in(steward: Steward, person: Person) -> AsyncIterator[Browser]:
    """A browser of somebody on the platform, who asked for a link."""
    code = await link_of(steward, person)
    async with browser(await door(steward)) as found:
        assert (await found.enter(code)).status_code == 303
        yield found


async def link_of(steward: Steward, person: Person) -> str:
    before = len(steward.showing("Open this link in your browser", at=person))
    steward.say("/login", by=person)
    told = await steward.sees("Open this link in your browser", before + 1, at=person)
    return LINK.findall(told.text)[-1][1]


async def member(steward: Steward) -> Person:
    bob = steward.person(77, "Bob")
    steward.say(f"/allow {steward.account(bob)}")
    await steward.sees("can use me now.")
    return bob


async def test_nothing_of_a_chat_is_reached_by_another_person(steward: Steward, page: Browser):
    """Each address and each form of hers, with his own session and token."""
    home = await page.home()
    (steward.workspace / "hers.txt").write_text("her secret")
    steward.script(
        calls(tool("send_file", {"path": "hers.txt"})) + calls(tool(*WRITE)), text("Later.")
    )
    await page.say("A private question", home)
    await page.sees("Approve", home)
    hers = [*await page.forms(home), *await page.forms("/cards")]
    shown = str(await page.page(home))
    links = set(re.findall(r'href="(/(?:turn|file)/[^"#?]+)', shown)) | {home, f"{home}/older"}
    links.add((await page.stream(home)).replace("mark=", "mark=0.0&x="))
    assert {link.split("/")[1] for link in links} == {"chat", "file"}
    bob = await member(steward)
    rows = steward.records.rows("SELECT count(*) FROM inbox")
    async with signed_in(steward, bob) as his:
        for link in sorted(links):
            answer = await his.get(link)
            assert answer.status_code in (204, 404), link
        token = (await his.forms("/sessions"))[0].fields["csrf"]
        kinds: set[str] = set()
        for form in hers:
            kinds.add(form.action.rpartition("/")[2])
            if form.action in ("/chat/new", "/sessions/end", "/leave"):
                continue
            answer = await his.send(form, csrf=token, text="his words")
            assert answer.status_code in (404, 409), form
        assert {"say", "press", "word", "stop"} <= kinds
        # A name of hers within a chat of his own leads to nothing of hers.
        own = await his.home()
        press = next(one for one in hers if one.action.endswith("/press") and "chat" in one.action)
        for action in (f"{own}/press", f"{own}/word"):
            answer = await his.post(action, {**press.fields, "csrf": token, "text": "his words"})
            assert answer.status_code == 409
        await his.say("Mine alone", own, edits=press.fields["message"].replace("o", "i"))
    assert steward.records.rows("SELECT count(*) FROM inbox")[0][0] - rows[0][0] <= 3
    assert not steward.records.rows("SELECT 1 FROM inbox WHERE body LIKE '%his words%'")
    assert [form for form in await page.forms(home) if "Approve" in form.label]


async def test_whoever_loses_the_access_loses_the_page_with_it(steward: Steward, page: Browser):
    """Between the load of a page and a press, on an open stream, and by a code in the hand."""
    bob = await member(steward)
    async with signed_in(steward, bob) as his:
        home = await his.home()
        steward.script(calls(tool(*WRITE)))
        await his.say("Write it", home)
        await his.sees("a.txt", home)
        forms = await his.forms(home)
        code = await link_of(steward, bob)
        async with his.listening(home) as heard:
            steward.say(f"/revoke {steward.account(bob)}")
            await steward.sees("can no longer use me")
            await heard.until(lambda one: [e for e in one.events if e.name == "left"])
            await heard.until(lambda one: one.ended)
        before = steward.records.rows("SELECT count(*) FROM inbox WHERE channel = 'web'")
        for form in forms:
            assert (await his.send(form, text="late words")).status_code == 401, form
        assert (await his.get(home)).status_code == 303
        # A link from before the end gives no access back.
        assert (await his.enter(code)).status_code == 403
        assert steward.records.rows("SELECT count(*) FROM inbox WHERE channel = 'web'") == before
    for table in ("session", "sign_in", "account"):
        whose = "(SELECT id FROM person WHERE name = 'Bob')"
        assert not steward.records.rows(f"SELECT 1 FROM {table} WHERE person IN {whose}"), table
    assert not (steward.workspace / "a.txt").exists()


async def test_a_right_that_ends_while_a_form_comes_is_gone_when_it_has_come(
    steward: Steward, page: Browser
):
    home = await page.home()
    form = say_of(await page.forms(home))
    body = "&".join(f"{k}={v}" for k, v in {**form.fields, "text": "too+late"}.items()).encode()
    ended = asyncio.Event()

    async def dripping() -> AsyncIterator[bytes]:
        yield body[:10]
        await ended.wait()
        yield body[10:]

    headers = {"origin": page.origin, "content-type": "application/x-www-form-urlencoded"}
    sending = asyncio.create_task(
        page.client.post(form.action, content=dripping(), headers=headers)
    )
    async with browser(page.origin) as other:
        assert await steward.exit_code("login") == 0
        assert (await other.enter(LINK.findall(steward.output)[-1][1])).status_code == 303
        everywhere = [one for one in await other.forms("/sessions") if "all" in one.fields]
        await other.send(everywhere[0])
        ended.set()
        assert (await sending).status_code == 401
    assert not steward.records.rows("SELECT 1 FROM inbox WHERE body LIKE '%too late%'")


async def test_a_form_that_comes_twice_counts_once(steward: Steward, page: Browser):
    home = await page.home()
    steward.script(text("Answered once."), calls(tool(*WRITE)), text("Changed."))
    said = {"text": "Say it once"}
    form = say_of(await page.forms(home))
    files = [("file", ("a.txt", b"the same file", "text/plain"))]
    sent = [page.post(form.action, {**form.fields, **said}, files=files) for _ in range(5)]
    assert {answer.status_code for answer in await asyncio.gather(*sent)} == {303}
    await page.sees("Answered once.", home)
    kept = [path for path in (steward.home / "uploads").iterdir()]
    assert [path.read_bytes() for path in kept] == [b"the same file"]
    await page.say("Write", home)
    await page.sees("Approve", home)
    words = next(one for one in await page.forms("/cards") if one.action == "/word")
    answers = await asyncio.gather(*(page.send(words, text="call it b.txt") for _ in range(4)))
    assert {answer.status_code for answer in answers} <= {303, 409}
    await page.sees("Changed.", home)
    # One turn for each: what came again began none.
    assert len(steward.model.requests) == 3
    stop = next(one for one in await page.forms(home) if one.action.endswith("/stop"))
    for _ in range(3):
        assert (await page.send(stop)).status_code == 303
    told = [words for _, words in await page.messages(home) if words.endswith("/stop")]
    assert len(told) == 1, told


def say_of(forms: Sequence[Sent]) -> Sent:
    return next(one for one in forms if one.action.endswith("/say") and "id" in one.fields)


async def test_what_a_person_gave_goes_with_their_words(steward: Steward, page: Browser):
    home = await page.home()
    form = say_of(await page.forms(home))
    steward.script(text("Read."))
    canary = b"xyzzyplugh"
    files = [("file", ("a.txt", canary, "text/plain"))]
    await page.post(form.action, {**form.fields, "text": "xyzzyplugh?"}, files=files)
    await page.sees("Read.", home)
    (given,) = (steward.home / "uploads").iterdir()
    assert given.stat().st_mode & 0o777 == 0o600
    # As if it had come a while ago.
    os.utime(given, (given.stat().st_atime, given.stat().st_mtime - 3600))
    await page.say("/forget all", home)
    await page.sees("Erase", home)
    await page.press("Erase", home)
    await page.sees("Erased.", home)
    await steward.eventually(lambda: not given.exists())
    assert steward.records.holding("xyzzyplugh") == set()
    async with page.listening(f"{home}/events?mark=0.0") as heard:
        await heard.hears("Erased.")
        assert not [one for one in heard.events if "xyzzyplugh" in one.data]


async def test_a_file_given_in_the_chat_of_a_phone_is_read_there(steward: Steward, page: Browser):
    async with signed_in(steward, steward.ann) as ann:
        home = "/chat/telegram:42"
        form = say_of(await ann.forms(home))
        steward.script(text("I read it."))
        files = [("file", ("notes.txt", b"remember the milk", "text/plain"))]
        await ann.post(form.action, {**form.fields, "text": "What is in it?"}, files=files)
        await ann.sees("I read it.", home)
    assert "remember the milk" in str(steward.model.requests[-1].body)


async def test_of_one_code_sent_at_once_one_browser_gets_in(steward: Steward, page: Browser):
    assert await steward.exit_code("login") == 0
    code = LINK.findall(steward.output)[-1][1]
    async with browser(page.origin) as other:
        answers = await asyncio.gather(*(other.enter(code) for _ in range(20)))
    assert sorted({answer.status_code for answer in answers} - {429}) == [303, 403]
    assert len([answer for answer in answers if answer.status_code == 303]) == 1
