"""Rows behind pages: the same answers of every store, in order, in parts."""

from datetime import timedelta
from typing import Any

from bot.domain.change import (
    AddAudit,
    AddUsage,
    AddVerdict,
    SaveApproval,
    SaveErrand,
    SavePlan,
    SaveTurn,
)
from bot.domain.change import Show as ShowWrite
from bot.domain.consent.approval import ApprovalState
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Usage
from bot.domain.plans.plan import PlanState
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain, RawUpdate
from bot.domain.turn.turn import TurnState
from bot.ports.listed import ListPlace, Ways
from bot.ports.outbox import DeliveryState
from bot.ports.records import OwedCount, RecordFilter, RowKey, TurnRecord
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import (
    NOW,
    a_card,
    a_plan,
    a_turn,
    an_errand,
    commit,
    later,
)


async def carded(store: StorePorts, chat: Chat, id: str, **changes: Any) -> None:
    await commit(store, SaveApproval(a_card(chat, id, **changes)))


async def ended(store: StorePorts, chat: Chat, id: str, seconds: float, **changes: Any) -> None:
    known = {"state": ApprovalState.APPROVED, "decided_by": 1, "decider_name": "Ann"}
    await carded(store, chat, id, **{**known, **changes}, decided_at=later(seconds))


async def test_a_turn_tells_its_rounds_payments_messages_and_errands(
    store: StorePorts, chat: Chat
) -> None:
    home = await store.chats.at(Address("errand", "e"), private=True)
    cause = Cause(CallKind.ANSWER, chat.id, 1, "turn-1")
    told = Outbound(OutboundKind.ANSWER, (Plain("Done."),))
    await commit(
        store,
        SaveTurn(a_turn(chat)),
        SaveTurn(a_turn(home, "errand-1")),
        AddVerdict("turn-1", 1, later(2), {"step": "CallModel", "why": "the log waits"}),
        AddVerdict("other", 1, later(1), {}),
        AddUsage("b", cause, "a/m", later(3), Usage(1, 2, 3, 4), 500),
        AddUsage("a", cause, "a/m", later(1), Usage(9), None, estimated=True),
        ShowWrite("said:turn-1", chat.id, told, about="turn-1"),
        SaveErrand(an_errand(chat, home)),
    )
    record = await store.records.of_turn("turn-1")
    assert [(one.round, one.details["why"]) for one in record.rounds] == [(1, "the log waits")]
    assert [(one.call, one.cost, one.estimated) for one in record.paid] == [
        ("a", None, True),
        ("b", 500, False),
    ]
    assert record.paid[1].usage == Usage(1, 2, 3, 4)
    shown = [(one.key, one.address, one.kind, one.state) for one in record.shown]
    assert shown == [("said:turn-1", chat.address, OutboundKind.ANSWER, DeliveryState.OWED)]
    assert [one.id for one in record.errands] == ["errand-1"]
    nobody = await store.records.of_turn("nobody")
    assert nobody == TurnRecord()


async def test_starts_of_the_program_are_found_between_two_moments(store: StorePorts) -> None:
    lines = [AddAudit(later(n), None, None, "program.started", "1", {}) for n in range(4)]
    await commit(store, *lines, AddAudit(later(2), None, None, "other", "", {}))
    assert await store.records.began(later(1), later(2)) == [later(1), later(2)]


async def test_answers_that_another_life_took_up_are_found_since_a_moment(
    store: StorePorts, chat: Chat
) -> None:
    lines = [AddAudit(later(n), chat.id, 1, "turn.taken_up", f"turn-{n}", {}) for n in range(4)]
    other = AddAudit(later(2), chat.id + 1, 1, "turn.taken_up", "another", {})
    ended = AddAudit(later(3), chat.id, 1, "turn.ended", "turn-2", {})
    await commit(store, *lines[:3], other, ended, lines[3])
    found = await store.records.taken_up(chat.id, later(1))
    assert [(one.subject, one.at) for one in found] == [(f"turn-{n}", later(n)) for n in (1, 2, 3)]


