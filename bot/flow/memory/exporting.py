"""The command that hands people what was said with them, as one file."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from zoneinfo import ZoneInfo

from bot.domain.change import Show
from bot.domain.clock.zones import Zones
from bot.domain.memory.passage import whose
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Outbound, OutboundKind
from bot.domain.value import frozen
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.memory.export_pages import line, of_feedback, of_goal, of_imported, of_notes, of_talk
from bot.ports.belongings import Belongings, Packing, Page
from bot.ports.feedback import FeedbackRows
from bot.ports.goals import GoalRows
from bot.ports.journal import Journal
from bot.ports.notes import Notes

_MOST_BYTES = 200_000_000
"""Bytes of text; zipped it is about a quarter. People are told of a file that is too large."""

_MOST_NOTES = 100_000
_NAME = "steward-export"
"""The beginning of the file's name; the day stands behind it."""
_IMPORTED_AT_ONCE = 500


@frozen
class ExportCommands:
    """Packs what programs read in UTC, and what people read in their own time zone."""

    _belongings: Belongings
    _notes: Notes
    _goals: GoalRows
    _feedback: FeedbackRows
    _journal: Journal
    _packing: Packing
    _zones: Zones

    @property
    def table(self) -> Sequence[Command]:
        return (Command("export", "everything we said, as a file", self.export, "", Topic.YOU),)

    async def export(self, asked: Invocation) -> Answer:
        """Sends the file into the private chat it was asked for in."""
        if not asked.chat.private:
            return Answer("I send that in our private chat only: write /export there.")
        key, found = f"export:{asked.row}", False
        day = asked.message.sent_at.astimezone(ZoneInfo(self._zones.of(asked.person, asked.chat)))

        async def pages() -> AsyncIterator[Page]:
            nonlocal found
            async for page in self._pages(asked):
                found = found or bool(page.lines)
                yield page

        try:
            file = await self._packing.pack(key, f"{_NAME}-{day:%Y-%m-%d}", pages(), _MOST_BYTES)
        except ToolFailure as fault:
            return Answer(f"I could not make the file: {fault}. Try again later.")
        if file is None:
            return Answer(
                "That is more than one file can take. Ask the owner for a copy of the database."
            )
        if not found:
            return Answer("We have said nothing in private yet, so there is nothing to send.")
        shown = Show(key, asked.chat.id, Outbound(OutboundKind.NOTICE, (), files=(file,)))
        told = (
            "Here is everything we said in private, with my notes: as text (Markdown), and for "
            "programs (JSON Lines)."
        )
        return Answer(told, (shown,))

    async def _pages(self, asked: Invocation) -> AsyncIterator[Page]:
        owner = whose(asked.chat, asked.person.id)
        zone = self._zones.of(asked.person, asked.chat)
        about = asked.person.about
        if about:
            told = line(kind="about", text=about)
            yield Page(told, f"# What you told about yourself\n\n{about}\n\n")
        notes = await self._notes.of(owner, _MOST_NOTES)
        if notes:
            yield await asyncio.to_thread(of_notes, notes, zone)
        for goal in await self._goals.of_person(asked.person.id):
            diary = await self._goals.diary(goal.id, _MOST_NOTES)
            yield await asyncio.to_thread(of_goal, goal, diary[::-1], zone)
        opinions = await self._feedback.of_person(asked.person.id)
        if opinions:
            yield await asyncio.to_thread(of_feedback, opinions, zone)
        for talk in await self._belongings.talks(owner):
            log = await self._journal.entries(talk.conversation)
            # What a branch shares is told in the conversation that it belongs to.
            entries = [entry for entry in log if entry.conversation == talk.conversation]
            yield await asyncio.to_thread(of_talk, talk, entries, zone)
        last = 0
        while brought := await self._belongings.imported(owner, last, _IMPORTED_AT_ONCE):
            yield await asyncio.to_thread(of_imported, brought)
            last = brought[-1].number
