"""Pages of what is a person's own: memory, skills, servers, the doctor, a search in talks."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup

from tests.e2e.browser import LINK, Browser, Sent, browser, forms_in
from tests.e2e.skills import put
from tests.e2e.steward import Steward
from tests.e2e.test_page_reading import HOSTILE, page, signed_in, words
from tests.standins.messages_api import calls, text, tool

__all__ = ["page"]

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

SERVER = Path(__file__).parents[1] / "standins" / "tool_server.py"
NOTE = f"My boat is called {HOSTILE}"


@asynccontextmanager
async def bob(steward: Steward) -> AsyncIterator[Browser]:
    """A browser of a second person, who is no owner."""
    person = steward.person(77, "Bob")
    steward.say(f"/allow {steward.account(person)}")
    await steward.sees("can use me now.")
    steward.say("/login", by=person)
    link = LINK.search((await steward.sees("Open this link in your browser", at=person)).text)
    assert link is not None
    async with browser(link[1]) as theirs:
        assert (await theirs.enter(link[2])).status_code == 303
        yield theirs


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


async def form(page: Browser, path: str, action: str, label: str = "") -> Sent:
    found = [one for one in await page.forms(path) if one.action == action and label in one.label]
    assert found, f"there is no form {action} on {path}"
    return found[0]


async def recalled(steward: Steward, page: Browser, query: str, least: int) -> str:
    """The words of a search, once the index has what was said."""

    async def look() -> str:
        found = await page.page(f"/memory?q={query}")
        assert not found.find_all("img")
        return words(found) if len(found.select("ol.asked > li")) >= least else ""

    for _ in range(200):
        if told := await look():
            return told
        await asyncio.sleep(0.05)
    raise AssertionError(await look())


async def talked(steward: Steward, page: Browser) -> str:
    """A note is taken and a question answered; returns the address of the conversation."""
    home = await page.home()
    steward.script(calls(tool("remember", {"note": NOTE})), text("I noted it."))
    steward.script(text(f"The shed is green. {HOSTILE}"))
    await page.say("Remember the name of my boat", home)
    await page.sees("I noted it.", home)
    await page.say(f"Which colour has the shed {HOSTILE}?", home)
    await page.sees("The shed is green.", home)
    return home


async def test_a_memory_is_searched_with_reasons_changed_and_erased_by_its_owner_alone(
    steward: Steward, page: Browser
) -> None:
    await talked(steward, page)
    told = await recalled(steward, page, "colour+of+the+shed", 1)
    assert "comes along 20" in told
    assert "Words with their weights" in told
    assert "shed" in told
    assert HOSTILE in told
    notes = await page.page("/memory")
    assert NOTE in words(notes)
    changing = await form(page, "/memory", "/memory/note")
    (one, *_) = [a for a in (await page.page("/memory?q=shed")).select("ol.asked a.quiet")]
    ask = str(one["href"])
    async with bob(steward) as theirs:
        # Somebody else sees nothing of it, and can do nothing to it.
        for path in ("/memory", "/memory?q=shed", "/search?q=shed", "/search?q=boat"):
            assert "green" not in words(await theirs.page(path))
            assert "boat is" not in words(await theirs.page(path))
        assert (await theirs.get(ask)).status_code == 404
        mine = (await theirs.forms("/more"))[0].fields
        stolen = {"csrf": mine["csrf"], "note": changing.fields["note"], "text": "Mine now"}
        assert "is gone" in (await theirs.post("/memory/note", stolen)).text
        erased = {"csrf": mine["csrf"], "id": ask.partition("=")[2]}
        assert (await theirs.post("/memory/erase", erased)).status_code == 404
    changed = await page.send(changing, text="My boat is called Ida")
    assert "My boat is called Ida" in changed.text
    (undo,) = [one for one in forms_in(soup(changed.text)) if one.label == "Undo"]
    assert NOTE in soup((await page.send(undo)).text).get_text(" ")
    assert NOTE in words(await page.page("/memory"))
    # The Undo of before names words that are gone.
    assert "Nothing was changed" in (await page.send(undo)).text
    changing = await form(page, "/memory", "/memory/note")
    assert (await page.send(changing, text="My boat is called Ida")).status_code == 200
    # The form of before names words that are gone: nothing is overwritten.
    assert "Nothing was changed" in (await page.send(changing, text="Lost")).text
    changed = words(await page.page("/memory"))
    assert "called Ida" in changed
    assert "Lost" not in changed
    assert (await page.get(ask)).status_code == 200
    assert "green" in await recalled(steward, page, "colour+of+the+shed", 1)
    assert "Erased." in (await page.send(await form(page, ask, "/memory/erase"))).text
    assert (await page.get(ask)).status_code == 404
    assert "Nothing earlier has such words" in words(await page.page("/memory?q=shed"))
    everything = await form(page, "/memory/erase?id=all", "/memory/erase")
    assert "Erased." in (await page.send(everything)).text
    assert "No notes." in words(await page.page("/memory"))


async def test_a_search_leads_to_a_message_of_ones_own_conversations(
    steward: Steward, page: Browser
) -> None:
    home = await talked(steward, page)
    await page.say("/title The old shed", home)
    await page.sees("is called", home)
    await recalled(steward, page, "shed", 1)
    found = await page.page("/search?q=shed")
    assert "The old shed" in words(found)
    (link, *_) = found.select("ol.asked h3 a")
    place = await page.page(str(link["href"]))
    shown = words(place)
    assert place.find(id="found") is not None
    assert shown.index("Found") < shown.index("The shed is green.")
    assert not place.find_all("img")
    address = str(link["href"]).partition("#")[0]
    for none in (address.replace("/at/", "/at/x"), f"{home}/at/nothing"):
        assert (await page.get(none)).status_code == 404
    async with bob(steward) as theirs:
        assert (await theirs.get(address)).status_code == 404
        assert "shed" not in words(await theirs.page("/search?q=old")).replace("Search", "")
    for query in ("", "q=%ff", f"q={HOSTILE}", "q=shed&after=nothing"):
        assert (await page.get(f"/search?{query}")).status_code == 200


async def test_the_palette_finds_ones_own_conversations_and_the_pages_one_may_see(
    steward: Steward, page: Browser
) -> None:
    home = await page.home()
    await page.say(f"/title The old shed {HOSTILE}", home)
    await page.sees("is called", home)
    found = await page.page("/find?q=SHED old")
    assert links(found)[:1] == [home]
    assert not found.find_all("img")
    assert "/people" in links(await page.page("/find?q=who steward"))
    assert home in links(await page.page("/find"))
    async with bob(steward) as theirs:
        assert links(await theirs.page("/find?q=old shed")) == ["/search?q=old%20shed"]
        assert "/people" not in links(await theirs.page("/find?q=who steward"))
        assert not {"/people", "/record", "/doctor"} & {*links(await theirs.page("/find"))}
        assert not {"/people", "/record", "/doctor"} & {*links(await theirs.page("/more"))}
    async with browser(page.origin) as stranger:
        assert (await stranger.client.get("/find?q=shed")).status_code == 401


def links(page: BeautifulSoup) -> list[str]:
    return [str(one["href"]) for one in page.select("li a")]


async def test_skills_and_servers_show_what_they_may_do_and_no_secret(steward: Steward) -> None:
    folder = steward.folder / "server"
    folder.mkdir()
    arguments = ", ".join(f'"{word}"' for word in ("-S", str(SERVER), str(folder)))
    (steward.folder / "steward.toml").write_text(
        f'[mcp.nasty]\ncommand = "{sys.executable}"\nargs = [{arguments}]\n'
        'env = { TOKEN = "${SERVER_TOKEN}" }\n'
    )
    (steward.folder / ".env").write_text("SERVER_TOKEN=a-token-of-the-server\n")
    head = (
        "allowed-tools: Bash(git status:*)\n"
        "vars: {BOAT_KEY: {secret: true, default: sesame-open}, TEAM: a-plain-value}\n"
    )
    put(steward, "boats", head, f"Sail {HOSTILE}")
    broken = put(steward, "broken")
    (broken / "SKILL.md").write_text("---\nname: [\n---\n")
    async with signed_in(steward) as found:
        await looked_at(steward, found)


async def looked_at(steward: Steward, page: Browser) -> None:
    home = await page.home()
    steward.script(text("Hello."))
    await page.say("Hi", home)
    await page.sees("Hello.", home)
    listed = words(await page.page("/skills"))
    assert "Files that cannot be used" in listed
    assert "broken" in listed
    told = await page.page("/skills/boats")
    assert "BOAT_KEY secret, set" in words(told)
    assert "Bash(git status:*)" in words(told)
    assert "sesame-open" not in str(told)
    assert "a-plain-value" not in str(told)
    use = await form(page, "/skills/boats", "/skills/use", "Switch on")
    key = str(told.select("#chat option")[0]["value"])
    assert "is on from your next message" in words_of(await page.send(use, chat=key))
    off = await form(page, "/skills/boats", "/skills/use", "Switch off")
    servers = await page.page("/servers")
    assert "nasty__echo" in words(servers)
    assert "asks" in words(servers)
    assert "a-token-of-the-server" not in str(servers)
    assert "-S" in words(servers)
    async with bob(steward) as theirs:
        assert "on boats" not in words(await theirs.page("/skills"))
        assert "-S" not in words(await theirs.page("/servers"))
        assert (await theirs.get("/servers/remove?name=nasty")).status_code == 404
        csrf = (await theirs.forms("/more"))[0].fields["csrf"]
        theft = {"csrf": csrf, "chat": key, "name": "boats"}
        assert (await theirs.post("/skills/use", theft)).status_code == 404
        await no_page_of_owners(theirs, csrf)
    # The server of the settings cannot be taken back, and no other was let in.
    for name in ("nasty", "nobody", HOSTILE):
        asked = await page.get(f"/servers/remove?name={quote(name)}")
        sent = await page.post("/servers/remove", {"csrf": off.fields["csrf"], "name": name})
        assert (asked.status_code, sent.status_code) == (404, 404)
        assert "No tool server of this name was let in" in words_of(asked)
        assert "Nothing was changed" in words_of(sent)
    unknown = {"csrf": off.fields["csrf"], "chat": key, "name": "nothing"}
    assert (await page.post("/skills/use", unknown)).status_code == 404
    assert "is off" in words_of(await page.send(off))
    assert "Nothing was changed" in words_of(await page.send(off))


async def no_page_of_owners(theirs: Browser, csrf: str) -> None:
    """To anybody else no page of owners is there, whatever they ask of it."""
    nothing = (404, (await theirs.get("/nothing")).text)
    for path in ("/people", "/record", "/record.csv", "/servers/remove", "/doctor"):
        for answer in (
            await theirs.get(f"{path}?name=nasty"),
            await theirs.post(path, {"csrf": csrf, "name": "nasty", "command": "allow"}),
            await theirs.post(path, {}),
        ):
            assert (answer.status_code, answer.text) == nothing, path


def words_of(answer: object) -> str:
    return str(getattr(answer, "text", ""))


async def test_an_owner_sees_what_the_doctor_finds_and_nobody_waits_for_it(
    steward: Steward, page: Browser
) -> None:
    assert "No report yet" in words(await page.page("/doctor"))
    trying = await form(page, "/doctor", "/doctor")
    home = await page.home()
    steward.script(text("Hello."))
    first, second = (asyncio.create_task(page.send(trying)) for _ in range(2))
    # The doctor is a process of its own: an answer comes meanwhile.
    await page.say("Hi", home)
    await page.sees("Hello.", home)
    await asyncio.wait({first, second})
    told = ""
    while "Findings" not in told:
        await asyncio.sleep(0.1)
        told = words(await page.page("/doctor"))
    for words_there in ("database", "fine", "sandbox", "It can be written"):
        assert words_there in told