async def test_open_cards_of_all_chats_come_oldest_first_in_parts(
    store: StorePorts, chat: Chat
) -> None:
    other = await store.chats.at(Address("discord", "7"), private=False)
    await carded(store, chat, "b", created_at=later(2), position=1)
    await carded(store, chat, "c", created_at=later(2))
    await carded(store, other, "a", created_at=later(3), asker=2)
    await carded(store, other, "d", created_at=later(1))
    await ended(store, chat, "e", 9, created_at=NOW)
    first = await store.records.open(None, None, 2)
    assert [one.id for one in first] == ["d", "c"]
    last = first[-1]
    rest = await store.records.open(
        None, ListPlace(RowKey(last.created_at, last.id, last.position)), 9
    )
    assert [one.id for one in rest] == ["b", "a"]
    place = ListPlace(RowKey(rest[1].created_at, "a", rest[1].position), back=True)
    assert [one.id for one in await store.records.open(None, place, 2)] == ["c", "b"]
    assert [one.id for one in await store.records.open(2, None, 9)] == ["a"]


async def test_decided_cards_come_newest_first_in_parts(store: StorePorts, chat: Chat) -> None:
    await carded(store, chat, "open")
    for id, seconds in (("a", 1), ("b", 5), ("c", 5), ("d", 3)):
        await ended(store, chat, id, seconds, asker=2 if id == "d" else 1)
    first = await store.records.decided(None, None, 2)
    assert [one.id for one in first] == ["c", "b"]
    rest = await store.records.decided(None, ListPlace(RowKey(later(5), "b")), 9)
    assert [one.id for one in rest] == ["d", "a"]
    place = ListPlace(RowKey(later(1), "a"), back=True)
    assert [one.id for one in await store.records.decided(None, place, 2)] == ["b", "d"]
    assert [one.id for one in await store.records.decided(2, None, 9)] == ["d"]


async def test_decisions_tell_who_how_and_since_when(store: StorePorts, chat: Chat) -> None:
    await ended(store, chat, "early", 1)
    await ended(store, chat, "shown", 9, shown_at=later(5))
    refused = {"state": ApprovalState.DENIED, "reason": "not now"}
    await ended(store, chat, "refused", 8, **refused)
    newest, other = await store.records.decisions(None, later(2), 9)
    assert (newest.by, newest.name, newest.since, newest.at) == (1, "Ann", later(5), later(9))
    assert newest.state is ApprovalState.APPROVED
    assert (other.state, other.since) == (ApprovalState.DENIED, NOW)
    assert len(await store.records.decisions(None, NOW, 1)) == 1


async def test_requests_are_the_messages_of_people(store: StorePorts, chat: Chat) -> None:
    await commit(
        store,
        SaveTurn(a_turn(chat, "a")),
        SaveTurn(a_turn(chat, "b", asker=2, created_at=later(5))),
        SaveTurn(a_turn(chat, "c", origin="task")),
    )
    end = NOW + timedelta(days=1)
    assert await store.records.requests(None, NOW, end) == 2
    assert await store.records.requests(2, NOW, end) == 1
    assert await store.records.requests(None, NOW, later(5)) == 1


async def test_plans_that_wait_for_a_person_are_listed(store: StorePorts, chat: Chat) -> None:
    other = await store.chats.at(Address("discord", "7"), private=False)
    third = await store.chats.at(Address("discord", "8"), private=False)
    await commit(
        store,
        SavePlan(a_plan(chat, "ready", state=PlanState.READY)),
        SavePlan(a_plan(other, "busy", state=PlanState.EXECUTING, turn="turn-1")),
        SavePlan(a_plan(third, "collecting", asker=2)),
    )
    assert [one.id for one in await store.records.plans(None, None, 9)] == ["ready"]
    assert await store.records.plans(2, None, 9) == []


async def test_plans_that_wait_come_oldest_first_in_parts(store: StorePorts, chat: Chat) -> None:
    async def wait(id: str, seconds: float) -> None:
        home = await store.chats.at(Address("discord", id), private=False)
        known = {"state": PlanState.READY, "created_at": later(seconds)}
        await commit(store, SavePlan(a_plan(home, id, **known)))

    for id, seconds in (("c", 2), ("b", 2), ("d", 3), ("a", 1)):
        await wait(id, seconds)

    async def told(place: ListPlace[RowKey] | None, limit: int = 9) -> list[str]:
        return [one.id for one in await store.records.plans(None, place, limit)]

    assert await told(None, 2) == ["a", "b"]
    assert await told(ListPlace(RowKey(later(2), "b"))) == ["c", "d"]
    assert await told(ListPlace(RowKey(later(3), "d"), back=True), 2) == ["b", "c"]
    # Among cards of one moment a plan stands with the first ones.
    assert await told(ListPlace(RowKey(later(2), "a card", 1))) == ["d"]
    assert await told(ListPlace(RowKey(later(2), "a card", 1), back=True)) == ["a", "b", "c"]


