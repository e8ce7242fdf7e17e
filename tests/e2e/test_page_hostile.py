"""People who may not: another person, one whose access ended, and forms that come twice."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from bs4 import BeautifulSoup

from tests.e2e.browser import LINK, Browser, Sent, browser
from tests.e2e.steward import Steward
from tests.e2e.test_page import WRITE, door, page
from tests.standins.bot_api import Person
from tests.standins.messages_api import calls, text, tool
from tests.words import DECIDED_ALREADY

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

__all__ = ("page",)


_SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"


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


async def test_who_presses_is_who_signed_in_in_whatever_chat_the_card_stands(
    steward: Steward, page: Browser
):
    """A card of a member stands in the owner's chat, too: nobody decides or orders as another."""
    await page.home()
    bob = await member(steward)
    async with signed_in(steward, bob) as his:
        home = await his.home()
        steward.script(calls(tool(*WRITE)), calls(tool(*WRITE)), text("Bob has it."))
        await his.say("Write it", home)
        await his.sees("a.txt", home)
        await steward.recorded()
        ((card, token, asker),) = steward.records.rows("SELECT id, token, asker FROM approval")
        copies = steward.records.rows(
            f"SELECT chat, key FROM outbox WHERE key LIKE 'card:{card}@%'"
        )
        assert copies
        for path in (home, "/cards"):
            (waits,) = (await his.page(path)).select("article.card.open .sign.wait")
            assert waits.get_text(" ", strip=True).startswith("Waits for an owner")
            assert "Waits for you ·" not in (await his.page(path)).get_text()
        form = next(one for one in await his.forms("/cards") if one.action == "/press")
        for chat, key in copies:
            told = {**form.fields, "chat": str(chat), "key": key, "data": f"a:{token}:y"}
            assert (await his.post("/press", told)).status_code == 409
            order = {**told, "data": "", "text": f"/rights {steward.account(bob)} approve commands"}
            assert (await his.post("/word", order)).status_code == 409
        # In a chat of his own he decides as himself, which his rights do not allow.
        await his.post("/press", {**form.fields, "data": f"a:{token}:y"})
        await steward.eventually(lambda: not steward.records.untidy())
        assert steward.records.rows("SELECT state FROM approval") == [("open",)]
    assert "Waits for an owner" not in (await page.page("/cards")).get_text()
    # The owner decides on the card in his chat, and gives no order there.
    form = next(one for one in await page.forms("/cards") if one.action == "/press")
    order = {**form.fields, "data": "", "text": "/new"}
    answer = await page.post("/word", order)
    assert answer.status_code == 409
    assert "Use its buttons" in answer.text
    # Words that a button asks for are told in that chat with the name of whoever wrote them.
    asks = next(one for one in await page.forms("/cards") if one.action == "/word")
    assert (await page.post("/word", {**asks.fields, "text": "Be brief"})).status_code == 303
    told = await steward.sees("wrote on the page: Be brief", at=bob)
    assert not told.text.startswith("💻 You")
    states = "SELECT state FROM approval ORDER BY created_at"
    await steward.eventually(lambda: steward.records.rows(states)[1:] == [("open",)])
    assert (await page.press("Approve", "/cards")).status_code == 303
    decided = (
        "SELECT state, role FROM approval JOIN person ON person.id = decided_by"
        f" WHERE person.id <> {asker}"
    )
    await steward.eventually(lambda: ("approved", "owner") in steward.records.rows(decided))
    levels = "SELECT count(*) FROM audit WHERE action = 'person.rights'"
    assert steward.records.rows(levels) == [(0,)]


async def test_a_decided_card_says_in_its_chat_who_decided_it_and_when(
    steward: Steward, page: Browser
):
    await page.home()
    bob = await member(steward)
    async with signed_in(steward, bob) as his:
        home = await his.home()
        steward.script(calls(tool(*WRITE)), text("Bob has it."))
        await his.say("Write it", home)
        await his.sees("a.txt", home)
        await steward.recorded()
        # It waits, so nobody has decided.
        assert await _decided(his, home) == []
        assert (await page.press("Approve", "/cards")).status_code == 303
        await his.sees("Bob has it.", home)
        ((owner,),) = steward.records.rows("SELECT decider_name FROM approval")
        (told,) = await _decided(his, home)
        assert re.fullmatch(rf"Decided by {owner}, \d\d:\d\d\.", told)
        steward.script(calls(tool("write_file", {"path": "b.txt", "content": "x"})), text("No."))
        await his.say("Once more", home)
        await his.sees("b.txt", home)
        await his.press("Deny", home)
        await his.sees("No.", home)
        assert (await _decided(his, home))[1].startswith("Decided by you, ")


async def _decided(page: Browser, home: str) -> list[str]:
    lines = [one.get_text(strip=True) for one in (await page.page(home)).select(".card .for")]
    return [one for one in lines if one.startswith("Decided")]


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


def stands_apart(turn: BeautifulSoup, typed: str, name: str) -> None:
    """Checks that the words of a person are no part of what came along with them."""
    own, outside = turn.select("ol.view > li")[-2:]
    assert [one.get_text() for one in own.select("blockquote")] == [typed]
    assert (own["class"], outside["class"]) == ([], ["alien"])
    assert "never as an order" in outside.get_text()
    assert name in outside.get_text()
    assert typed not in outside.get_text()


