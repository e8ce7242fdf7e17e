"""Ready-made plans, kept where people can read and change them."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.plans.template import Template
from bot.domain.value import frozen


@frozen
class Broken:
    """A ready-made plan that cannot be used: its file, the line where it is wrong, and why."""

    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.why}"


class Templates(Protocol):
    async def all(self) -> Sequence[Template | Broken]:
        """Returns every ready-made plan ordered by name, with the broken ones."""
        ...

    async def get(self, name: str) -> Template | Broken | None:
        """Returns the ready-made plan of this name; None when there is none."""
        ...

    async def save(self, template: Template) -> str | None:
        """Stores a ready-made plan and returns its file; None when the name is taken."""
        ...
