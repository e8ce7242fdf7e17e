"""The rows that a question from the command line leaves behind."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from bot.adapters.sql.store import Store
from bot.domain.money.model import Usage
from bot.domain.money.money import dollars_of
from bot.domain.talk.message import Address
from bot.domain.turn.transcript import ResultBody

_LATELY = 50
"""Lines of the record among which the end of the last turn is looked for."""

_MOST_UPDATES = 200
"""Updates that are looked through for one of this question that is not routed yet."""


class QuestionRecord:
    """Tells if a question is answered, and how that ended."""

    def __init__(self, store: Store, address: Address) -> None:
        self._store = store
        self._address = address

    async def complete(self) -> bool:
        """Returns True when nothing is left to do, and everything that was said is shown."""
        if await self._unrouted():
            return False
        chat = await self._chat()
        agenda = await self._store.journal.agenda(chat)
        if agenda.unfinished or agenda.queued or agenda.waiting:
            return False
        return not await self._store.outbox.owed(chat)

    async def _unrouted(self) -> bool:
        rows = await self._store.inbox.unrouted(_MOST_UPDATES)
        mine = f'"{self._address.chat}"'
        ours = (row.channel == self._address.channel and mine in row.body for row in rows)
        return len(rows) == _MOST_UPDATES or any(ours)

    async def knows(self, message_id: str) -> bool:
        """Tells if the id of a message that is on the screen is stored."""
        return await self._store.outbox.key_of(await self._chat(), message_id) is not None

    async def report(self) -> dict[str, Any]:
        """Returns the stop reason, the tools with their statuses, the tokens and the cost."""
        chat = await self._store.chats.at(self._address, private=True)
        entries = await self._store.journal.entries(chat.conversation)
        results = [entry.body.result for entry in entries if isinstance(entry.body, ResultBody)]
        spent = await self._store.ledger.spent(datetime.min.replace(tzinfo=UTC), chat.id)
        costs = [one.cost for one in spent if one.cost is not None]
        cost = float(dollars_of(sum(costs))) if len(costs) == len(spent) else None
        usage = sum((one.usage for one in spent), Usage())
        return {
            "stop_reason": await self._stop_reason(chat.id),
            "tools": [{"name": one.tool, "status": one.status.value} for one in results],
            "usage": {**asdict(usage), "cost": cost},
        }

    async def _chat(self) -> int:
        return (await self._store.chats.at(self._address, private=True)).id

    async def _stop_reason(self, chat: int) -> str:
        """Returns why the last turn ended; empty if none began."""
        lines = await self._store.ledger.audit(chat, _LATELY)
        ends = (line for line in lines if line.action == "turn.ended")
        return next((str(line.details["stop_reason"]) for line in ends), "")
