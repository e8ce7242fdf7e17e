"""Threads are deleted, archived and locked, rights are taken, and strangers invite the bot."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.discord import Channel, Guild
from tests.standins.messages_api import Gate, calls, text, tool

WRITE = tool("write_file", {"path": "notes.txt", "content": "1.0"})
GONE_FROM_PLANS = "I am no longer in “#Plans · Home”."
MUTED_IN_PLANS = "I can no longer write in “#Plans · Home”."

pytestmark = pytest.mark.discords_own("threads, rights in channels, invitations")


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        found.foreseen += ["Unknown Channel", "Unknown Message"]
        steward.foreseen.append("outbox: ")
        yield found


def news(discord: OnDiscord, words: str) -> list[str]:
    return [one.text for one in discord.shown if words in one.text]


def presences(discord: OnDiscord) -> list[tuple[object, ...]]:
    return discord.steward.records.rows(
        "SELECT subject FROM audit WHERE action = 'bot.membership' ORDER BY id"
    )


async def with_a_card(discord: OnDiscord) -> tuple[Guild, Channel]:
    """A thread in which a card waits, below a channel with a chat of its own."""
    guild, bot = discord.discord.guild("Home", discord.ann), discord.discord.bot.id
    discord.steward.script(text("Hello, all."), calls(WRITE), text("Still here."))
    await discord.start()
    discord.say(f"<@{bot}> hello", at=guild.channels[0])
    await discord.sees("Hello, all.", at=guild.channels[0])
    thread = discord.discord.thread(guild.channels[0], "Plans")
    discord.say(f"<@{bot}> /schedule every day at 06:00 | water the plants", at=thread)
    await discord.sees("Scheduled.", at=thread)
    discord.say(f"<@{bot}> note it", at=thread)
    await discord.sees("notes.txt", at=thread)
    await discord.steward.recorded()
    return guild, thread


async def ended(discord: OnDiscord) -> None:
    """Wait until the thread's card and task are over, and the channel above still answers."""
    records = discord.steward.records
    await discord.steward.eventually(
        lambda: records.rows("SELECT state FROM approval") == [("cancelled",)]
    )
    await discord.steward.eventually(
        lambda: records.rows("SELECT state FROM task") == [("paused",)]
    )
    assert records.open_calls == []


async def test_a_deleted_thread_is_left_alone_and_told_of_once(discord: OnDiscord) -> None:
    guild, thread = await with_a_card(discord)
    discord.discord.delete_thread(thread)
    told = await discord.sees(GONE_FROM_PLANS)
    assert told.text.endswith("Ended there: 1 request.")
    await ended(discord)
    await discord.restart()
    discord.say(f"<@{discord.discord.bot.id}> and here?", at=guild.channels[0])
    await discord.sees("Still here.", at=guild.channels[0])
    assert len(presences(discord)) == 1
    assert len(news(discord, "no longer in")) == 1


async def test_a_thread_deleted_while_the_program_is_off_is_found_out(discord: OnDiscord) -> None:
    guild, thread = await with_a_card(discord)
    await discord.off_for_long()
    discord.discord.delete_thread(thread, told=False)
    await discord.start()
    await discord.sees(GONE_FROM_PLANS)
    await ended(discord)
    discord.say(f"<@{discord.discord.bot.id}> and here?", at=guild.channels[0])
    await discord.sees("Still here.", at=guild.channels[0])
    assert len(presences(discord)) == 1


async def test_a_deleted_thread_of_a_task_is_not_opened_again(discord: OnDiscord) -> None:
    guild, bot = discord.discord.guild("Home", discord.ann), discord.discord.bot.id
    gate = Gate()
    discord.steward.script(text("First."), text("Never shown.").held(gate), text("Another."))
    await discord.start()
    place = guild.channels[0]
    discord.say(f"<@{bot}> /threads on", at=place)
    await discord.sees("opens a thread of its own", at=place)
    discord.say(f"<@{bot}> a task", at=place)
    [thread] = await discord.until(lambda: [one for one in guild.channels if one.type == 11])
    await discord.sees("First.", at=thread)
    discord.say("and more", at=thread)
    await gate.arrived()
    discord.discord.delete_thread(thread)
    told = await discord.sees("I am no longer in “#a task · Home”.")
    assert told.text.endswith("Ended there: 1 request.")
    gate.release()
    discord.say(f"<@{bot}> another", at=place)
    other = await discord.until(lambda: [one for one in guild.channels if one.type == 11][:1])
    await discord.sees("Another.", at=other[0])
    await discord.steward.recorded()
    assert discord.discord.places.channel(thread.id) is None


