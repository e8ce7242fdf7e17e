"""What every store keeps of descriptions that are found by their meaning."""

from datetime import timedelta

from bot.domain.change import AddUsage
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Usage
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW

LATER = NOW + timedelta(minutes=10)
COST = AddUsage("call", Cause(CallKind.EMBEDDING), "embedder", NOW, Usage(9), 18)


async def test_a_description_is_claimed_once_and_kept_with_its_cost(store: StorePorts) -> None:
    rows = store.descriptions
    assert set(await rows.claim(["a", "b"], NOW, NOW)) == {"a", "b"}
    assert set(await rows.claim(["b", "c"], NOW, NOW)) == {"c"}
    assert await rows.held(["a", "b", "c"]) == {}
    await rows.keep({"a": bytes(range(256)), "b": b""}, NOW, [COST])
    assert await rows.held(["a", "b", "c", "d"]) == {"a": bytes(range(256)), "b": b""}
    assert set(await rows.claim(["a", "b"], LATER, LATER)) == set()
    (spent,) = await store.ledger.spent(NOW)
    assert (spent.model, spent.calls, spent.usage, spent.cost) == ("embedder", 1, Usage(9), 18)


async def test_a_claim_that_nobody_kept_ends(store: StorePorts) -> None:
    rows = store.descriptions
    await rows.claim(["a"], NOW, NOW)
    assert set(await rows.claim(["a"], LATER, NOW)) == set()
    assert set(await rows.claim(["a"], LATER, LATER)) == {"a"}
    assert set(await rows.claim(["a"], LATER, LATER)) == set()


async def test_a_claim_of_a_clock_that_was_set_back_since_ends(store: StorePorts) -> None:
    rows, minutes = store.descriptions, timedelta(minutes=5)
    await rows.claim(["a"], NOW + timedelta(hours=6), NOW)
    await rows.claim(["b"], NOW + timedelta(seconds=2), NOW)
    # Another machine may be some seconds ahead.
    assert set(await rows.claim(["a", "b"], NOW, NOW - minutes)) == {"a"}
    assert set(await rows.claim(["a"], NOW, NOW - minutes)) == set()


async def test_a_vector_takes_the_place_of_another_and_can_be_dropped(store: StorePorts) -> None:
    rows = store.descriptions
    await rows.keep({"a": b"1", "b": b"2"}, NOW, [])
    await rows.keep({"a": b"3"}, NOW, [])
    assert await rows.held(["a", "b"]) == {"a": b"3", "b": b"2"}
    await rows.drop(["a", "c"])
    assert await rows.held(["a", "b"]) == {"b": b"2"}
    assert set(await rows.claim(["a"], NOW, NOW)) == {"a"}


async def test_what_nobody_uses_is_swept_away(store: StorePorts) -> None:
    rows = store.descriptions
    keys = [f"k{n}" for n in range(1_100)]
    await rows.keep(dict.fromkeys(keys, b"1"), NOW, [])
    await rows.claim(["claimed"], NOW, NOW)
    await rows.sweep(keys[50:], LATER, LATER)
    assert sorted(await rows.held(keys)) == sorted(keys[50:])
    assert set(await rows.claim(["claimed"], NOW, NOW)) == {"claimed"}
