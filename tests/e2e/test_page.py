"""The page in a browser: people talk, decide and miss nothing, here and on the phone."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator

import pytest

from tests.e2e.browser import LINK, Browser, Event, Heard, browser
from tests.e2e.steward import Steward
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.messages_api import Gate, calls, text, tool
from tests.words import UNCOUNTED

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

WRITE = ("write_file", {"path": "a.txt", "content": "x"})
_FIRST_PAGE = 150_000
"""Bytes of a first page with all that it loads, as the program sends them: not compressed."""

_LOADED = re.compile(r"""(?:src|href)="(/static/[^"]+)"|url\(["']?([^"'#)]+)""")


@pytest.fixture
async def page(steward: Steward) -> AsyncIterator[Browser]:
    """A browser in which the person at the machine is signed in."""
    await steward.start(STEWARD_WEB_PORT=free_port())
    async with browser(await door(steward)) as found:
        assert (await found.enter(LINK.findall(steward.output)[-1][1])).status_code == 303
        yield found


async def door(steward: Steward) -> str:
    """The address of the page, once it answers."""
    origin = (await steward.eventually(lambda: LINK.search(steward.output)))[1]

    def answers() -> bool:
        with socket.socket() as probe:
            host, port = origin.removeprefix("http://").split(":")
            return probe.connect_ex((host, int(port))) == 0

    await steward.eventually(answers)
    return origin


def once(heard: Heard) -> None:
    """Judge that no message came twice in the same version, on one stream after another.

    Its mark says which version it is; one may show the same words as the version before.
    """
    seen = [one.id for one in heard.events if one.name == "message"]
    assert len(seen) == len(set(seen))


def drafts(heard: Heard) -> list[Event]:
    return [one for one in heard.events if one.name == "draft"]


async def weight(page: Browser, path: str) -> int:
    """The bytes of a page, and of all files that it and its files name."""
    left, sent = [path], dict[str, int]()
    while left:
        answer = await page.get(left.pop(), **{"accept-encoding": "gzip, br"})
        assert (answer.status_code, answer.headers.get("content-encoding")) == (200, None)
        sent[str(answer.url)] = len(answer.content)
        if not answer.headers["content-type"].startswith("image/"):
            named = {here or there for here, there in _LOADED.findall(answer.text)}
            left += [one for one in named if str(answer.url.join(one)) not in sent]
    assert len(sent) > 3, sent
    return sum(sent.values())


async def test_the_first_pages_are_light_with_all_that_they_load(steward: Steward, page: Browser):
    async with browser(page.origin) as stranger:
        assert await weight(stranger, "/enter") <= _FIRST_PAGE
    home = await page.home()
    steward.script(text("| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1)\n```\n\nDone."))
    await page.say("A table and some code", home)
    await page.sees("Done.", home)
    assert await weight(page, home) <= _FIRST_PAGE


@pytest.mark.shared
async def test_an_answer_grows_on_the_page_whoever_makes_it(
    steward: Steward, page: Browser
) -> None:
    home = await page.home()
    gate = Gate()
    steward.script(text("It grows in the browser.").in_pieces(4).held(gate, after=5))
    async with page.listening(await page.stream(home)) as heard:
        await page.say("Hi there", home)
        await heard.until(lambda one: any("It grows" in e.text for e in drafts(one)))
        gate.release()
        await heard.hears("It grows in the browser.")
        await heard.until(lambda one: not drafts(one)[-1].text)


@pytest.mark.shared
async def test_what_was_said_of_an_answer_stays_when_it_is_stopped(
    steward: Steward, page: Browser
) -> None:
    home, gate = await page.home(), Gate()
    steward.script(text("It grows in the browser.").in_pieces(4).held(gate, after=5))
    async with page.listening(home) as heard:
        await page.say("Hi there", home)
        await heard.until(lambda one: any("It grows" in e.text for e in drafts(one)))
        await page.press("Stop", home)
        told = await heard.hears("Stopped, as you asked.")
        assert "It grows" in told.text
        gate.release()
        steward.script(text("And goes on."))
        await page.say("Go on", home)
        await heard.hears("And goes on.")
    sent = steward.model.requests[-1].body["messages"]
    assert ["It grows" in str(one) for one in sent if one["role"] == "assistant"] == [True]


