"""Serves channels: every one that is set up, side by side in one application."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, nullcontext
from functools import partial
from typing import Any, TypeAlias

from bot.adapters.loop_watch.loop_watch import LoopWatch
from bot.adapters.system_clock import SystemClock
from bot.bootstrap.channel_form import ChannelForm, Host, OpenChannel
from bot.bootstrap.contained_channel import ChannelFaults, ContainedChannel
from bot.bootstrap.damage_ending import damage_in, end_on_damage, told_owners
from bot.bootstrap.door_form import DoorForm, Inside
from bot.bootstrap.hosting import host_of
from bot.bootstrap.listener import Listener
from bot.bootstrap.notices import Notices
from bot.bootstrap.opening import Counted, Running, opened, uncounted
from bot.bootstrap.telling_owners import owner_keys, tell_when_unwritable
from bot.bootstrap.world import Channels
from bot.domain.talk.errors import SettingError, StoreDamaged
from bot.domain.talk.hold import never_held
from bot.flow.world import heard_by_nobody
from bot.logs import Secrets
from bot.ports.channel import Overhear
from bot.settings import Settings

Door: TypeAlias = Callable[[Inside], Coroutine[Any, Any, None]]
"""Keeps a door for other programs open until cancelled."""


async def serve(
    settings: Settings,
    forms: Sequence[ChannelForm],
    secrets: Secrets | None = None,
    watch: LoopWatch | None = None,
    doors: Sequence[DoorForm] = (),
    *,
    patient: bool = True,
    counted: Counted = uncounted,
) -> int:
    """Serves every channel that is set up, until cancelled or until a person leaves one.

    The watch, if there is one, made the loop that runs this. It watches as long as channels are
    listened to: nobody waits before. A fault in listening to one channel ends the run with that
    fault, and the next run takes up everything that is stored. A fault in showing ends nothing.
    """
    async with AsyncExitStack() as stack:
        served, faults = await _opened_channels(settings, forms, stack), ChannelFaults()
        channels, owners = _folded(served, faults), set(settings.owners)
        holds = watch.holds if watch is not None else never_held
        live = opened(
            settings, channels, secrets or Secrets(), holds, patient=patient, counted=counted
        )
        try:
            async with live as running:
                host = host_of(running)
                for channel in served:
                    if channel.duty in settings.duties:
                        await channel.prepare(host)
                owners.update(await owner_keys(running.store))
                with watch.watching() if watch is not None else nullcontext():
                    opening = [partial(door.keep_open, settings) for door in doors]
                    await run(settings, served, running, host, opening, faults)
        except (StoreDamaged, ExceptionGroup) as ended:
            damage = damage_in(ended)
            if damage is None:
                raise
            raise await told_owners(settings, damage, owners, channels.by_name) from None
    return 0


async def _opened_channels(
    settings: Settings, forms: Sequence[ChannelForm], stack: AsyncExitStack
) -> Sequence[OpenChannel]:
    """Opens every channel that is set up; raises SettingError when none is."""
    clock = SystemClock()
    served = [
        await stack.enter_async_context(form.opened(settings, clock))
        for form in forms
        if not form.missing(settings)
    ]
    if not served:
        names = " and ".join(form.missing(settings) for form in forms)
        raise SettingError(f"{names} is not set")
    return served


def _folded(served: Sequence[OpenChannel], faults: ChannelFaults) -> Channels:
    async def ready() -> None:
        async with asyncio.TaskGroup() as group:
            for channel in served:
                group.create_task(channel.ready(), name=f"{channel.channel.name} ready")

    overhear = next((one.overhear for one in served if one.overhear is not None), None)
    return Channels(
        {one.channel.name: _contained(one, overhear, faults) for one in served},
        {one.channel.name: one.files for one in served if one.files is not None},
        {one.channel.name: one.groups for one in served if one.groups is not None},
        ready,
        faults.next,
        overhear or heard_by_nobody,
    )


def _contained(
    one: OpenChannel, overhear: Overhear | None, faults: ChannelFaults
) -> ContainedChannel:
    return ContainedChannel(one.channel, faults, None if one.overhear is not None else overhear)


_SETTLING_SECONDS = 2.0
"""Seconds that a start waits for the database to know of notices."""


async def run(
    settings: Settings,
    served: Sequence[OpenChannel],
    running: Running,
    host: Host,
    doors: Sequence[Door],
    faults: ChannelFaults,
) -> None:
    """Runs until a person leaves or a channel fails; owed messages are delivered before it ends."""
    application = running.application
    listeners = [
        Listener(one, running, host, faults)
        for one in served
        if one.duty in application.parts.world.duties
    ]
    notices = Notices(settings.home)
    application.parts.world.reached.update({one.name: one.state for one in listeners})
    inside = Inside(application, running.store, {one.name: one.reached for one in listeners})
    async with asyncio.TaskGroup() as group:
        settling = group.create_task(notices.settle(running.store), name="notices")
        # Deliveries begin behind it, unless nothing can be written again.
        await asyncio.wait([settling], timeout=_SETTLING_SECONDS)
        # Listeners come first: nothing may stand before the first poll.
        listening = [
            group.create_task(one.listen(), name=f"{one.name} updates") for one in listeners
        ]
        beside = [
            group.create_task(application.run(), name="application"),
            group.create_task(end_on_damage(running.store), name="damage"),
            group.create_task(tell_when_unwritable(settings, running, notices), name="full disk"),
            # The application has begun by then: calls that are taken find their lanes.
            *[group.create_task(door(inside), name="door") for door in doors],
        ]
        await asyncio.wait(listening or beside[:1], return_when=asyncio.FIRST_COMPLETED)
        await application.parts.way_out.delivery.flushed()
        for task in (settling, *listening, *beside):
            task.cancel()
