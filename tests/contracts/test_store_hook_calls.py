"""Calls of hooks, and the keys that make them unique."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.assignments.hook import CALLS_KEPT, HookCall, HookPace, turn_of_call
from bot.domain.assignments.task import Allowed, RunState
from bot.domain.change import AddHookCall, Change, EndTries, JoinChats, SaveHookCall, SaveTurn
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict, Crowded
from bot.domain.talk.message import Address
from bot.domain.turn.turn import TurnState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_turn, commit, later

DAY_BEFORE = NOW - timedelta(days=1)


def a_call(chat: Chat, id: str = "one", key: str = "", hook: str = "build") -> HookCall:
    return HookCall(
        id=id,
        hook=hook,
        key=key,
        turn=turn_of_call(id),
        chat=chat.id,
        at=NOW,
        words="Look at it.",
        data="⟨a⟩ = 1",
        allowed=Allowed.READONLY,
        fresh=True,
    )


async def added(store: StorePorts, *calls: HookCall) -> None:
    await commit(store, *(AddHookCall(one, DAY_BEFORE) for one in calls))


async def test_a_call_comes_back_as_it_was_and_moves_on(store: StorePorts, chat: Chat) -> None:
    call = a_call(chat, key="k")
    await added(store, call)
    assert await store.hook_calls.get("build", "one") == call
    assert await store.hook_calls.of_turn("hook-one") == call
    assert await store.hook_calls.get("other", "one") is None
    over = call.ended(RunState.FAILED, later(5), "no model")
    await commit(store, SaveHookCall(over))
    assert await store.hook_calls.get("build", "one") == over
    assert (over.words, over.data) == ("", "")


async def test_a_seal_is_unique_among_all_hooks_for_a_day(store: StorePorts, chat: Chat) -> None:
    first = replace(a_call(chat), seal="s")
    await added(store, first, a_call(chat, "two"), a_call(chat, "three"))
    with pytest.raises(Conflict):
        await added(store, replace(a_call(chat, "four", hook="deploy"), seal="s"))
    assert await store.hook_calls.sealed("s", DAY_BEFORE) == first
    assert await store.hook_calls.sealed("s", later(1)) is None
    assert await store.hook_calls.sealed("t", DAY_BEFORE) is None
    much_later = later(60 * 60 * 25)
    after = replace(a_call(chat, "five", hook="deploy"), seal="s", at=much_later)
    await commit(store, AddHookCall(after, much_later - timedelta(days=1)))
    assert await store.hook_calls.sealed("s", DAY_BEFORE) == after


async def test_a_key_is_unique_in_its_hook_for_a_day(store: StorePorts, chat: Chat) -> None:
    first = a_call(chat, key="k")
    await added(store, first, a_call(chat, "other", "k", "deploy"))
    await added(store, a_call(chat, "two"), a_call(chat, "three"))
    with pytest.raises(Conflict):
        await added(store, a_call(chat, "four", "k"))
    assert await store.hook_calls.keyed("build", "k", DAY_BEFORE) == first
    assert await store.hook_calls.keyed("build", "k", later(1)) is None
    assert await store.hook_calls.keyed("build", "", DAY_BEFORE) is None
    tomorrow = replace(a_call(chat, "five", "k"), at=later(90_000))
    await commit(store, AddHookCall(tomorrow, later(3_600)))
    assert await store.hook_calls.keyed("build", "k", later(3_600)) == tomorrow
    assert (await store.hook_calls.get("build", "one")) == replace(first, key="")


async def test_a_refused_call_leaves_no_turn(store: StorePorts, chat: Chat) -> None:
    await added(store, a_call(chat, key="k"))
    turn = replace(a_turn(chat), id="hook-two", state=TurnState.QUEUED, origin="hook")
    with pytest.raises(Conflict):
        await commit(store, SaveTurn(turn), AddHookCall(a_call(chat, "two", "k"), DAY_BEFORE))
    assert await store.turns.get("hook-two") is None


async def test_of_two_calls_at_once_one_is_written(store: StorePorts, chat: Chat) -> None:
    calls = [a_call(chat, id, "k") for id in ("one", "two")]
    changes = [Change((AddHookCall(one, DAY_BEFORE),), durable=True) for one in calls]
    both = [store.journal.commit(change) for change in changes]
    ends = await asyncio.gather(*both, return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["Conflict", "NoneType"]


async def test_the_newest_call_of_each_hook_is_found(store: StorePorts, chat: Chat) -> None:
    newest = replace(a_call(chat, "two"), at=later(60))
    await added(store, a_call(chat), newest, a_call(chat, "three", hook="deploy"))
    last = await store.hook_calls.last(["build", "none"])
    assert last == {"build": newest}


@pytest.mark.parametrize(
    ("pace", "hook", "after", "seconds"),
    [
        (HookPace(each=3), "build", 59, 60.0),
        (HookPace(all=4), "deploy", 59, 60.0),
        (HookPace(daily=3), "build", 86_399, 3_600.0),
    ],
)
async def test_calls_are_counted_in_the_transaction_that_adds_them(
    store: StorePorts, chat: Chat, pace: HookPace, hook: str, after: int, seconds: float
) -> None:
    older = [a_call(chat, str(n)) for n in range(3)]
    await added(store, *older, a_call(chat, "else", hook="deploy"))
    ahead = replace(a_call(chat, "ahead", hook="other"), at=later(999_999))
    await added(store, ahead)
    next_one = replace(a_call(chat, "next", hook=hook), at=later(after))
    with pytest.raises(Crowded) as crowded:
        await commit(store, AddHookCall(next_one, DAY_BEFORE, pace))
    assert crowded.value.seconds == seconds
    in_time = replace(next_one, at=later(after + 1))
    await commit(store, AddHookCall(in_time, DAY_BEFORE, pace))


async def test_calls_at_once_stay_within_the_bound(store: StorePorts, chat: Chat) -> None:
    calls = [AddHookCall(a_call(chat, str(n)), DAY_BEFORE, HookPace(each=3)) for n in range(8)]
    commits = [store.journal.commit(Change((one,), durable=True)) for one in calls]
    ends = await asyncio.gather(*commits, return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["Crowded"] * 5 + ["NoneType"] * 3


async def test_another_try_is_begun_by_one_process_alone(store: StorePorts, chat: Chat) -> None:
    call, other = a_call(chat), a_call(chat, "two")
    await added(store, call, other)
    assert await store.hook_calls.next_try() is None
    waits = call.again(later(60), "no model")
    await commit(store, SaveHookCall(waits), SaveHookCall(other.again(later(90), "")))
    assert await store.hook_calls.next_try() == later(60)
    assert await store.hook_calls.again(later(59), 9) == []
    assert await store.hook_calls.again(later(60), 9) == [waits]
    begun = waits.tried()
    await commit(store, SaveHookCall(begun, 1))
    assert await store.hook_calls.of_turn("hook-one-2") == begun
    assert (begun.words, begun.data) == (call.words, call.data)
    with pytest.raises(Conflict):
        await commit(store, SaveHookCall(begun, 1))
    assert await store.hook_calls.next_try() == later(90)


async def test_calls_that_are_over_are_kept_for_a_time(store: StorePorts, chat: Chat) -> None:
    over, waits = a_call(chat), a_call(chat, "two")
    await added(store, over, waits)
    await commit(store, SaveHookCall(over.ended(RunState.DONE, NOW)))
    much_later = int(CALLS_KEPT.total_seconds())
    await added(store, replace(a_call(chat, "three"), at=later(much_later)))
    assert await store.hook_calls.get("build", "one") is not None
    await added(store, replace(a_call(chat, "four"), at=later(much_later + 1)))
    assert await store.hook_calls.get("build", "one") is None
    assert await store.hook_calls.get("build", "two") == waits


async def test_calls_move_along_when_chats_are_joined(store: StorePorts, chat: Chat) -> None:
    other = await store.chats.at(Address("telegram", "-100"), private=False)
    await added(store, a_call(other))
    await commit(store, JoinChats(chat.address, other.address))
    found = await store.hook_calls.get("build", "one")
    assert found is not None
    assert found.chat == chat.id


async def test_calls_that_wait_for_a_try_end_with_their_chat_alone(
    store: StorePorts, chat: Chat
) -> None:
    other = await store.chats.at(Address("fake", "99"), private=True)
    waits, runs = a_call(chat, "waits"), a_call(chat, "runs")
    elsewhere = replace(a_call(chat, "elsewhere"), chat=other.id)
    await added(store, waits, runs, elsewhere)
    again = later(60)
    await commit(store, *(SaveHookCall(one.again(again, "no")) for one in (waits, elsewhere)))
    await commit(store, EndTries(chat.id, "gone"))
    assert [one.id for one in await store.hook_calls.again(later(90), 9)] == ["elsewhere"]
    over = await store.hook_calls.get("build", "waits")
    assert over is not None
    told = (over.state, over.why, over.words, over.data)
    assert (told, over.ended_at is not None) == ((RunState.STOPPED, "gone", "", ""), True)
    assert await store.hook_calls.get("build", "runs") == runs


async def test_a_second_call_with_an_id_is_a_conflict(store: StorePorts, chat: Chat) -> None:
    call = replace(a_call(chat), key="one")
    await commit(store, AddHookCall(call, NOW))
    with pytest.raises(Conflict):
        await commit(store, AddHookCall(replace(call, key="two", turn="other"), NOW))
    assert await store.hook_calls.keyed(call.hook, "two", NOW) is None