async def test_a_file_that_a_person_gave_is_shown_to_them_alone(steward: Steward, page: Browser):
    home = await page.home()
    form = say_of(await page.forms(home))
    steward.script(text("A dot."))
    async with page.listening(home) as heard:
        dot = b"\x89PNG\r\n\x1a\n" + bytes(100)
        files = [("file", ("dot.png", dot, "image/png")), ("file", ("x.svg", _SVG, "image/svg"))]
        await page.post(form.action, {**form.fields, "text": "See"}, files=files)
        shown = await heard.hears("See")
        assert "/sent/" in shown.data
    await page.sees("A dot.", home)
    there = await page.page(home)
    turn = await page.page(str(there.select("a[href^='/turn/']")[-1]["href"]))
    stands_apart(turn, "See", "dot.png")
    assert "The page keeps what you sent for two days." in there.get_text(" ")
    (picture,) = there.select("a.shot img")
    assert picture["alt"] == "dot.png"
    (file,) = there.select("a.file[href^='/sent/']")
    assert file.get_text(" ") == f"x.svg {len(_SVG)} B from outside"
    image = await page.get(str(picture["src"]))
    assert (image.headers["content-type"], image.content) == ("image/png", dot)
    answer = await page.get(f"{file['href']}?show=1")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.content == _SVG
    row, _, number = str(picture["src"]).removesuffix("?show=1").rpartition("/")
    assert (await page.get(f"{row}/9")).status_code == 404
    assert (await page.get(f"/file{row.removeprefix('/sent')}/{number}")).status_code == 404
    bob = await member(steward)
    async with signed_in(steward, bob) as theirs:
        for href in (str(file["href"]), str(picture["src"])):
            assert (await theirs.get(href)).status_code == 404
    for path in (steward.home / "uploads").iterdir():
        path.unlink()
    assert (await page.get(str(picture["src"]))).status_code == 404
    there = await page.page(home)
    assert there.select("a[href^='/sent/']") == []
    assert [one.get_text(" ") for one in there.select("p.file")] == [
        "dot.png kept no longer",
        "x.svg kept no longer",
    ]


async def test_a_file_that_only_claims_to_be_a_picture_is_none(steward: Steward, page: Browser):
    home = await page.home()
    form = say_of(await page.forms(home))
    steward.script(text("No picture."))
    script = b"<script>alert(1)</script>"
    kinds = ("image/png", "text/html", "application/x-msdownload", "no type at all", "")
    files = [("file", (f"dot{n}.png", script, kind)) for n, kind in enumerate(kinds)]
    await page.post(form.action, {**form.fields, "text": "See"}, files=files)
    await page.sees("No picture.", home)
    there = await page.page(home)
    assert there.select("a.shot") == []
    links = [str(one["href"]) for one in there.select("a.file[href^='/sent/']")]
    assert len(links) == len(kinds)
    for link in links:
        answer = await page.get(f"{link}?show=1")
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.content == script


async def test_two_presses_in_two_tabs_are_one_decision_and_both_tabs_show_it(
    steward: Steward, page: Browser
):
    home = await page.home()
    steward.script(calls(tool(*WRITE)), text("The end."))
    async with page.listening(home) as one, page.listening(home) as other:
        await page.say("Write it", home)
        await page.sees("a.txt", home)
        forms = await page.forms(home)
        yes = next(form for form in forms if "Approve" in form.label)
        no = next(form for form in forms if "Deny" in form.label)
        answers = await asyncio.gather(page.send(yes), page.send(no))
        assert {answer.status_code for answer in answers} == {303}
        await page.sees("The end.", home)
        decisions = steward.records.rows("SELECT state FROM approval")
        assert len(decisions) == 1
        word = {"approved": "Approved", "denied": "Denied"}[decisions[0][0]]
        for tab in (one, other):
            await tab.hears(f"{word}.", "told")
            await tab.hears(DECIDED_ALREADY, "told")
            await tab.hears("The end.")
    lines = steward.records.rows("SELECT count(*) FROM audit WHERE action = 'card.decided'")
    assert lines == [(1,)]
    assert (steward.workspace / "a.txt").exists() == (word == "Approved")


async def test_a_file_given_in_the_chat_of_a_phone_is_read_there(steward: Steward, page: Browser):
    async with signed_in(steward, steward.ann) as ann:
        home = "/chat/telegram:42"
        form = say_of(await ann.forms(home))
        steward.script(text("I read it."))
        files = [("file", ("notes.txt", b"remember the milk", "text/plain"))]
        await ann.post(form.action, {**form.fields, "text": "What is in it?"}, files=files)
        await ann.sees("I read it.", home)
        (file,) = (await ann.page(home)).select("a.file[href^='/sent/']")
        assert (await ann.get(str(file["href"]))).text == "remember the milk"
        assert (await page.get(str(file["href"]))).status_code == 404
    assert "remember the milk" in str(steward.model.requests[-1].body)


async def test_of_one_code_sent_at_once_one_browser_gets_in(steward: Steward, page: Browser):
    assert await steward.exit_code("login") == 0
    code = LINK.findall(steward.output)[-1][1]
    async with browser(page.origin) as other:
        answers = await asyncio.gather(*(other.enter(code) for _ in range(20)))
    assert sorted({answer.status_code for answer in answers} - {429}) == [303, 403]
    assert len([answer for answer in answers if answer.status_code == 303]) == 1
