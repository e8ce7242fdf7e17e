"""Words for the pages about skills, all of them plain text; no value of a secret is among them."""

from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways
from bot.ports.turn_page import Figure


@frozen
class SkillLine:
    name: str
    told: str
    source: str
    """The place that it comes from."""
    state: str
    ready: bool
    last: str
    """The time of its last use; empty where nobody used it lately."""
    remarks: int
    """The number of odd things about it."""


@frozen
class SkillsPage:
    lines: tuple[SkillLine, ...]
    ways: Ways[str]
    asked: str
    """The words of the search."""
    whole: str
    """Counts all skills."""
    faults: tuple[str, ...]
    """Files that cannot be read, the first ones."""


@frozen
class WantedVariable:
    """A value that the skill asks for, never the value itself."""

    name: str
    told: str
    state: str
    missing: bool


@frozen
class SkillPage:
    line: SkillLine
    told: str
    """The whole description."""
    facts: tuple[Figure, ...]
    variables: tuple[WantedVariable, ...]
    tools: tuple[str, ...]
    """The tools that it may use; empty for all."""
    wishes: tuple[str, ...]
    """Calls that it asks to make without a card."""
    servers: tuple[str, ...]
    remarks: tuple[str, ...]


class SkillPages(Protocol):
    async def skills(self, reader: Person, words: str, place: ListPlace[str] | None) -> SkillsPage:
        """Returns a part of all skills by their names, or those that a search finds."""
        ...

    async def skill(self, reader: Person, name: str) -> SkillPage | None: ...
