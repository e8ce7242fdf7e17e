"""Words of recordings, and answers that are owed as voice notes."""

from dataclasses import replace

from bot.domain.change import (
    EndVoice,
    Erase,
    InboundState,
    JoinChats,
    KeepHeard,
    MarkInbound,
    OweVoice,
    SaveSettings,
    SaveTurn,
    SetVoice,
)
from bot.domain.change.erasing import Target
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.turn.turn import TurnState
from bot.domain.turn.voice import HeardWords, VoiceNote
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_turn, commit, later, shown

NEW, WAITING, TAKEN = InboundState.NEW, InboundState.WAITING, InboundState.TAKEN


def heard(chat: Chat, key: str = "7/u", words: str = "buy milk") -> KeepHeard:
    return KeepHeard(HeardWords(chat.id, key, words, NOW, key.partition("/")[0]))


async def test_what_was_heard_is_found_by_chat_and_key(store: StorePorts, chat: Chat) -> None:
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(store, heard(chat), heard(other, words=""), heard(chat, words="buy silk"))
    assert await store.voice.heard(chat.id, "7/u") == "buy silk"
    assert await store.voice.heard(other.id, "7/u") == ""
    assert await store.voice.heard(chat.id, "8/u") is None


async def test_owed_voice_notes_come_by_age_until_they_end(store: StorePorts, chat: Chat) -> None:
    new, old = VoiceNote("new", chat.id, later(5)), VoiceNote("old", chat.id, NOW)
    await commit(store, OweVoice(new), OweVoice(old))
    await commit(store, OweVoice(replace(old, at=later(9), tries=1)))
    assert await store.voice.owed(5) == [replace(old, tries=1), new]
    assert await store.voice.owed(1) == [replace(old, tries=1)]
    await commit(store, EndVoice("old"), EndVoice("nobody"))
    assert await store.voice.owed(5) == [new]


async def test_the_voice_of_a_chat_has_a_write_of_its_own(store: StorePorts, chat: Chat) -> None:
    assert not chat.settings.voice
    await commit(store, SetVoice(chat.id, on=True))
    await commit(store, SaveSettings(chat, replace(chat.settings, footer=True)))
    now = await store.chats.get(chat.id)
    assert (now.settings.voice, now.settings.footer) == (True, True)
    other = await store.chats.at(Address("telegram", "43"), private=True)
    owed = [VoiceNote("here", chat.id, NOW), VoiceNote("there", other.id, NOW)]
    await commit(store, *map(OweVoice, owed), SetVoice(other.id, on=True))
    await commit(store, SetVoice(chat.id, on=False))
    assert not (await store.chats.get(chat.id)).settings.voice
    assert await store.voice.owed(5) == owed[1:]


async def test_a_joined_chat_takes_both_along(store: StorePorts) -> None:
    old = await store.chats.at(Address("telegram", "-1"), private=False)
    new = await store.chats.at(Address("telegram", "-2"), private=False)
    await commit(store, heard(old, "1/a", "old"), heard(new, "1/a", "new"), heard(new, "2/b", "b"))
    await commit(store, OweVoice(VoiceNote("t", new.id, NOW)))
    await commit(store, JoinChats(old.address, new.address))
    assert [await store.voice.heard(old.id, key) for key in ("1/a", "2/b")] == ["old", "b"]
    assert await store.voice.owed(5) == [VoiceNote("t", old.id, NOW)]


async def test_erased_words_are_erased_as_they_were_heard_too(
    store: StorePorts, chat: Chat
) -> None:
    await store.inbox.accept("telegram", [RawUpdate("1", "{}"), RawUpdate("2", "{}")], NOW)
    one, two = await store.inbox.unrouted(2)
    turn = a_turn(chat, "one", state=TurnState.SETTLED)
    await commit(
        store,
        SaveTurn(turn),
        MarkInbound(one.id, WAITING, (NEW,), chat.id, message_id="7"),
        MarkInbound(one.id, TAKEN, (WAITING,), chat.id, turn="one"),
        MarkInbound(two.id, WAITING, (NEW,), chat.id, message_id="8"),
        heard(chat, "7/u"),
        heard(chat, "77/u"),
        shown(chat, f"heard:{one.id}:0", "buy milk", "one"),
        shown(chat, f"heard:{two.id}:0", "buy milk", "two"),
        shown(chat, "voice:one", "buy milk", "one"),
    )
    await commit(store, Erase(Target("p1", turn="one")))
    assert await store.voice.heard(chat.id, "7/u") is None
    assert await store.voice.heard(chat.id, "77/u") == "buy milk"
    kept = {}
    for key in (f"heard:{one.id}:0", f"heard:{two.id}:0", "voice:one"):
        row = await store.outbox.row(key)
        kept[key] = row is not None and "buy milk" in str(row.content)
    assert list(kept.values()) == [False, True, False]
