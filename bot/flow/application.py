"""Runs the flow: it resumes unfinished work, then it works until it is cancelled."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from datetime import datetime
from functools import partial
from importlib.metadata import version

from bot.domain.change import AddAudit, Change
from bot.domain.talk.errors import StoreError, StoreUnavailable
from bot.flow.activities import a_few_at_a_time
from bot.flow.composition import Composition
from bot.flow.room import Endless
from bot.ports.bell import SCHEDULE_POST, Peal
from bot.ports.duties import Duty

_LOG = logging.getLogger(__name__)

SWEEP_SECONDS = 20.0
"""Seconds between two searches for overdue cards."""

TAKE_OVER_SECONDS = 1.5
"""Seconds between two looks for work that dead processes left behind."""

_AGAIN_SECONDS = 1.0


class Application:
    """Runs the parts of a composition and ends them together."""

    def __init__(self, parts: Composition) -> None:
        self.parts = parts

    async def resume(self) -> None:
        """Resumes the work from before the start: cards, turns, messages, deliveries."""
        schedules = self.parts.rooms.schedules
        await self.parts.rooms.approvals.ending.sweep()
        await schedules.line_up()
        await self._take_over()
        await self._wake_chats()
        schedules.call_in()
        await self.parts.rooms.people.narrowed.tell()
        await self.parts.way_out.delivery.resume()

    async def run(self) -> None:
        """Works until it is cancelled."""
        async with (
            self.parts.way_out.delivery,
            self.parts.way_out.reactions,
            self.parts.entrance.acknowledging,
            self.parts.way_out.placing,
            self.parts.chat_work.trials,
            self.parts.chat_work.files or nullcontext(),
            self.parts.chat_work.lanes,
            self.parts.chat_work.rung,
            self.parts.entrance.lines,
            asyncio.TaskGroup() as group,
        ):
            self.parts.store.bell.hear(self._hear)
            for work, name in self._parts_of_work():
                group.create_task(work(), name=name)
            await self._resume()
            # Rooms add runs to the line, in which those from before the start come first.
            group.create_task(self._beside(), name="rooms")
            if Duty.SCHEDULE in self.parts.world.duties:
                on_schedule = self.parts.store.posts.keep(SCHEDULE_POST, self._on_schedule)
                group.create_task(on_schedule, name="schedule")

    def _parts_of_work(self) -> Iterator[tuple[Endless, str]]:
        """Yields what this process does, as its duties are."""
        duties = self.parts.world.duties
        yield self._look_again, "look after an outage"
        yield self._take_over_again, "take over"
        yield self._meet_servers, "meeting of servers"
        yield self.parts.rooms.reading.sweep.run, "sweep of old files"
        yield self._deliver, "delivering"
        way_out = self.parts.way_out
        for channel in way_out.office.own:
            showing = partial(way_out.office.keep_own, channel, way_out.shown_for_others.answer)
            yield showing, f"showing on the {channel}"
        if Duty.RECEIVE in duties or Duty.WEB in duties:
            yield self._take_in, "intake"
        if Duty.WORK in duties and (files := self.parts.chat_work.files) is not None:
            for tag in self.parts.world.tags:
                yield partial(files.keep, tag), f"files of {tag}"
        if Duty.WORK in duties or Duty.SCHEDULE in duties:
            yield self._find_by_meaning, "meaning"
            yield self._find_descriptions, "descriptions"

    async def _deliver(self) -> None:
        way_out = self.parts.way_out
        await way_out.office.keep(way_out.delivery.gain, way_out.shown_for_others.answer)

    def _hear(self, peal: Peal, chat: int) -> None:
        """Does what another process rings for."""
        if peal is Peal.WORK:
            self.parts.chat_work.rung.hear(chat)
        elif peal is Peal.OWED:
            self.parts.way_out.delivery.hear(chat)
        elif peal is Peal.LOOKED:
            self.parts.way_out.pages_elsewhere.looked()
        elif peal is Peal.BESIDE and self.parts.store.posts.has(SCHEDULE_POST):
            self.parts.rooms.schedules.look()
            self.parts.rooms.hooks.look()
            self.parts.way_out.indexing.wake()
            if self.parts.world.meaning is not None:
                self.parts.world.meaning.wake()

    async def _resume(self) -> None:
        began = self.parts.world.clock.now()
        while True:
            try:
                await self.resume()
                return await self._note_start(began)
            except StoreUnavailable as fault:
                _LOG.warning("work from before the start has to wait: %s", fault)
                await self.parts.world.clock.sleep(_AGAIN_SECONDS)

    async def _note_start(self, began: datetime) -> None:
        """Puts the start on record, so that a turn's story can tell of it."""
        line = AddAudit(began, None, None, "program.started", version("steward"), {})
        await self.parts.store.journal.commit(Change((line,)))

    async def _look_again(self) -> None:
        """Takes up what is stored each time the store is back: nobody else may know of it."""
        while True:
            await self.parts.world.store_returned()
            self.parts.intake.look_again()
            with suppress(StoreUnavailable):
                await self._wake_chats()
                await self.parts.way_out.delivery.resume()

    async def _wake_chats(self) -> None:
        async for chat in a_few_at_a_time(await self.parts.store.journal.chats_with_work()):
            self.parts.chat_work.lanes.wake(chat)

    async def _take_over(self) -> None:
        """Takes up the updates, runs and deliveries of processes that died."""
        left = await self.parts.intake.take_over(self.parts.store.peers.take_over)
        self.parts.rooms.schedules.take_over(left.runs)
        await self.parts.way_out.delivery.take_over(left.owed)

    async def _take_over_again(self) -> None:
        while self.parts.store.peers.possible:
            await self.parts.world.clock.sleep(TAKE_OVER_SECONDS)
            try:
                await self._take_over()
            except StoreError as fault:
                _LOG.warning("the work of dead processes has to wait: %s", fault)

    async def _take_in(self) -> None:
        await self.parts.world.ready()
        await self.parts.intake.run()

    async def _find_by_meaning(self) -> None:
        """Loads the index of meaning behind the first poll, and never ends by its own fault."""
        if self.parts.world.meaning is not None:
            await self.parts.world.ready()
            await self.parts.world.meaning.run()

    async def _find_descriptions(self) -> None:
        """Has skills and tools embedded behind the first poll, as far as they are searched for."""
        if self.parts.world.descriptions is not None:
            await self.parts.world.ready()
            await self.parts.world.descriptions.run()

    async def _meet_servers(self) -> None:
        """Learns the tools of the operator's servers behind the first poll."""
        world = self.parts.world
        if world.servers is not None and world.own_servers:
            await world.ready()
            await world.servers.meet(world.own_servers)

    async def _beside(self) -> None:
        """Has the rooms work beside the turns, behind the first poll: people are answered first."""
        await self.parts.world.ready()
        async with asyncio.TaskGroup() as group:
            for room in self.parts.rooms.all:
                for name, work in room.everywhere.items():
                    group.create_task(work(), name=name)

    async def _on_schedule(self) -> None:
        """Does what is due by itself, in one process of all."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._sweep(), name="sweep")
            group.create_task(self.parts.way_out.indexing.run(), name="indexing")
            await self.parts.world.ready()
            for room in self.parts.rooms.all:
                for name, work in room.beside.items():
                    group.create_task(work(), name=name)

    async def _sweep(self) -> None:
        while True:
            await self.parts.world.clock.sleep(SWEEP_SECONDS)
            try:
                await self.parts.rooms.approvals.ending.sweep()
            except StoreError as fault:
                _LOG.warning("overdue cards have to wait: %s", fault)
