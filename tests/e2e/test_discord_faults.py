"""Discord in odd hours: places that close, people who leave, presses that come too late."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.discord import Channel, Message
from tests.standins.forwarding import forwarding
from tests.standins.messages_api import Gate, Reply, calls, text, tool

pytestmark = pytest.mark.discords_own("servers and their channels")


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        yield found


async def shown(discord: OnDiscord, place: Channel, words: str) -> Message:
    def found() -> list[Message]:
        return [one for one in discord.discord.screen(place) if words in one.text]

    return (await discord.until(found))[-1]


async def card_in(discord: OnDiscord, place: Channel) -> Message:
    return (await discord.until(lambda: [m for m in discord.discord.screen(place) if m.labels]))[-1]


def write() -> Reply:
    return calls(tool("write_file", {"path": "a.txt", "content": "eggs"}))


async def test_the_api_and_the_gateway_are_reached_by_the_proxy_of_the_environment(
    discord: OnDiscord,
) -> None:
    discord.steward.script(text("From far away."))
    places = discord.discord.places
    places.url = places.url.replace("127.0.0.1", "localhost")
    async with forwarding() as proxy:
        await discord.start(HTTP_PROXY=proxy.url, NO_PROXY="127.0.0.1", DISCORD_API_URL=places.url)
        discord.say("Hello")
        await discord.sees("From far away.")
        await discord.steward.recorded()
        await discord.steward.kill()
    assert any(path.startswith("/gateway") and "v=10" in path for path in proxy.asked)
    assert any(path.endswith("/messages") for path in proxy.asked)


async def test_an_archived_thread_wakes_with_the_answer_and_a_locked_one_is_given_up(
    discord: OnDiscord,
) -> None:
    guild, bot = discord.discord.guild("Home", discord.ann), discord.discord.bot.id
    discord.foreseen.append("Thread is archived")
    discord.steward.foreseen.append("outbox: ")
    gates = Gate(), Gate()
    discord.steward.script(text("Awake.").held(gates[0]), text("Unseen.").held(gates[1]))
    await discord.start()
    thread = discord.discord.thread(guild.channels[0], "Plans")
    discord.say(f"<@{bot}> one", at=thread)
    await discord.steward.asked(1)
    thread.archived = True
    gates[0].release()
    await shown(discord, thread, "Awake.")
    assert not thread.archived
    discord.say(f"<@{bot}> two", at=thread)
    await discord.steward.asked(2)
    thread.archived = thread.locked = True
    gates[1].release()
    told = "a message is given up: Thread is archived"
    await discord.steward.eventually(lambda: told in discord.steward.output)


async def test_a_channel_deleted_in_the_middle_costs_its_answer_alone(discord: OnDiscord) -> None:
    guild, bot = discord.discord.guild("Home", discord.ann), discord.discord.bot.id
    discord.foreseen.append("Unknown Channel")
    discord.steward.foreseen.append("outbox: ")
    gate = Gate()
    discord.steward.script(text("Unseen.").held(gate), text("In private."))
    await discord.start()
    place = guild.channels[0]
    discord.say(f"<@{bot}> one", at=place)
    await discord.steward.asked(1)
    del discord.discord.places.channels[place.id]
    discord.discord.event("CHANNEL_DELETE", place.json)
    gate.release()
    told = "a message is given up: Unknown Channel"
    await discord.steward.eventually(lambda: told in discord.steward.output)
    discord.say("Hi")
    await discord.sees("In private.")


async def test_somebody_who_left_the_server_decides_nothing_there(discord: OnDiscord) -> None:
    bob = discord.discord.person(700_000_000_000_000_098, "Bob")
    guild, bot = discord.discord.guild("Home", discord.ann, bob), discord.discord.bot.id
    place = guild.channels[0]
    discord.steward.script(write(), text("Written."))
    await discord.start()
    discord.say(f"/allow discord:{bob.id}")
    await discord.until(lambda: discord.shown)
    discord.discord.say(bob, f"<@{bot}> write a list", at=place)
    card = await card_in(discord, place)
    guild.members.remove(bob)
    discord.discord.event("GUILD_MEMBER_REMOVE", {"guild_id": str(guild.id), "user": bob.json})
    # The app of one who left cannot press; the owner still can.
    discord.press(card, "✅ Approve")
    await shown(discord, place, "Written.")


async def test_a_server_of_5000_members_is_served_and_none_of_them_is_kept(
    discord: OnDiscord,
) -> None:
    crowd = [discord.discord.person(800_000_000_000_000_000 + n, f"P{n}") for n in range(5_000)]
    guild, bot = discord.discord.guild("Crowd", discord.ann, *crowd), discord.discord.bot.id
    for n in range(200):
        discord.discord.channel(guild, f"room-{n}")
    place = guild.channels[150]
    discord.steward.script(text("Found you."))
    await discord.start()
    members = [{"user": one.json, "roles": []} for one in crowd]
    discord.discord.event("GUILD_CREATE", guild.json | {"large": True, "members": members})
    discord.say(f"<@{bot}> hello", at=place)
    await shown(discord, place, "Found you.")
    people = discord.steward.records.rows("SELECT count(*) FROM person")
    assert people <= [(2,)]


async def test_a_menu_of_many_choices_is_chosen_from(discord: OnDiscord) -> None:
    named = [f'[models."anthropic/claude-{n}"]\nwindow = 200000\n' for n in "abcdef"]
    (discord.steward.folder / "steward.toml").write_text("\n".join(named))
    await discord.start()
    discord.say("/model")

    def found() -> list[Message]:
        return [m for m in discord.shown if any(one["type"] == 3 for one in m.choices)]

    menu = (await discord.until(found))[-1]
    pressed = discord.press(menu, next(label for label in menu.labels if "claude-e" in label))
    await discord.acknowledged(pressed)
    await discord.sees("From your next message on: `anthropic/claude-e`.")


async def test_link_makes_the_accounts_of_a_person_one(discord: OnDiscord) -> None:
    discord.steward.script(text("On Discord."), text("On Telegram."))
    await discord.start(STEWARD_OWNERS=f"discord:{discord.ann.id}")
    discord.say("Hello")
    await discord.sees("On Discord.")
    discord.say(f"/link {discord.ann.id} telegram:42")
    await discord.sees("telegram:42 is now a second account of Ann: both have")
    discord.steward.say("Hello from here")
    await discord.steward.sees("On Telegram.")
    people = "SELECT count(DISTINCT person) FROM account"
    assert discord.steward.records.rows(people) == [(1,)]
    spent = "SELECT count(DISTINCT person) FROM usage"
    assert discord.steward.records.rows(spent) == [(1,)]
