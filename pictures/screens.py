"""`python -m pictures.screens [--columns N ...] [name ...]`: prints talks as people see them.

Each talk is played by the running program, in terminals of four widths and in Telegram, whose
messages are printed as a phone and as a desktop would wrap them. It is for reading: nothing is
compared, and nothing is written.
"""

import argparse
import asyncio
import logging
import re
import sqlite3
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pictures.phone import Phone, phone
from pictures.talks import NOTES, TALKS
from pictures.window import Window, window
from tests.e2e.steward import KEY
from tests.standins.bot_api import ShownMessage
from tests.standins.messages_api import MessagesApi, Reply
from tests.standins.serving import serving
from tests.words import READY

COLUMNS = (40, 80, 100, 140)
BUBBLES = (38, 90)
"""Characters of a line on a phone and on a desktop."""

_QUIET = 0.5
_PATIENCE = 6.0
"""Seconds for which a talk waits at most: a model that is held never ends its turn."""

_BUSY = (
    "SELECT count(*) FROM turn WHERE state IN ('running', 'queued')",
    "SELECT count(*) FROM outbox WHERE state = 'owed'",
    "SELECT count(*) FROM inbox WHERE state IN ('new', 'waiting')",
)
_BACKOFF = {"STEWARD_MODEL_BACKOFF_SECONDS": "0.05"}
_KEYED = re.compile(r"\[(\w+)\]\s+")


async def _done(database: Path, taken: int) -> None:
    """Waits for the next update after so many, until nothing is left to do for a while."""
    await asyncio.to_thread(_wait, lambda: _taken(database) > taken, 0)
    await asyncio.to_thread(_wait, lambda: not _busy(database), _QUIET)


def _wait(holds: Callable[[], bool], seconds: float) -> None:
    """Waits until something holds for so long, but not for ever: a model may be held."""
    since = time.monotonic()
    deadline = since + _PATIENCE
    while time.monotonic() < deadline:
        if not holds():
            since = time.monotonic()
        elif time.monotonic() >= since + seconds:
            return
        time.sleep(0.05)


def _taken(database: Path) -> int:
    """Returns the number of updates that were stored."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as rows:
        return rows.execute("SELECT count(*) FROM inbox").fetchone()[0]


def _busy(database: Path) -> bool:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as rows:
        return any(rows.execute(wanted).fetchone()[0] for wanted in _BUSY)


class AtTerminal:
    """A person in front of a terminal."""

    def __init__(self, at: Window, model: MessagesApi) -> None:
        self._terminal = at.terminal
        self._database = at.folder / "data" / "steward.db"
        self._model = model
        self._pressed: set[str] = set()

    def script(self, *replies: Reply) -> None:
        self._model.script.add(*replies)

    async def say(self, words: str) -> None:
        taken = _taken(self._database)
        self._terminal.say(words)
        await self._terminal.quiet(_QUIET)
        await _done(self._database, taken)
        await self._terminal.quiet(_QUIET)

    async def press(self, label: str) -> None:
        """Types the newest key with this label that was not typed before."""
        keys = [
            found[1]
            for found in _KEYED.finditer(self._terminal.text)
            if self._terminal.text[found.end() :].replace("\ufe0f", "").startswith(label)
            and found[1] not in self._pressed
            and found[1][1:] not in {key[1:] for key in self._pressed if key[1:]}
        ]
        self._pressed |= set(keys[-1:])
        await self.say(keys[-1] if keys else f"(no key {label})")

    async def reply(self, words: str) -> None:
        await self.say(words)


class InTelegram:
    """A person with a phone."""

    def __init__(self, at: Phone) -> None:
        self._at = at
        self._database = at.steward.home / "steward.db"
        self.notices: list[str] = []

    def script(self, *replies: Reply) -> None:
        self._at.steward.script(*replies)

    async def say(self, words: str) -> None:
        taken = _taken(self._database)
        self._at.steward.say(words)
        await _done(self._database, taken)

    async def press(self, label: str) -> None:
        steward = self._at.steward
        offering = [m for m in steward.shown if any(la.startswith(label) for la in m.labels)]
        if not offering:
            self.notices.append(f"(no button {label})")
            return
        taken = _taken(self._database)
        found = next(la for la in offering[-1].labels if la.startswith(label))
        told = await steward.answered(steward.press(offering[-1], found))
        self.notices.append(f"{found} → {told or '(no words)'}")
        await _done(self._database, taken)

    async def reply(self, words: str) -> None:
        cards, taken = self._at.steward.cards, _taken(self._database)
        self._at.steward.say(words, **({"reply_to": cards[-1]} if cards else {}))
        await _done(self._database, taken)


async def at_terminal(name: str, columns: int) -> str:
    """Returns everything that stood on the screen of a terminal."""
    model = MessagesApi(api_key=KEY)
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url, **_BACKOFF}
        files = {"notes.md": NOTES}
        async with window("chat", columns=columns, rows=45, files=files, environ=access) as at:
            await at.terminal.shows(READY)
            await TALKS[name](AtTerminal(at, model))
            return "\n".join(at.terminal.lines).rstrip()


async def in_telegram(name: str) -> Sequence[str]:
    """Returns the chat for each width of a bubble."""
    async with phone() as at:
        (at.steward.workspace / "notes.md").write_text(NOTES)
        await at.steward.start()
        person = InTelegram(at)
        await TALKS[name](person)
        shown = at.steward.telegram.screen(at.steward.ann.id).messages
        pages = ["\n".join(_bubble(m, wide) for m in shown) for wide in BUBBLES]
        return [*pages, "\n".join(person.notices)]


def _bubble(message: ShownMessage, wide: int) -> str:
    indent = "" if message.from_bot else " " * 12
    lines = [
        part
        for line in message.text.split("\n")
        for part in (textwrap.wrap(line, wide, drop_whitespace=False) or [""])
    ]
    lines += [f"📎 {message.file.name}"] if message.file else []
    lines += ["  ".join(f"[{button.text}]" for button in row) for row in message.buttons]
    if message.reactions:
        lines.append(f"({' '.join(message.reactions)})")
    return "\n".join(f"{indent}{line}" for line in [*lines, ""])


async def _print(name: str, columns: Sequence[int]) -> None:
    parts: list[tuple[str, str]] = []
    for wide in columns:
        parts.append((f"terminal, {wide} columns", await at_terminal(name, wide)))
    phone_page, desk_page, notices = await in_telegram(name)
    parts += [("Telegram, phone", phone_page), ("Telegram, desktop", desk_page)]
    parts += [("Telegram, answers to presses", notices)] if notices else []
    for where, page in parts:
        print(f"═══ {name} · {where} ═══\n{page}\n", flush=True)


async def _all(names: Sequence[str], columns: Sequence[int]) -> None:
    for name in names:
        await _print(name, columns)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m pictures.screens", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(TALKS))
    parser.add_argument("--columns", type=int, nargs="*", default=COLUMNS)
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - TALKS.keys():
        parser.error(f"no talk named {', '.join(sorted(unknown))}")
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    asyncio.run(_all(chosen.names or list(TALKS), chosen.columns))


if __name__ == "__main__":
    main()
