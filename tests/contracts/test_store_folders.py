"""A folder belongs to the workers that had it first."""

import asyncio

from tests.contracts.store_ports import StorePorts


async def test_a_folder_stays_with_the_first_that_claims_it(store: StorePorts) -> None:
    assert await store.folders.claim("one", "garage") == "garage"
    assert await store.folders.claim("one", "attic") == "garage"
    assert await store.folders.claim("two", "attic") == "attic"
    assert await store.folders.claim("one", "garage") == "garage"
    assert await store.folders.counts() == {"garage": 1, "attic": 1}


async def test_of_two_claims_at_once_both_get_the_same_answer(store: StorePorts) -> None:
    tags = ("garage", "attic")
    answers = await asyncio.gather(*(store.folders.claim("one", tag) for tag in tags))
    assert answers[0] == answers[1]
    assert answers[0] in tags
