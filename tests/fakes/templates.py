"""Templates kept in memory."""

from collections.abc import Sequence

from bot.domain.plans.template import Template
from bot.ports.templates import Broken


class FakeTemplates:
    def __init__(self) -> None:
        self.known: dict[str, Template | Broken] = {}

    async def all(self) -> Sequence[Template | Broken]:
        return [self.known[name] for name in sorted(self.known)]

    async def get(self, name: str) -> Template | Broken | None:
        return self.known.get(name)

    async def save(self, template: Template) -> str | None:
        if template.name in self.known:
            return None
        self.known[template.name] = template
        return f"plans/{template.name}.md"
