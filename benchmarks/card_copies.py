"""Copies of an open card in chats of their own, written through the ports of the store."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from bot.adapters.sql.store import Store, open_store
from bot.domain.change import Append, Change, SaveApproval, SaveTurn, Show, Write
from bot.domain.consent.approval import Approval
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn
from bot.ports.outbox import Delivered, DeliveryState, OutboxRow

_FIRST_CHAT = 50_000_000
_FIRST_MESSAGE = 1_000_000
_CHATS_A_CHANGE = 500


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A parked turn with all rows that the program wrote for it."""

    turn: Turn
    entries: Sequence[Entry]
    card: Approval
    shown: OutboxRow

    def moved(self, chat: Chat, number: int) -> tuple[Write, ...]:
        """Returns the same rows for another chat, whose log is empty."""
        turn = replace(self.turn, id=f"copy-{number}", chat=chat.id, conversation=chat.conversation)
        card = replace(
            self.card,
            id=f"card-{number}",
            token=f"token-{number}",
            chat=chat.id,
            conversation=chat.conversation,
            turn=turn.id,
        )
        entries = tuple(
            replace(entry, seq=seq, conversation=chat.conversation, turn=turn.id)
            for seq, entry in enumerate(self.entries, start=1)
        )
        return (
            Append(chat.id, entries),
            SaveTurn(turn),
            SaveApproval(card),
            Show(card.key_in(chat.id), chat.id, self.shown.content),
        )


async def add_copies(url: str, count: int) -> None:
    """Writes `count` copies of the first chat's open card; the program must not be running."""
    async with open_store(url) as store:
        template = await _template(store)
        for numbers in _batched(range(count), _CHATS_A_CHANGE):
            writes: list[Write] = []
            for number in numbers:
                address = Address(template.shown.address.channel, str(_FIRST_CHAT + number))
                chat = await store.chats.at(address, private=True)
                writes.extend(template.moved(chat, number))
            await store.journal.commit(Change(tuple(writes)))
            for number in numbers:
                await _mark_shown(store, template.shown, number)


async def _template(store: Store) -> _Waiting:
    account, _ = (await store.people.accounts())[0]
    channel, _, chat_id = account.partition(":")
    chat = await store.chats.at(Address(channel, chat_id), private=True)
    agenda = await store.journal.agenda(chat.id)
    [turn], [card] = agenda.unfinished, agenda.approvals
    shown = await store.outbox.row(card.key_in(chat.id))
    assert shown is not None
    return _Waiting(turn, await store.journal.entries(turn.conversation), card, shown)


async def _mark_shown(store: Store, shown: OutboxRow, number: int) -> None:
    row = await store.outbox.row(f"card:card-{number}")
    assert row is not None
    await store.outbox.record(
        Delivered(
            id=row.id,
            version=row.version,
            state=DeliveryState.SHOWN,
            shown_version=row.version,
            pieces=shown.pieces,
            message_ids=(str(_FIRST_MESSAGE + number),),
            attempts=1,
            at=row.created_at,
        )
    )


def _batched(numbers: Iterable[int], size: int) -> Iterator[list[int]]:
    rest = iter(numbers)
    while batch := list(islice(rest, size)):
        yield batch
