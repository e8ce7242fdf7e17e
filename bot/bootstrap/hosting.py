"""Shows the application to its channels."""

import asyncio
from collections.abc import Sequence
from functools import partial

from bot.adapters.sql.store import Store
from bot.bootstrap.channel_form import Host
from bot.bootstrap.named_rules import NamedRules
from bot.bootstrap.opening import Running
from bot.bootstrap.question_record import QuestionRecord
from bot.bootstrap.shared_chats import SharedChats
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.talk.person import Role, Sender, owner_names
from bot.flow.arrivals.doorway import Doorway
from bot.flow.commands.menus import menus_of
from bot.flow.groups.absence import Absence
from bot.ports.people import People

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
    pairing, commands = Pairing(parts.entrance.doorway), parts.command_table.commands
    return Host(
        commands=[(command.name, command.plain_summary) for command in commands],
        usages={command.name: command.usage for command in commands},
        model_in=partial(_model_in, running),
        menus=menus_of(commands),
        owners=partial(_owners, people),
        owned=parts.entrance.doorway.owned,
        pairing_code=pairing.code,
        admit_owner=partial(_admit_owner, people),
        open_cards=parts.command_table.cards_on_screen.shown_in,
        owner_names=partial(_owner_names, people),
        chats_of=partial(running.store.chats.of_channel, limit=_MOST_CHATS),
        lost=Absence(running.store.ledger).lost,
        heard_until=running.store.inbox.newest,
        reached=running.store.inbox.reached,
        waiting_in=partial(_waiting_in, running.store),
        present_words=parts.entrance.present_words,
        model=running.model,
        warm_up=running.warm_up,
        serves=tuple(parts.world.channels),
        record_of=partial(QuestionRecord, running.store),
        rules_at=partial(NamedRules, running.store),
        wake=partial(_woken, running),
        shared_chats=SharedChats(running),
        deliver_owed=parts.way_out.delivery.resume,
        running=running,
    )


async def _model_in(running: Running, address: Address) -> str:
    chat = await running.store.chats.at(address, private=True)
    return running.application.parts.rooms.models.choosing.model(chat.settings.model)


async def _owners(people: People) -> Sequence[str]:
    return [key for key, person in await people.accounts() if person.is_owner]


async def _owner_names(people: People) -> Sequence[str]:
    return owner_names(await people.accounts())


async def _admit_owner(people: People, sender: Sender) -> None:
    await people.admit(sender, Role.OWNER)


async def _woken(running: Running, address: Address) -> None:
    chat = await running.store.chats.at(address, private=True)
    running.application.parts.way_out.delivery.wake(chat.id)


async def _waiting_in(store: Store, address: Address) -> Sequence[RawUpdate]:
    """Returns the updates of a place that wait for their turn."""
    chats = [chat for chat in await store.chats.within(address) if chat.address == address]
    waits = [await store.inbox.waiting(chat.id, _MOST_WAITING) for chat in chats]
    theirs = (row for rows in waits for row in rows if row.channel == address.channel)
    return [RawUpdate(row.key, row.body) for row in theirs]
