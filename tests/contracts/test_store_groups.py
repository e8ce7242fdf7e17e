"""What a group needs of a store: settings, a title, an address to move to, and talk heard."""

from dataclasses import replace

from bot.domain.change import (
    InboundState,
    MarkInbound,
    MoveChat,
    NameChat,
    PassOver,
    ReleaseHeard,
    SaveApproval,
    SaveSettings,
)
from bot.domain.talk.chat import Activation, Chat, LongAnswers
from bot.domain.talk.message import Address, RawUpdate
from bot.ports.inbox import InboundRow
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_card, commit, shown

NEW, HEARD = InboundState.NEW, InboundState.HEARD
OLD, NEWER = Address("telegram", "-42"), Address("telegram", "-10042")


async def rows(store: StorePorts, count: int) -> list[InboundRow]:
    updates = [RawUpdate(str(n), f"body {n}") for n in range(count)]
    await store.inbox.accept("telegram", updates, NOW)
    return list(await store.inbox.unrouted(count))


async def hear(store: StorePorts, chat: Chat, count: int) -> list[InboundRow]:
    new = await rows(store, count)
    await commit(store, *(MarkInbound(r.id, HEARD, (NEW,), chat.id) for r in new))
    return new


async def test_a_new_chat_waits_to_be_mentioned_and_hears_nothing(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    assert (chat.title, chat.settings.activation, chat.settings.listens) == (
        "",
        Activation.MENTION,
        False,
    )
    assert chat.moved_from is None


async def test_what_a_group_wants_of_the_bot_is_kept(store: StorePorts, chat: Chat):
    wish = replace(
        chat.settings,
        activation=Activation.ALWAYS,
        listens=True,
        long_answers=LongAnswers.FILE,
        previews=True,
        footer=True,
        verbose=True,
    )
    await commit(store, SaveSettings(chat, wish))
    assert await store.chats.get(chat.id) == replace(chat, settings=wish)


async def test_a_title_changes_without_the_rest(store: StorePorts, chat: Chat):
    await commit(
        store, NameChat(chat.id, "Team"), SaveSettings(chat, replace(chat.settings, model="m"))
    )
    assert await store.chats.get(chat.id) == replace(
        chat, settings=replace(chat.settings, model="m"), title="Team"
    )


async def test_a_chat_that_moves_takes_its_history_and_what_is_owed_along(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    await commit(store, shown(chat))
    await commit(store, MoveChat(OLD, NEWER))
    assert await store.chats.at(NEWER, private=False) == replace(
        chat, address=NEWER, moved_from=OLD
    )
    assert [row.address for row in await store.outbox.owed(chat.id)] == [NEWER]


async def test_a_chat_moves_once(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    await commit(store, MoveChat(OLD, NEWER), MoveChat(OLD, NEWER))
    assert (await store.chats.get(chat.id)).moved_from == OLD


async def test_a_chat_does_not_move_to_where_another_lives(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    other = await store.chats.at(NEWER, private=False)
    await commit(store, MoveChat(OLD, NEWER))
    assert await store.chats.get(chat.id) == chat
    assert await store.chats.get(other.id) == other


async def test_what_is_heard_waits_for_no_turn(store: StorePorts, chat: Chat):
    await hear(store, chat, 1)
    assert await store.inbox.unrouted(10) == []
    assert await store.inbox.waiting(chat.id) == []
    assert await store.journal.chats_with_work() == []


async def test_the_newest_of_what_was_heard_is_read_in_order(store: StorePorts, chat: Chat):
    await hear(store, chat, 5)
    assert [r.body for r in await store.inbox.heard(chat.id, 3)] == ["body 2", "body 3", "body 4"]
    assert await store.inbox.heard(chat.id + 1, 3) == []


async def test_what_was_heard_is_released_up_to_an_update(store: StorePorts, chat: Chat):
    heard = await hear(store, chat, 4)
    await commit(store, ReleaseHeard(chat.id, heard[2].id))
    assert [r.body for r in await store.inbox.heard(chat.id, 10)] == ["body 3"]


async def test_releasing_leaves_other_chats_and_waiting_messages_alone(
    store: StorePorts, chat: Chat
):
    new = await rows(store, 2)
    other = await store.chats.at(OLD, private=False)
    await commit(store, MarkInbound(new[0].id, InboundState.WAITING, (NEW,), chat.id))
    await commit(store, MarkInbound(new[1].id, HEARD, (NEW,), other.id))
    await commit(store, ReleaseHeard(chat.id, new[1].id))
    assert [r.body for r in await store.inbox.waiting(chat.id)] == ["body 0"]
    assert [r.body for r in await store.inbox.heard(other.id, 10)] == ["body 1"]


async def test_updates_are_passed_over_together_and_never_come_again(store: StorePorts):
    new = await rows(store, 3)
    await commit(store, PassOver((new[0].id, new[2].id), "not for the bot"))
    assert [r.id for r in await store.inbox.unrouted(10)] == [new[1].id]
    again = [RawUpdate(r.key, r.body) for r in new]
    assert await store.inbox.accept("telegram", again, NOW) == []


async def test_only_new_updates_are_passed_over(store: StorePorts, chat: Chat):
    new = await rows(store, 1)
    await commit(store, MarkInbound(new[0].id, InboundState.WAITING, (NEW,), chat.id))
    await commit(store, PassOver((new[0].id,), "late"))
    assert [r.body for r in await store.inbox.waiting(chat.id)] == ["body 0"]


async def test_a_card_keeps_the_name_of_who_asked(store: StorePorts, chat: Chat):
    card = a_card(chat, asker_name="Ann")
    await commit(store, SaveApproval(card))
    assert await store.approvals.get(card.id) == card
