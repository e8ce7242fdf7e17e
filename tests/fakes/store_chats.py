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
    SaveChat,
    SaveConversation,
    SetVoice,
)
from tests.fakes.store_moving import move

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def write_chat(
    rows: "Rows",
    write: (
        SaveChat
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
    known = rows.chats.get(write.chat.id)
    if known is not None:
        rows.chats[known.id] = replace(
            write.chat,
            address=known.address,
            fence=known.fence,
            last_seq=known.last_seq,
            title=known.title,
            moved_from=known.moved_from,
            skill=known.skill,
            skill_lent=known.skill_lent,
            offered=known.offered,
            voice=known.voice,
            screen=known.screen,
        )


def _alter_chat(rows: "Rows", write: NameChat | ChooseSkill | SetVoice | NoteOffer) -> None:
    known = rows.chat(write.chat)
    if isinstance(write, SetVoice):
        rows.chats[known.id] = replace(known, voice=write.on)
        owed = rows.voice_notes.items()
        rows.voice_notes = {t: n for t, n in owed if write.on or n.chat != known.id}
        return
    if isinstance(write, NameChat):
        rows.chats[known.id] = replace(known, title=write.title)
    elif isinstance(write, NoteOffer):
        rows.chats[known.id] = replace(known, offered=write.under)
    elif not write.lent or known.skill is None or known.skill_lent:
        lent = write.lent and write.skill is not None
        rows.chats[known.id] = replace(known, skill=write.skill, skill_lent=lent)
