"""Voice on Discord: a message is heard, its answer is spoken, and pictures reach the model."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.discord import Message
from tests.standins.messages_api import text
from tests.standins.serving import serving
from tests.standins.speech import Speech
from tests.standins.transcriptions import Transcriptions
from tests.words import VOICE_ON

pytestmark = pytest.mark.discords_own("voice messages have no words, and may be forbidden")

KEY = "hear-e2e-a-key-nobody-may-ever-see"


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    ears, voice = Transcriptions(api_key=KEY), Speech(api_key=KEY)
    async with serving(ears.app) as heard, serving(voice.app) as spoken:
        for name, url in (("HEAR", heard), ("SPEAK", spoken)):
            steward.settings |= {f"STEWARD_{name}_URL": f"{url}/v1", f"STEWARD_{name}_KEY": KEY}
        async with on_discord(steward) as found:
            yield found
        assert ears.refusals == voice.refusals == []


async def voice_on(discord: OnDiscord) -> None:
    await discord.start()
    discord.say("/voice on")
    await discord.sees(VOICE_ON)


async def sounds(discord: OnDiscord, count: int = 1) -> list[Message]:
    def found() -> list[Message]:
        held = [one for one in discord.shown if one.attachments]
        return held if len(held) >= count else []

    return await discord.until(found)


async def test_words_below_a_voice_message_come_behind_it(discord: OnDiscord) -> None:
    discord.steward.script(text("Here it is:\n\n```\nls -l\n```"))
    await voice_on(discord)
    discord.discord.voice(discord.ann, b"OggS-sound", 3)
    await discord.sees("Without code and tables; the text has them.")
    [note] = await sounds(discord)
    assert discord.shown.index(note) == len(discord.shown) - 2


async def test_where_nobody_may_send_voice_messages_it_comes_as_a_file(
    discord: OnDiscord,
) -> None:
    discord.foreseen.append("Cannot send voice messages in this channel")
    discord.steward.script(text("Noted: milk."))
    await voice_on(discord)
    discord.discord.places.direct(discord.ann).denied.add("voice")
    discord.discord.voice(discord.ann, b"OggS-sound", 3)
    [note] = await sounds(discord)
    assert note.attachments[0]["filename"] == "answer.ogg"
    assert not note.flags & 1 << 13


async def test_a_new_thread_has_the_switches_of_its_channel(discord: OnDiscord) -> None:
    """Its own are that nobody has to call the bot there, and what only its channel needs."""
    # The first send to a thread finds that it is not there yet.
    discord.foreseen.append("Unknown Channel")
    discord.steward.script(text("Twelve eggs."))
    await discord.start()
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    turned = ("/voice on", "/footer on", "/queue steer", "/context on", "/threads on")
    for count, command in enumerate(turned, 1):
        discord.say(f"<@{bot}> {command}", at=place)
        await discord.until(lambda count=count: len(discord.discord.screen(place)) == count)
    discord.say(f"<@{bot}> What is in the cake?", at=place)
    await discord.until(lambda: [one for one in guild.channels if one.type == 11])
    columns = "voice, footer, queue_mode, activation, listens, threads"
    rows = f"SELECT {columns} FROM chat WHERE address LIKE 'discord:%/%'"
    [kept] = discord.steward.records.rows(rows)
    assert kept == (True, True, "steer", "always", False, False)
