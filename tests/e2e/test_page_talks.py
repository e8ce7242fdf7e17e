"""Conversations on the page: those of phones as they grow and change, and what a person does."""

import re
from collections.abc import AsyncIterator

import pytest

from tests.e2e.browser import LINK, Browser, Heard, browser
from tests.e2e.on_discord import ANN, OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.e2e.test_page import WRITE, door, once
from tests.ports import free_port
from tests.standins.messages_api import Gate, calls, text, tool
from tests.words import ANSWER_ANEW, BRANCHED, EDITED, EDITED_EARLIER

pytestmark = pytest.mark.discords_own("the page beside both platforms")

HOME = f"/chat/discord:{ANN}"


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        yield found


@pytest.fixture
async def page(discord: OnDiscord) -> AsyncIterator[Browser]:
    """A browser in which Ann has signed in by a link of her private chat on Discord."""
    await discord.start(STEWARD_WEB_PORT=free_port())
    await door(discord.steward)
    discord.say("/login")
    link = LINK.search((await discord.sees("Open this link in your browser")).text)
    assert link is not None
    async with browser(link[1]) as found:
        assert (await found.enter(link[2])).status_code == 303
        yield found


def last_draft(heard: Heard) -> str:
    return next((one.text for one in reversed(heard.events) if one.name == "draft"), "")


async def test_a_private_chat_of_discord_goes_on_on_the_page(
    discord: OnDiscord, page: Browser
) -> None:
    steward, gate = discord.steward, Gate()
    assert "Discord" in (await page.page(HOME)).get_text(" ")
    async with page.listening(HOME) as heard:
        steward.script(text("Half an answer, and whole.").in_pieces(4).held(gate, after=4))
        said = discord.say("Asked on Discord")
        await heard.hears("Asked on Discord")
        # The answer grows on the page as it grows there, and a change of a message is seen, too.
        await heard.until(lambda one: last_draft(one).startswith("Steward answering Half"))
        waiting = discord.say("A message that waits")
        waits = await heard.hears("A message that waits")
        assert "waits its turn" in waits.text
        discord.discord.edit(waiting, "A message with other words")
        assert (await heard.hears("A message with other words")).element == waits.element
        discord.discord.delete(waiting)
        left = await heard.hears(waits.element, "gone")
        gate.release()
        answer = await heard.hears("Half an answer, and whole.")
        await heard.until(lambda one: not last_draft(one))
        assert heard.events.index(left) < heard.events.index(answer)
        discord.discord.edit(said, "Asked on Discord, otherwise")
        changed = await heard.hears("Asked on Discord, otherwise")
        assert changed.element == (await heard.hears("Asked on Discord")).element
        # What is said on the page is answered on Discord, and a card is decided on either side.
        steward.script(calls(tool(*WRITE)), text("Written."))
        await page.say("Asked on the page", HOME)
        await discord.sees("You wrote on the page: Asked on the page")
        await discord.card()
        await heard.hears("a.txt")
        await page.press("Approve", HOME)
        await discord.sees("Written.")
        await heard.hears("Written.")
        steward.script(calls(tool("write_file", {"path": "b.txt", "content": "y"})), text("No."))
        discord.say("Once more")
        await heard.hears("b.txt")
        discord.press(await discord.card(), "❌ Deny")
        await heard.hears("Denied")
        once(heard)
    shown = [words for _, words in await page.messages(HOME)]
    assert len([one for one in shown if "Asked on Discord" in one]) == 1
    assert not [one for one in shown if "A message with other words" in one]


async def test_a_chat_of_telegram_grows_and_changes_on_the_page(
    discord: OnDiscord, page: Browser
) -> None:
    steward, gate = discord.steward, Gate()
    steward.say("/login")
    link = LINK.search((await steward.sees("Open this link in your browser")).text)
    assert link is not None
    async with browser(link[1]) as ann:
        await ann.enter(link[2])
        home = "/chat/telegram:42"
        async with ann.listening(home) as heard:
            steward.script(text("It grows on the phone.").in_pieces(4).held(gate, after=5))
            said = steward.say("A question")
            await heard.until(lambda one: "It grows" in last_draft(one))
            gate.release()
            await heard.hears("It grows on the phone.")
            steward.edit(said, "A better question")
            changed = await heard.hears("A better question")
            assert changed.element == (await heard.hears("A question")).element


async def test_a_person_who_is_linked_goes_on_with_the_chats_of_both_platforms_in_one_browser(
    steward: Steward,
) -> None:
    bob = steward.person(43, "Bob")
    async with on_discord(steward) as both:
        same = both.discord.person(700_000_000_000_000_043, "Bob")
        await both.start(STEWARD_ALLOWED="telegram:43", STEWARD_WEB_PORT=free_port())
        await door(steward)
        steward.say(f"/link 43 discord:{same.id}")
        await steward.sees(f"discord:{same.id} is now a second account of telegram:43")
        places = ("/chat/telegram:43", f"/chat/discord:{same.id}")
        steward.script(text("Told on Telegram."), text("Told on Discord."))
        steward.say("Asked on Telegram", by=bob)
        await steward.sees("Told on Telegram.", at=bob)
        both.discord.say(same, "Asked on Discord")
        await both.until(lambda: [m for m in both.discord.screen(same) if "Told on" in m.text])
        steward.say("/login", by=bob)
        link = LINK.search((await steward.sees("Open this link in your browser", at=bob)).text)
        assert link is not None
        async with browser(link[1]) as his:
            assert (await his.enter(link[2])).status_code == 303
            listed = [str(one["href"]) for one in (await his.page("/chats")).select("#chats a")]
            assert set(places) <= set(listed)
            for path, where in zip(places, ("Telegram", "Discord"), strict=True):
                assert [one for _, one in await his.messages(path) if f"Asked on {where}" in one]
                steward.script(text(f"And again on {where}."))
                await his.say(f"Asked here for {where}", path)
                await his.sees(f"And again on {where}.", path)
        # Each answer went where the question came from, and the words stand there as well.
        screens = {"Telegram": steward.screen(bob), "Discord": both.discord.screen(same)}
        for where, screen in screens.items():
            shown = [one.text for one in screen]
            assert [one for one in shown if f"on the page: Asked here for {where}" in one]
            assert [one for one in shown if "And again on" in one] == [f"And again on {where}."]


