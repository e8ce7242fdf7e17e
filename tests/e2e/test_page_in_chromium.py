"""The page of the running program in a real Chromium."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.browser.chromium import chromium, faults, programs, sized
from tests.browser.driving import focused, spoken, types, waits_for
from tests.browser.looking import axe_core, seen_by_axe, sticking_out
from tests.e2e.browser import LINK
from tests.e2e.steward import Steward
from tests.e2e.times import Times
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.messages_api import Gate, calls, text, tool
from tests.standins.serving import serving
from tests.words import APPROVE, EDITED_EARLIER

pytestmark = [
    pytest.mark.browser,
    pytest.mark.flows_own("the page is served beside any platform"),
]

P = ParamSpec("P")
T = TypeVar("T")

_HOSTILE = (
    '<script>window.taken = 1</script><img src=x onerror="window.taken=1">'
    " [press me](javascript:window.taken=1) ![](http://127.0.0.1:9/x.png)"
)


class Page:
    """The browser of a person, driven beside the event loop."""

    def __init__(self, driver: Chrome, origin: str) -> None:
        self.driver = driver
        self.origin = origin

    async def do(self, act: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(act, *values, **named)

    async def wait(self, told: str, *values: object) -> Any:
        return await self.do(waits_for, self.driver, told, *values)

    async def leaves_for(self, path: str) -> None:
        """Waits for another page; a script that waits in this one would go with it."""
        async with asyncio.timeout(PATIENCE):
            while urlsplit(await self.do(lambda: self.driver.current_url)).path != path:
                await asyncio.sleep(0.05)

    async def say(self, words: str) -> None:
        await self.do(self.driver.find_element(By.ID, "words").send_keys, words, Keys.ENTER)

    async def hears(self, words: str) -> None:
        await self.wait(
            "return document.getElementById('messages').innerText.includes(arguments[0])", words
        )

    async def presses(self, *keys: str) -> None:
        await self.do(types, self.driver, *keys)


def answers(origin: str) -> bool:
    """Tells if anything listens at an address."""
    with socket.socket() as probe:
        host, _, port = origin.removeprefix("http://").partition(":")
        return probe.connect_ex((host, int(port))) == 0


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    with chromium() as made:
        sized(made, 1280, 900)
        yield made


@pytest.fixture
async def page(steward: Steward, driver: Chrome) -> AsyncIterator[Page]:
    """Chromium, in which the person at the machine has signed in by the printed link."""
    async with opened(steward, driver) as found:
        yield found


@asynccontextmanager
async def opened(steward: Steward, driver: Chrome) -> AsyncIterator[Page]:
    programs()
    await steward.start(STEWARD_WEB_PORT=free_port())
    link = await steward.eventually(lambda: LINK.search(steward.output))
    await steward.eventually(lambda: answers(link[1]))
    async with entered(driver, link) as found:
        yield found


@asynccontextmanager
async def entered(driver: Chrome, link: re.Match[str]) -> AsyncIterator[Page]:
    """Signs in by a link; what the browser knows is gone afterwards."""
    found = Page(driver, link[1])
    await found.do(faults, driver)  # those of the test before
    await found.do(driver.get, link[0])
    await found.wait("return document.getElementById('code').value")
    await found.do(driver.find_element(By.CSS_SELECTOR, ".door .key").click)
    await found.wait("return document.getElementById('live')?.textContent === 'Live'")
    yield found
    await found.do(driver.delete_all_cookies)
    await found.do(driver.get, "about:blank")


async def test_a_person_signs_in_talks_and_decides_by_key(steward: Steward, page: Page) -> None:
    await page.wait("return document.getElementById('first')")
    assert "#" not in page.driver.current_url
    steward.script(text("The **night** went well."))
    await page.say("How was the backup?")
    await page.hears("The night went well.")
    await page.do(spoken, page.driver, "The night went well.")
    title = "return document.querySelector('h1').textContent === 'How was the backup?'"
    await page.wait(title)
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "one\n"})), text("Done."))
    await page.say("Write a file")
    await page.do(spoken, page.driver, "A card waits:")
    await page.do(page.driver.execute_script, "document.getElementById('words').blur()")
    await page.presses("j")
    await page.wait("return document.querySelector('.card.open.here')")
    why = "return document.querySelector('.card.open .reasons').innerText.includes('Effect')"
    await page.wait(why)
    await page.wait("return document.querySelector('.side .waits').textContent === '1 open card'")
    await page.wait("return !document.getElementById('draft').firstChild")
    # A key that comes within a second after the card decides nothing; this clock is set ahead.
    later = "const now = performance.now(); performance.now = () => now + 5000;"
    await page.do(page.driver.execute_script, later)
    await page.presses("y")
    await page.wait("return !document.querySelector('.card.open')")
    await page.hears("Done.")
    assert (steward.home / "workspace" / "a.txt").read_text() == "one\n"
    assert (await page.do(focused, page.driver)).startswith("card-")
    assert await page.do(faults, page.driver) == []


async def test_words_of_a_model_stay_words(steward: Steward, page: Page) -> None:
    steward.script(text(_HOSTILE))
    await page.say(_HOSTILE)
    await page.hears("press me")
    await page.do(page.driver.refresh)
    await page.hears("press me")
    assert await page.do(page.driver.execute_script, "return window.taken === undefined")
    tags = (
        "return document.querySelectorAll('#messages :is(img, script, iframe, [onerror])').length"
    )
    assert await page.do(page.driver.execute_script, tags) == 0
    assert await page.do(faults, page.driver) == []


async def test_a_kill_loses_no_message_and_doubles_none(steward: Steward, page: Page) -> None:
    steward.script(text("First."), text("Second."))
    await page.say("One")
    await page.hears("First.")
    await steward.kill()
    await page.wait("return document.getElementById('live').textContent === 'Reconnecting'")
    await page.say("Two")
    await page.do(spoken, page.driver, "Not sent yet")
    await steward.start()
    await page.hears("Second.")
    said = "return [...document.querySelectorAll('.words')].map((e) => e.textContent)"
    assert await page.do(page.driver.execute_script, said) == ["One", "Two"]


async def test_a_page_that_stands_open_for_a_day_goes_on_and_one_of_a_month_ends(
    steward: Steward, driver: Chrome
) -> None:
    times = Times(steward)
    async with opened(steward, driver) as page:
        await page.do(driver.execute_script, "window.stayed = true")
        steward.script(calls(tool("write_file", {"path": "a.txt", "content": "x"})))
        await page.say("Write a file")
        await page.wait("return document.querySelector('.card.open')")
        times.move(25 * 3600)
        # Nobody decided within a day: the page shows it without being loaded again.
        await page.wait("return !document.querySelector('.card.open')")
        steward.script(text("Good morning."))
        await page.say("Are you still there?")
        await page.hears("Good morning.")
        assert await page.do(driver.execute_script, "return window.stayed")
        assert not (steward.home / "workspace" / "a.txt").exists()
        # Its session ends 30 days after the last visit, and with it what it shows.
        times.move(31 * 24 * 3600)
        await page.leaves_for("/enter")
        assert await page.do(driver.execute_script, "return !window.stayed")


_ROWS = "return document.querySelectorAll('#messages > [id^=m-]').length"


async def test_words_of_a_change_that_came_too_late_are_back_in_the_field(
    steward: Steward, page: Page
) -> None:
    steward.script(text("Rome."), text("By ship."))
    await page.say("Where to?")
    await page.hears("Rome.")
    await page.do(page.driver.find_element(By.CSS_SELECTOR, "[data-edit]").click)
    field = "return document.getElementById('words').value"
    assert await page.do(page.driver.execute_script, field) == "Where to?"
    # A newer message comes from another page of the same person, and this one cannot know in time.
    elsewhere = """
    const form = new FormData(document.getElementById('say'));
    form.set('text', 'How?'); form.set('id', 'another-page-01'); form.delete('edits');
    return fetch(document.getElementById('say').action, {method: 'POST', body: form})
      .then((got) => got.status);
    """
    assert await page.do(page.driver.execute_script, elsewhere) == 200
    await page.hears("By ship.")
    await page.say(" In the north?")
    await page.hears(EDITED_EARLIER)
    await page.wait(f"{field} === 'Where to? In the north?'")
    assert await page.do(
        page.driver.execute_script, "return document.getElementById('editing').hidden"
    )
    # Sent again, they are a message of their own; a change that counts comes back to nobody.
    steward.script(text("To Oslo."))
    await page.say("")
    await page.hears("To Oslo.")
    await page.wait(f"{field} === ''")


async def test_a_press_on_the_phone_is_an_event_on_the_page_and_the_other_way_round(
    steward: Steward, driver: Chrome
) -> None:
    programs()
    await steward.start(STEWARD_WEB_PORT=free_port())
    steward.say("/login")
    link = LINK.search((await steward.sees("Open this link in your browser")).text)
    assert link is not None
    await steward.eventually(lambda: answers(link[1]))
    async with entered(driver, link) as page:
        await page.do(driver.get, f"{page.origin}/chat/telegram:42")
        await page.wait("return document.getElementById('live')?.textContent === 'Live'")
        await page.do(driver.execute_script, "window.stayed = true")
        for name, words in (("a.txt", "First."), ("b.txt", "Second.")):
            call, gate = calls(tool("write_file", {"path": name, "content": "x"})), Gate()
            steward.script(call, text(words).held(gate))
            steward.say(f"Write {name}")
            card = await steward.card(about=name)
            await page.wait("return document.querySelector('.card.open')")
            await page.wait("return document.querySelector('#chats .count')")
            rows = await page.do(driver.execute_script, _ROWS)
            if name == "a.txt":
                steward.press(card, APPROVE)
                await page.wait("return !document.querySelector('.card.open')")
            else:
                deny = "[...document.querySelectorAll('.card.open .key')].find(APPROVES).click()"
                deny = deny.replace("APPROVES", "(e) => e.textContent.includes('Deny')")
                await page.do(driver.execute_script, deny)
                await steward.until(lambda: not steward.cards)
            await page.wait("return !document.querySelector('#chats .count')")
            assert await page.do(driver.execute_script, _ROWS) == rows, "no message told it"
            gate.release()
            await page.hears(words)
            await steward.sees(words)
        assert await page.do(driver.execute_script, "return window.stayed")
        asked = "return performance.getEntriesByType('resource').map((one) => one.name)"
        fetched = await page.do(driver.execute_script, asked)
        assert not [one for one in fetched if one.endswith("/chat/telegram:42")]
    workspace = steward.home / "workspace"
    assert (workspace / "a.txt").exists()
    assert not (workspace / "b.txt").exists()


async def test_every_page_of_a_program_in_use_is_for_everybody(
    steward: Steward, page: Page
) -> None:
    axe = axe_core()
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "one\n"})), text("Done."))
    await page.say("Write a file")
    await page.wait("return document.querySelector('.card.open')")
    await page.do(page.driver.find_element(By.CSS_SELECTOR, ".card.open .key.main").click)
    await page.hears("Done.")
    why = "return document.querySelector('.why')?.getAttribute('href')"
    turn = await page.wait(why)
    long_name = "notes/" + "a-long-name-without-a-space-" * 6 + ".txt"
    content = "\n".join(f"line {n} of a file that is rather long" for n in range(60))
    steward.script(
        calls(tool("write_file", {"path": long_name, "content": content})), text("Written.")
    )
    await page.say("Write a long one")
    await page.wait("return document.querySelector('.card.open')")
    told: dict[str, object] = {}
    for path in ("/", "/chats", "/cards", "/now", "/money", "/record", "/more", "/sessions", turn):
        await page.do(page.driver.get, f"{page.origin}{path}")
        if seen := await page.do(seen_by_axe, page.driver, axe):
            told[f"{path} axe"] = seen
        if wide := await page.do(sticking_out, page.driver):
            told[f"{path} wide"] = wide
    for height in (900, 733, 611):
        # The newest message is in sight, and stays so when another one comes.
        await page.do(sized, page.driver, 1280, height)
        await page.do(page.driver.get, f"{page.origin}/")
        assert await page.wait("return document.querySelector('.log').scrollTop + 1") == 1
    await page.do(sized, page.driver, 1280, 900)
    assert told == {}
    assert await page.do(faults, page.driver) == []
    await page.do(page.driver.get, f"{page.origin}/cards")
    await page.do(page.driver.find_element(By.CSS_SELECTOR, ".card.open .key.main").click)
    await steward.eventually((steward.home / "workspace" / long_name).exists)
    # The card leaves by itself, and the count of what waits with it.
    await page.wait("return !document.querySelector('.card.open, .waits .count')")


async def test_cards_in_one_place_are_live_and_a_press_that_came_too_late_is_told(
    steward: Steward, page: Page
) -> None:
    await page.do(page.driver.get, f"{page.origin}/cards")
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "one"})), text("Done."))
    steward.say("Write a file")
    phone = await steward.card()
    await page.wait("return document.querySelector('.card.open')")
    # A card as it stands on a screen that has not looked again.
    old = "main.append(document.querySelector('.card.open').cloneNode(true))"
    await page.do(
        page.driver.execute_script, f"const main = document.getElementById('main'); {old}"
    )
    steward.press(phone, APPROVE)
    await page.wait("return !document.querySelector('[data-part] .card.open')")
    await page.wait(
        "return document.querySelector('[data-part] table').innerText.includes('a.txt')"
    )
    await page.do(page.driver.find_element(By.CSS_SELECTOR, ".card.open .key.main").click)
    await page.wait("return document.getElementById('told').innerText.includes('not wait')")
    # Whoever writes is not disturbed by what comes meanwhile.
    steward.script(calls(tool("write_file", {"path": "b.txt", "content": "two"})), text("Good."))
    steward.say("Write another one")
    await steward.sees("b.txt")
    await page.wait("return document.querySelector('[data-part] .card.open')")
    await page.do(page.driver.find_element(By.CSS_SELECTOR, "[data-part] .asking summary").click)
    words = page.driver.find_element(By.CSS_SELECTOR, "[data-part] .asking textarea")
    await page.do(words.send_keys, "In a better")
    await asyncio.sleep(1.5)
    await page.do(words.send_keys, " place, please")
    send = page.driver.find_element(By.CSS_SELECTOR, "[data-part] .asking[open] form .key")
    await page.do(send.click)
    await steward.sees("Good.")
    assert "In a better place, please" in str(steward.model.requests[-1].body)
    await page.wait("return !document.querySelector('[data-part] .card.open')")
    [refused] = await page.do(faults, page.driver)
    assert "/press" in refused
    assert "409" in refused


async def test_now_shows_an_answer_that_comes_under_way_and_ends_without_a_reload(
    steward: Steward, page: Page
) -> None:
    gate = Gate()
    await page.do(page.driver.get, f"{page.origin}/now")
    await page.do(page.driver.execute_script, "window.stayed = true")
    steward.script(text("It is done.").held(gate))
    steward.say("Look at the shed")
    await gate.arrived()
    # Somebody comes back to the page, which looks at once; from then on it looks by itself.
    look = "document.dispatchEvent(new Event('visibilitychange'))"
    await page.do(page.driver.execute_script, look)
    doing = "return document.querySelector('[data-part] table td')?.textContent === arguments[0]"
    await page.wait(doing, "round 1")
    gate.release()
    await page.wait(
        "return document.querySelector('[data-part]').innerText.includes(arguments[0])",
        "Nothing is under way.",
    )
    assert await page.do(page.driver.execute_script, "return window.stayed")
    await steward.sees("It is done.")
    assert await page.do(faults, page.driver) == []


_EVIL = """<!doctype html><title>Evil</title><p>Evil.</p>
<form method="post" action="{page}{home}/say"><input name="text" value="evil by form">
<input name="id" value="an-evil-name-1"><input name="csrf" value="{csrf}">
<button>Win</button></form>
"""
_TRIES = """
const [page, home, csrf, done] = arguments, got = {}, credentials = "include";
const told = (name, value) => { got[name] = value; };
const fields = (n) => new URLSearchParams({csrf, text: `evil ${n}`, id: `an-evil-name-${n}`});
const posts = ["no-cors", "cors"].map((mode, n) => fetch(`${page}${home}/say`, {
  method: "POST", mode, credentials, body: fields(n + 2),
}).then((r) => told(mode, r.type), () => told(mode, "refused")));
const reads = ["no-cors", "cors"].map((mode) => fetch(`${page}/chats`, {mode, credentials})
  .then(async (r) => told(`read ${mode}`, await r.text()), () => told(`read ${mode}`, "refused")));