async def test_lines_about_plans_are_found_by_the_person_who_asked(
    store: StorePorts, chat: Chat
) -> None:
    other = await store.chats.at(Address("discord", "7"), private=False)
    actions = ("plan.ready", "plan.step", "plan.approved", "plan.changed", "plan.cancelled")
    lines = [AddAudit(later(1), chat.id, 1, action, action, {}) for action in actions]
    foreign = AddAudit(later(2), other.id, 1, "plan.ready", "foreign", {})
    own = SavePlan(a_plan(chat, "own", asker=2))
    await commit(store, own, SavePlan(a_plan(other, "other")), *lines, foreign)

    async def told(chosen: RecordFilter) -> list[str]:
        return [one.subject for one in (await store.records.lines(chosen, None, 9)).lines]

    wanted = [one for one in reversed(actions) if one != "plan.step"]
    assert await told(RecordFilter(plans=True)) == ["foreign", *wanted]
    assert await told(RecordFilter(plans=True, planner=2)) == wanted
    assert await told(RecordFilter(plans=True, planner=3)) == []


async def test_work_of_all_chats_is_counted(store: StorePorts, chat: Chat) -> None:
    told = Outbound(OutboundKind.ANSWER, (Plain("Done."),))
    await commit(
        store,
        SaveTurn(a_turn(chat, "b", created_at=later(2))),
        SaveTurn(a_turn(chat, "a", state=TurnState.QUEUED)),
        SaveTurn(a_turn(chat, "c", state=TurnState.SETTLED)),
        SaveTurn(a_turn(chat, "d", state=TurnState.PARKED)),
        ShowWrite("x", chat.id, told),
        ShowWrite("y", chat.id, told),
    )
    assert [one.id for one in await store.records.at_work(None, 9)] == ["a", "b"]
    assert [one.id for one in await store.records.at_work(None, 1)] == ["a"]
    assert await store.records.owed() == [OwedCount("telegram", 2, NOW)]
    assert await store.records.waiting(9) == {}
    for key, seconds in (("1", 1), ("2", 5)):
        await store.inbox.accept("telegram", [RawUpdate(key, "{}")], later(seconds))
    assert await store.records.heard_from() == {"telegram": later(5)}


async def test_the_record_is_read_in_parts_by_chat_person_and_action(
    store: StorePorts, chat: Chat
) -> None:
    lines = [
        AddAudit(later(1), chat.id, 1, "card.opened", "a", {"n": 1}),
        AddAudit(later(2), chat.id, 2, "card.decided", "b", {}),
        AddAudit(later(3), None, 1, "card%", "c", {}),
    ]
    await commit(store, *lines)
    every = (await store.records.lines(RecordFilter(), None, 9)).lines
    assert [one.subject for one in every] == ["c", "b", "a"]
    assert every[2].details == {"n": 1}
    rest = await store.records.lines(RecordFilter(), ListPlace(every[0].id), 1)
    assert ([one.subject for one in rest.lines], rest.ways) == (["b"], Ways(2, 2))
    last = await store.records.lines(RecordFilter(), ListPlace(every[1].id), 1)
    assert ([one.subject for one in last.lines], last.ways) == (["a"], Ways(1))
    newer = await store.records.lines(RecordFilter(), ListPlace(every[2].id, back=True), 1)
    assert ([one.subject for one in newer.lines], newer.ways) == (["b"], Ways(2, 2))
    # So near the beginning the part begins there.
    newest = await store.records.lines(RecordFilter(), ListPlace(every[1].id, back=True), 2)
    assert ([one.subject for one in newest.lines], newest.ways) == (["c", "b"], Ways(None, 2))

    async def found(**chosen: Any) -> list[str]:
        part = await store.records.lines(RecordFilter(**chosen), None, 9)
        return [one.subject for one in part.lines]

    assert await found(chat=chat.id) == ["b", "a"]
    assert await found(person=1) == ["c", "a"]
    assert await found(action="card.") == ["b", "a"]
    assert await found(action="card%") == ["c"]
    assert await found(since=later(2)) == ["c", "b"]
    assert await found(until=later(2)) == ["a"]
    assert await found(since=later(2), until=later(3), person=2) == ["b"]
    assert await found(since=later(9)) == await found(until=NOW) == []
