"""Serves channels: every one that is set up, side by side in one application."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial

from bot.adapters.system_clock import SystemClock
from bot.bootstrap.channel_form import ChannelForm, Host, OpenChannel
from bot.bootstrap.opening import Channels, Running, opened
from bot.bootstrap.pairing import Pairing
from bot.bootstrap.parts import Hide
from bot.domain.errors import SettingError
from bot.domain.person import Role, Sender
from bot.settings import Settings


async def serve(
    settings: Settings, forms: Sequence[ChannelForm], hide: Hide = lambda *_: None
) -> int:
    """Serves every channel that is set up, until cancelled or until a person leaves one.

    A fault of one channel ends the run with that fault. The next run takes up everything that is
    stored.
    """
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        served = [
            await stack.enter_async_context(form.opened(settings, clock))
            for form in forms
            if not form.missing(settings)
        ]
        if not served:
            names = " and ".join(form.missing(settings) for form in forms)
            raise SettingError(f"{names} is not set")
        running = await stack.enter_async_context(opened(settings, _folded(served), hide))
        host = _host(running)
        for channel in served:
            await channel.prepare(host)
        await _run(served, running, host)
    return 0


def _folded(served: Sequence[OpenChannel]) -> Channels:
    async def ready() -> None:
        async with asyncio.TaskGroup() as group:
            for channel in served:
                group.create_task(channel.ready(), name=f"{channel.channel.name} ready")

    return Channels(
        {one.channel.name: one.channel for one in served},
        {one.channel.name: one.files for one in served if one.files is not None},
        {one.channel.name: one.groups for one in served if one.groups is not None},
        ready,
    )


def _host(running: Running) -> Host:
    parts, people = running.application.parts, running.store.people
    pairing = Pairing(people, parts.doorway)

    async def admit_owner(sender: Sender) -> None:
        await people.admit(sender, Role.OWNER)

    return Host(
        [(command.name, command.summary) for command in parts.command_table.commands],
        pairing.owned,
        pairing.code,
        admit_owner,
        parts.command_table.cards_on_screen.shown_in,
        running.warm_up,
    )


async def _run(served: Sequence[OpenChannel], running: Running, host: Host) -> None:
    """Runs until a person leaves or a channel fails; owed messages are delivered before it ends."""
    application = running.application
    async with asyncio.TaskGroup() as group:
        # Listeners come first: nothing may stand before the first poll.
        listening = [
            group.create_task(
                one.listen(partial(application.parts.intake.accept, one.channel.name)),
                name=f"{one.channel.name} updates",
            )
            for one in served
        ]
        beside = [
            group.create_task(application.run(), name="application"),
            *[
                group.create_task(one.greet(host), name=f"{one.channel.name} greeting")
                for one in served
            ],
        ]
        await asyncio.wait(listening, return_when=asyncio.FIRST_COMPLETED)
        await application.parts.way_out.delivery.flushed()
        for task in (*listening, *beside):
            task.cancel()
