"""What pages read around turns, rules and tasks: the same bounded answers of every store."""

from dataclasses import replace

from bot.domain.assignments.task import TaskState
from bot.domain.change import (
    AddAudit,
    AddRule,
    AddUsage,
    Append,
    DropRule,
    SaveTask,
    SaveTurn,
    UseRule,
)
from bot.domain.consent.approval import Rule
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Usage
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.domain.tools.tool import CommandRule
from bot.domain.turn.turn import TurnState
from bot.ports.listed import ListPlace
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_turn, an_entry, commit, later
from tests.contracts.test_store_scheduled import a_task

_BEFORE, _OWN, _BEHIND = 700, 3, 250
"""Entries of a conversation before a turn, of it, and behind it."""


async def long_talk(store: StorePorts, chat: Chat) -> None:
    entries = [
        replace(an_entry(chat, n + 1, turn=f"turn-{n}"), at=later(n))
        for n in range(_BEFORE + _OWN + _BEHIND)
    ]
    await commit(store, Append(chat.id, tuple(entries)))


async def test_the_log_around_a_turn_is_bounded_on_both_sides(
    store: StorePorts, chat: Chat
) -> None:
    await long_talk(store, chat)
    # A settlement takes its time a little before its last entry does.
    ended = later(_BEFORE + _OWN - 2)
    turn = a_turn(chat, created_at=later(_BEFORE), state=TurnState.SETTLED, ended_at=ended)
    log = await store.records.log(turn, None)
    numbers = [one.seq for one in log.entries]
    assert numbers == list(range(_BEFORE - 599, _BEFORE + _OWN + 200))
    assert not log.whole
    assert log.older == ()
    older = (await store.records.log(turn, numbers[0])).older
    assert [one.seq for one in older] == list(range(numbers[0] - 60, numbers[0]))
    assert [one.seq for one in (await store.records.log(turn, 3)).older] == [1, 2]
    # What is in view already is not told twice.
    assert (await store.records.log(turn, _BEFORE)).older == ()


async def test_the_log_of_a_turn_that_goes_on_has_all_that_came_since(
    store: StorePorts, chat: Chat
) -> None:
    await commit(
        store,
        SaveTurn(a_turn(chat, created_at=later(2))),
        Append(chat.id, tuple(replace(an_entry(chat, n + 1), at=later(n)) for n in range(5))),
    )
    log = await store.records.log(a_turn(chat, created_at=later(2)), None)
    assert [one.seq for one in log.entries] == [1, 2, 3, 4, 5]
    assert log.whole
    nothing = await store.records.log(a_turn(chat, conversation="elsewhere"), None)
    assert nothing.entries == ()


async def test_rules_are_listed_in_parts_and_count_the_calls_that_they_let_run(
    store: StorePorts, chat: Chat
) -> None:
    other = await store.chats.at(Address("discord", "7"), private=True)
    for number in ("41", "42"):
        await store.people.admit(Sender("telegram", number, f"Person {number}"), Role.MEMBER)

    def given(person: int, place: Chat, words: str) -> AddRule:
        pattern = CommandRule((words,))
        return AddRule(Rule(0, person, place.id, "run_command", pattern, words, NOW))

    await commit(store, given(1, chat, "a"), given(2, other, "b"), given(1, other, "c"))
    every = await store.records.rules(None, None, 9)
    assert [one.label for one in every] == ["a", "b", "c"]
    first = await store.records.rules(None, None, 2)
    assert [one.label for one in first] == ["a", "b"]
    behind = await store.records.rules(None, ListPlace(first[-1].id), 2)
    assert [one.label for one in behind] == ["c"]
    before = await store.records.rules(None, ListPlace(behind[0].id, back=True), 1)
    assert [one.label for one in before] == ["b"]
    assert [one.label for one in await store.records.rules(1, None, 9)] == ["a", "c"]
    assert await store.records.rules(3, None, 9) == []
    assert [(one.used, one.used_at) for one in every] == [(0, None)] * 3
    await commit(store, UseRule(every[0].id), UseRule(every[0].id), UseRule(every[2].id))
    used = await store.records.rules(None, None, 9)
    assert [one.used for one in used] == [2, 0, 1]
    assert used[0].used_at is not None
    assert used[0].used_at == used[2].used_at
    assert used[1].used_at is None
    # A rule may be taken back while a call that it let run is under way.
    await commit(store, DropRule(every[0].id, chat.id), UseRule(every[0].id))
    assert [one.label for one in await store.records.rules(None, None, 9)] == ["b", "c"]


async def test_tasks_come_by_their_due_time_and_those_that_pace_goals_are_left_out(
    store: StorePorts, chat: Chat
) -> None:
    tasks = [
        a_task(chat, "late", 9),
        replace(a_task(chat, "soon", 1), asker=2),
        replace(a_task(chat, "pace", 0), goal="pace"),
        replace(a_task(chat, "still", None), state=TaskState.PAUSED),
        replace(a_task(chat, "rest", None), state=TaskState.PAUSED, asker=2),
        replace(a_task(chat, "over", None), state=TaskState.DONE),
    ]
    await commit(store, *(SaveTask(one) for one in tasks))
    records = store.records
    assert [one.id for one in await records.tasks(None, 9)] == ["soon", "late"]
    assert [one.id for one in await records.tasks(None, 1)] == ["soon"]
    assert [one.id for one in await records.tasks(1, 9)] == ["late"]
    assert [one.id for one in await records.paused(None, 9)] == ["rest", "still"]
    assert [one.id for one in await records.paused(1, 9)] == ["still"]
    assert len(await records.paused(None, 1)) == 1


async def test_the_newest_use_of_a_skill_counts_among_the_newest_calls(
    store: StorePorts, chat: Chat
) -> None:
    def called(number: int, person: int, skill: str | None) -> AddUsage:
        cause = Cause(CallKind.ANSWER, chat.id, person, "turn", skill)
        return AddUsage(f"call-{number}", cause, "m", later(number), Usage(1, 1), 5)

    calls = (called(1, 1, "tea"), called(3, 2, "tea"), called(2, 1, "minutes"), called(4, 1, None))
    await commit(store, *calls)
    assert await store.records.skills_used(None, 9) == {"tea": later(3), "minutes": later(2)}
    assert await store.records.skills_used(1, 9) == {"tea": later(1), "minutes": later(2)}
    assert await store.records.skills_used(None, 2) == {"tea": later(3)}


async def test_the_newest_way_in_of_an_account_is_told(store: StorePorts) -> None:
    lines = [
        AddAudit(later(1), None, 1, "person.allowed", "telegram:7", {}),
        AddAudit(later(2), None, 1, "person.paired", "telegram:7", {}),
        AddAudit(later(3), None, 1, "person.rights", "telegram:7", {}),
        AddAudit(later(4), None, 1, "person.allowed", "telegram:8", {}),
    ]
    await commit(store, *lines)
    found = await store.records.admitted(["telegram:7", "telegram:9"])
    assert {key: (one.action, one.at) for key, one in found.items()} == {
        "telegram:7": ("person.paired", later(2))
    }
    assert await store.records.admitted([]) == {}
