"""The judge of the crossings finds a fault of each class that it judges."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

from bot.adapters.sql.store import open_store
from bot.domain.change import AddUsage, Change
from bot.domain.talk.message import Address, Outbound, Piece
from bot.domain.tools.run_place import Walls
from bot.domain.tools.tool import Effect
from bot.ports.peers import NoPeers
from bot.ports.tool import Tool
from tests.crossings.case import Case
from tests.crossings.judge import faults
from tests.crossings.story import Story, play, staged
from tests.crossings.talked import EVIL
from tests.crossings.two_channels import Second
from tests.fakes.channel import FakeChannel
from tests.scenarios.tools import ScenarioTool


def _careless(tool: Tool) -> Tool:
    """A tool that says that it only reads."""
    if isinstance(tool, ScenarioTool):
        return replace(tool, spec=replace(tool.spec, effect=Effect.READ))
    return tool


def _twice(tool: Tool) -> Tool:
    """A tool whose work is done twice for one call."""
    if not isinstance(tool, ScenarioTool):
        return tool
    once = tool.act

    def act(arguments: Any, place: Any) -> Any:
        once(arguments, place)
        return once(arguments, place)

    return replace(tool, act=act)


def _silent(tool: Tool) -> Tool:
    """A tool whose cards do not tell of secrets."""
    return ScenarioTool(tool.spec, tool.act) if isinstance(tool, ScenarioTool) else tool


def _same(tool: Tool) -> Tool:
    return tool


class _Nameless(FakeChannel):
    """A channel on which no card says what it is for."""

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        pieces = super().split(content, shown)
        return [
            Piece({**one.body, "text": str(one.body["text"]).replace("for “", "“")})
            for one in pieces
        ]


class _Echoing(FakeChannel):
    """A channel on which each message comes twice."""

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        await super().send(to, piece, once=once)
        return await super().send(to, piece, once=once)


def _on(channel: type[FakeChannel]) -> Callable[[Story], None]:
    def plant(story: Story) -> None:
        story.scene.channel = channel()

    return plant


class _Charging:
    """A journal that keeps each cost twice."""

    def __init__(self, journal: Any) -> None:
        self._journal = journal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    async def commit(self, change: Change) -> None:
        paid = [one for one in change.writes if isinstance(one, AddUsage)]
        again = [replace(one, call=f"{one.call} again") for one in paid]
        await self._journal.commit(replace(change, writes=(*change.writes, *again)))


def _charging(story: Story) -> None:
    store: Any = story.scene.store
    store.journal = _Charging(store.journal)


def _leaking(story: Story) -> None:
    story.leaks = True


def _unwalled(story: Story) -> None:
    """No turn knows the walls that it began behind."""
    story.scene.walls = Walls.NONE


def _nothing(story: Story) -> None:
    del story


PRESSED, READONLY = Case(consent="press"), Case(origin="task", allowed="readonly")
OUTSIDE = Case(origin="task", consent="kept call", event="lower walls")
RECALLED, MEANT = Case(sight="recalled"), Case(sight="recalled by meaning")
AWAY = Case(event="channel away", consent="press")
OVER = Case(event="taken over", consent="press", store="postgres")
FETCH, SECRET = Case(sight="page", act="fetch"), Case(act="secret", consent="press")


@pytest.mark.parametrize(
    ("case", "odd", "plant", "found"),
    [
        pytest.param(Case(), _careless, _nothing, "ran 1 times and was approved 0", id="unasked"),
        pytest.param(PRESSED, _twice, _nothing, "ran 2 times and was approved 1", id="twice"),
        pytest.param(SECRET, _silent, _nothing, "a secret that no approved card", id="secret"),
        pytest.param(READONLY, _careless, _nothing, "may only read changed", id="readonly"),
        pytest.param(PRESSED, _same, _on(_Nameless), "does not name its message", id="nameless"),
        pytest.param(PRESSED, _same, _on(_Echoing), "is on the screens twice", id="echo"),
        pytest.param(PRESSED, _same, _charging, "were paid", id="cost"),
        pytest.param(OUTSIDE, _same, _unwalled, "no card of that place", id="walls"),
        pytest.param(RECALLED, _same, _leaking, "memory of somebody else", id="person"),
        pytest.param(MEANT, _same, _leaking, "memory of somebody else", id="person by meaning"),
    ],
)
async def test_a_planted_fault_is_found(
    case: Case, odd: Callable[[Tool], Tool], plant: Callable[[Story], None], found: str
) -> None:
    async with staged(case, odd=odd, plant=plant) as story:
        await play(story)
        assert any(found in fault for fault in faults(story))
    async with staged(case) as story:
        await play(story)
        assert faults(story) == []


async def test_an_address_that_leaves_is_found() -> None:
    async with staged(FETCH) as story:
        await play(story)
        assert faults(story) == []
        story.pages.fetched.append(f"{EVIL}anything")
        assert any("was fetched unasked" in fault for fault in faults(story))


async def test_a_channel_that_is_never_served_again_is_found() -> None:
    async with staged(AWAY) as story:
        story.stays_away, story.looks = True, 60
        with pytest.raises(AssertionError, match="never comes to rest"):
            await play(story)


@pytest.mark.postgres
async def test_a_process_that_takes_nothing_over_is_found(postgres_emptied: str) -> None:
    async with AsyncExitStack() as first, AsyncExitStack() as later:
        store = await first.enter_async_context(open_store(postgres_emptied))
        other = await later.enter_async_context(open_store(postgres_emptied))
        second = Second(replace(other, owned_chats=None, peers=NoPeers()), first.aclose)
        staging = staged(OVER, store, postgres_emptied, second=second)
        story = await later.enter_async_context(staging)
        story.looks = 60
        with pytest.raises(AssertionError, match="never comes to rest"):
            await play(story)