@pytest.mark.shared
async def test_somebody_talks_and_decides_on_the_page(steward: Steward, page: Browser):
    home = await page.home()
    async with page.listening(home) as heard:
        steward.script(text("Hello from the model."))
        await page.say("Hi there", home, id="the-first-one")
        await heard.hears("Hello from the model.")
        await page.say("Hi there", home, id="the-first-one")
        steward.script(calls(tool(*WRITE)), text("Written."))
        await page.say("Write a file", home)
        await heard.hears("a.txt")
        async with page.listening(home) as other:
            # Two tabs, two presses: one decision, and both are told.
            forms = [one for one in await page.forms(home) if "Approve" in one.label]
            again = [one for one in await page.forms(home) if "Deny" in one.label]
            await asyncio.gather(page.send(forms[-1]), page.send(again[-1]))
            await heard.until(lambda h: [e for e in h.events if e.name == "told"])
            await heard.until(lambda h: _versions(h) >= 2)
            await other.until(lambda h: any("a.txt" in e.text for e in h.events))
        # Both ends of the turn, denied or done, are told by the model's next words.
        await heard.hears("Written.")
        once(heard)
    said = [text for _, text in await page.messages(home)]
    assert len([one for one in said if "Hi there" in one]) == 1
    ran = (steward.home / "workspace" / "a.txt").exists()
    assert ran == any("a.txt created" in one for one in said), said


def _versions(heard: Heard) -> int:
    cards = [one for one in heard.events if one.name == "message" and "a.txt" in one.text]
    return len({one.data for one in cards if one.element == cards[0].element}) if cards else 0


async def test_a_killed_program_loses_and_doubles_nothing(steward: Steward, page: Browser):
    home = await page.home()
    stream = await page.stream(home)
    gate = Gate()
    steward.script(text("The answer of the first life.").held(gate))
    async with page.listening(stream) as first:
        await page.say("A question", home)
        await first.hears("A question")
        await steward.asked(1)
    # Sent, not answered: the next life answers, once.
    await steward.kill()
    gate.release()
    steward.script(text("The answer of the second life."), calls(tool(*WRITE)), text("Written."))
    await steward.start()
    await door(steward)
    async with page.listening(stream, first.last_id) as second:
        await second.hears("The answer of the second life.")
        # It may be drawn anew in its place, since it waits no more.
        asked = {one.element for one in first.events if "A question" in one.text}
        assert {one.element for one in second.events if "A question" in one.text} <= asked
        await page.say("Write a file", home)
        card = await second.hears("a.txt")
        pressed = next(one for one in await page.forms(home) if "Approve" in one.label)
    # The stream was cut before the press, and the program dies right behind it.
    asked_for = len(steward.model.requests)
    await page.send(pressed)
    await steward.kill()
    if len(steward.model.requests) > asked_for:
        # The life that was killed had asked for these words already.
        steward.script(text("Written."))
    await steward.start()
    await door(steward)
    async with page.listening(stream, second.last_id) as third:
        await third.hears("Written.")
        assert (await page.send(pressed)).status_code == 303
        once(third)
        # A stream tells nothing that an earlier one has told.
        assert not [one for one in third.events if "second life" in one.text]
        again = [one for one in third.events if one.element == card.element]
        assert all(one.text != card.text for one in again)
    said = [text for _, text in await page.messages(home)]
    for words in ("A question", "The answer of the second life.", "Written."):
        assert len([one for one in said if words in one]) == 1, words


async def test_the_phone_and_the_page_show_one_conversation(steward: Steward, page: Browser):
    steward.say("/login")
    link = LINK.search((await steward.sees("Open this link in your browser")).text)
    assert link is not None
    async with browser(link[1]) as ann:
        assert (await ann.enter(link[2])).status_code == 303
        home = "/chat/telegram:42"
        assert (await page.get(home)).status_code == 404
        async with ann.listening(home) as heard:
            steward.script(text("Answered on the phone."))
            steward.say("Asked on the phone")
            await heard.hears("Asked on the phone")
            await heard.hears("Answered on the phone.")
            steward.script(calls(tool(*WRITE)), text("Written."))
            await ann.say("Asked on the page", home)
            await steward.sees("You wrote on the page: Asked on the page")
            card = await steward.card()
            await heard.hears("a.txt")
            # Pressed on the page, the phone shows it; pressed on the phone, the page shows it.
            await ann.press("Approve", home)
            await steward.sees("Written.")
            await heard.hears("Written.")
            steward.script(
                calls(tool("write_file", {"path": "b.txt", "content": "y"})), text("No.")
            )
            steward.say("Once more")
            card = await steward.card(about="b.txt")
            steward.press(card, "❌ Deny")
            await heard.hears("Denied")
        steward.say("/login off")
        await steward.sees("Signed out: 1.")
        assert (await ann.get(home)).status_code == 303


