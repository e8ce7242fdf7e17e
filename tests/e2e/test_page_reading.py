"""Pages for people who look: cards in one place, a turn explained, now, money, the record."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from bs4 import BeautifulSoup, Tag
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.e2e.browser import LINK, Browser, browser
from tests.e2e.steward import Steward
from tests.ports import free_port
from tests.standins.messages_api import calls, text, tool
from tests.standins.serving import serving
from tests.words import BRANCHED, OPEN_AGAIN

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


def words(soup: Tag) -> str:
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
        "Usual time to decide": "none yet",
        "Decided in under 2 s": "none yet",
        "Denied or changed": "none yet",
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
    for part in ("request", "beside", "log", "reply", "differences"):
        shown = await page.page(f"{link['href']}?round=1&part={part}&unfold=1")
        assert not shown.find_all("img")
        (here,) = shown.select(".tabs [aria-current]")
        assert f"part={part}" in str(here["href"])
    assert HOSTILE in words(await page.page(f"{link['href']}?part=log"))
    beside = await page.page(f"{link['href']}?round=2&part=beside")
    got, stored = beside.select(".beside")[0].find_all("blockquote")
    assert got.get_text() == stored.get_text() == f"Write {HOSTILE}"
    (given,) = beside.select("blockquote.long")
    assert "You are Steward" in given.get_text()
    assert "\nwrite_file: " in given.get_text()
    # After a start the same text is made again.
    await steward.restart(STEWARD_WEB_PORT=page.origin.rpartition(":")[2])
    await steward.eventually(lambda: _answers(page.origin))
    again = await page.page(f"{link['href']}?round=2&part=request")
    assert again.select("blockquote.long")[0].get_text() == given.get_text()


async def test_an_open_card_names_the_text_from_outside_that_it_asks_because_of(
    steward: Steward,
):
    async def ferry(_: Request) -> Response:
        return HTMLResponse("<p>The ferry leaves at nine.</p>")

    async with serving(Starlette(routes=[Route("/ferry", ferry)])) as url:
        steward.settings |= {"STEWARD_WEB_HOSTS": url.removeprefix("http://")}
        async with signed_in(steward) as page:
            home, write = await page.home(), tool("write_file", {"path": "a.txt", "content": "x"})
            read = tool("web_fetch", {"url": f"{url}/ferry"})
            steward.script(calls(write), text("Allowed."))
            await page.say("Write", home)
            await page.sees("Approve", home)
            await page.press("Always", home)
            await page.sees("Allowed.", home)
            (steward.workspace / "a.txt").unlink()
            steward.script(calls(read), calls(write), text("Left."))
            await page.say(f"Write down when it leaves: {url}/ferry", home)
            await page.sees("Approve", home)
            for path in (home, "/cards"):
                (card,) = (await page.page(path)).select("article.card.open")
                told = [words(one) for one in card.select(".reasons dl > *")]
                reasons = dict(zip(told[::2], told[1::2], strict=True))
                source = f"From outside: the web page {url}/ferry"
                assert reasons["Because of"].startswith(source), path
                assert reasons["Rule"].startswith("one covers it, but is paused: text from"), path
            await page.press("Deny", home)
            await page.sees("Left.", home)


async def test_a_branch_and_the_conversation_that_it_left_stand_side_by_side(
    steward: Steward, page: Browser
):
    home = await page.home()
    steward.script(text("Rome."), text("By ship."), text("By train."))
    await page.say("Where to?", home)
    await page.sees("Rome.", home)
    assert "Also in this chat" not in words(await page.page(home))
    await page.press("Branch", home)
    await page.sees(BRANCHED, home)
    await page.say("How?", home)
    await page.sees("By ship.", home)
    shown = await page.page(home)
    assert words(shown.select("#chats a .title")[0]) == "↳ How?"
    told = [words(one) for one in shown.select(".openable > li")]
    assert told == ["↳ How? goes on now", "Where to?", "All of this chat"]
    first = next(one for one in await page.forms(home) if one.label == "Where to?")
    assert (await page.send(first)).status_code == 303
    await page.sees(OPEN_AGAIN, home)
    await page.say("How then?", home)
    await page.sees("By train.", home)
    assert "By ship." not in str(steward.model.requests[-1].body["messages"])
    told = [words(one) for one in (await page.page(home)).select(".openable > li")]
    assert told[:2] == ["Where to? goes on now", "↳ How?"]


async def test_a_conversation_is_called_by_its_title(steward: Steward, page: Browser):
    home, long = await page.home(), f"Write {HOSTILE} {'and on ' * 20}"
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "x"})), text("Written."))
    await page.say(long, home)
    await page.sees("Approve", home)
    side = words(await page.page(f"{home}/side"))
    await page.press("Approve", "/cards")
    await page.sees("Written.", home)
    turn = await turn_of(page, home)
    pages = [words(await page.page(path)) for path in ("/cards", "/record", "/settings")]
    for shown in (*pages, side, words(turn)):
        assert f"“Write {HOSTILE} and on" in shown
        assert "… ” on this page" in shown.replace("…”", "… ”")
        assert "a private chat on this page" not in shown
    await page.say("/title Heating bill", home)
    await page.sees("Heating bill", home)
    assert "“Heating bill” on this page" in words(await page.page("/cards"))


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


@pytest.mark.on_each_platform
@pytest.mark.parametrize("place", ["the list of cards", "the chat"])
async def test_a_press_without_a_script_shows_what_it_did(
    steward: Steward, page: Browser, place: str
):
    note = calls(tool("write_file", {"path": "b.md", "content": "b"}))
    home = await page.home()
    path = home if place == "the chat" else "/cards"
    tries = (("Write", "Done.", "Approve"), ("Write", "No.", "Send"), ("/plan it", "Hm.", "Cancel"))
    for wish, answer, label in tries:
        steward.script(note, text(answer))
        await page.say(wish, home)
        await page.sees("Change…", home)
        posts = [one for one in await page.forms(path) if label in one.label]
        form = next(one for one in posts if one.action.endswith(("/press", "/word")))
        opens = {"sec-fetch-mode": "navigate"}
        fields = {**form.fields, "text": "not now"} if label == "Send" else form.fields
        assert (await page.post(form.action, fields, headers=opens)).status_code == 303
        shown = await page.page(path)
        assert shown.select("article.card.open") == []
        await page.sees({"Cancel": "Cancelled"}.get(label, answer), home)
        (steward.workspace / "b.md").unlink(missing_ok=True)


async def test_a_press_in_the_list_of_cards_needs_no_chat_app(steward: Steward, page: Browser):
    away = steward.way.hold_message()
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "x"})), text("Written."))
    steward.say("Write")
    await away.arrived()
    # No screen of the platform shows the card; the press counts all the same.
    assert (await page.press("Approve", "/cards")).status_code == 303
    await steward.eventually((steward.workspace / "a.txt").exists)
    assert "Nothing waits for you" in words(await page.page("/cards"))
    away.release()
    await steward.sees("Written.")
    gone = steward.way.hold_message()
    steward.script(calls(tool("write_file", {"path": "b.txt", "content": "x"})), text("Changed."))
    steward.say("Write another")
    await gone.arrived()
    form = next(one for one in await page.forms("/cards") if one.action == "/word")
    assert (await page.send(form, text="call it c.txt")).status_code == 303
    await steward.eventually(lambda: len(steward.model.requests) == 4)
    assert "call it c.txt" in str(steward.model.requests[-1].body)
    gone.release()
    await steward.sees("Changed.")
    assert not (steward.workspace / "b.txt").exists()


@pytest.mark.on_each_platform
async def test_a_plan_whose_document_is_on_no_screen_is_whole_in_the_list_and_approved_there(
    steward: Steward, page: Browser
):
    away = steward.way.hold_message()
    lines = [f"line {n} of a long file" for n in range(300)]
    note = calls(tool("write_file", {"path": "a.txt", "content": "\n".join(lines)}))
    short = calls(tool("write_file", {"path": "b.txt", "content": "b"}))
    steward.script(note + short, text("The plan."), note + short, text("Both are there."))
    steward.say("/plan write two files")
    await away.arrived()
    await steward.eventually(
        lambda: steward.records.rows("SELECT 1 FROM plan WHERE state = 'ready'")
    )
    (card,) = (await page.page("/cards")).select("article.card.open")
    assert [line for line in lines if line not in words(card)] == []
    assert card.select("footer .key.main")
    assert "document" not in words(card)
    assert (await page.press("Approve", "/cards")).status_code == 303
    await steward.eventually((steward.workspace / "b.txt").exists)
    assert (steward.workspace / "a.txt").read_text().splitlines() == lines
    away.release()
    await steward.sees("Both are there.")


async def test_words_for_a_card_are_a_denial_with_a_reason(steward: Steward, page: Browser):
    home = await page.home()
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "x"})), text("Changed."))
    await page.say("Write", home)
    await page.sees("Approve", home)
    form = next(one for one in await page.forms("/cards") if one.action == "/word")
    assert (await page.send(form, text="call it b.txt")).status_code == 303
    await page.sees("Changed.", home)
    assert "call it b.txt" in words(await page.page("/cards"))


async def test_a_write_that_changes_nothing_is_no_read(steward: Steward, page: Browser):
    home = await page.home()
    (steward.home / "workspace" / "a.txt").write_text("x")
    same = tool("write_file", {"path": "a.txt", "content": "x"})
    steward.script(calls(tool("list_files", {}), same), text("Nothing to do."))
    await page.say("Write", home)
    await page.sees("Nothing to do.", home)
    why = "nothing would change, as the file had this content already"
    turn = await turn_of(page, home)
    told = words(turn)
    assert f"Write a.txt : {why}" in told
    assert f"Run: Write a.txt {why}" in told
    assert "List the workspace : it only reads" in told
    await page.say("/why", home)
    assert why in await page.sees("How it ended:", home)
    # A command that is sent again in other words does nothing, so it offers no Edit.
    said = [words(one) for one in (await page.page(home)).select("li.said")]
    assert [(one.split()[-1], " Edit " in one) for one in said] == [
        ("Write", True),
        ("/why", False),
    ]


@pytest.mark.commands
async def test_a_command_is_told_once_and_as_code(steward: Steward, page: Browser):
    home, command = await page.home(), f"touch {'x' * 40}.txt"
    steward.script(calls(tool("run_command", {"command": command})), text("Looked."))
    await page.say("Look", home)
    await page.sees("Approve", home)
    await page.press("Approve", "/cards")
    await page.sees("Looked.", home)
    turn = await turn_of(page, home)
    told = [words(one) for one in turn.select("table tbody th, .asked h3")]
    assert [one for one in told if "touch" in one] == [
        f"Card: Run {command}",
        f"Ask a person: Run {command}",
        f"Run: {command}",
        f"Run {command}",
    ]
    assert "`" not in "".join(told)
    assert "`" not in words(await page.page("/cards"))


async def turn_of(page: Browser, home: str) -> BeautifulSoup:
    """Returns the page of the newest answer of a chat."""
    links = (await page.page(home)).select("a[href^='/turn/']")
    return await page.page(str(links[-1]["href"]))


async def test_the_time_the_tokens_and_the_cost_stand_under_an_answer(
    steward: Steward, page: Browser
):
    home = await page.home()
    steward.script(
        text("Rome."), calls(tool("delegate", {"task": "dig"})), text("Dug."), text("Oslo.")
    )
    await page.say("Where to?", home)
    await page.sees("Rome.", home)
    await page.say("Have it dug", home)
    await page.sees("Oslo.", home)
    await steward.recorded()
    under = [words(one) for one in (await page.page(home)).select("[data-answer] .under .num")]
    assert len(under) == 2
    for line, link in zip(under, (await page.page(home)).select("a.why"), strict=True):
        time, tokens, cost = line.split(" · ")
        assert re.fullmatch(r"\d+ ms|\d\.\d s", time), line
        figures = (await page.page(str(link["href"]))).select("dl.strip > div")
        told = {one.dt.get_text(): one.dd.get_text() for one in figures if one.dt and one.dd}
        # The page about the answer says the same, with what a helper cost.
        assert (tokens, cost) == (f"{told['Tokens']} tokens", told["Cost"])
    await page.say("/footer on", home)
    await page.sees("/footer off", home)
    assert (await page.page(home)).select(".under .num") == []


async def test_a_plan_is_told_alike_in_its_chat_and_in_the_list_of_cards(
    steward: Steward, page: Browser
):
    edit = calls(tool("edit_file", {"path": "a.md", "old_text": "x", "new_text": "y"}))
    note = calls(tool("write_file", {"path": "b.md", "content": "b"}))
    steward.script(edit + note, text("The plan."), edit, edit, note, text("One of two."))
    home = await page.home()
    await page.say("/plan edit a.md, write b.md", home)
    await page.sees("Approve", home)
    keys, told = await _alike(page, home)
    assert keys == [("Approve y", "main"), ("Change… c", "half"), ("Cancel n", "half")]
    assert "This would fail now" in told
    await page.press("Approve", "/cards")
    await page.sees("Step 1 failed", home)
    keys, told = await _alike(page, home)
    assert keys == [("Try again r", "main"), ("Skip x", "half"), ("Stop s", "plain")]
    assert "Failed: 1. Edit a.md" in told
    steps = (await page.page("/cards")).select("article.card.open ol.steps > li")
    assert [str(one.select("use")[0]["href"]) for one in steps] == ["#i-cross", "#i-ring"]
    assert "To come: 2. Create b.md" in told
    await page.press("Skip", "/cards")
    await page.sees("One of two.", home)
    cards = await page.page("/cards")
    (row,) = cards.select("table.fold-up tbody tr")
    assert words(row).startswith(
        "Plan: Edit a.md, write b.md “edit a.md, write b.md” on this page Approved"
    )
    assert row.select_one("[data-is=by]") is not None
    assert "you" in words(row)
    assert row.select_one("a[href^='/turn/plan-']") is not None
    assert "A plan counts as one card" in words(cards)
    (told,) = [words(one) for one in cards.select("aside table tbody tr")]
    assert re.fullmatch(r"\S+ 1 \S+ m?s [01]", told)
    # The plan tells in its chat, too, who let it run, and when.
    lines = [words(one) for one in (await page.page(home)).select(".card .for")]
    assert [one for one in lines if re.fullmatch(r"Decided by you, \d\d:\d\d\.", one)]


async def test_nothing_is_offered_that_an_open_plan_would_refuse(steward: Steward, page: Browser):
    edit = calls(tool("write_file", {"path": "b.md", "content": "b"}))
    steward.script(edit, text("The plan."), text("Four."))
    home = await page.home()
    await page.say("/plan write b.md", home)
    await page.sees("Approve", home)
    await page.say("What is two and two?", home)
    await page.sees("Four.", home)
    offered = ".newest button, [data-edit]"
    assert (await page.page(home)).select(offered) == []
    await page.press("Cancel", home)
    await page.sees("Cancelled", home)
    assert [words(one) for one in (await page.page(home)).select(offered)][-3:] == [
        "Edit",
        "Retry",
        "Branch",
    ]


async def test_a_plan_that_waits_stands_beside_the_talk_and_in_the_list_of_conversations(
    steward: Steward, page: Browser
):
    edit = calls(tool("write_file", {"path": "b.md", "content": "b"}))
    steward.script(edit, text("The plan."))
    home = await page.home()
    await page.say("/plan write b.md", home)
    await page.sees("Approve", home)
    shown = await page.page(home)
    (line,) = shown.select("#side section:first-of-type .lines li")
    assert words(line).startswith("Plan: Write b.md ")
    assert words(line).endswith("on this page · less than a minute old")
    assert words(shown.select("#chats .count")[0]) == "1 open card"
    await page.press("Cancel", home)
    await page.sees("Cancelled", home)
    shown = await page.page(home)
    assert shown.select("#side .lines li > a, #chats .count") == []


async def _alike(page: Browser, home: str) -> tuple[list[tuple[str, str]], str]:
    """Returns the keys and the words of the one open card, which two pages show alike."""
    found = [(await page.page(path)).select("article.card.open")[-1] for path in (home, "/cards")]
    keys = [[(words(one), str(one["class"][-1])) for one in card.select(".key")] for card in found]
    told = [[words(one) for one in card.select("h3, p.plain, ol.steps > li")] for card in found]
    assert keys[0] == keys[1]
    assert told[0] == told[1]
    return [key for key in keys[0] if key[0] != "Send"], " ".join([*told[0], words(found[0])])


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
        his = await theirs.home()
        steward.script(text("His."))
        await theirs.say("A question of his", his)
        await theirs.sees("His.", his)
        turn = await turn_of(theirs, his)
        assert [str(one["href"]) for one in turn.select(".head p a")] == [his]
        # An owner sees the turn, without a way to the conversation.
        seen = await page.page(str((await theirs.page(his)).select("a.why")[-1]["href"]))
        assert words(seen.select(".head p")[0]) == words(turn.select(".head p")[0]).replace(
            "you", "Bob"
        )
        assert seen.select(".head p a") == []
