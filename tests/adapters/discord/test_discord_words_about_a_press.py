"""Words about a press are told once the press itself was answered, on another connection."""

import asyncio

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.channel import DiscordChannel
from bot.domain.talk.message import Address, Press
from bot.domain.talk.person import Sender
from tests.standins.discord import TOKEN, Discord
from tests.standins.discord.world import Interaction, Message

ANN = 700_000_000_000_000_042


async def told(answered: bool) -> tuple[Interaction, int]:
    """Tells words about a press, which is `answered` behind them, or never."""
    server = Discord()
    ann = server.person(ANN, "Ann")
    card = Message(server.places.direct(ann), server.bot, "Card")
    async with server.serving() as url, DiscordApi(TOKEN, url) as api:
        channel = DiscordChannel(api, gated=False)
        pressed = server.sent_off(Interaction(3, ann, card, {"custom_id": "a:1"}))
        handle = f"{pressed.id}:{pressed.token}"
        press = Press(Address("discord", str(ANN)), Sender("discord", str(ANN), "Ann"), "x", handle)
        telling = asyncio.create_task(channel.acknowledge(press, "Not yours.", refused=True))
        while not words_of(server, pressed):
            await asyncio.sleep(0.01)
        if answered:
            names = {"webhook_id": str(pressed.id), "webhook_token": pressed.token}
            path = "/interactions/{webhook_id}/{webhook_token}/callback"
            await api.call("POST", path, {"type": 6}, names=names)
        await telling
        return pressed, words_of(server, pressed)


def words_of(server: Discord, press: Interaction) -> int:
    return sum(press.token in call.path and "/webhooks/" in call.path for call in server.calls)


async def test_words_that_overtake_the_answer_to_a_press_are_told_again() -> None:
    press, _ = await told(answered=True)
    assert press.notices == ["Not yours."]


async def test_a_press_that_is_never_answered_gets_no_words_and_is_left_after_a_few_tries() -> None:
    press, tries = await told(answered=False)
    assert (press.notices, tries) == ([], 5)
