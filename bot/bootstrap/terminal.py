"""Steward in the terminal it was started in."""

import asyncio
from functools import partial

from bot.adapters.sql.store import Store
from bot.adapters.terminal.terminal import Terminal
from bot.adapters.tools.hardening import harden
from bot.bootstrap.opening import Channels, opened
from bot.bootstrap.parts import Hide
from bot.domain.person import Role
from bot.flow.commands.dispatch import answer_key
from bot.settings import Settings

_LATELY = 1_000
"""Updates among which questions about a message are looked for."""


async def chat(settings: Settings, terminal: Terminal, hide: Hide = lambda *_: None) -> int:
    """Talks in the terminal until the person leaves."""
    harden()
    async with terminal:
        channels = Channels({terminal.channel.name: terminal.channel})
        async with opened(settings, channels, hide) as running:
            application = running.application
            await running.store.people.admit(terminal.sender, Role.OWNER)
            await _show_open_cards(running.store, terminal)
            async with asyncio.TaskGroup() as group:
                work = group.create_task(application.run(), name="application")
                accept = partial(application.parts.intake.accept, terminal.channel.name)
                await terminal.converse(accept)
                await application.parts.delivery.flushed()
                work.cancel()
    return 0


async def _show_open_cards(store: Store, terminal: Terminal) -> None:
    """A screen that was cleared or closed shows its open cards again, ready to be decided."""
    home = await store.chats.at(terminal.address, private=True)
    keys = [card.key_in(home.id) for card in await store.approvals.open_in(home.id)]
    plan = await store.plans.live(home.id)
    if plan is not None:
        keys.append(plan.key_in(home.id))
    keys.extend(answer_key(row.id) for row in await store.inbox.asked(home.id, _LATELY))
    for key in keys:
        row = await store.outbox.row(key)
        if row is not None and row.message_ids:
            await terminal.channel.edit(row.address, row.message_ids[-1], row.pieces[-1])
