"""The command that hands people what was said with them, as one file."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.change import Show
from bot.domain.errors import ToolFailure
from bot.domain.message import Outbound, OutboundKind
from bot.domain.note import Note
from bot.domain.passage import whose
from bot.domain.transcript import AskerBody, Entry, ReplyBody
from bot.domain.zones import Zones
from bot.flow.commands.table import Answer, Command, Invocation, Topic
from bot.ports.belongings import Belongings, Packing, Page, Talk
from bot.ports.journal import Journal
from bot.ports.notes import Notes

_MOST_BYTES = 200_000_000
"""Bytes of text; zipped it is about a quarter, which channels still take."""

_MOST_NOTES = 100_000


class ExportCommands:
    """Packs what programs read in UTC, and what people read in their own time zone."""

    def __init__(
        self,
        belongings: Belongings,
        notes: Notes,
        journal: Journal,
        packing: Packing,
        zones: Zones,
    ) -> None:
        self._belongings = belongings
        self._notes = notes
        self._journal = journal
        self._packing = packing
        self._zones = zones

    @property
    def table(self) -> Sequence[Command]:
        return (Command("export", "everything we said, as a file", self.export, "", Topic.YOU),)

    async def export(self, asked: Invocation) -> Answer:
        """Sends the file into the private chat it was asked for in."""
        if not asked.chat.private:
            return Answer("I send that in our private chat only: write /export there.")
        key, found = f"export:{asked.row}", False

        async def pages() -> AsyncIterator[Page]:
            nonlocal found
            async for page in self._pages(asked):
                found = found or bool(page.lines)
                yield page

        try:
            file = await self._packing.pack(key, pages(), _MOST_BYTES)
        except ToolFailure as fault:
            return Answer(f"I could not make the file: {fault}. Try again later.")
        if file is None:
            return Answer(
                "That is more than one file can take. Ask the owner for a copy of the database."
            )
        if not found:
            return Answer("We have said nothing in private yet, so there is nothing to send.")
        shown = Show(key, asked.chat.id, Outbound(OutboundKind.NOTICE, (), files=(file,)))
        told = "Here is everything we said in private, with your notes: as JSON Lines and Markdown."
        return Answer(told, (shown,))

    async def _pages(self, asked: Invocation) -> AsyncIterator[Page]:
        owner = whose(asked.chat, asked.person.id)
        zone = self._zones.of(asked.person, asked.chat)
        about = asked.person.about
        if about:
            line = _line(kind="about", text=about)
            yield Page(line, f"# What you told about yourself\n\n{about}\n\n")
        notes = await self._notes.of(owner, _MOST_NOTES)
        if notes:
            yield await asyncio.to_thread(_of_notes, notes, zone)
        for talk in await self._belongings.talks(owner):
            entries = await self._journal.entries(talk.conversation)
            yield await asyncio.to_thread(_of_talk, talk, entries, zone)


def _of_notes(notes: Sequence[Note], zone: str) -> Page:
    lines = (_line(kind="note", id=note.id, at=note.at, text=note.text) for note in notes)
    listed = "\n".join(f"- {_in(zone, note.at):%Y-%m-%d}: {note.text}" for note in notes)
    return Page("".join(lines), f"# Notes\n\n{listed}\n\n")


def _of_talk(talk: Talk, entries: Sequence[Entry], zone: str) -> Page:
    lines: list[str] = []
    said: list[str] = []
    for entry in entries:
        match entry.body:
            case AskerBody(text=text, speaker=speaker):
                kind, by = "message", speaker
            case ReplyBody(text=text) if text and not entry.body.calls:
                kind, by = "answer", "Steward"
            case _:
                continue
        place, conversation, turn = talk.place, talk.conversation, entry.turn
        lines.append(
            _line(
                kind=kind,
                at=entry.at,
                by=by,
                chat=place,
                conversation=conversation,
                turn=turn,
                text=text,
            )
        )
        said.append(f"**{by}**, {_in(zone, entry.at):%Y-%m-%d %H:%M} {zone}\n\n{text}\n")
    if not lines:
        return Page("", "")
    head = f"# {_in(zone, entries[0].at):%Y-%m-%d}, {talk.place}\n\n"
    return Page("".join(lines), head + "\n".join(said) + "\n")


def _in(zone: str, at: datetime) -> datetime:
    return at.astimezone(ZoneInfo(zone))


def _line(**told: str | datetime) -> str:
    plain = {name: v if isinstance(v, str) else v.isoformat() for name, v in told.items()}
    return f"{json.dumps(plain, ensure_ascii=False)}\n"
