"""The part of the status about money."""

from collections.abc import Sequence

from bot.domain.money.money import told
from bot.flow.commanding.table import Invocation
from bot.flow.money.till import Till


class TheMoney:
    """Tells owners, and nobody else, what everybody has spent today."""

    title = "Money"

    def __init__(self, till: Till) -> None:
        self._till = till

    async def lines(self, asked: Invocation) -> Sequence[str]:
        if not asked.person.is_owner:
            return ()
        limit, spent = await self._till.today()
        budget = "no budget" if limit is None else f"of {told(limit)}"
        return (f"- Money today, all chats: {told(spent)}, {budget}; see /budget",)
