"""Updates about the bot's own membership, refusals of a group that moved, and whose group it is."""

import json
from typing import Any

import pytest

from bot.adapters.telegram.addressing import Own
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.telegram.groups import TelegramGroups
from bot.adapters.telegram.updates import parse_update
from bot.domain.talk.errors import ChannelError, ChannelUnreachable, ChatMoved, RecipientGone
from bot.domain.talk.message import (
    Address,
    Ignored,
    Inbound,
    Moved,
    Piece,
    Presence,
    PresenceChange,
    Unreadable,
)
from bot.domain.talk.person import Sender
from tests.standins.bot_api import BotApi

EVE = {"id": 44, "is_bot": False, "first_name": "Eve"}
ME = {"id": 4200, "is_bot": True, "first_name": "Steward"}
TEAM = {"id": -42, "type": "group", "title": "Team"}
OWN = Own("4200", "steward_bot")


def read(old: dict[str, Any], new: dict[str, Any], **fields: Any) -> Inbound:
    change = {
        "chat": TEAM,
        "from": EVE,
        "date": 1_790_000_000,
        "old_chat_member": {"user": ME, **old},
        "new_chat_member": {"user": ME, **new},
    } | fields
    return parse_update(json.dumps({"update_id": 1, "my_chat_member": change}), OWN)


@pytest.mark.parametrize(
    ("member", "presence"),
    [
        ({"status": "kicked"}, Presence.GONE),
        ({"status": "administrator"}, Presence.ADMIN),
        ({"status": "restricted", "is_member": False}, Presence.GONE),
        ({"status": "restricted", "is_member": True}, Presence.MUTED),
    ],
)
def test_what_the_bot_is_now(member: dict[str, Any], presence: Presence) -> None:
    assert read({"status": "member"}, member) == PresenceChange(
        Address("telegram", "-42"),
        Sender("telegram", "44", "Eve"),
        Presence.MEMBER,
        presence,
        "group",
        "Team",
    )


@pytest.mark.parametrize("status", ["member", "restricted"])
def test_who_may_write_is_a_member(status: str) -> None:
    member = {"status": status, "is_member": True, "can_send_messages": True}
    change = read({"status": "left"}, member)
    assert isinstance(change, PresenceChange)
    assert (change.before, change.now) == (Presence.GONE, Presence.MEMBER)


def test_other_rights_of_an_administrator_are_no_change() -> None:
    assert isinstance(read({"status": "creator"}, {"status": "administrator"}), Ignored)


@pytest.mark.parametrize(
    "fields",
    [
        {"chat": None},
        {"chat": {"id": "x", "type": "group"}},
        {"chat": {"id": -42, "type": "village"}},
        {"from": 4},
        {"new_chat_member": None},
        {"new_chat_member": {"status": "emperor"}},
        {"old_chat_member": []},
    ],
)
def test_what_cannot_be_read_is_kept_and_marked(fields: dict[str, Any]) -> None:
    assert isinstance(read({"status": "left"}, {"status": "member"}, **fields), Unreadable)


async def test_a_refusal_tells_the_move_in_the_groups_own_words(
    server: BotApi, api: TelegramApi
) -> None:
    ann = server.person(42, "Ann")
    group = server.group("Team", ann, kind="group")
    new = server.upgrade(group, ann)
    channel = TelegramChannel(api)
    old = Address("telegram", str(group.id))
    for attempt in (channel.send(old, Piece({"text": "x"})), channel.edit(old, "1", _x())):
        with pytest.raises(ChatMoved) as moved:
            await attempt
        word = moved.value.update
        assert word.key == f"moved:{group.id}:{new.id}"
        assert parse_update(word.body, OWN) == Moved(old, Address("telegram", str(new.id)))


def _x() -> Piece:
    return Piece({"text": "x"})


@pytest.mark.parametrize("parameters", ["{}", '{"migrate_to_chat_id":"x"}'])
async def test_a_refusal_that_does_not_tell_where_waits(
    server: BotApi, api: TelegramApi, parameters: str
) -> None:
    words = "Bad Request: group chat was upgraded to a supergroup chat"
    body = f'{{"ok":false,"error_code":400,"description":"{words}","parameters":{parameters}}}'
    server.answer_raw_next("sendMessage", body, status=400)
    with pytest.raises(ChannelUnreachable):
        await TelegramChannel(api).send(Address("telegram", "-42"), _x())


async def test_only_the_creator_owns_a_group_and_administrators_run_it_too(
    server: BotApi, api: TelegramApi
) -> None:
    ann, bob = server.person(42, "Ann"), server.person(43, "Bob")
    eve = server.person(44, "Eve")
    group = server.group("Team", ann, admins=(bob,), creator=eve)
    groups, team = TelegramGroups(api), Address("telegram", str(group.id), "7")
    owned = [
        await groups.owned_by(team, Sender("telegram", str(one.id), "")) for one in (ann, bob, eve)
    ]
    assert owned == [False, False, True]
    run = [
        await groups.run_by(team, Sender("telegram", str(one.id), "")) for one in (ann, bob, eve)
    ]
    assert run == [False, True, True]


async def test_who_is_in_a_group_is_told_whatever_they_are_there(
    server: BotApi, api: TelegramApi
) -> None:
    ann, bob, eve = (server.person(n, "One") for n in (42, 43, 44))
    group = server.group("Team", ann, admins=(bob,))
    groups, team = TelegramGroups(api), Address("telegram", str(group.id), "7")
    people = [str(one.id) for one in (ann, bob, eve)] + ["999"]
    there = [await groups.includes(team, Sender("telegram", number, "")) for number in people]
    assert there == [True, True, False, False]
    for status, member in (("restricted", True), ("restricted", False), ("kicked", False)):
        told = _member_answer(status, is_member=member)
        server.answer_raw_next("getChatMember", told)
        assert await groups.includes(team, Sender("telegram", "42", "")) is member


_RESTRICTED = (
    *("can_send_messages", "can_send_audios", "can_send_documents", "can_send_photos"),
    *("can_send_videos", "can_send_video_notes", "can_send_voice_notes", "can_send_polls"),
    *("can_send_other_messages", "can_add_web_page_previews", "can_change_info"),
    *("can_invite_users", "can_pin_messages", "can_manage_topics", "can_edit_tag"),
    "can_react_to_messages",
)


def _member_answer(status: str, *, is_member: bool) -> str:
    rights = dict.fromkeys(_RESTRICTED, False)
    user = {"id": 42, "is_bot": False, "first_name": "Ann"}
    member = {"user": user, "status": status, "until_date": 0, "is_member": is_member, **rights}
    return json.dumps({"ok": True, "result": member})


async def test_whose_group_it_is_is_told_in_time_or_not_at_all(
    server: BotApi, api: TelegramApi
) -> None:
    group = server.group("Team", server.person(42, "Ann"))
    team, ann = Address("telegram", str(group.id)), Sender("telegram", "42", "Ann")
    gate = server.hold("getChatMember")
    with pytest.raises(ChannelUnreachable, match="in time"):
        await TelegramGroups(api, patience=0.05).owned_by(team, ann)
    gate.release()
    server.answer_raw_next("getChatMember", '{"ok":true,"result":[]}')
    with pytest.raises(ChannelError):
        await TelegramGroups(api).owned_by(team, ann)
    server.remove_bot(group, server.person(44, "Eve"))
    with pytest.raises(RecipientGone):
        await TelegramGroups(api).owned_by(team, ann)
