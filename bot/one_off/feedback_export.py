"""Prints what people think of answers, for `steward feedback`."""

import json
from collections.abc import Callable
from datetime import datetime

from bot.bootstrap.database import opened_as_it_is
from bot.domain.talk.feedback import Feedback
from bot.flow.commands.feedback import counts_of
from bot.settings import Settings


async def exported(
    settings: Settings, since: datetime | None, say: Callable[[str], None], *, as_json: bool
) -> int:
    """Prints the rows since a time as JSON Lines, or their counts."""
    async with opened_as_it_is(settings) as store:
        rows = await store.feedback.since(since)
        if not as_json:
            say(counts_of(rows))
            return 0
        chats = {id: (await store.chats.get(id)).address.key for id in {r.chat for r in rows}}
    for row in rows:
        say(json.dumps(_told(row, chats[row.chat]), ensure_ascii=False))
    return 0


def _told(row: Feedback, chat: str) -> dict[str, object]:
    return {
        "turn": row.turn,
        "chat": chat,
        "person": row.person,
        "verdict": row.verdict.value,
        "at": row.at.isoformat(),
        "models": list(row.models),
    }