const listens = new Promise((over) => {
  const stream = new EventSource(`${page}${home}/events?mark=0.0`, {withCredentials: true});
  stream.onmessage = stream.onopen = () => { told("listens", "heard"); over(); };
  stream.onerror = () => { told("listens", "refused"); stream.close(); over(); };
});
const frames = new Promise((over) => {
  const frame = Object.assign(document.createElement("iframe"), {src: `${page}${home}`});
  frame.onload = over;
  document.body.append(frame);
});
Promise.all([...posts, ...reads, listens, frames]).then(() => done(got));
"""


async def test_a_site_at_another_port_neither_posts_nor_reads_nor_listens_nor_frames(
    steward: Steward, page: Page
) -> None:
    """Cookies of this machine reach all of its ports, and the true token of the form is known."""
    home = urlsplit(await page.do(lambda: page.driver.current_url)).path
    token = "return document.querySelector('[name=csrf]').value"
    csrf = await page.do(page.driver.execute_script, token)

    async def evil(_: Request) -> Response:
        return HTMLResponse(_EVIL.format(page=page.origin, home=home, csrf=csrf))

    async with serving(Starlette(routes=[Route("/", evil)])) as url:
        # At the same name the browser sends the cookie along, from another one it does not.
        for other in (url, url.replace("127.0.0.1", "localhost")):
            await page.do(page.driver.get, other)
            await page.do(faults, page.driver)
            got = await page.do(page.driver.execute_async_script, _TRIES, page.origin, home, csrf)
            refused = {"cors": "refused", "read cors": "refused", "listens": "refused"}
            assert {name: got[name] for name in refused} == refused
            assert got["read no-cors"] in ("", "refused")
            told = "\n".join(await page.do(faults, page.driver))
            assert "frame" in told
            await page.do(page.driver.find_element(By.CSS_SELECTOR, "form button").click)
            await page.wait("return document.body.innerText.includes(arguments[0])", "Another site")
        await page.do(page.driver.get, f"{page.origin}{home}")
    steward.script(text("All is well."))
    await page.wait("return document.getElementById('live')?.textContent === 'Live'")
    await page.say("Is all well?")
    await page.hears("All is well.")
    assert "evil" not in str(steward.records.rows("SELECT body FROM inbox"))


async def test_a_plan_in_the_list_of_cards_is_decided_by_key(steward: Steward, page: Page) -> None:
    note = calls(tool("write_file", {"path": "b.md", "content": "b"}))
    steward.script(note, text("The plan."))
    await page.say("/plan write b.md")
    await page.wait("return document.querySelector('.card.open')")
    await page.do(page.driver.get, f"{page.origin}/cards")
    later = "const now = performance.now(); performance.now = () => now + 5000;"
    await page.do(page.driver.execute_script, later)
    await page.presses("j")
    await page.wait("return document.querySelector('.card.open.here')")
    await page.presses("n")
    await page.wait("return !document.querySelector('.card.open')")
    decided = "return document.querySelector('tbody tr')?.textContent.includes('Cancelled')"
    assert await page.wait(decided)


@pytest.mark.parametrize("width", [1280, 360])
async def test_find_on_any_page_leads_to_the_list_in_the_chat_and_from_there_to_a_page(
    steward: Steward, page: Page, width: int
) -> None:
    await page.do(sized, page.driver, width, 740)
    await page.do(page.driver.get, f"{page.origin}/more")
    if width == 1280:
        await page.presses("/")
    else:
        await page.do(page.driver.find_element(By.CSS_SELECTOR, "a.find").click)
    await page.wait("return document.getElementById('palette')?.matches(':popover-open')")
    await page.presses("who steward")
    # The program has answered: of all pages one is left, and the search for the words.
    await page.wait("return document.querySelectorAll('#found li').length === 2")
    await page.presses(Keys.ENTER)
    await page.leaves_for("/people")
    await page.do(sized, page.driver, 1280, 900)
