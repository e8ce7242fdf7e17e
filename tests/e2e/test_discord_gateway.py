"""Discord when something goes wrong: the connection, the token, the rates, the rights."""

import json
from collections.abc import AsyncIterator
from itertools import count

import pytest

from tests.e2e.brisk_program import PACE
from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward, words_in
from tests.e2e.test_roles import Company
from tests.standins.discord import Channel, Fault
from tests.standins.messages_api import ReceivedRequest, Reply, text
from tests.words import NOT_FETCHED

pytestmark = pytest.mark.discords_own("sessions of the gateway")


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    steward.module = "tests.e2e.brisk_program"
    async with on_discord(steward) as found:
        yield found


async def test_what_came_while_the_connection_was_cut_is_sent_again_by_the_same_session(
    discord: OnDiscord,
) -> None:
    discord.steward.script(text("First."), text("Second."))
    await discord.start()
    discord.say("One")
    await discord.sees("First.")
    discord.discord.gateway.cut()
    discord.say("Two")
    await discord.sees("Second.")
    gateway = discord.discord.gateway
    assert (gateway.identified, gateway.resumed) == (1, 1)
    assert len(discord.steward.model.requests) == 2


@pytest.mark.postgres
async def test_who_takes_over_goes_on_with_the_session_of_the_one_that_died(
    own_postgres_url: str, discord: OnDiscord
) -> None:
    steward, gateway = discord.steward, discord.discord.gateway
    guild = discord.discord.guild("Home", discord.ann)
    company = Company(steward, own_postgres_url)
    try:
        await discord.start()
        await company.join("heir")
        await company.knows_of(2)
        # The first messages may come while it is still asking about its server.
        for number in count(1):
            steward.script(text(f"Answer {number}."))
            discord.say(f"Question {number}")
            await discord.sees(f"Answer {number}.")
            if steward.records.rows("SELECT 1 FROM stream WHERE name LIKE 'discord:%'"):
                break
        await steward.kill()
        steward.script(text("In the server."))
        discord.say(f"<@&{guild.role}> Two", at=guild.channels[0])
        await discord.sees("In the server.", at=guild.channels[0])
        assert (gateway.identified, gateway.resumed) == (1, 1)
        titles = steward.records.rows("SELECT title FROM chat WHERE title <> ''")
        assert titles == [("#general · Home",)]
        await steward.recorded()
    finally:
        for name in [*company.processes]:
            await company.leave(name)


async def test_a_new_start_goes_on_with_the_session_and_one_that_is_gone_begins_anew(
    discord: OnDiscord,
) -> None:
    steward, gateway = discord.steward, discord.discord.gateway
    steward.script(text("First."), text("Second."), text("Third."))
    await discord.start()
    discord.say("One")
    await discord.sees("First.")
    await steward.stop()
    discord.say("Two")
    await discord.start()
    await discord.sees("Second.")
    assert (gateway.identified, gateway.resumed) == (1, 1)
    await steward.recorded()
    await discord.off_for_long()
    discord.say("Three")
    await discord.start()
    await discord.sees("Third.")
    assert (gateway.identified, gateway.resumed) == (2, 1)
    assert len(steward.model.requests) == 3


@pytest.mark.parametrize("address", ["ws://[broken", "nowhere", "ws://127.0.0.1:1/gateway"])
async def test_an_address_of_a_session_that_leads_nowhere_is_asked_for_again(
    discord: OnDiscord, address: str
) -> None:
    discord.steward.script(text("First."), text("Second."))
    discord.discord.gateway.resumed_at = address
    await discord.start()
    discord.say("One")
    await discord.sees("First.")
    discord.discord.gateway.cut()
    discord.say("Two")
    await discord.sees("Second.")
    assert len(discord.steward.model.requests) == 2


async def test_an_order_to_connect_again_is_followed(discord: OnDiscord) -> None:
    discord.steward.script(text("Here."))
    await discord.start()
    await discord.discord.gateway.order(7)
    await discord.until(lambda: discord.discord.gateway.resumed)
    discord.say("There?")
    await discord.sees("Here.")


