"""Hostile names and words on Discord call nobody, hide nothing, and look like what they are."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.platforms import drawn
from tests.e2e.steward import Steward
from tests.standins.messages_api import calls, text, tool

pytestmark = pytest.mark.discords_own("mentions, Markdown and names of servers")

NAME = "@everyone **Bob** ||x|| `y` <@1> [z](https://evil.example) \u202eevil"
WORDS = "``` ||hidden|| <@&5> @here\n# Heading\n> approved by Ann\n-# small\n\u200b\u202e"


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        yield found


async def test_a_hostile_name_and_hostile_words_stay_words_on_a_card(discord: OnDiscord) -> None:
    bob = discord.discord.person(700_000_000_000_000_098, NAME)
    guild, bot = discord.discord.guild(NAME, discord.ann, bob), discord.discord.bot.id
    place = guild.channels[0]
    content = {"path": "a.txt", "content": WORDS}
    discord.steward.script(calls(tool("write_file", content)), text("Written."))
    await discord.start(STEWARD_ALLOWED=f"discord:{bob.id}")
    discord.discord.say(bob, f"<@{bot}> {WORDS}", at=place)
    card = await discord.sees("a.txt", at=place)
    # What the file will hold stands in a fence that nothing in it closes, each sign of it visible.
    _, inside, below = card.content.split("```")
    assert inside == f"txt\n`\u200b`` {WORDS[4:-2]}\\u200b\\u202e\n"
    assert "\nasked by @everyone **Bob** ||x||" in drawn(below)
    assert "\u202e" not in card.content
    discord.press(card, "✅ Approve")
    await discord.sees("Written.", at=place)
    await discord.until(lambda: "created" in card.text)
    shown = [one.content for one in discord.discord.screen(place)]
    assert not [one for one in shown if "\u202e" in one]


async def test_a_hostile_name_is_told_as_it_is_to_the_owner(discord: OnDiscord) -> None:
    eve = discord.discord.person(700_000_000_000_000_099, NAME)
    await discord.start()
    foreign = discord.discord.guild(NAME, eve)
    foreign.shows_log = True
    discord.discord.add_bot(foreign, eve)
    told = await discord.sees("added me to the server")
    assert "\u202e" not in told.content
    assert "@everyone **Bob** ||x||" in drawn(told.content)
    assert r"\*\*Bob\*\*" in told.content


async def test_a_file_that_is_refused_for_a_missing_right_is_told_of_in_its_place(
    discord: OnDiscord,
) -> None:
    guild, bot = discord.discord.guild("Home", discord.ann), discord.discord.bot.id
    discord.foreseen.append("Missing Permissions")
    discord.steward.foreseen.append("outbox: ")
    place = guild.channels[0]
    discord.steward.script(
        text("Here I am."), calls(tool("send_file", {"path": "a.txt"})), text("Sent."), text("Yes.")
    )
    await discord.start()
    discord.say(f"<@{bot}> hello", at=place)
    await discord.sees("Here I am.", at=place)
    folder = discord.steward.workspace / "chats" / f"discord--{place.id}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.txt").write_text("words")
    place.denied.add("attach")
    discord.say(f"<@{bot}> send it", at=place)
    await discord.sees("📎 I could not send “a.txt”: Missing Permissions.", at=place)
    await discord.sees("Sent.", at=place)
    discord.say(f"<@{bot}> are you there?", at=place)
    await discord.sees("Yes.", at=place)


async def test_a_file_above_the_bound_is_told_of_by_its_name(discord: OnDiscord) -> None:
    discord.steward.script(calls(tool("send_file", {"path": "film.bin"})), text("Sent."))
    (discord.steward.workspace / "film.bin").write_bytes(bytes(10_000_001))
    await discord.start()
    discord.say("Send me the film")
    told = await discord.sees("📎 I could not send “film.bin”: ")
    assert told.text.endswith("it is larger than the 10 MB that a bot may send.")
    assert not any(one.attachments for one in discord.shown)
