"""Lines about plans are found however far they are from one another in the record."""

from pathlib import Path

import pytest

from bot.adapters.sql import records
from bot.adapters.sql.store import open_store
from bot.domain.change import AddAudit, Change
from bot.domain.talk.message import Address
from bot.ports.listed import ListPlace, Ways
from bot.ports.records import RecordFilter
from tests.contracts.store_samples import NOW

_BOUND, _BETWEEN = 5, 20
"""Lines that one search looks at here, and those between two decisions on plans: more."""


async def test_decisions_far_apart_are_one_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "_MOST_LOOKED", _BOUND)
    others = ["looked"] * _BETWEEN
    actions = ["plan.ready", *others, "plan.approved", *others, "plan.cancelled", *others]
    async with open_store(f"sqlite:///{tmp_path / 'lines.db'}") as store:
        chat = await store.chats.at(Address("web", "9"), private=True)
        lines = [AddAudit(NOW, chat.id, 1, action, "", {}) for action in actions]
        await store.journal.commit(Change(tuple(lines)))
        found = await store.records.lines(RecordFilter(plans=True), None, 9)
        assert [one.action for one in found.lines] == [
            *("plan.cancelled", "plan.approved", "plan.ready")
        ]
        assert found.ways == Ways()
        first = found.lines[-1].id
        newer = await store.records.lines(RecordFilter(plans=True), ListPlace(first, True), 9)
        assert [one.action for one in newer.lines[:2]] == ["plan.cancelled", "plan.approved"]
        # Lines of any kind are still looked through a part at a time.
        assert not (await store.records.lines(RecordFilter(action="plan"), None, 9)).lines
