"""The commands about what is remembered, put together: it is shown, erased and handed out."""

from collections.abc import Mapping
from typing import TypeAlias

from bot.domain.clock.zones import Zones
from bot.flow.approvals.desks import Desk
from bot.flow.commanding.table import Command
from bot.flow.memory.commands import MemoryCommands
from bot.flow.memory.exporting import ExportCommands
from bot.flow.memory.forgetting import ForgettingCommands
from bot.flow.memory.note_changing import PREFIX as NOTES
from bot.flow.memory.note_changing import NoteChanging
from bot.flow.memory.recall import Recall
from bot.flow.world import StorePorts, World
from bot.ports.journal import Journal

DesksByLetter: TypeAlias = Mapping[str, Desk]
"""Desks by the first letter of their buttons' data."""


def memory_commands(
    store: StorePorts, world: World, recall: Recall, zones: Zones
) -> tuple[Command, ...]:
    """Returns `/memory`, `/forget` and `/export`."""
    exporting = ExportCommands(
        store.belongings,
        store.notes,
        store.goals,
        store.feedback,
        store.journal,
        world.packing,
        zones,
    )
    return (
        *MemoryCommands(store.notes, store.memory, recall).table,
        *ForgettingCommands(store.memory, store.notes, store.journal, world.clock).table,
        *exporting.table,
    )


def memory_desks(store: StorePorts, world: World, journal: Journal) -> DesksByLetter:
    """Returns the desk of the buttons that change notes."""
    desk = NoteChanging(journal, store.notes, store.chats, store.outbox, world.clock)
    return {NOTES: desk}
