"""The record: what was used, what was done by whom, and the whole of what was cut."""

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from bot.domain.change import (
    AddArtifact,
    AddAudit,
    AddUsage,
    AddVerdict,
    DropUsage,
    SetBudget,
)
from bot.domain.money.budget import CallKind, Cause, Limit, Scope
from bot.domain.money.model import Usage
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.ports.ledger import AuditLine, Bill, By, Spender, Spent
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit, later

_CALLS = count(1)
ALL = Spender()


def used(
    chat: Chat | None, model: str, cost: int | None, seconds: float = 0, **of: Any
) -> AddUsage:
    number = None if chat is None else chat.id
    cause = Cause(CallKind.ANSWER, number, **{"person": 1, "turn": "turn-1", **of})
    usage = Usage(1, 20, 300, 4000)
    return AddUsage(f"call-{next(_CALLS)}", cause, model, later(seconds), usage, cost)


async def test_usage_is_summed_by_model_since_a_time(store: StorePorts, chat: Chat):
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(
        store,
        used(chat, "small", 50, 10),
        used(other, "small", 25, 11),
        used(chat, "big", 100, 12),
        used(chat, "big", 900, 9),
    )
    assert await store.ledger.spent(later(10)) == [
        Spent("big", 1, Usage(1, 20, 300, 4000), 100),
        Spent("small", 2, Usage(2, 40, 600, 8000), 75),
    ]
    assert [s.calls for s in await store.ledger.spent(later(10), chat.id)] == [1, 1]
    assert await store.ledger.spent(later(13)) == []


async def test_one_unknown_price_makes_the_sum_unknown(store: StorePorts, chat: Chat):
    await commit(store, used(chat, "m", 50), used(chat, "m", None))
    assert await store.ledger.spent(NOW) == [Spent("m", 2, Usage(2, 40, 600, 8000), None)]


async def test_the_record_of_a_call_is_replaced_by_a_better_one(store: StorePorts, chat: Chat):
    reserved = replace(used(chat, "m", 10), estimated=True)
    await commit(store, reserved)
    assert await store.ledger.total(NOW, Spender(chat.id)) == 10
    paid = replace(reserved, cost=70, usage=Usage(2), estimated=False)
    await commit(store, paid, paid)
    (bill,) = await store.ledger.bills([NOW], By.MODEL, Spender())
    assert bill == Bill(0, "m", 1, Usage(2), 70, 0, 0)


async def test_a_call_that_was_not_made_leaves_nothing(store: StorePorts, chat: Chat):
    one = used(chat, "m", 10)
    await commit(store, one)
    await commit(store, DropUsage(one.call), DropUsage("another"))
    assert await store.ledger.spent(NOW) == []


async def test_bills_are_made_by_time_and_subject(store: StorePorts, chat: Chat):
    await commit(
        store,
        used(chat, "a", 1, 5, skill="minutes", person=7),
        used(chat, "b", None, 15, turn="turn-2"),
        replace(used(None, "a", 2, 25, person=None, turn=""), estimated=True),
        used(chat, "a", 4, 10),
    )
    slots = [later(5), later(10), later(20)]

    async def bills(by: By, whose: Spender = ALL) -> list[tuple[int, str, int, int, int, int]]:
        found = await store.ledger.bills(slots, by, whose)
        return [(b.slot, b.of, b.calls, b.cost, b.unknown, b.estimated) for b in found]

    here = str(chat.id)
    assert await bills(By.MODEL) == [
        (0, "a", 1, 1, 0, 0),
        (1, "a", 1, 4, 0, 0),
        (1, "b", 1, 0, 1, 0),
        (2, "a", 1, 2, 0, 1),
    ]
    assert await bills(By.CHAT) == [
        (0, here, 1, 1, 0, 0),
        (1, here, 2, 4, 1, 0),
        (2, "", 1, 2, 0, 1),
    ]
    assert await bills(By.PERSON, Spender(person=7)) == [(0, "7", 1, 1, 0, 0)]
    assert await bills(By.SKILL, Spender(chat.id)) == [
        (0, "minutes", 1, 1, 0, 0),
        (1, "", 2, 4, 1, 0),
    ]
    assert [b[1] for b in await bills(By.TASK, Spender(turn="turn-2"))] == ["turn-2"]
    assert await store.ledger.total(later(10), Spender()) == 6
    assert await store.ledger.total(later(30), Spender()) == 0


async def test_a_total_leaves_out_the_calls_that_are_named(store: StorePorts, chat: Chat):
    one, two, old = used(chat, "m", 1), used(chat, "m", 20), used(chat, "m", 300, -10)
    await commit(store, one, two, old)
    assert await store.ledger.total(NOW, Spender()) == 21
    assert await store.ledger.total(later(-20), Spender(), until=NOW) == 300
    assert await store.ledger.total(later(-20), Spender(), (), NOW - timedelta(seconds=10)) == 0
    assert await store.ledger.total(NOW, Spender(person=1), [one.call, "another"]) == 20
    assert await store.ledger.total(NOW, Spender(turn="turn-1"), [one.call, two.call]) == 0


async def test_the_newest_budget_counts(store: StorePorts):
    assert dict(await store.ledger.budgets()) == {}
    await commit(store, SetBudget(Scope.DAY, 5, "Ann", NOW), SetBudget(Scope.TURN, 1, "Ann", NOW))
    await commit(store, SetBudget(Scope.DAY, None, "Bob", later(1)))
    assert await store.ledger.budgets() == {
        Scope.DAY: Limit(None, "Bob"),
        Scope.TURN: Limit(1, "Ann"),
    }


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


async def test_the_newest_line_of_each_subject_is_found_over_all_chats(
    store: StorePorts, chat: Chat
):
    def line(minute: int, subject: str, action: str = "bot.membership") -> AddAudit:
        return AddAudit(later(minute), chat.id, None, action, subject, {"now": minute})

    await commit(store, line(1, "discord:-1"), line(2, "discord:-2"), line(3, "telegram:-1"))
    await commit(store, line(4, "discord:-1"), line(5, "discord:-2", "another"))
    found = await store.ledger.newest_of("bot.membership", "discord:")
    assert sorted((one.subject, one.details["now"]) for one in found) == [
        ("discord:-1", 4),
        ("discord:-2", 2),
    ]
