"""Words for the page about tool servers, all of them plain text."""

from typing import Literal, Protocol, TypeAlias

from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways

Asks: TypeAlias = Literal["reads", "asks", "always asks"]
"""The consent that a tool needs: none, a person's or a rule's, or a person's each time."""


@frozen
class LentTool:
    name: str
    told: str
    asks: Asks


@frozen
class ServerLine:
    name: str
    source: str
    """Its origin: the settings, or a skill."""
    state: str
    fault: str
    """The reason why it lends no tools; empty while it does."""
    waits: bool
    """True while an owner has not let it in."""
    used: str
    """The time since its last use in this run; empty without one."""
    line: str
    """The command or the address; empty for anyone but an owner."""
    tools: tuple[LentTool, ...]
    more: int
    """The number of its tools that are not shown."""
    left_out: tuple[str, ...]
    removable: str
    """The name by which an owner takes back that it was let in; empty where nobody can."""


@frozen
class ServersPage:
    lines: tuple[ServerLine, ...]
    ways: Ways[str] = Ways()


class ServerPages(Protocol):
    async def servers(
        self, reader: Person, skills: frozenset[str], place: ListPlace[str] | None
    ) -> ServersPage:
        """Returns the servers of the settings, and those of skills.

        An owner sees those of all skills, anyone else those of `skills`, which are in use in their
        chats.
        """
        ...

    async def removable(self, name: str) -> bool:
        """Returns True for the name of a skill's server that an owner let in."""
        ...
