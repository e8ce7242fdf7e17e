"""A version that may be installed, and the things that it changes, said before anything is done."""

import re
from collections.abc import Iterator, Sequence
from importlib.resources.abc import Traversable

from bot.adapters.sql.migrating import REVISIONS
from bot.domain.value import frozen
from bot.shipped import shipped

_STEP = re.compile(r"(\d{4})_\w+\.py")
_TITLE = re.compile(r'"""(.+?)(?:"""|$)', re.MULTILINE)
_LINK = re.compile(r"\[([^]]+)\]\([^)]*\)")
_ENTRY = re.compile(r"^- .*(?:\n  .*)*", re.MULTILINE)
_MOST_TOLD = 15
_LONGEST = 150


@frozen
class NewerVersion:
    """A version that may be installed."""

    version: str
    requirement: str
    """The words by which an installer knows it."""
    content: Traversable
    """A folder, or an archive, with its CHANGELOG.md and its migrations in alembic/versions."""

    def changes(self) -> Iterator[str]:
        """Yields a line for each change that people notice, and for each step of the database."""
        new = _entries(self.content.joinpath("CHANGELOG.md").read_text(encoding="utf-8"))
        known = set(_entries(shipped("CHANGELOG.md").read_text("utf-8")))
        told = [entry for entry in new if entry not in known]
        yield from (f"- {_shortened(entry)}" for entry in told[:_MOST_TOLD])
        if len(told) > _MOST_TOLD:
            yield f"- and {len(told) - _MOST_TOLD} more: see its CHANGELOG.md"
        steps = self.steps()
        if steps:
            count = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
            yield f"The database is upgraded, in {count}: {'; '.join(steps)}."
        else:
            yield "The database stays as it is."

    def steps(self) -> Sequence[str]:
        """Returns a title for each migration that this version does not know."""
        files = self.content.joinpath("alembic").joinpath("versions").iterdir()
        new = [
            (found[1], file.read_text(encoding="utf-8"))
            for file in files
            if (found := _STEP.fullmatch(file.name)) and found[1] > REVISIONS[-1]
        ]
        titles = ((number, _TITLE.search(text)) for number, text in sorted(new))
        return [(title[1] if title else number).rstrip(".") for number, title in titles]


def _entries(changelog: str) -> list[str]:
    return [" ".join(entry.split()) for entry in _ENTRY.findall(changelog)]


def _shortened(entry: str) -> str:
    """Returns the first sentence of an entry, without the marks of Markdown."""
    plain = _LINK.sub(r"\1", entry.removeprefix("- ")).replace("**", "").replace("`", "")
    first = re.split(r"(?<=[.:!?]) (?=[A-Z])", plain)[0]
    return first if len(first) <= _LONGEST else f"{first[:_LONGEST].rsplit(' ', 1)[0]} …"
