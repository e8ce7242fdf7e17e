"""Shows the application to its channels."""

import asyncio
from collections.abc import Sequence
from functools import partial

from bot.adapters.sql.store import Store
from bot.bootstrap.channel_form import Host
from bot.bootstrap.opening import Running
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.talk.person import Role, Sender, owner_names
from bot.flow.arrivals.doorway import Doorway
from bot.flow.commands.menus import menus_of
from bot.flow.groups.absence import Absence

_MOST_CHATS, _MOST_WAITING = 200, 50
"""Chats that a channel asks about after a gap, and waiting messages of each that it looks at."""


class Pairing:
    """Offers one code for all channels of a run, since a newer code makes an older one void."""

    def __init__(self, doorway: Doorway) -> None:
        self._doorway = doorway
        self._offering = asyncio.Lock()
        self._code = ""

    async def code(self) -> str:
        """Returns the code, which is offered when the first channel asks for it."""
        async with self._offering:
            if not self._code:
                self._code = await self._doorway.pairing_code()
            return self._code


def host_of(running: Running) -> Host:
    """Returns the application as its channels see it."""
    parts, people = running.application.parts, running.store.people
    pairing = Pairing(parts.entrance.doorway)

    async def admit_owner(sender: Sender) -> None:
        await people.admit(sender, Role.OWNER)

    async def model_in(address: Address) -> str:
        chat = await running.store.chats.at(address, private=True)
        return parts.rooms.models.choosing.model(chat.settings.model)

    async def owners() -> Sequence[str]:
        return [key for key, person in await people.accounts() if person.is_owner]

    async def names() -> Sequence[str]:
        return owner_names(await people.accounts())

    commands = parts.command_table.commands
    return Host(
        [(command.name, command.plain_summary) for command in commands],
        {command.name: command.usage for command in commands},
        model_in,
        menus_of(commands),
        owners,
        parts.entrance.doorway.owned,
        pairing.code,
        admit_owner,
        parts.command_table.cards_on_screen.shown_in,
        names,
        partial(running.store.chats.of_channel, limit=_MOST_CHATS),
        Absence(running.store.ledger).lost,
        running.store.inbox.newest,
        partial(_waiting_in, running.store),
        parts.entrance.present_words,
        running.model,
        running.warm_up,
    )


async def _waiting_in(store: Store, address: Address) -> Sequence[RawUpdate]:
    """Returns the updates of a place that wait for their turn."""
    chats = [chat for chat in await store.chats.within(address) if chat.address == address]
    waits = [await store.inbox.waiting(chat.id, _MOST_WAITING) for chat in chats]
    return [RawUpdate(row.key, row.body) for rows in waits for row in rows]
