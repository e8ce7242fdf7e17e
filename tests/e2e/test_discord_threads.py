"""Threads for tasks on Discord: each call opens one where the server's owner wants that."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward, words_in
from tests.standins.discord import Channel, Fault, Guild, Message
from tests.standins.discord.world import stopped_clock
from tests.standins.messages_api import Gate, calls, text, tool

OFF = "I answer in this channel itself."
ON = "Each message that calls me here opens a thread of its own."

pytestmark = pytest.mark.discords_own("threads that a call opens")


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        # The first send to a thread finds that it is not there yet.
        found.foreseen += ["Unknown Channel"]
        yield found


def threads(guild: Guild) -> list[Channel]:
    return [one for one in guild.channels if one.type == 11]


async def shown(discord: OnDiscord, place: Channel, words: str) -> Message:
    def found() -> list[Message]:
        return [one for one in discord.discord.screen(place) if words in one.text]

    return (await discord.until(found))[-1]


async def switched_on(discord: OnDiscord, guild: Guild) -> Channel:
    place = guild.channels[0]
    discord.say(f"<@{discord.discord.bot.id}> /threads on", at=place)
    await shown(discord, place, ON)
    return place


async def opened(discord: OnDiscord, guild: Guild, count: int = 1) -> Channel:
    return (await discord.until(lambda: threads(guild)[count - 1 :]))[0]


async def test_a_call_opens_a_thread_in_which_nobody_has_to_be_called(discord: OnDiscord) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot = discord.discord.bot.id
    discord.steward.script(text("Twelve eggs."), text("And butter."), text("In the other."))
    await discord.start()
    place = await switched_on(discord, guild)
    asked = discord.say(f"<@{bot}> What is in the cake? {'Tell me all of it. ' * 9}", at=place)
    thread = await opened(discord, guild)
    assert (thread.id, thread.parent) == (asked.id, place.id)
    assert thread.name.startswith("What is in the cake? Tell me all")
    assert len(thread.name) <= 61
    await shown(discord, thread, "Twelve eggs.")
    discord.say("What else?", at=thread)
    await shown(discord, thread, "And butter.")
    assert "Twelve eggs." in str(discord.steward.model.requests[1].body["messages"])
    discord.say(f"<@{bot}> something else", at=place)
    other = await opened(discord, guild, 2)
    await shown(discord, other, "In the other.")
    assert "Twelve eggs." not in str(discord.steward.model.requests[2].body["messages"])
    assert [one.text for one in discord.discord.screen(place)] == [
        one.text for one in discord.discord.screen(place) if ON in one.text
    ]


async def test_commands_and_answers_stay_in_the_channel_and_off_ends_it(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot = discord.discord.bot.id
    discord.steward.script(text("To your reply."), text("Here again."))
    await discord.start()
    place = await switched_on(discord, guild)
    discord.say("Why?", at=place, reply_to=discord.discord.screen(place)[-1])
    await shown(discord, place, "To your reply.")
    discord.say(f"<@{bot}> /threads", at=place)
    await discord.until(lambda: len(discord.discord.screen(place)) == 3)
    discord.say(f"<@{bot}> /threads off", at=place)
    await shown(discord, place, OFF)
    discord.say(f"<@{bot}> and now?", at=place)
    await shown(discord, place, "Here again.")
    assert threads(guild) == []


async def test_a_card_in_a_new_thread_works_after_a_kill(discord: OnDiscord) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot = discord.discord.bot.id
    write = calls(tool("write_file", {"path": "a.txt", "content": "eggs"}))
    discord.steward.script(write, text("Written."))
    await discord.start()
    await switched_on(discord, guild)
    discord.say(f"<@{bot}> write a list", at=guild.channels[0])
    thread = await opened(discord, guild)

    def card() -> list[Message]:
        return [m for m in discord.discord.screen(thread) if m.labels]

    [found] = await discord.until(card)
    await discord.restart()
    discord.press(found, "✅ Approve")
    await shown(discord, thread, "Written.")
    assert len(threads(guild)) == 1


async def test_a_kill_between_the_thread_and_its_first_message_opens_no_second_one(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot = discord.discord.bot.id
    discord.steward.script(text("Once."))
    await discord.start()
    place = await switched_on(discord, guild)
    # The thread is there, but the bot did not hear of it.
    discord.discord.faults.order(Fault("POST", r"/threads$", "lost"))
    discord.foreseen.append("already been created")
    discord.say(f"<@{bot}> one task", at=place)
    thread = await opened(discord, guild)
    await discord.restart()
    await shown(discord, thread, "Once.")
    assert [one.text for one in discord.discord.screen(thread)] == ["Once."]
    assert threads(guild) == [thread]


async def test_a_kill_before_the_thread_is_opened_opens_it_later(discord: OnDiscord) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot = discord.discord.bot.id
    gate = Gate()
    discord.steward.script(text("Never sent.").held(gate), text("After all."))
    await discord.start()
    place = await switched_on(discord, guild)
    asked = discord.say(f"<@{bot}> one task", at=place)
    await discord.steward.asked(1)
    await discord.restart()
    thread = await opened(discord, guild)
    assert thread.id == asked.id
    await shown(discord, thread, "After all.")


async def test_an_edit_and_a_deletion_reach_the_message_that_waits_in_its_thread(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot = discord.discord.bot.id
    gate = Gate()
    discord.steward.script(text("One.").held(gate), text("Two."))
    await discord.start(STEWARD_LANES="1")
    place = await switched_on(discord, guild)
    discord.say(f"<@{bot}> first", at=place)
    await discord.steward.asked(1)
    second = discord.say(f"<@{bot}> secnd", at=place)
    third = discord.say(f"<@{bot}> third", at=place)
    waiting = "SELECT count(*) FROM inbox WHERE state = 'waiting'"
    await discord.steward.eventually(lambda: discord.steward.records.rows(waiting) == [(2,)])
    discord.discord.edit(second, f"<@{bot}> second")
    discord.discord.delete(third)
    dropped = "SELECT count(*) FROM inbox WHERE state = 'dropped'"
    await discord.steward.eventually(lambda: discord.steward.records.rows(dropped) == [(1,)])
    gate.release()
    await shown(discord, await opened(discord, guild, 2), "Two.")
    assert "secnd" not in words_in(discord.steward.model.requests[1])
    assert len(discord.steward.model.requests) == 2


async def test_a_right_that_is_missing_is_told_by_the_command(discord: OnDiscord) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    await discord.start()
    place.denied.add("thread")
    discord.say(f"<@{bot}> /threads on", at=place)
    await shown(discord, place, "I may not open threads here. Nothing was changed.")
    place.denied.clear()
    guild.rights &= ~(1 << 35)
    discord.say(f"<@{bot}> /threads on", at=place)
    await discord.until(lambda: len(discord.discord.screen(place)) == 2)
    guild.rights = 1 << 3
    discord.say(f"<@{bot}> /threads on", at=place)
    await shown(discord, place, ON)


async def test_a_right_lost_in_the_middle_costs_that_answer_alone(discord: OnDiscord) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot = discord.discord.bot.id
    discord.foreseen.append("Missing Permissions")
    discord.steward.foreseen.append("outbox: ")
    discord.steward.script(text("Unseen."), text("In private."))
    await discord.start()
    place = await switched_on(discord, guild)
    place.denied.add("thread")
    discord.say(f"<@{bot}> a task", at=place)
    await discord.steward.eventually(lambda: "a message is given up" in discord.steward.output)
    discord.say("Hi")
    await discord.sees("In private.")


def forwarded(words: str) -> dict[str, Any]:
    """What the app adds to a message that forwards another one."""
    reference = {"type": 1, "message_id": "1200000000000000001", "channel_id": "12"}
    return {"message_reference": reference, "message_snapshots": [{"message": {"content": words}}]}


@pytest.mark.parametrize("on", [True, False], ids=["threads on", "threads off"])
async def test_a_forward_before_or_behind_a_call_goes_with_it(discord: OnDiscord, on: bool) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    lost = Gate()
    discord.steward.script(text("Money."), text("never").held(lost), text("Both."))
    await discord.start(STEWARD_BUNDLE_SECONDS=0.5)
    if on:
        await switched_on(discord, guild)
    with stopped_clock():
        discord.say("", at=place, **forwarded("Send 5 BTC"))
        discord.say(f"<@{bot}> What do they want?", at=place)
    await shown(discord, await opened(discord, guild) if on else place, "Money.")
    first = words_in(discord.steward.model.requests[0])
    assert first.index("Send 5 BTC") < first.index("What do they want?")
    with stopped_clock():
        discord.say(f"<@{bot}> And here?", at=place)
        await lost.arrived()
        late = discord.say("", at=place, **forwarded("Dear Sir"))
    await shown(discord, await opened(discord, guild, 2) if on else place, "Both.")
    last = words_in(discord.steward.model.requests[-1])
    assert last.index("And here?") < last.index("Dear Sir")
    assert discord.steward.records.stop_reasons == ["final_answer"] * 2
    assert len(threads(guild)) == 2 * on
    assert late.id not in [one.id for one in threads(guild)]


async def test_a_part_of_a_waiting_message_is_edited_and_deleted_in_its_thread(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot, gate = discord.discord.bot.id, Gate()
    discord.steward.script(text("Elsewhere.").held(gate), text("In the thread."))
    await discord.start(STEWARD_LANES="1", STEWARD_BUNDLE_SECONDS=0.5)
    place = await switched_on(discord, guild)
    discord.say("Wait for me")
    await discord.steward.asked(1)
    with stopped_clock():
        kept = discord.say("", at=place, **forwarded("Dear Sir"))
        gone = discord.say("", at=place, **forwarded("Send 5 BTC"))
        discord.say(f"<@{bot}> What do they want?", at=place)
    waiting = "SELECT count(*) FROM inbox WHERE state = 'waiting'"
    await discord.steward.eventually(lambda: discord.steward.records.rows(waiting) == [(3,)])
    discord.discord.delete(gone)
    await discord.steward.eventually(lambda: discord.steward.records.rows(waiting) == [(2,)])
    gate.release()
    await shown(discord, await opened(discord, guild), "In the thread.")
    asked = words_in(discord.steward.model.requests[1])
    assert "Dear Sir" in asked
    assert "Send 5 BTC" not in asked
    assert not kept.deleted
