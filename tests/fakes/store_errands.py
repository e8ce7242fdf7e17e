"""Errands in memory: how a change alters them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.domain.change import SaveErrand
from bot.domain.talk.errors import Conflict

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def save_errand(rows: "Rows", write: SaveErrand) -> None:
    errand = write.errand
    known = rows.errands.get(errand.id)
    if write.expect is None:
        if known is not None:
            raise Conflict(f"errand {errand.id} is there already")
        rows.chat(errand.chat)
        rows.chats[errand.home] = replace(rows.chat(errand.home), screen=errand.chat)
    elif known is None or known.version != write.expect:
        raise Conflict(f"errand {errand.id} is not at version {write.expect}")
    rows.errands[errand.id] = errand