async def test_files_come_and_go(steward: Steward, page: Browser):
    home = await page.home()
    form = next(one for one in await page.forms(home) if one.action.endswith("/say"))
    steward.script(text("I read it."))
    files = [("file", ("../../notes.txt", b"remember the milk", "text/html"))]
    fields = {"csrf": form.fields["csrf"], "text": "What is in it?", "id": "with-a-file"}
    sent = await page.post(f"{home}/say", fields, files=files)
    assert sent.status_code == 303
    await page.sees("I read it.", home)
    assert "remember the milk" in str(steward.model.requests[-1].body)
    assert [one.name for one in (steward.home / "workspace" / "inbox").rglob("*.txt")]
    steward.script(calls(tool("send_file", {"path": "page.html"})), text("Sent."))
    (steward.home / "workspace" / "page.html").write_text("<script>alert(1)</script>")
    await page.say("Send the page", home)
    await page.sees("Sent.", home)
    found = (await page.page(home)).select("a[href^='/file/']")
    answer = await page.get(str(found[-1]["href"]) + "?show=1")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (await page.get("/file/999999/0")).status_code == 404


async def test_each_of_the_five_first_sentences_works_with_the_demo_model(steward: Steward):
    del steward.settings["ANTHROPIC_API_KEY"]
    await steward.start(STEWARD_WEB_PORT=free_port())
    async with browser(await door(steward)) as page:
        await page.enter(LINK.findall(steward.output)[-1][1])
        home = await page.home()

        async def tries(words: str, *keys: str, shows: str) -> None:
            """Press one of the five sentences, and each key that it leads to."""
            await page.press(words, home)
            for key in keys:
                async with asyncio.timeout(PATIENCE):
                    while not [one for one in await page.forms(home) if key in one.label]:
                        await asyncio.sleep(0.05)
                await page.press(key, home)
            await page.sees(shows, home)

        await tries("Write a note", "Approve", shows="The note is there")
        await tries("/plan make a report", "Approve", "Skip", shows="The steps are done")
        await tries("Make minutes of my meeting notes", shows="Open questions")
        await tries("Remind me of the tea", "Approve", shows="The task is set")
        await tries("/why", shows="you approved its card")
        why = (await page.page(home)).select("a.why")[-1]
        figures = (await page.page(str(why["href"]))).select_one("dl.strip")
        assert figures is not None
        assert re.search(r"Tokens ≈ [1-9][\d,]+ ", figures.get_text(" ", strip=True))
        # What is said of estimates stands below the rows that they are in.
        money = await page.page("/money")
        said = UNCOUNTED.removeprefix("1 call ")
        (noted,) = [one for one in money.select("section") if said in one.get_text()]
        assert noted["aria-labelledby"] == "b-h"


async def test_the_first_page_offers_five_sentences_until_something_was_said(
    steward: Steward, page: Browser
):
    home = await page.home()
    greeting = (await page.page(home)).select_one("#first")
    assert greeting is not None
    told = " ".join(greeting.get_text(" ", strip=True).split())
    assert "Write below, or press one of these. Five things to try:" in told
    assert "demo" not in told
    tried = [str(one["value"]) for one in greeting.select(".tries button")]
    assert (len(tried), tried[-1]) == (5, "/why")
    steward.script(text("It is there."))
    await page.press(tried[0], home)
    await page.sees("It is there.", home)
    assert tried[0] in str(steward.model.requests[-1].body)
    assert (await page.page(home)).select_one("#first") is None


async def test_the_doctor_finds_the_page_its_port_and_its_public_address(
    steward: Steward, page: Browser
):
    async def told(**settings: str) -> str:
        _, printed = await steward.printed_by("doctor", **settings)
        about = printed.partition(" page ")[2].partition("\nok ")[0].partition("\nwarn ")[0]
        return " ".join(about.split())

    assert await told() == f"It is served at {page.origin}."
    nowhere = f"http://localhost:{free_port()}"
    assert f"but {nowhere} does not lead to it." in await told(STEWARD_WEB_PUBLIC_URL=nowhere)
    assert "10.0.0.9 can never ask" in await told(STEWARD_WEB_PROXIES="127.0.0.1,10.0.0.9")
    free = str(free_port())
    assert f"port {free} of 127.0.0.1 is free." in await told(STEWARD_WEB_PORT=free)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        assert "is used by another program" in await told(STEWARD_WEB_PORT=taken)