async def _begun(page: Browser) -> str:
    """The address of a new conversation of the page alone."""
    await page.post("/chat/new", (await page.forms("/chats"))[0].fields)
    chats = (await page.page("/chats")).select("#chats a")
    return next(path for one in chats if (path := str(one["href"])).startswith("/chat/web:"))


async def test_a_conversation_is_edited_branched_named_stopped_and_deleted(
    discord: OnDiscord, page: Browser
) -> None:
    steward = discord.steward
    home = await _begun(page)
    steward.script(text("Rome."), text("Oslo."), text("By ship."), text("By train."))
    await page.say("Where to?", home, id="the-question")
    await page.sees("Rome.", home)
    own = (await page.messages(home))[0][0].removeprefix("m-")
    # The words change in their place; the answer is made anew when the person wants it.
    await page.say("Where to in the north?", home, edits=own)
    await page.sees(EDITED, home)
    await page.press(ANSWER_ANEW.partition(" ")[2], home)
    await page.sees("Oslo.", home)
    said = [words for name, words in await page.messages(home) if name.startswith("m-i")]
    assert [one for one in said if "Where to" in one] == [said[0]]
    assert "Where to in the north?" in said[0]
    assert "changed" in said[0]
    await page.say("/title Holidays", home)
    await page.sees("Holidays", home)
    assert "Holidays" in str((await page.page(home)).find("h1"))
    await _branched_and_ended(steward, page, home)


async def test_a_change_of_an_older_message_from_a_page_that_stood_open_is_told(
    discord: OnDiscord, page: Browser
) -> None:
    discord.steward.script(text("Rome."), text("By ship."))
    home = await _begun(page)
    await page.say("Where to?", home)
    await page.sees("Rome.", home)
    own = (await page.messages(home))[0][0].removeprefix("m-")
    await page.say("How?", home)
    await page.sees("By ship.", home)
    async with page.listening(home) as heard:
        await page.say("Where to in the north?", home, edits=own)
        await heard.hears(EDITED_EARLIER)
    # Where no script runs, a reload shows the same, and the words stand as they were.
    await page.sees(EDITED_EARLIER, home)
    said = [words for name, words in await page.messages(home) if name.startswith("m-i")]
    assert ["Where to?" in said[0], "How?" in said[1]] == [True, True]
    assert len(said) == len(discord.steward.model.requests) == 2


async def _branched_and_ended(steward: Steward, page: Browser, home: str) -> None:
    await page.press("Branch", home)
    await page.sees(BRANCHED, home)
    await page.say("How?", home)
    await page.sees("By ship.", home)
    await page.press("Retry", home)
    await page.sees("By train.", home)
    assert "Oslo." in str(steward.model.requests[-1].body["messages"])
    gate = Gate()
    steward.script(text("A very long answer.").in_pieces(4).held(gate, after=2))
    await page.say("Tell me all", home)
    await gate.arrived()
    await page.press("Stop", home)
    await page.sees("Stopped", home)
    gate.release()
    seen = (await page.page(home)).select_one("#side")
    assert seen is not None
    told = seen.get_text(" ", strip=True)
    assert re.search(r"[1-9][\d,]* of [\d,]+ tokens", told), told
    assert "messages in full" in told
    await _deleted(steward, page, home)


async def _deleted(steward: Steward, page: Browser, home: str) -> None:
    """Deletes the conversation to its end: nothing of it is left on the page or in the store."""
    await page.press("Delete this conversation", home)
    await page.sees("Erase this conversation", home)
    open_elsewhere, stream = await page.forms(home), await page.stream(home)
    async with page.listening(home) as heard:
        await page.press("Erase", home)
        await heard.until(lambda one: one.ended)
        assert (heard.events[-1].name, heard.events[-1].data) == ("erased", "all")
    # A page that was away meanwhile is told as well, and its words are refused.
    async with page.listening(stream, heard.last_id) as late:
        await late.until(lambda one: one.ended)
        assert [(one.name, one.data) for one in late.events][1:] == [("erased", "all")]
    for form in open_elsewhere:
        if "line" in form.fields:
            refused = await page.send(form, text="Words for nobody")
            assert refused.status_code == 409
            assert "was deleted meanwhile. Nothing was sent" in refused.text
    await page.sees("Erased", home)
    said = " ".join(words for _, words in await page.messages(home))
    shown = (await page.page("/search?q=ship")).get_text(" ")
    for words in ("Where to in the north", "By ship.", "By train.", "A very long answer"):
        assert words not in said
        assert words not in shown
    kept = steward.records.rows("SELECT content FROM outbox UNION ALL SELECT body FROM inbox")
    assert "By train." not in str(kept)
    assert "Tell me all" not in str(kept)
    assert "Words for nobody" not in str(kept)
    # The conversation goes on, empty.
    steward.script(text("A fresh start."))
    await page.say("Hello again", home)
    await page.sees("A fresh start.", home)
