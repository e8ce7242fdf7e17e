"""After the update in which letting in became for talking, owners are told once, and what to do."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.domain.talk.limits import Limits
from bot.domain.talk.person import Role, Sender
from bot.domain.talk.reach import Level
from bot.domain.talk.rights import Rights
from bot.flow.people.narrowed import MOST_NAMED, MOST_WITH_BUTTONS
from tests.fakes.model import ScriptedModel
from tests.scenarios.dying import Fate
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.scenarios.team import PEOPLE

TOLD = "Now they may only talk"


@asynccontextmanager
async def of_before(*more: Sender, wrote: bool = True) -> AsyncGenerator[Stage]:
    """A home of an older program: its members have no level, and the owner may have written."""
    team = (*PEOPLE, *((one, Role.MEMBER) for one in more))
    async with stage(people=team) as scene:
        make_old(scene)
        if wrote:
            await scene.store.chats.at(HOME, private=True)
        yield scene


def make_old(scene: Stage) -> None:
    rows = scene.store.rows
    for one in list(rows.people.values()):
        if not one.is_owner:
            rows.people[one.id] = replace(one, rights=Rights(commands=False))


def told(scene: Stage) -> list[str]:
    return [text for text in scene.texts if TOLD in text]


async def test_owners_are_told_once_who_may_only_talk_now_and_what_gives_more() -> None:
    async with of_before() as scene:
        await scene.crash()
        text = await scene.shows(TOLD)
        assert "This concerns “Bob”." in text
        assert "/rights fake:2 approve changes" in text
        await scene.press("Let them approve changes")
        await scene.shows("They may approve changes of files in the folder of their chat.")
        bob = await scene.store.people.by_sender(BOB)
        assert bob is not None
        assert bob.rights == Rights(commands=False, approves=Level.CHANGES)
        for _ in range(3):
            await scene.crash()
            await scene.say("/help")
            await scene.routed()
        assert len(told(scene)) == 1


async def test_a_long_list_of_people_is_shortened() -> None:
    crowd = [Sender("fake", str(n), f"Guest {n}") for n in range(10, 40)]
    async with of_before(*crowd) as scene:
        await scene.crash()
        text = await scene.shows(TOLD)
        assert text.count("Guest") == MOST_NAMED - 1
        assert "and 21 more." in text
        await scene.until(lambda: len(scene.cards) == MOST_WITH_BUTTONS)


async def test_an_owner_who_has_not_written_yet_is_told_by_a_later_start() -> None:
    async with of_before(wrote=False) as scene:
        await scene.crash()
        await scene.say("/help")
        await scene.until(lambda: scene.texts)
        assert told(scene) == []
        await scene.crash()
        await scene.shows(TOLD)


@pytest.mark.parametrize("people", [((ANN, Role.OWNER),), PEOPLE])
async def test_nothing_is_told_where_nobody_is_of_before(
    people: tuple[tuple[Sender, Role], ...],
) -> None:
    async with stage(people=people) as scene:
        await scene.store.chats.at(HOME, private=True)
        await scene.crash()
        await scene.say("/help")
        await scene.until(lambda: scene.texts)
        assert told(scene) == []


@pytest.mark.parametrize("after", [False, True])
async def test_owners_are_told_once_though_the_first_start_dies(*, after: bool) -> None:
    fate = Fate(1, after=after)
    scene = Stage(ScriptedModel(), (), Limits(), fate)
    for one, role in PEOPLE:
        await scene.store.people.admit(one, role)
    make_old(scene)
    await scene.store.chats.at(HOME, private=True)
    await scene.start()
    try:
        await fate.died.wait()
        assert bool(scene.store.rows.outbox) == after
        await scene.crash()
        await scene.shows(TOLD)
        await scene.crash()
        await scene.say("/help")
        await scene.shows("/help all")
        assert len(told(scene)) == 1
    finally:
        await scene.close()


async def test_several_processes_that_start_together_tell_owners_once() -> None:
    async with of_before() as scene:
        others = [scene.composed() for _ in range(3)]
        telling = [other.parts.rooms.people.narrowed.tell() for other in others]
        await asyncio.gather(*telling)
        versions = [row.version for key, row in scene.store.rows.outbox.items() if TOLD in str(row)]
        assert versions == [1]