async def test_the_heart_beats_as_often_as_the_gateway_wants_and_when_it_asks(
    discord: OnDiscord,
) -> None:
    gateway = discord.discord.gateway
    gateway.beat_every = 300
    await discord.start()
    await discord.until(lambda: gateway.connections[0].beats >= 3)
    gateway.beat_every = 60_000
    gateway.cut()
    await discord.until(lambda: gateway.resumed)
    [connection] = gateway.connections
    before = connection.beats
    await gateway.order(1)
    await discord.until(lambda: connection.beats > before)


async def test_a_forgotten_session_is_begun_anew(discord: OnDiscord) -> None:
    discord.steward.script(text("Here."))
    await discord.start()
    await discord.discord.gateway.order(9, False)
    await discord.discord.listening(2)
    discord.say("There?")
    await discord.sees("Here.")


async def test_what_was_written_while_the_program_was_off_is_answered_once_and_in_order(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    discord.steward.script(text("One."), text("Two."))
    await discord.start()
    discord.say("First")
    await discord.sees("One.")
    discord.say(f"<@{bot}> hello", at=place)
    await discord.until(lambda: discord.discord.screen(place))
    await discord.steward.recorded()
    await discord.off_for_long()
    discord.steward.script(text("Three."), text("Four."))
    discord.say("Missed in private")
    await discord.start()
    await discord.sees("Three.")
    await discord.steward.recorded()
    await discord.off_for_long()
    discord.say(f"<@{bot}> missed in the server", at=place)
    await discord.start()
    await discord.until(lambda: len(discord.discord.screen(place)) == 2)
    asked = [words_in(request) for request in discord.steward.model.requests]
    assert "Missed in private" in asked[2]
    assert "missed in the server" in asked[3]
    assert len(asked) == 4


async def test_a_chat_that_could_not_be_asked_for_what_it_missed_is_asked_again(
    discord: OnDiscord,
) -> None:
    discord.steward.script(text("One."), text("Two."))
    await discord.start()
    discord.say("First")
    await discord.sees("One.")
    await discord.steward.recorded()
    await discord.off_for_long()
    discord.say("Missed")
    discord.discord.faults.order(Fault("GET", r"/messages$", "garbled"))
    await discord.start()
    await discord.sees("Two.")
    assert NOT_FETCHED in discord.steward.output


async def test_thumbs_that_were_put_while_the_program_was_off_are_found_once(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    discord.steward.script(text("One."), text("Two."), text("Three."))
    await discord.start()
    discord.say("First")
    first = await discord.sees("One.")
    discord.say(f"<@{bot}> hello", at=place)
    second = (await discord.until(lambda: discord.discord.screen(place)))[0]
    await discord.steward.recorded()
    await discord.off_for_long()
    eve = discord.discord.person(700_000_000_000_000_099, "Eve")
    discord.discord.react(discord.ann, first, "👍🏽")
    discord.discord.react(discord.ann, first, "🔥")
    discord.discord.react(discord.ann, second, "👎")
    discord.discord.react(eve, second, "👍")
    discord.say("Second")
    await discord.start()
    await discord.sees("Three.")

    def kept() -> list[str]:
        return sorted(v for (v,) in discord.steward.records.rows("SELECT verdict FROM feedback"))

    await discord.steward.eventually(lambda: kept() == ["bad", "good"])
    # What was found once is not taken again, whatever the person said since.
    discord.say("/feedback bad")
    discord.discord.react(discord.ann, await discord.sees("Three."), "👍")
    discord.discord.react(discord.ann, await discord.sees("Three."), "👎")
    await discord.steward.eventually(lambda: len(kept()) == 3)
    await discord.steward.recorded()
    thumbs = "SELECT count(*) FROM inbox WHERE key LIKE 'thumb:%'"
    found = discord.steward.records.rows(thumbs)
    await discord.restart()
    discord.steward.script(text("Four."))
    discord.say("Third")
    await discord.sees("Four.")
    assert (found, discord.steward.records.rows(thumbs)) == ([(3,)], [(3,)])
    assert len(kept()) == 3


async def test_a_refused_handshake_is_tried_again(discord: OnDiscord) -> None:
    discord.steward.script(text("Here."))
    discord.discord.gateway.refuse_handshakes = 1
    await discord.start()
    discord.say("Hello?")
    await discord.sees("Here.")
    assert "Discord cannot be reached" in discord.steward.output
    await discord.steward.eventually(lambda: "Discord is back" in discord.steward.output)


async def test_a_refused_token_ends_discord_alone(discord: OnDiscord) -> None:
    discord.foreseen.append("401: Unauthorized")
    discord.steward.script(text("On Telegram."))
    wrong = "OTAw.GxYzAb.".replace("OTAw", "OTAwMDAwMDAwMDAwMDAwMDAx") + "another-token-of-nobody-1"
    await discord.steward.start(DISCORD_BOT_TOKEN=wrong)
    told = "Discord does not accept the bot token. Copy it again from"
    await discord.steward.eventually(lambda: told in discord.steward.output)
    discord.steward.say("And here?")
    await discord.steward.sees("On Telegram.")
    assert discord.discord.gateway.identified == 0
    assert discord.steward.output.count(told) == 1


async def test_a_refused_intent_is_named_and_ends_discord_alone(discord: OnDiscord) -> None:
    discord.steward.script(text("On Telegram."))
    discord.discord.portal(reads_words=False)
    await discord.steward.start()
    told = "Switch on “Message Content Intent” at https://discord.com/developers/applications"
    await discord.steward.eventually(lambda: told in discord.steward.output)
    discord.steward.say("And here?")
    await discord.steward.sees("On Telegram.")


async def test_an_answer_waits_out_the_rates_of_its_channel(discord: OnDiscord) -> None:
    discord.discord.rates.bounds["/messages"] = (1, 0.5)
    discord.steward.script(text("One."), text("Two."))
    await discord.start()
    discord.say("1")
    await discord.sees("One.")
    discord.say("2")
    await discord.sees("Two.")


async def test_a_machine_that_the_edge_refuses_is_silent_for_a_while(discord: OnDiscord) -> None:
    discord.foreseen.append("banned")
    discord.steward.foreseen.append("outbox:")
    discord.steward.script(text("Nobody hears this yet."))
    await discord.start()
    discord.discord.faults.order(Fault("POST", r"/messages$", "banned"))
    discord.say("Hi")
    await discord.until(lambda: any(call.text == "banned" for call in discord.discord.calls))
    await discord.steward.eventually(lambda: discord.steward.records.stop_reasons)
    assert discord.shown == []


async def test_a_server_is_answered_where_the_bot_is_meant(discord: OnDiscord) -> None:
    stranger = discord.discord.person(700_000_000_000_000_099, "Eve")
    guild = discord.discord.guild("Home", discord.ann, stranger)
    place, bot = guild.channels[0], discord.discord.bot.id
    answer = f"To you, not to @everyone and <@{stranger.id}>."
    discord.steward.script(text(answer), text("To your role."), text("To your reply."))
    await discord.start()

    async def seen(words: str) -> None:
        await discord.until(lambda: any(words in m.text for m in discord.discord.screen(place)))

    discord.say("just talk", at=place)
    discord.discord.say(stranger, f"<@{bot}> obey me", at=place)
    discord.say(f"<@{bot}> hello there", at=place)
    await seen("To you, ")
    discord.say(f"<@&{guild.role}> and now?", at=place)
    await seen("To your role.")
    discord.say("Why?", at=place, reply_to=discord.discord.screen(place)[-1])
    await seen("To your reply.")
    asked = [words_in(request) for request in discord.steward.model.requests]
    assert "hello there" in asked[0]
    assert f"<@{bot}>" not in asked[0]
    assert not any("just talk" in words or "obey me" in words for words in asked)


@pytest.mark.parametrize("told", [True, False], ids=["told", "not told"])
async def test_a_thread_is_a_chat_of_its_own(discord: OnDiscord, told: bool) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    bot = discord.discord.bot.id
    discord.steward.script(text("Above."), text("In the thread."))
    await discord.start()
    place = guild.channels[0]
    discord.say(f"<@{bot}> the secret is sesame", at=place)
    await discord.until(lambda: discord.discord.screen(place))
    thread = discord.discord.thread(place, "Plans", told=told)
    discord.say(f"<@{bot}> what is the secret?", at=thread)
    await discord.until(lambda: discord.discord.screen(thread))
    last = json.dumps(discord.steward.model.requests[1].body["messages"])
    assert "what is the secret?" in last
    assert "sesame" not in last
    keys = [key for (key,) in discord.steward.records.rows("SELECT address FROM chat ORDER BY id")]
    assert keys == [f"discord:-{place.id}", f"discord:-{place.id}/{thread.id}"]


async def test_a_channel_without_the_right_to_write_is_given_up_and_others_go_on(
    discord: OnDiscord,
) -> None:
    discord.foreseen += ["Missing Permissions", "Unknown Channel"]
    discord.steward.foreseen.append("outbox: ")
    guild = discord.discord.guild("Home", discord.ann)
    discord.steward.script(text("Unseen."), text("In private."))
    await discord.start()
    guild.channels[0].denied.add("send")
    discord.say(f"<@{discord.discord.bot.id}> hi", at=guild.channels[0])
    told = "a message is given up: Missing Permissions"
    await discord.steward.eventually(lambda: told in discord.steward.output)
    discord.say("Hi")
    await discord.sees("In private.")


async def test_the_first_owner_pairs_in_private(discord: OnDiscord) -> None:
    await discord.start(STEWARD_OWNERS="")
    line = "To become the owner on Discord, write to Steward within 15 minutes: /start "
    await discord.steward.eventually(lambda: line in discord.steward.output)
    code = discord.steward.output.partition(line)[2].split()[0]
    eve = discord.discord.person(700_000_000_000_000_099, "Eve")
    discord.discord.say(eve, "Hi")
    await discord.until(lambda: discord.discord.screen(eve))
    await discord.until(lambda: discord.discord.places.commands)
    discord.discord.command(discord.ann, "start", code)
    await discord.until(lambda: discord.shown)
    owners = discord.steward.records.rows("SELECT count(*) FROM person WHERE role = 'owner'")
    assert owners == [(1,)]


async def test_two_connections_share_the_servers_and_miss_nothing(discord: OnDiscord) -> None:
    gateway, bot = discord.discord.gateway, discord.discord.bot.id
    gateway.seconds_between = 5.0 * PACE
    first, second = (_server_of(discord, shard) for shard in (0, 1))
    said = ("here and now", "after the break", "while it was off")

    def heard(request: ReceivedRequest) -> Reply:
        newest = str(request.body["messages"][-1])
        return text(f"Heard: {next(words for words in said if words in newest)}")

    discord.steward.model.script.rule(heard)

    async def answered(place: Channel, words: str) -> None:
        def found() -> bool:
            return [one.text for one in discord.discord.screen(place)].count(f"Heard: {words}") == 1

        await discord.until(found)

    await discord.start(DISCORD_SHARDS="2")
    await discord.discord.listening(2)
    assert sorted(session.shard for session in gateway.sessions.values()) == [(0, 2), (1, 2)]
    for place in (first, second):
        discord.say(f"<@{bot}> here and now", at=place)
        await answered(place, "here and now")
    gateway.cut()
    discord.say(f"<@{bot}> after the break", at=second)
    await answered(second, "after the break")
    assert (gateway.identified, gateway.resumed) == (2, 2)
    await discord.steward.recorded()
    await discord.off_for_long()
    for place in (first, second):
        discord.say(f"<@{bot}> while it was off", at=place)
    await discord.steward.start()
    for place in (first, second):
        await answered(place, "while it was off")
    assert len(discord.steward.model.requests) == 5


def _server_of(discord: OnDiscord, shard: int) -> Channel:
    """A channel of a server that belongs to this one of two shards."""
    while (guild := discord.discord.guild("Home", discord.ann)).id >> 22 & 1 != shard:
        pass
    return guild.channels[0]
