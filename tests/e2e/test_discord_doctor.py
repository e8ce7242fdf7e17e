"""`steward doctor` on Discord, and what a run without it never loads."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.discord.discord import APPLICATION_ID

pytestmark = pytest.mark.discords_own("what the developer portal says")


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        yield found


async def test_the_doctor_tries_the_token_and_prints_the_invitation(discord: OnDiscord) -> None:
    discord.discord.guild("Home", discord.ann)
    del discord.steward.settings["TELEGRAM_BOT_TOKEN"]
    assert await discord.steward.exit_code("doctor") == 0
    said = " ".join(discord.steward.output.split())
    assert "The token is good: it belongs to Steward, in 1 server." in said
    assert (
        f"authorize?client_id={APPLICATION_ID}&scope=bot+applications.commands&permissions=" in said
    )
    assert "The intent is on" in said
    assert "The bot has the seven rights that it needs in every server" in said
    assert "Telegram is not served" not in said


async def test_the_doctor_names_a_token_that_is_refused(discord: OnDiscord) -> None:
    discord.foreseen.append("401")
    wrong = "OTAwMDAwMDAwMDAwMDAwMDAx.GxYzAb.another-token-of-nobody-1"
    discord.steward.settings["DISCORD_BOT_TOKEN"] = wrong
    assert await discord.steward.exit_code("doctor") == 1
    said = " ".join(discord.steward.output.split())
    assert "Discord does not accept the bot token. → Copy it again from" in said
    assert wrong not in said


async def test_the_doctor_names_the_intent_that_is_off(discord: OnDiscord) -> None:
    discord.discord.portal(reads_words=False)
    assert await discord.steward.exit_code("doctor") == 1
    said = " ".join(discord.steward.output.split())
    assert "Discord keeps the words of messages in servers from this bot." in said
    assert "Switch on “Message Content Intent”" in said


@pytest.mark.parametrize(
    ("rights", "told"),
    [
        (1 << 10 | 1 << 11, "send messages in threads, create public threads, attach files"),
        (0, "see channels, send messages, send messages in threads"),
    ],
)
async def test_the_doctor_names_servers_in_which_rights_are_missing(
    discord: OnDiscord, rights: int, told: str
) -> None:
    discord.discord.guild("Home", discord.ann).rights = rights
    discord.discord.guild("Led", discord.ann).rights = 1 << 3
    assert await discord.steward.exit_code("doctor") == 1
    said = " ".join(discord.steward.output.split())
    assert f"The bot lacks rights in “Home”: {told}" in said
    assert "“Led”" not in said
    assert "Give its role these rights, or invite it again: https://discord.com/oauth2" in said


async def test_a_token_of_another_form_is_refused_before_anything_starts(
    steward: Steward,
) -> None:
    steward.settings["DISCORD_BOT_TOKEN"] = "a-wrong-token-nobody-may-see"
    assert await steward.exit_code("run") == 2
    assert "DISCORD_BOT_TOKEN" in steward.output
    assert "a-wrong-token-nobody-may-see" not in steward.output
