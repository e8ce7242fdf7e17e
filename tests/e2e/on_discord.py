"""The program as people meet it on Discord: Ann, who owns it, and what she sees there."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from tests.e2e.steward import Steward
from tests.patience import PATIENCE
from tests.standins.discord import TOKEN, Channel, Discord, Interaction, Message, User

T = TypeVar("T")
ANN = 700_000_000_000_000_042


class OnDiscord:
    """One program with Discord beside Telegram; `foreseen` are words of refusals a test causes."""

    def __init__(self, steward: Steward, discord: Discord) -> None:
        self.steward = steward
        self.discord = discord
        self.ann = discord.person(ANN, "Ann")
        self.foreseen: list[str] = []

    async def start(self, **settings: object) -> None:
        """Start the program, and wait until it listens on both platforms."""
        before = self.discord.gateway.begun
        await self.steward.start(**settings)
        await self.discord.listening(before + 1)

    async def restart(self) -> None:
        await self.steward.kill()
        await self.start()

    async def off_for_long(self) -> None:
        """End the program, until Discord has forgotten its sessions."""
        await self.steward.kill()
        self.discord.gateway.sessions.clear()

    def say(self, text: str, **how: Any) -> Message:
        return self.discord.say(self.ann, text, **how)

    def press(self, card: Message, label: str, person: User | None = None) -> Interaction:
        return self.discord.press(person or self.ann, card, label)

    @property
    def shown(self) -> list[Message]:
        return self.discord.screen(self.ann)

    async def until(self, condition: Callable[[], T | None], within: float = PATIENCE) -> T:
        try:
            return await self.discord.wait_for(condition, within)
        except TimeoutError:
            seen = "\n".join(f"  {message.text!r}" for message in self.shown)
            raise AssertionError(f"it never came true; the screen shows:\n{seen}") from None

    async def sees(self, text: str, times: int = 1, at: User | Channel | None = None) -> Message:
        """Wait until so many of the bot's messages to Ann or there hold the text; the newest."""

        def found() -> list[Message]:
            shown = self.discord.screen(at or self.ann)
            return [one for one in shown if text in one.text][times - 1 :]

        return (await self.until(found))[-1]

    async def card(self, label: str = "✅ Approve") -> Message:
        """Wait for a message with such a button; the newest of them."""

        def found() -> list[Message]:
            return [m for m in self.shown if any(one.startswith(label) for one in m.labels)]

        return (await self.until(found))[-1]

    async def notice(self, interaction: Interaction) -> str:
        """Wait for the text that only the one who pressed sees."""
        return (await self.until(lambda: interaction.notices))[0]

    async def acknowledged(self, interaction: Interaction) -> None:
        await self.until(lambda: interaction.answer)

    def judged(self) -> None:
        """Check that Discord refused nothing that the test did not bring about."""
        refused = [
            f"{call.method} {call.path}: {call.status} {call.text}"
            for call in self.discord.calls
            if call.status >= 400
        ]
        foreseen = (*self.foreseen, *self.steward.foreseen)
        left = [one for one in refused if not any(words in one for words in foreseen)]
        assert left == [], left
        assert self.discord.called == [], "an answer called people"
        assert self.discord.faults.unused == 0, "an ordered fault was never met"


@asynccontextmanager
async def on_discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    """Serves a Discord, and names it in the settings of the program."""
    discord = Discord()
    async with discord.serving() as url:
        steward.secrets.append(TOKEN)
        steward.settings |= {
            "DISCORD_BOT_TOKEN": TOKEN,
            "DISCORD_API_URL": url,
            "STEWARD_OWNERS": f"telegram:42,discord:{ANN}",
        }
        found = OnDiscord(steward, discord)
        yield found
        # It has to be tidy while there is still a Discord.
        await steward.settled()
        await steward.abandon()
        found.judged()
