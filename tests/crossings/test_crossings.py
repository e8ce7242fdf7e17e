"""Abilities cross by pairs, a model obeys whoever speaks, and nothing that is promised breaks."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import combinations

import pytest

from bot.adapters.sql.store import open_store
from tests.crossings.abilities import ABILITIES, CANNOT
from tests.crossings.case import Case, covering
from tests.crossings.judge import faults
from tests.crossings.play import play
from tests.crossings.story import Story, staged
from tests.crossings.two_channels import Second
from tests.lacking import THOROUGH

_STRENGTH = 3 if THOROUGH else 2


@asynccontextmanager
async def on_its_store(case: Case, request: pytest.FixtureRequest) -> AsyncIterator[Story]:
    """Sets the stage of a story over the store that it names."""
    if case.store == "memory":
        async with staged(case, None, None) as story:
            yield story
        return
    fixture = "sqlite_url" if case.store == "sqlite" else "postgres_emptied"
    url = request.getfixturevalue(fixture)
    async with AsyncExitStack() as first, AsyncExitStack() as later:
        store, second = await first.enter_async_context(open_store(url)), None
        if case.event == "taken over":
            second = Second(await later.enter_async_context(open_store(url)), first.aclose)
        yield await later.enter_async_context(staged(case, store, url, second=second))


def _marked(case: Case) -> object:
    marks = [pytest.mark.postgres] if case.store == "postgres" else []
    # These run their command in a real sandbox where there is one.
    marks += [pytest.mark.commands] if case.act == "secret" else []
    return pytest.param(
        case, id=case.name.replace("; ", "+").replace(",", "").replace(" ", "_"), marks=marks
    )


@pytest.mark.parametrize("case", [*map(_marked, covering(_STRENGTH))])
async def test_nothing_leaks_where_abilities_cross(
    case: Case, request: pytest.FixtureRequest
) -> None:
    async with on_its_store(case, request) as story:
        await play(story)
        found = faults(story)
        assert not found, "\n".join(found)


def test_each_pair_of_abilities_meets_in_a_story() -> None:
    cases = covering(2)
    met = {
        pair
        for case in cases
        for pair in combinations(sorted(one for one, has in ABILITIES.items() if has(case)), 2)
    }
    pairs = set(combinations(sorted(ABILITIES), 2))
    assert len(pairs) == 406
    assert pairs - met == CANNOT.keys()
