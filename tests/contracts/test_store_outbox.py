"""The latest wish is owed until it is on the screen, whatever older one got there meanwhile."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.domain.change import InboundState, MarkInbound, Retract, Show
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, Button, OutboundKind, Piece, RawUpdate
from bot.ports.outbox import MOST_OWED, Delivered, DeliveryState, OutboxRow
from bot.ports.sightings import Sighting
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, an_outbound, commit, later, shown

PIECES = (Piece({"text": "Done.", "entities": [{"type": "bold", "offset": 0}]}), Piece({}))


async def the_row(store: StorePorts, key: str = "answer:1") -> OutboxRow:
    row = await store.outbox.row(key)
    assert row is not None
    return row


async def record(store: StorePorts, row: OutboxRow, **changes: Any) -> None:
    delivered = Delivered(
        id=row.id,
        version=row.version,
        state=DeliveryState.SHOWN,
        shown_version=row.version,
        pieces=PIECES[:1],
        message_ids=("101",),
        attempts=1,
        at=later(1),
    )
    await store.outbox.record(replace(delivered, **changes))


def keys(rows: Sequence[OutboxRow]) -> list[str]:
    return [row.key for row in rows]


async def test_a_shown_message_is_owed_with_its_address(store: StorePorts):
    address = Address("telegram", "-100", "7")
    chat = await store.chats.at(address, private=False)
    await commit(store, shown(chat))
    assert await store.outbox.owed(chat.id) == [
        OutboxRow(
            id=(await the_row(store)).id,
            key="answer:1",
            chat=chat.id,
            address=address,
            content=an_outbound(),
            version=1,
            shown_version=0,
            state=DeliveryState.OWED,
            created_at=NOW,
        )
    ]
    assert await store.outbox.chats_owed() == [chat.id]


async def test_messages_are_owed_in_the_order_they_were_first_shown(store: StorePorts, chat: Chat):
    await commit(store, shown(chat, "a"), shown(chat, "b"))
    await commit(store, shown(chat, "c"), shown(chat, "a", "edited"))
    assert keys(await store.outbox.owed(chat.id)) == ["a", "b", "c"]


async def test_so_many_messages_are_read_at_once_and_the_others_after_them(
    store: StorePorts, chat: Chat
):
    named = [f"{number:03}" for number in range(MOST_OWED + 2)]
    await commit(store, *(shown(chat, key) for key in named))
    first = await store.outbox.owed(chat.id)
    assert keys(first) == named[:MOST_OWED]
    rest = await store.outbox.owed(chat.id, first[-1].id)
    assert keys(rest) == named[MOST_OWED:]
    assert await store.outbox.owed(chat.id, rest[-1].id) == []


async def test_the_end_of_a_passing_message_is_owed_until_it_is_gone(store: StorePorts, chat: Chat):
    await commit(store, Retract(chat.id, "turn-1", "77"))
    [row] = await store.outbox.owed(chat.id)
    assert (row.content.kind, row.message_ids) == (OutboundKind.GONE, ("77",))
    assert (row.version, row.shown_version) == (2, 1)
    gone = Delivered(row.id, row.version, DeliveryState.SHOWN, row.version, (), (), 0, NOW)
    await store.outbox.record(gone)
    assert await store.outbox.owed(chat.id) == []
    await commit(store, Retract(chat.id, "turn-2", "77"))
    assert len(await store.outbox.owed(chat.id)) == 1


async def test_a_passing_message_without_a_known_id_is_owed_a_search_from_its_sending_on(
    store: StorePorts, chat: Chat
):
    began = NOW - timedelta(seconds=7)
    await commit(store, Retract(chat.id, "turn-1", None, began))
    [row] = await store.outbox.owed(chat.id)
    assert (row.content.kind, row.message_ids) == (OutboundKind.STRAY, ())
    assert (row.created_at, row.shown_version, row.about) == (began, 0, "turn-1")
    gone = Delivered(row.id, row.version, DeliveryState.SHOWN, row.version, (), (), 0, NOW)
    await store.outbox.record(gone)
    await commit(store, Retract(chat.id, "turn-1", "77"))
    await commit(store, Retract(chat.id, "turn-1", None, NOW))
    again, known = await store.outbox.owed(chat.id)
    assert (again.id, again.created_at) == (row.id, began)
    assert known.message_ids == ("77",)


async def test_each_chat_owes_its_own(store: StorePorts, chat: Chat):
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(store, shown(chat, "a"), shown(other, "b"))
    assert keys(await store.outbox.owed(other.id)) == ["b"]
    assert await store.outbox.chats_owed() == [chat.id, other.id]


async def test_a_message_on_the_screen_is_not_owed(store: StorePorts, chat: Chat):
    await commit(store, shown(chat))
    await record(store, await the_row(store))
    assert await store.outbox.owed(chat.id) == []
    assert await store.outbox.chats_owed() == []
    row = await the_row(store)
    assert (row.state, row.shown_version, row.pieces) == (DeliveryState.SHOWN, 1, PIECES[:1])


async def test_the_same_key_again_is_an_edit(store: StorePorts, chat: Chat):
    await commit(store, shown(chat, text="first"))
    await record(store, await the_row(store))
    await commit(store, shown(chat, text="second"), shown(chat, text="third"))
    (row,) = await store.outbox.owed(chat.id)
    assert (row.version, row.shown_version, row.attempts) == (3, 1, 0)
    assert row.content == an_outbound("third")
    assert row.message_ids == ("101",)


async def test_a_record_of_an_older_version_leaves_the_newer_one_owed(
    store: StorePorts, chat: Chat
):
    await commit(store, shown(chat, text="first"))
    older = await the_row(store)
    await commit(store, shown(chat, text="second"))
    await record(store, older)
    (row,) = await store.outbox.owed(chat.id)
    assert (row.version, row.shown_version) == (2, 1)
    assert row.message_ids == ("101",)
    await record(store, row)
    assert await store.outbox.owed(chat.id) == []


async def test_half_of_a_long_message_is_remembered(store: StorePorts, chat: Chat):
    await commit(store, shown(chat))
    row = await the_row(store)
    await record(
        store,
        row,
        state=DeliveryState.OWED,
        shown_version=0,
        pieces=PIECES,
        error="cut",
        attempts=2,
    )
    (row,) = await store.outbox.owed(chat.id)
    assert (row.pieces, row.message_ids) == (PIECES, ("101",))
    assert (row.attempts, row.error) == (2, "cut")


async def test_a_message_given_up_on_is_not_owed_until_shown_anew(store: StorePorts, chat: Chat):
    await commit(store, shown(chat))
    await record(store, await the_row(store), state=DeliveryState.DEAD, shown_version=0)
    assert await store.outbox.owed(chat.id) == []
    await commit(store, shown(chat, text="another try"))
    (row,) = await store.outbox.owed(chat.id)
    assert (row.attempts, row.error, row.version) == (0, "", 2)


async def test_a_platform_id_leads_to_the_key_in_its_chat(store: StorePorts, chat: Chat):
    await commit(store, shown(chat, "card:1"))
    row = await the_row(store, "card:1")
    await record(store, row, message_ids=("101", "102"), pieces=PIECES)
    await record(store, row, message_ids=("101", "102"), pieces=PIECES)
    assert await store.outbox.key_of(chat.id, "102") == "card:1"
    assert await store.outbox.key_of(chat.id, "999") is None
    assert await store.outbox.key_of(chat.id + 1, "101") is None


async def test_rows_with_buttons_are_found_by_the_beginning_of_their_key(
    store: StorePorts, chat: Chat
):
    asking = replace(an_outbound(), buttons=((Button("Yes", "k:in:telegram:7"),),))
    for key in ("a_k:1", "a_k:2", "a_k:3", "abk:1", "A_K:1"):
        await commit(store, Show(key, chat.id, asking))
    await commit(store, Show("a_k:2", chat.id, replace(an_outbound(), buttons=())))
    await record(store, await the_row(store, "a_k:3"), state=DeliveryState.DEAD, shown_version=0)
    await commit(store, Show("a_k:4", chat.id, asking))
    assert [row.key for row in await store.outbox.pressable("a_k:")] == ["a_k:4", "a_k:1"]


async def test_the_newest_message_of_a_chat_is_one_that_was_not_given_up(
    store: StorePorts, chat: Chat
):
    assert await store.outbox.newest(chat.id) is None
    for key in ("first", "second", "third"):
        await commit(store, Show(key, chat.id, an_outbound()))
    await commit(store, Show("first", chat.id, an_outbound("changed later")))
    await record(store, await the_row(store, "third"), state=DeliveryState.DEAD, shown_version=0)
    newest = await store.outbox.newest(chat.id)
    assert newest is not None
    assert newest.key == "second"
    assert await store.outbox.newest(chat.id + 1) is None


async def test_a_record_of_nothing_is_no_fault(store: StorePorts, chat: Chat):
    await commit(store, shown(chat))
    await record(store, replace(await the_row(store), id=404))
    assert len(await store.outbox.owed(chat.id)) == 1
    assert await store.outbox.row("nothing") is None


async def test_giving_up_an_older_content_leaves_a_newer_one_owed(store: StorePorts):
    chat = await store.chats.at(Address("telegram", "1"), private=True)
    await commit(store, shown(chat))
    row = await the_row(store)
    await commit(store, shown(chat))
    await record(store, row, state=DeliveryState.DEAD, shown_version=0)
    assert (await the_row(store)).state is DeliveryState.OWED


async def test_a_message_over_one_that_is_shown_owes_only_its_edit(store: StorePorts, chat: Chat):
    write = Show("copy:17:1", chat.id, an_outbound(), over="17")
    await commit(store, write)
    (row,) = await store.outbox.owed(chat.id)
    assert (row.message_ids, row.version, row.shown_version) == (("17",), 2, 1)
    await commit(store, write)
    (again,) = await store.outbox.owed(chat.id)
    assert (again.id, again.message_ids, again.version) == (row.id, ("17",), 3)


async def test_a_message_that_is_shown_anew_forgets_its_place_on_the_screen_alone(
    store: StorePorts, chat: Chat
):
    await commit(store, shown(chat, "card:1"))
    await record(store, await the_row(store, "card:1"))
    await commit(store, Show("card:1", chat.id, an_outbound(), anew=True))
    again = await the_row(store, "card:1")
    assert (again.message_ids, again.pieces, again.state) == ((), (), DeliveryState.OWED)
    assert (again.version, again.shown_version) == (2, 1), "it has been on the screen before"
    assert await store.outbox.key_of(chat.id, "101") == "card:1", "a reply to the old one counts"
    await record(store, again, message_ids=("102",))
    assert (await the_row(store, "card:1")).message_ids == ("102",)


async def test_a_new_content_reaches_the_copies_of_a_message_without_its_documents(
    store: StorePorts, chat: Chat
):
    await commit(store, shown(chat, "card:1"), shown(chat, "card:2"))
    original = await the_row(store, "card:1")
    key = f"copy:17:{original.id}"
    first = Show(key, chat.id, an_outbound(), over="17", copy_of=original.id)
    await commit(store, first)
    await record(store, await the_row(store, key), message_ids=("17",))
    await commit(store, shown(chat, "card:2", "Other."))
    assert (await the_row(store, key)).state is DeliveryState.SHOWN
    await commit(store, shown(chat, "card:1", "Decided."))
    copy = await the_row(store, key)
    assert copy.state is DeliveryState.OWED
    assert copy.version == copy.shown_version + 1
    assert copy.content == replace(an_outbound("Decided."), files=())
    assert copy.message_ids == ("17",)
    assert (await the_row(store, "card:1")).content == an_outbound("Decided.")


async def test_known_messages_of_a_channel_are_told_with_the_time_they_became_known(
    store: StorePorts, chat: Chat
):
    place = chat.address
    other = await store.chats.at(Address("elsewhere", "1"), private=True)
    await commit(store, shown(chat), shown(other, "other"), Retract(chat.id, "turn-1", "77"))
    await record(store, await the_row(store), message_ids=("101", "102"))
    await record(store, await the_row(store, "other"), message_ids=("5",))
    await store.inbox.accept(place.channel, [RawUpdate("7", "{}"), RawUpdate("8", "{}")], NOW)
    heard, _ = await store.inbox.unrouted(2)
    done = (InboundState.DONE, (InboundState.NEW,))
    await commit(store, MarkInbound(heard.id, *done, chat=chat.id, message_id="99"))
    assert {*await store.outbox.sightings(place.channel, later(9))} == {
        Sighting(place, "101", later(1)),
        Sighting(place, "102", later(1)),
        Sighting(place, "77", NOW),
        Sighting(place, "99", NOW),
    }


async def test_a_message_that_is_still_to_be_taken_away_is_told_however_old_it_is(
    store: StorePorts, chat: Chat
):
    await commit(store, Retract(chat.id, "turn-1", "77"))
    await commit(store, *[shown(chat, f"later {n}") for n in range(600)])
    seen = await store.outbox.sightings(chat.address.channel, later(9))
    assert "77" in {one.message_id for one in seen}


async def test_more_than_the_newest_messages_are_told_of_the_time_that_counts(
    store: StorePorts, chat: Chat
):
    await commit(store, *[shown(chat, f"later {n}") for n in range(600)])
    for n in range(600):
        await record(store, await the_row(store, f"later {n}"), message_ids=(str(n),))
    told = {one.message_id for one in await store.outbox.sightings(chat.address.channel, NOW)}
    assert told == {str(n) for n in range(600)}


async def test_however_many_messages_came_since_one_from_before_is_told(
    store: StorePorts, chat: Chat
):
    await commit(store, *[shown(chat, f"later {n}") for n in range(601)])
    for n in range(601):
        row = await the_row(store, f"later {n}")
        await record(store, row, message_ids=(str(n),), at=later(1 if n else 0))
    told = {one.message_id for one in await store.outbox.sightings(chat.address.channel, NOW)}
    assert "0" in told


async def test_chats_are_noted_before_something_is_sent_to_them(store: StorePorts, chat: Chat):
    other = await store.chats.at(Address("elsewhere", "1"), private=True)
    await store.outbox.note_sending([chat.id, other.id], [], NOW)
    assert {**await store.outbox.noted_sending()} == {chat.id: NOW, other.id: NOW}
    await store.outbox.note_sending([chat.id], [other.id], later(1))
    assert {**await store.outbox.noted_sending()} == {chat.id: NOW}
