"""Calls of hooks, and the keys that make them unique."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.change import AddHookCall, Change, JoinChats, SaveHookCall, SaveTurn
from bot.domain.chat import Chat
from bot.domain.errors import Conflict
from bot.domain.hook import HookCall, turn_of_call
from bot.domain.message import Address
from bot.domain.task import Allowed, RunState
from bot.domain.turn import TurnState
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


async def test_calls_are_counted_and_the_newest_is_found(store: StorePorts, chat: Chat) -> None:
    newest = replace(a_call(chat, "two"), at=later(60))
    await added(store, a_call(chat), newest, a_call(chat, "three", hook="deploy"))
    assert await store.hook_calls.count("build", NOW) == 2
    assert await store.hook_calls.count("build", later(1)) == 1
    assert await store.hook_calls.count("none", NOW) == 0
    last = await store.hook_calls.last(["build", "none"])
    assert last == {"build": newest}


async def test_calls_move_along_when_chats_are_joined(store: StorePorts, chat: Chat) -> None:
    other = await store.chats.at(Address("telegram", "-100"), private=False)
    await added(store, a_call(other))
    await commit(store, JoinChats(chat.address, other.address))
    found = await store.hook_calls.get("build", "one")
    assert found is not None
    assert found.chat == chat.id
