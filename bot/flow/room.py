"""Values of a room: what it offers to the rest of the flow, and the ground that it is built on."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias

from bot.domain.change import Change
from bot.domain.clock.zones import Zones
from bot.domain.value import field, frozen
from bot.flow.commanding.desks import Desk
from bot.flow.commanding.status_part import StatusPart
from bot.flow.commanding.table import Command
from bot.flow.log.companion import Companion
from bot.flow.policy import Policy
from bot.flow.world import StorePorts, World
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.tool import Tool

Endless: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
"""Works until it is cancelled."""


def unmoved(change: Change) -> None:
    """Takes a change that concerns nobody."""
    del change


@frozen
class Room:
    """All of a feature that the rest takes notice of, made by the `room.py` of its package."""

    commands: Sequence[Command] = ()
    """In the order of the help."""
    desks: Sequence[Desk[Any]] = ()
    """They take the presses of its buttons, and the replies to its messages."""
    companions: Sequence[Companion] = ()
    """In the order in which they are asked."""
    tools: Sequence[Tool] = ()
    """Its tools for models, which work on our own rows."""
    status: Sequence[StatusPart] = ()
    """Its parts of `/status`."""
    beside: Mapping[str, Endless] = field(default_factory=dict[str, Endless])
    """Work that is due by itself, until it is cancelled, by the names of its tasks."""
    everywhere: Mapping[str, Endless] = field(default_factory=dict[str, Endless])
    """Work beside the turns that each process does for itself."""
    moved: Callable[[Change], None] = unmoved
    """Called behind each commit; it wakes what the change concerns."""


@frozen
class Ground:
    """The parts that every room may use."""

    store: StorePorts
    world: World
    policy: Policy
    journal: Journal
    """Commits changes, and announces them."""
    zones: Zones
    lanes: Callable[[], Lanes]
    """Returns the lanes, which are built after the rooms that wake them."""

    def wake(self, chat: int) -> None:
        """Has the chat's work done, as soon as there is room."""
        self.lanes().wake(chat)

    def interrupt(self, chat: int) -> None:
        """Has the running turn of the chat look at the rows again."""
        self.lanes().interrupt(chat)
