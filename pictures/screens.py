"""`python -m pictures.screens [--columns N ...] [--discord] [name ...]`: prints talks as seen.

Each talk is played by the running program, in terminals of four widths and in Telegram, whose
messages are printed as a phone and as a desktop would wrap them. With `--discord` it is played on
Discord alone: commands are chosen from its list, and words are typed into its dialogues. It is for
reading: nothing is compared, and nothing is written. A talk is mostly waiting, so several of them
run side by side.
"""

import argparse
import asyncio
import logging
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from pictures import own_talks, phone_talks
from pictures.discord_screen import OnDiscord, discord_app, pages_on_discord
from pictures.outside import Outside, outside
from pictures.phone import Phone, phone
from pictures.quiet import QUIET, done, holding, idle, taken
from pictures.starting import STARTS, Starts
from pictures.talks import NOTES, TALKS
from pictures.window import Window, window
from tests.e2e.launching import fork_server
from tests.e2e.steward import KEY
from tests.standins.bot_api import Chat, Person, ShownMessage
from tests.standins.messages_api import MessagesApi, Reply
from tests.standins.serving import serving
from tests.words import READY

PLAYED = {**TALKS, **own_talks.TALKS}
"""The talks for every screen, by name."""

NAMES = (*PLAYED, *phone_talks.TALKS)
COLUMNS = (40, 80, 100, 140)
BUBBLES = (38, 90)
"""Characters of a line on a phone and on a desktop."""

_AT_ONCE = 3
"""Talks that are played side by side."""

_BACKOFF = {"STEWARD_MODEL_BACKOFF_SECONDS": "0.05"}
_KEYED = re.compile(r"\[(\w+)\]\s+")


class AtTerminal:
    """A person in front of a terminal."""

    def __init__(self, at: Window, model: MessagesApi) -> None:
        self._terminal = at.terminal
        self._database = at.folder / "data" / "steward.db"
        self._model = model
        self._pressed: dict[str, int] = {}

    def script(self, *replies: Reply) -> None:
        self._model.script.add(*replies)

    async def say(self, words: str) -> None:
        before = taken(self._database)
        self._terminal.say(words)
        await done(self._database, before)
        await self._terminal.quiet(QUIET)

    async def press(self, label: str) -> None:
        """Types the newest key with this label, unless it was typed since; a number is its own."""
        if label.isdecimal():
            await self.say(label)
            return
        text = self._terminal.text
        keys = [
            found[1]
            for found in _KEYED.finditer(text)
            if text[found.end() :].replace("\ufe0f", "").startswith(label)
            and all(
                found.start() >= at
                for key, at in self._pressed.items()
                if key == found[1] or (key[1:] and key[1:] == found[1][1:])
            )
        ]
        self._pressed |= {key: len(text) for key in keys[-1:]}
        await self.say(keys[-1] if keys else f"(no key {label})")

    async def reply(self, words: str) -> None:
        await self.say(words)


class InTelegram:
    """A person with a phone."""

    def __init__(self, at: Phone, around: Outside) -> None:
        self._at = at
        self._around = around
        self._database = at.steward.home / "steward.db"
        self._people: dict[str, Person] = {}
        self._group: Chat | None = None
        self.presses: list[str] = []

    def script(self, *replies: Reply) -> None:
        self._at.steward.script(*replies)

    async def say(self, words: str) -> None:
        before = taken(self._database)
        self._at.steward.say(words)
        await done(self._database, before)

    @property
    def chats(self) -> Sequence[Chat | Person]:
        """Returns the person's own chat, and those that came up beside it."""
        group = () if self._group is None else (self._group,)
        return (self._at.steward.ann, *group, *self._people.values())

    async def hear(self, name: str, words: str, *, group: bool = False) -> None:
        telegram = self._at.steward.telegram
        if name not in self._people:
            self._people[name] = telegram.person(43 + len(self._people), name)
            telegram.private_chat(self._people[name])
        before, chat = taken(self._database), self._shared() if group else None
        telegram.say(self._people[name], words, chat=chat)
        await done(self._database, before)

    async def ask_in_group(self, words: str) -> None:
        before, chat = taken(self._database), self._shared()
        self._at.steward.say(words, chat=chat)
        await done(self._database, before)

    async def speak(self) -> None:
        before = taken(self._database)
        self._at.steward.telegram.send_voice(self._at.steward.ann, b"OggS-sound", seconds=3)
        await done(self._database, before)

    async def called(self, body: Mapping[str, Any]) -> None:
        await self._around.call(body)
        records = self._at.steward.records
        waits = "SELECT id FROM hook_call WHERE state IN ('queued', 'running')"
        await holding(lambda: not records.rows(waits), 0)
        await idle(self._database)

    @property
    def page(self) -> str:
        return self._around.page

    def _shared(self) -> Chat:
        """Returns the group of all people so far."""
        if self._group is None:
            people = (self._at.steward.ann, *self._people.values())
            self._group = self._at.steward.telegram.group("Flat 12", *people)
        return self._group

    async def press(self, label: str) -> None:
        steward = self._at.steward
        shown = [m for chat in self.chats for m in steward.telegram.screen(chat.id).from_bot]
        label = next((la for m in shown for la in m.labels if _bare(la).startswith(label)), label)
        offering = [m for m in shown if label in m.labels]
        if not offering:
            self.presses.append(f"(no button {label})")
            return
        before = taken(self._database)
        self.presses.append(_bubble(offering[-1], BUBBLES[0]))
        told = await steward.answered(steward.press(offering[-1], label))
        self.presses.append(f"{label} → {told or '(no words)'}\n")
        await done(self._database, before)

    async def reply(self, words: str) -> None:
        shown = self._at.steward.shown
        cards, before = [m for m in shown if m.buttons or m.asks], taken(self._database)
        self.presses += [_bubble(card, BUBBLES[0]) for card in cards[-1:]]
        self._at.steward.say(words, **({"reply_to": cards[-1]} if cards else {}))
        await done(self._database, before)