async def test_a_card_in_an_archived_thread_wakes_it_to_show_its_end(discord: OnDiscord) -> None:
    discord.foreseen += ["Thread is archived"]
    _, thread = await with_a_card(discord)
    card = await discord.sees("notes.txt", at=thread)
    discord.discord.close(thread, locked=False)
    discord.press(card, "❌ Deny")
    await discord.until(lambda: "Denied" in card.text)
    assert not thread.archived
    await discord.sees("Still here.", at=thread)
    assert presences(discord) == []


async def test_a_locked_thread_is_told_of_and_an_unlocked_one_is_back(discord: OnDiscord) -> None:
    discord.foreseen += ["Thread is archived", "Thread is locked", "Missing Permissions"]
    _, thread = await with_a_card(discord)
    discord.discord.close(thread)
    await discord.sees(MUTED_IN_PLANS)
    await discord.restart()
    discord.discord.close(thread, locked=False, archived=False)
    await discord.sees("I can write in “#Plans · Home” again.")
    assert len(presences(discord)) == 2
    # Its work went on meanwhile.
    discord.press(await discord.sees("notes.txt", at=thread), "❌ Deny")
    await discord.sees("Still here.", at=thread)


async def test_a_right_to_write_that_is_taken_and_given_is_told(discord: OnDiscord) -> None:
    guild, thread = await with_a_card(discord)
    discord.discord.mute(guild.channels[0])
    await discord.sees("I can no longer write in “#general · Home”. I read there as before.")
    discord.discord.mute(guild.channels[0], over=True)
    await discord.sees("I can write in “#general · Home” again.")
    assert len(presences(discord)) == 2
    discord.press(await discord.sees("notes.txt", at=thread), "❌ Deny")
    await discord.sees("Still here.", at=thread)


async def test_an_invitation_is_told_once_with_the_person_if_the_log_may_be_read(
    discord: OnDiscord,
) -> None:
    eve = discord.discord.person(700_000_000_000_000_099, "Eve")
    discord.foreseen += ["Missing Permissions"]
    await discord.start()
    silent, open_one = discord.discord.guild("Silent", eve), discord.discord.guild("Open", eve)
    open_one.shows_log = True
    discord.discord.add_bot(silent, eve)
    told = await discord.sees("I am in the server “Silent” now.")
    assert "somebody whom you let in mentions me" in told.text
    assert "I do not know who added me" in told.text
    discord.discord.add_bot(open_one, eve)
    await discord.sees(f"“Eve” (discord:{eve.id}) added me to the server “Open”.")
    await discord.restart()
    discord.steward.script(text("In private."))
    discord.say("Hi")
    await discord.sees("In private.")
    await discord.steward.recorded()
    assert len(news(discord, "in the server")) == 1
    assert len(news(discord, "to the server")) == 1
    assert len(presences(discord)) == 2


async def test_an_invitation_while_the_program_is_off_is_told_at_the_start(
    discord: OnDiscord,
) -> None:
    discord.foreseen += ["Missing Permissions"]
    discord.steward.script(text("In private."))
    discord.discord.guild("Old", discord.ann)
    await discord.start()
    discord.say("Hi")
    await discord.sees("In private.")
    await discord.steward.recorded()
    await discord.off_for_long()
    discord.discord.add_bot(discord.discord.guild("New", discord.ann), told=False)
    await discord.start()
    await discord.sees("I am in the server “New” now.")
    assert news(discord, "Old") == []


async def test_an_owner_lets_the_bot_leave_a_server_it_was_invited_to(discord: OnDiscord) -> None:
    eve = discord.discord.person(700_000_000_000_000_099, "Eve")
    discord.foreseen += ["Missing Permissions", "Unknown Guild"]
    await discord.start()
    foreign = discord.discord.guild("Foreign", eve)
    discord.discord.add_bot(foreign, eve)
    told = await discord.sees("I am in the server “Foreign” now.")
    await discord.steward.recorded()
    first, second = discord.press(told, "🚪 Leave it"), discord.press(told, "🚪 Leave it")
    await discord.until(lambda: "🚪 I have left it." in told.text)
    await discord.acknowledged(first)
    await discord.acknowledged(second)
    await discord.steward.recorded()
    assert foreign.id not in discord.discord.places.guilds
    assert told.labels == []
    assert told.text.count("🚪 I have left it.") == 1
