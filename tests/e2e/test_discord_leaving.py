"""The bot is thrown out of a server, its channels end or are hidden, and it comes back."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.discord import Channel, Fault, Guild
from tests.standins.messages_api import calls, text, tool
from tests.words import NOT_FETCHED

WRITE = tool("write_file", {"path": "notes.txt", "content": "1.0"})
GONE_FROM_HOME = "I am no longer in “Home”."
BACK_IN_HOME = "I am in “Home” again."
GONE_FROM_GENERAL = "I am no longer in “#general · Home”."
BACK_IN_GENERAL = "I am in “#general · Home” again."

pytestmark = pytest.mark.discords_own("servers and their channels")


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    steward.module = "tests.e2e.brisk_program"
    async with on_discord(steward) as found:
        found.foreseen += ["Missing Access", "Unknown Channel"]
        steward.foreseen.append("outbox: ")
        yield found


async def greeted(discord: OnDiscord) -> Guild:
    """A server in whose first channel the bot has answered, so that its chat is known."""
    guild = discord.discord.guild("Home", discord.ann)
    discord.steward.script(text("Hello, all."))
    await discord.start()
    discord.say(f"<@{discord.discord.bot.id}> hello", at=guild.channels[0])
    await discord.sees("Hello, all.", at=guild.channels[0])
    await discord.steward.recorded()
    return guild


async def asked_for(discord: OnDiscord, place: Channel) -> None:
    """Waits until the program has looked whether it still sees a channel."""
    calls_made = discord.discord.calls
    path = f"/channels/{place.id}"
    await discord.until(lambda: [one for one in calls_made if one.path == path])


def presences(discord: OnDiscord) -> list[str]:
    wanted = "SELECT details FROM audit WHERE action = 'bot.membership' ORDER BY id"
    return [told for (told,) in discord.steward.records.rows(wanted)]


async def test_thrown_out_while_the_program_is_off_it_finds_out_once(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    await discord.off_for_long()
    discord.discord.remove_bot(guild)
    await discord.start()
    # Discord does not tell the name any more.
    await discord.sees(GONE_FROM_GENERAL)
    await discord.restart()
    discord.steward.script(text("In private."))
    discord.say("Hi")
    await discord.sees("In private.")
    discord.discord.add_bot(guild)
    await discord.sees(BACK_IN_GENERAL)
    assert len(presences(discord)) == 2
    assert len([one for one in discord.shown if "no longer in" in one.text]) == 1


async def test_channels_that_are_gone_at_a_start_are_named_together(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    garden = discord.discord.channel(guild, "garden")
    discord.steward.script(text("Hello, garden."))
    discord.say(f"<@{discord.discord.bot.id}> hello", at=garden)
    await discord.sees("Hello, garden.", at=garden)
    await discord.steward.recorded()
    await discord.off_for_long()
    discord.discord.remove_bot(guild)
    await discord.start()
    told = await discord.sees("I am no longer in “")
    assert "#general · Home" in told.text
    assert "#garden · Home" in told.text
    assert len(presences(discord)) == 2


async def test_killed_while_the_leaving_is_stored_it_is_told_once(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    discord.discord.remove_bot(guild)
    await discord.discord.sent()
    await discord.restart()
    await discord.sees("I am no longer in ")
    await discord.restart()
    discord.discord.add_bot(guild)
    await discord.sees(BACK_IN_GENERAL)
    assert len(presences(discord)) == 2


async def test_a_deleted_channel_is_left_with_its_threads(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    place, bot = guild.channels[0], discord.discord.bot.id
    thread = discord.discord.thread(place, "Plans")
    discord.steward.script(calls(WRITE), text("Elsewhere."))
    discord.say(f"<@{bot}> note it", at=thread)
    await discord.sees("notes.txt", at=thread)
    discord.discord.delete_channel(place)
    told = await discord.sees(GONE_FROM_GENERAL)
    assert told.text.endswith("Ended there: 1 request.")
    other = discord.discord.channel(guild, "garden")
    discord.say(f"<@{bot}> hello", at=other)
    await discord.sees("Elsewhere.", at=other)
    assert len(presences(discord)) == 1


async def test_a_hidden_channel_is_left_and_a_shown_one_is_back(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    place = guild.channels[0]
    discord.discord.hide(place)
    await discord.sees(GONE_FROM_GENERAL)
    discord.discord.hide(place, shown=True)
    told = await discord.sees(BACK_IN_GENERAL)
    assert "I answer there when somebody whom you let in" in told.text
    discord.steward.script(text("Here again."))
    discord.say(f"<@{discord.discord.bot.id}> hello", at=place)
    await discord.sees("Here again.", at=place)
    assert len(presences(discord)) == 2


async def test_an_outage_is_no_leaving_and_not_at_a_start_either(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    discord.steward.script(text("One."), text("Two."), text("Here again."))
    discord.say("First")
    await discord.sees("One.")
    await discord.steward.recorded()
    discord.discord.outage(guild)
    await discord.discord.sent()
    await discord.off_for_long()
    discord.say("Missed")
    # So the channels are asked for once more, still in the outage.
    private = discord.discord.places.direct(discord.ann)
    again = Fault("GET", f"/channels/{private.id}/messages$", "garbled")
    discord.discord.faults.order(again)
    await discord.start()
    await discord.sees("Two.")
    assert NOT_FETCHED in discord.steward.output
    discord.discord.outage(guild, over=True)
    discord.say(f"<@{discord.discord.bot.id}> hello", at=guild.channels[0])
    await discord.sees("Here again.", at=guild.channels[0])
    assert presences(discord) == []


async def test_more_rights_of_others_are_no_news(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    discord.discord.event("GUILD_ROLE_UPDATE", {"guild_id": str(guild.id), "role": {}})
    await asked_for(discord, guild.channels[0])
    await discord.steward.recorded()
    assert presences(discord) == []
