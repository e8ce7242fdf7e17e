"""A person on Discord, whose private chat with the running program is read as an app shows it."""

import textwrap
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pictures.quiet import done, taken
from pictures.starting import STARTS
from tests.e2e.platforms import DiscordSteward, Seen, drawn, seen
from tests.e2e.steward import KEY
from tests.standins.discord import Discord, Interaction, Message
from tests.standins.messages_api import MessagesApi, Reply
from tests.standins.serving import serving


class OnDiscord:
    """A person with Discord's app: commands are chosen from its list, words go into its fields."""

    def __init__(self, steward: DiscordSteward) -> None:
        self._steward = steward
        self._database = steward.home / "steward.db"
        self._chosen: list[tuple[int, str]] = []
        self._open: Interaction | None = None
        self.presses: list[str] = []

    def script(self, *replies: Reply) -> None:
        self._steward.script(*replies)

    async def say(self, words: str) -> None:
        before = taken(self._database)
        name, _, rest = words.removeprefix("/").partition(" ")
        listed = {one["name"] for one in self._steward.discord.places.commands}
        if words.startswith("/") and name in listed:
            command = self._steward.discord.command(self._steward.someone, name, rest)
            self._chosen.append((command.id, words))
        else:
            self._steward.say(words)
        await done(self._database, before)

    async def press(self, label: str) -> None:
        found = [
            (m, la) for m in self._shown for la in m.labels if _bare(la).startswith(_bare(label))
        ]
        if not found:
            self.presses.append(f"(no button {label})")
            return
        card, whole = found[-1]
        before = taken(self._database)
        self.presses.append(_bubble(card, 38))
        press = self._steward.press(card, whole)
        await self._steward.until(lambda: press.answer)
        if (dialogue := press.dialogue) is not None:
            self._open = press
            [field] = dialogue["components"][0]["components"]
            hint = field.get("placeholder", "")
            self.presses.append(f"{whole} → «{dialogue['title']}» {field['label']}: {hint}\n")
            return
        told = await self._steward.answered(press)
        self.presses.append(f"{whole} → {told or '(no words)'}\n")
        await done(self._database, before)

    async def reply(self, words: str) -> None:
        cards = [one for one in self._shown if one.buttons]
        if self._open is None and cards and any(map(_asks, cards[-1].labels)):
            await self.press(next(filter(_asks, cards[-1].labels)))
        before = taken(self._database)
        if self._open is not None:
            sent = self._steward.discord.fill(self._open, words)
            self._chosen.append((sent.id, f"«{words}»"))
            self._open = None
        else:
            self.presses += [_bubble(card, 38) for card in cards[-1:]]
            self._steward.say(words, **({"reply_to": cards[-1]} if cards else {}))
        await done(self._database, before)

    @property
    def _shown(self) -> list[Seen]:
        return self._steward.shown

    def page(self, wide: int) -> str:
        """Returns the chat, with the commands that were chosen and the words of dialogues."""
        discord = self._steward.discord
        place = discord.places.direct(self._steward.someone)
        lines = [(m.id, self._line(m, wide)) for m in discord.places.messages if _is_in(m, place)]
        lines += [(number, f"{' ' * 12}{words}\n") for number, words in self._chosen]
        return "\n".join(line for _, line in sorted(lines))

    def _line(self, message: Message, wide: int) -> str:
        if message.author is self._steward.discord.bot:
            return _bubble(seen(message), wide)
        return textwrap.indent(f"{drawn(message.text)}\n", " " * 12)


def _is_in(message: Message, place: object) -> bool:
    return message.channel is place and not message.deleted


def _asks(label: str) -> bool:
    """Tells a button that opens a field for words."""
    return label.startswith("✏")


def _bare(label: str) -> str:
    return label.replace("\ufe0f", "")


def _bubble(message: Seen, wide: int) -> str:
    lines = [
        part for line in message.text.split("\n") for part in textwrap.wrap(line, wide) or [""]
    ]
    lines += [f"📎 {one['filename']}" for one in message.message.attachments]
    lines += ["  ".join(f"[{button.text}]" for button in row) for row in message.buttons]
    if message.message.reactions:
        lines.append(f"({' '.join(message.message.reactions)})")
    return "\n".join([*lines, ""])


@asynccontextmanager
async def discord_app() -> AsyncGenerator[DiscordSteward]:
    """Serves the stand-ins of Discord and of the model around a program that is not started."""
    discord, model = Discord(), MessagesApi(api_key=KEY)
    with TemporaryDirectory(prefix="steward-picture-") as folder:
        steward = DiscordSteward(Path(folder), model, STARTS.get().launch, discord)
        async with discord.serving() as discord_url, serving(model.app) as model_url:
            steward.reached_at("", model_url)
            steward.listens_at(discord_url)
            try:
                yield steward
            finally:
                await steward.abandon()


async def pages_on_discord(
    steward: DiscordSteward, person: OnDiscord, widths: Sequence[int]
) -> Sequence[str]:
    """Returns the chat for each width of a line, and then what presses were answered."""
    await steward.discord.sent()
    return [*(person.page(wide) for wide in widths), "\n".join(person.presses)]
