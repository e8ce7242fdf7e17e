"""The part of the status that tells what the store holds."""

from collections.abc import Sequence

from bot.domain.text.visible_text import size
from bot.flow.commanding.table import Invocation
from bot.ports.upkeep import KeptSizes, Upkeep, grown

_SHOWN = 4
"""The largest parts that are named; `steward doctor` names all."""


class WhatIsKept:
    """Tells owners the size of the database, what takes most of it, and how it grows."""

    title = "Kept"

    def __init__(self, upkeep: Upkeep) -> None:
        self._upkeep = upkeep

    async def lines(self, asked: Invocation) -> Sequence[str]:
        kept = await self._upkeep.kept() if asked.person.is_owner else KeptSizes()
        if kept.newest is None or not (most := kept.newest.told(_SHOWN)):
            return ()
        return [f"- Database: {size(kept.newest.whole)}{grown(kept)}", f"- Most of it: {most}"]