async def at_terminal(name: str, columns: int) -> str:
    """Returns everything that stood on the screen of a terminal."""
    model = MessagesApi(api_key=KEY)
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url, **_BACKOFF}
        files = {"notes.md": NOTES}
        async with window("chat", columns=columns, rows=45, files=files, environ=access) as at:
            await at.terminal.shows(READY)
            # What is typed before the prompt stands there would be seen twice.
            await at.terminal.quiet(QUIET)
            await PLAYED[name](AtTerminal(at, model))
            return "\n".join(at.terminal.lines).rstrip()


async def in_telegram(name: str) -> Sequence[str]:
    """Returns the chat for each width of a bubble."""
    async with phone() as at, outside(at) as around:
        (at.steward.workspace / "notes.md").write_text(NOTES)
        await at.steward.start()
        person = InTelegram(at, around)
        if name in PLAYED:
            await PLAYED[name](person)
        else:
            await phone_talks.TALKS[name](person)
        shown = [(chat, at.steward.telegram.screen(chat.id).messages) for chat in person.chats]
        pages = ["\n".join(_chat(chat, said, wide) for chat, said in shown) for wide in BUBBLES]
        return [*pages, "\n".join(person.presses)]


async def _pages_of_discord(name: str) -> Sequence[str]:
    async with discord_app() as steward:
        (steward.workspace / "notes.md").write_text(NOTES)
        await steward.start()
        await steward.until(lambda: steward.discord.places.commands)
        person = OnDiscord(steward)
        await PLAYED[name](person)
        *pages, presses = await pages_on_discord(steward, person, BUBBLES)
    titles = ("phone", "desktop", "cards and what a press answers")
    parts = zip(titles, [*pages, presses], strict=True)
    return [f"═══ {name} · Discord, {where} ═══\n{page}\n" for where, page in parts if page]


def _chat(chat: Chat | Person, said: Sequence[ShownMessage], wide: int) -> str:
    name = chat.title if isinstance(chat, Chat) else chat.first_name
    return "\n".join([f"── {name} ──", *(_bubble(message, wide) for message in said)])


def _bare(label: str) -> str:
    """Returns a label without the mark that makes a sign a picture."""
    return label.replace("\ufe0f", "")


def _bubble(message: ShownMessage, wide: int) -> str:
    indent = "" if message.from_bot else " " * 12
    lines = [
        part for line in message.text.split("\n") for part in (textwrap.wrap(line, wide) or [""])
    ]
    lines += [f"📎 {message.file.name}"] if message.file else []
    lines += ["  ".join(f"[{button.text}]" for button in row) for row in message.buttons]
    if message.reactions:
        lines.append(f"({' '.join(message.reactions)})")
    return "\n".join(f"{indent}{line}" for line in [*lines, ""])


async def _pages(name: str, columns: Sequence[int]) -> Sequence[str]:
    """Plays a talk on every screen at once; returns the pages with their headings."""
    columns = columns if name in PLAYED else ()
    played = await asyncio.gather(in_telegram(name), *(at_terminal(name, wide) for wide in columns))
    (phone_page, desk_page, presses), screens = played[0], played[1:]
    parts = [
        (f"terminal, {wide} columns", page) for wide, page in zip(columns, screens, strict=True)
    ]
    parts += [("Telegram, phone", phone_page), ("Telegram, desktop", desk_page)]
    parts += [("Telegram, cards and what a press answers", presses)] if presses else []
    return [f"═══ {name} · {where} ═══\n{page}\n" for where, page in parts]


async def _all(names: Sequence[str], columns: Sequence[int], *, discord: bool) -> None:
    """Prints the talks in their order, each as soon as it and those before it are over."""
    room = asyncio.Semaphore(_AT_ONCE)

    async def pages(name: str) -> Sequence[str]:
        async with room:
            return await (_pages_of_discord(name) if discord else _pages(name, columns))

    async with asyncio.TaskGroup() as talks:
        for playing in [talks.create_task(pages(name), name=name) for name in names]:
            print("\n".join(await playing), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m pictures.screens", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(NAMES))
    parser.add_argument("--columns", type=int, nargs="*", default=COLUMNS)
    parser.add_argument("--discord", action="store_true")
    chosen = parser.parse_args()
    names = tuple(PLAYED) if chosen.discord else NAMES
    if unknown := set(chosen.names) - set(names):
        parser.error(f"no talk named {', '.join(sorted(unknown))}")
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    with fork_server() as forks:
        STARTS.set(Starts(forks.launch, forks.command))
        asyncio.run(_all(chosen.names or names, chosen.columns, discord=chosen.discord))


if __name__ == "__main__":
    main()
