"""Chats in memory: how a change alters them."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.change import (
    ChooseSkill,
    JoinChats,
    MoveChat,
    NameChat,
    NoteOffer,
    OpenConversation,
    SaveConversation,
    SaveSettings,
    SetVoice,
)
from tests.fakes.store_moving import move

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def write_chat(
    rows: "Rows",
    write: (
        SaveSettings
        | OpenConversation
        | NameChat
        | ChooseSkill
        | SetVoice
        | NoteOffer
        | SaveConversation
        | JoinChats
        | MoveChat
    ),
    at: datetime,
) -> None:
    if isinstance(write, MoveChat | JoinChats):
        move(rows, write, at)
        return
    if isinstance(write, NameChat | ChooseSkill | SetVoice | NoteOffer):
        _alter_chat(rows, write)
        return
    if isinstance(write, SaveConversation):
        rows.chat(write.conversation.chat)
        rows.conversations[write.conversation.id] = write.conversation
        return
    if isinstance(write, OpenConversation):
        if write.chat in rows.chats:
            known = rows.chats[write.chat]
            rows.chats[known.id] = replace(known, conversation=write.conversation)
        return
    _save_settings(rows, write)


def _save_settings(rows: "Rows", write: SaveSettings) -> None:
    known, changed = rows.chats.get(write.chat.id), write.changed
    if known is None:
        return
    rows.chats[known.id] = replace(known, settings=replace(known.settings, **changed))
    if changed.get("voice") is False:
        _end_voices(rows, known.id)


def _end_voices(rows: "Rows", chat: int) -> None:
    owed = rows.voice_notes.items()
    rows.voice_notes = {turn: note for turn, note in owed if note.chat != chat}


def _alter_chat(rows: "Rows", write: NameChat | ChooseSkill | SetVoice | NoteOffer) -> None:
    known = rows.chat(write.chat)
    if isinstance(write, SetVoice):
        rows.chats[known.id] = replace(known, settings=replace(known.settings, voice=write.on))
        if not write.on:
            _end_voices(rows, known.id)
        return
    if isinstance(write, NameChat):
        rows.chats[known.id] = replace(known, title=write.title)
    elif isinstance(write, NoteOffer):
        rows.chats[known.id] = replace(known, offered=write.under)
    elif not write.lent or known.skill is None or known.skill_lent:
        lent = write.lent and write.skill is not None
        rows.chats[known.id] = replace(known, skill=write.skill, skill_lent=lent)
