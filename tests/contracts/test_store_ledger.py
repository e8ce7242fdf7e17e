"""The record: what was used, what was done by whom, and the whole of what was cut."""

import pytest

from bot.domain.change import AddArtifact, AddAudit, AddUsage, AddVerdict
from bot.domain.chat import Chat
from bot.domain.errors import Conflict
from bot.domain.message import Address
from bot.domain.model import Usage
from bot.ports.ledger import AuditLine, Spent
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit, later


def used(chat: Chat, model: str, cost: float | None, seconds: float = 0) -> AddUsage:
    return AddUsage("turn-1", chat.id, 1, model, later(seconds), Usage(1, 20, 300, 4000), cost)


async def test_usage_is_summed_by_model_since_a_time(store: StorePorts, chat: Chat):
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(
        store,
        used(chat, "small", 0.5, 10),
        used(other, "small", 0.25, 11),
        used(chat, "big", 1.0, 12),
        used(chat, "big", 9.0, 9),
    )
    assert await store.ledger.spent(later(10)) == [
        Spent("big", 1, Usage(1, 20, 300, 4000), 1.0),
        Spent("small", 2, Usage(2, 40, 600, 8000), 0.75),
    ]
    assert [s.calls for s in await store.ledger.spent(later(10), chat.id)] == [1, 1]
    assert await store.ledger.spent(later(13)) == []


async def test_one_unknown_price_makes_the_sum_unknown(store: StorePorts, chat: Chat):
    await commit(store, used(chat, "m", 0.5), used(chat, "m", None))
    assert await store.ledger.spent(NOW) == [Spent("m", 2, Usage(2, 40, 600, 8000), None)]


async def test_the_audit_of_a_chat_is_read_newest_first(store: StorePorts, chat: Chat):
    details = {"reason": "not now", "n": 3, "list": ["a", None]}
    await commit(
        store,
        AddAudit(later(1), chat.id, 1, "card.decided", "pytest -q", details),
        AddAudit(later(2), chat.id, None, "turn.settled", "turn-1", {}),
        AddAudit(later(3), None, 1, "person.admitted", "telegram:2", {}),
    )
    newest = AuditLine(later(2), None, "turn.settled", "turn-1", {})
    assert await store.ledger.audit(chat.id, 1) == [newest]
    assert await store.ledger.audit(chat.id, 10) == [
        newest,
        AuditLine(later(1), 1, "card.decided", "pytest -q", details),
    ]


async def test_what_ran_since_is_told_oldest_first(store: StorePorts, chat: Chat):
    def line(seconds: float, action: str, subject: str) -> AddAudit:
        return AddAudit(later(seconds), chat.id, 1, action, subject, {})

    await commit(
        store,
        line(3, "call.ran", "third"),
        line(1, "call.ran", "first"),
        line(2, "card.decided", "no call"),
        line(2, "call.ran", "second"),
    )
    assert await store.ledger.ran_since(chat.id, later(2)) == ["second", "third"]
    assert await store.ledger.ran_since(chat.id + 1, NOW) == []


@pytest.mark.parametrize("text", ["whole \0 text \ud83d", "", "é" * 100_000])
async def test_an_artifact_is_kept_to_the_letter_for_its_chat(
    store: StorePorts, chat: Chat, text: str
):
    await commit(store, AddArtifact("a1", chat.id, text))
    assert await store.ledger.artifact(chat.id, "a1") == text
    assert await store.ledger.artifact(chat.id + 1, "a1") is None
    assert await store.ledger.artifact(chat.id, "a2") is None
    with pytest.raises(Conflict):
        await commit(store, AddArtifact("a1", chat.id, "another"))


async def test_verdicts_are_kept_even_for_a_round_that_was_repeated(store: StorePorts, chat: Chat):
    verdict = AddVerdict("turn-1", 1, NOW, {"step": "CallModel", "masked": []})
    await commit(store, verdict, verdict)
