"""The program on Discord, under the hands that tests have for Telegram.

So one text of a scenario runs on both platforms. Markup is taken away as the app would draw it.
"""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bot.flow.commanding.choices import CHOICES
from tests.e2e.hands import DISCORD_NUMBERS, DiscordHands
from tests.e2e.launching import Launch
from tests.e2e.steward import Steward
from tests.e2e.ways import DiscordWay
from tests.standins.bot_api import BotApi
from tests.standins.bot_api.world import StoredFile
from tests.standins.discord import TOKEN, Discord, Interaction, Message, User
from tests.standins.messages_api import MessagesApi
from tests.standins.serving import serving

T = TypeVar("T")
ANN = DISCORD_NUMBERS + 42

_MARKUP = re.compile(
    r"(?P<address>https?://[^\s)*]+)|\\(?P<shown>[^\w\s]|_)|```\w*\n?|\*\*|__|~~|\|\||`"
    r"|^(?:> |-# |#{1,3} )"
    r"|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)",
    re.MULTILINE,
)
_LINK = re.compile(r"\[([^\]\n]+)\]\(<?https?://[^)\s]+>?\)")
_BULLET = re.compile(r"^( *)- ", re.MULTILINE)
_NO_PREVIEW, _SILENT, _VOICE = 1 << 2, 1 << 12, 1 << 13


@dataclass(frozen=True)
class Choice:
    """A button, or an option of a menu."""

    text: str
    data: str
    sent: dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """A message of the bot as it stood when a test looked."""

    message: Message
    text: str
    buttons: tuple[tuple[Choice, ...], ...]

    @property
    def id(self) -> int:
        return self.message.id

    @property
    def reply_to(self) -> int | None:
        return self.message.answers.id if self.message.answers is not None else None

    @property
    def silent(self) -> bool:
        """Whether it came without a sound."""
        return bool(self.message.sent_flags & _SILENT)

    @property
    def preview(self) -> bool:
        """Whether it shows what is behind a link."""
        return not self.message.flags & _NO_PREVIEW

    @property
    def file(self) -> Any:
        if not self.message.attachments:
            return None
        one = self.message.attachments[0]
        if not self.message.flags & _VOICE:
            return StoredFile("document", "", one["filename"], "", one["data"])
        traits = {"duration": one["duration_secs"]}
        return StoredFile("voice", "", one["filename"], "audio/ogg", one["data"], traits)

    @property
    def labels(self) -> list[str]:
        return [button.text for row in self.buttons for button in row]


def seen(message: Message) -> Seen:
    rows = ([_choice(one) for one in message.choices],) if message.choices else ()
    return Seen(message, drawn(message.text), tuple(map(tuple, rows)))


def drawn(text: str) -> str:
    """The words of a message as the app draws them."""
    return _MARKUP.sub(
        lambda found: found["shown"] or found["address"] or "",
        _BULLET.sub(r"\1• ", _LINK.sub(r"\1", text)),
    ).strip()


def _choice(one: dict[str, Any]) -> Choice:
    sent = {"custom_id": one["custom_id"], "component_type": one["type"]}
    if one["type"] == 3:
        sent["values"] = [one["value"]]
    # The flow's own data stands behind the channel's mark.
    data = str(one["value"]) if one["type"] == 3 else one["custom_id"].partition(":")[2]
    return Choice(one["label"], data, sent)


class DiscordSteward(DiscordHands, Steward):
    """Ann talks to it on Discord, and no other platform is served."""

    def __init__(self, folder: Path, model: MessagesApi, launch: Launch, discord: Discord) -> None:
        super().__init__(folder, BotApi(), model, launch)
        self.discord = discord
        self.way = DiscordWay(discord, self._foresee)
        self.someone: User = discord.person(ANN, "Ann")
        self.secrets.append(TOKEN)

    def listens_at(self, discord_url: str) -> None:
        """Take the address of Discord into the settings in place of Telegram's."""
        for name in ("TELEGRAM_BOT_TOKEN", "TELEGRAM_API_URL"):
            del self.settings[name]
        self.settings |= {
            "DISCORD_BOT_TOKEN": TOKEN,
            "DISCORD_API_URL": discord_url,
            "STEWARD_OWNERS": f"discord:{ANN}",
        }

    def _listening(self) -> Callable[[], object]:
        before = self.discord.gateway.begun
        return lambda: self.discord.gateway.begun > before

    def press(self, card: Any, label: str, person: Any = None, *, nth: int = 0) -> Any:
        found = [one for row in card.buttons for one in row if one.text.startswith(label)]
        return self.discord.sent_off(
            Interaction(3, person or self.someone, card.message, found[nth].sent)
        )

    def edit(self, message: Any, text: str) -> None:
        self.discord.edit(message, text)

    def react(self, message: Any, emoji: str, *, gone: bool = False) -> None:
        self.discord.react(self.someone, message.message, emoji, gone=gone)

    async def answered(self, press: Any) -> str:
        """Wait until a press is decided; Discord shows no words for one that counted."""
        decided = "SELECT 1 FROM inbox WHERE key = ? AND state != 'new'"
        await self.eventually(lambda: self.records.rows(decided, f"press:{press.id}"))
        return press.notices[0] if press.notices else ""

    async def notified(self, press: Any) -> str:
        await self.until(lambda: press.notices or press.failed)
        if press.failed:
            # The app says so, and people press again.
            again = Interaction(press.kind, press.user, press.message, press.data)
            return await self.notified(self.discord.sent_off(again))
        return str(press.notices[0])

    async def counted(self, press: Any, words: str) -> None:
        del words
        assert await self.answered(press) == ""

    async def refused(self, press: Any) -> str:
        return await self.notified(press)

    async def question(self, press: Any, words: str) -> Any:
        del words
        await self.until(lambda: press.dialogue)
        return press

    def reply(self, question: Any, words: str) -> None:
        self.discord.fill(question, words)

    @property
    def shown(self) -> list[Any]:
        return self.screen()

    def screen(self, at: Any = None) -> list[Any]:
        return [seen(message) for message in self.discord.screen(at or self.someone)]

    def _is_menu(self, message: Any) -> bool:
        return any(
            one.data.startswith(f"{CHOICES.letter}:") for row in message.buttons for one in row
        )

    async def _waited(self, condition: Callable[[], T | None], within: float) -> T | None:
        return await self.discord.wait_for(condition, within)

    def _unmet(self) -> int:
        return self.discord.faults.unused

    def refusals(self) -> list[str]:
        refused = [
            f"{call.method} {call.path}: {call.status} {call.text}"
            for call in self.discord.calls
            if call.status >= 400
        ]
        return refused + [f"a message called {who}" for who in self.discord.called]


@asynccontextmanager
async def on_telegram(folder: Path, model: MessagesApi, launch: Launch) -> AsyncIterator[Steward]:
    telegram = BotApi()
    steward = Steward(folder, telegram, model, launch)
    async with serving(telegram.app) as telegram_url, serving(model.app) as model_url:
        steward.reached_at(telegram_url, model_url)
        yield steward


@asynccontextmanager
async def on_discord(folder: Path, model: MessagesApi, launch: Launch) -> AsyncIterator[Steward]:
    discord = Discord()
    steward = DiscordSteward(folder, model, launch, discord)
    async with discord.serving() as discord_url, serving(model.app) as model_url:
        steward.reached_at("", model_url)
        steward.listens_at(discord_url)
        yield steward


ON_PLATFORMS = {"telegram": on_telegram, "discord": on_discord}
"""What serves a Steward on each platform, with its stand-ins."""
