"""The bot is thrown out of a server, its channels end or are hidden, and it comes back."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.e2e.test_hooks import BUILD, SECRET, Caller, caller, started, write
from tests.standins.discord import Channel, Fault, Guild, Message
from tests.standins.messages_api import calls, text, tool
from tests.words import NOT_FETCHED

WRITE = tool("write_file", {"path": "notes.txt", "content": "1.0"})
GONE_FROM_HOME = "I am no longer in “Home”."
BACK_IN_HOME = "I am in “Home” again."
GONE_FROM_GENERAL = "I am no longer in “#general · Home”."
BACK_IN_GENERAL = "I am in “#general · Home” again."

__all__ = ["caller"]

pytestmark = pytest.mark.telegrams_own


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        found.foreseen += ["Missing Access", "Unknown Channel", "Unknown Emoji"]
        steward.foreseen.append("outbox: ")
        yield found


async def last(discord: OnDiscord, place: Channel, words: str) -> Message:
    def found() -> list[Message]:
        return [one for one in discord.discord.screen(place) if words in one.text]

    return (await discord.until(found))[-1]


async def greeted(discord: OnDiscord) -> Guild:
    """A server in whose first channel the bot has answered, so that its chat is known."""
    guild = discord.discord.guild("Home", discord.ann)
    discord.steward.script(text("Hello, all."))
    await discord.start()
    discord.say(f"<@{discord.discord.bot.id}> hello", at=guild.channels[0])
    await last(discord, guild.channels[0], "Hello, all.")
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


async def test_thrown_out_of_a_server_its_cards_end_and_its_tasks_say_so(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    other = discord.discord.channel(guild, "garden")
    discord.steward.script(text("Hello, garden."), calls(WRITE))
    await discord.start()
    discord.say(f"<@{bot}> hello", at=other)
    await last(discord, other, "Hello, garden.")
    discord.say(f"<@{bot}> note it", at=place)
    await last(discord, place, "notes.txt")
    discord.discord.remove_bot(guild)
    told = await discord.sees(GONE_FROM_HOME)
    assert told.text.endswith("Ended there: 1 turn.")
    records = discord.steward.records
    await discord.steward.eventually(lambda: records.stop_reasons[-1:] == ["user_cancelled"])
    await discord.steward.eventually(
        lambda: records.rows("SELECT state FROM approval") == [("cancelled",)]
    )
    assert records.open_calls == []
    assert len(presences(discord)) == 2, "one line for each of the two known chats"
    assert len([one for one in discord.shown if "no longer in" in one.text]) == 1


async def test_a_hook_of_a_server_that_was_left_is_refused_until_the_bot_is_back(
    discord: OnDiscord, caller: Caller
) -> None:
    guild = await greeted(discord)
    place = guild.channels[0]
    write(discord.steward, "build", BUILD.format(more=f"chat: discord:-{place.id}\n"))
    discord.steward.script(text("No water."), text("Still no water."))
    await discord.steward.kill()
    await started(discord.steward)
    assert (await caller.post(key="first")).status_code == 202
    await last(discord, place, "No water.")
    discord.discord.remove_bot(guild)
    await discord.sees(GONE_FROM_HOME)
    assert (await caller.post(key="second")).status_code == 503
    assert f"the bot is no longer in discord:-{place.id}" in discord.steward.output
    await discord.restart()
    assert (await caller.post(key="second")).status_code == 503
    discord.discord.add_bot(guild)
    await discord.sees(BACK_IN_GENERAL)
    assert (await caller.post(key="second")).status_code == 202
    await last(discord, place, "Still no water.")
    assert SECRET not in discord.steward.output


async def test_thrown_out_while_the_program_is_off_it_finds_out_once(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    await discord.steward.kill()
    discord.discord.remove_bot(guild)
    await discord.start()
    # The server's name is not known any more, but the number of its channel is.
    await discord.sees(f"I am no longer in “discord:-{guild.channels[0].id}”.")
    await discord.restart()
    discord.steward.script(text("In private."))
    discord.say("Hi")
    await discord.sees("In private.")
    discord.discord.add_bot(guild)
    await discord.sees(BACK_IN_GENERAL)
    assert len(presences(discord)) == 2
    assert len([one for one in discord.shown if "no longer in" in one.text]) == 1


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
    await last(discord, thread, "notes.txt")
    discord.discord.delete_channel(place)
    told = await discord.sees(GONE_FROM_GENERAL)
    assert told.text.endswith("Ended there: 1 turn.")
    other = discord.discord.channel(guild, "garden")
    discord.say(f"<@{bot}> hello", at=other)
    await last(discord, other, "Elsewhere.")
    assert len(presences(discord)) == 1


async def test_a_hidden_channel_is_left_and_a_shown_one_is_back(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    place = guild.channels[0]
    discord.discord.hide(place)
    await discord.sees(GONE_FROM_GENERAL)
    discord.discord.hide(place, shown=True)
    told = await discord.sees(BACK_IN_GENERAL)
    assert "I answer there when I am mentioned" in told.text
    discord.steward.script(text("Here again."))
    discord.say(f"<@{discord.discord.bot.id}> hello", at=place)
    await last(discord, place, "Here again.")
    assert len(presences(discord)) == 2


async def test_an_outage_is_no_leaving_and_not_at_a_start_either(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    discord.steward.script(text("One."), text("Two."), text("Here again."))
    discord.say("First")
    await discord.sees("One.")
    await discord.steward.recorded()
    discord.discord.outage(guild)
    await discord.discord.sent()
    await discord.steward.kill()
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
    await last(discord, guild.channels[0], "Here again.")
    assert presences(discord) == []


async def test_more_rights_of_others_are_no_news(discord: OnDiscord) -> None:
    guild = await greeted(discord)
    discord.discord.event("GUILD_ROLE_UPDATE", {"guild_id": str(guild.id), "role": {}})
    await asked_for(discord, guild.channels[0])
    await discord.steward.recorded()
    assert presences(discord) == []
