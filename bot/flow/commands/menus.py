"""The commands that a platform's menu lists, by role and kind of chat."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from bot.domain.value import frozen
from bot.flow.commanding.table import Command, Topic

Menu: TypeAlias = Sequence[tuple[str, str]]
"""The name and the summary of each command, in the order of the menu."""


@frozen
class Menus:
    """One menu for each role and kind of chat, of the commands that mean something everywhere."""

    private: Menu
    """For everybody in a private chat."""
    groups: Menu
    owners: Menu
    """For an owner in a private chat."""
    machine: Menu
    """For the person at the machine, in the terminal."""


def menus_of(table: Iterable[Command]) -> Menus:
    commands = [command for command in table if command.where is None]
    private = [c for c in commands if c.topic is not Topic.GROUP]
    return Menus(
        _menu(c for c in private if not c.owner_only),
        _menu(c for c in commands if not c.owner_only),
        _menu(private),
        _menu(c for c in private if not c.away),
    )


def _menu(commands: Iterable[Command]) -> Menu:
    return tuple((command.name, command.plain_summary) for command in commands)
