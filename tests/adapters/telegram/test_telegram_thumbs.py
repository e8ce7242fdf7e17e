"""Reactions on Telegram: thumbs are opinions, and everything else is none."""

import json
from typing import Any

import pytest

from bot.adapters.telegram.addressing import Own
from bot.adapters.telegram.updates import parse_update
from bot.domain.talk.feedback import Opinion
from bot.domain.talk.message import Ignored, Inbound, Reaction, Unreadable

ANN = {"id": 42, "is_bot": False, "first_name": "Ann"}


def read(old: object, new: object, **fields: Any) -> Inbound:
    told = {
        "chat": {"id": -5, "type": "supergroup"},
        "message_id": 7,
        "user": ANN,
        "date": 1,
        "old_reaction": _types(old),
        "new_reaction": _types(new),
    }
    body = {"update_id": 1, "message_reaction": told | fields}
    return parse_update(json.dumps(body), Own("1"))


def _types(emoji: object) -> object:
    if not isinstance(emoji, str):
        return emoji
    return [{"type": "emoji", "emoji": one} for one in emoji.split()]


@pytest.mark.parametrize(
    ("old", "new", "verdict", "taken_back"),
    [
        ("", "👍", Opinion.GOOD, False),
        ("", "👎 🔥", Opinion.BAD, False),
        ("👍", "👎", Opinion.BAD, False),
        ("👍", "👍 👎", Opinion.BAD, False),
        ("👍 👎", "👎", Opinion.BAD, False),
        ("👍", "", Opinion.GOOD, True),
        ("👎", "🔥", Opinion.BAD, True),
    ],
)
def test_a_change_of_reactions_tells_an_opinion(
    old: str, new: str, verdict: Opinion, taken_back: bool
) -> None:
    found = read(old, new)
    assert isinstance(found, Reaction)
    assert (found.verdict, found.taken_back) == (verdict, taken_back)
    assert (found.address.key, found.sender.key, found.message_id) == (
        "telegram:-5",
        "telegram:42",
        "7",
    )


@pytest.mark.parametrize(("old", "new"), [("", "🔥"), ("👍", "👍 🔥"), ("", "👍 👎"), ("", "")])
def test_other_changes_tell_none(old: str, new: str) -> None:
    assert isinstance(read(old, new), Ignored)


@pytest.mark.parametrize(
    "fields",
    [{"chat": None}, {"message_id": "7"}, {"user": []}, {"user": {"id": True}}],
)
def test_what_is_broken_is_unreadable(fields: dict[str, Any]) -> None:
    assert isinstance(read("", "👍", **fields), Unreadable)


def test_names_of_chats_and_lists_of_rubbish_count_for_nothing() -> None:
    body = {"update_id": 1, "message_reaction": {"actor_chat": {"id": -5}, "message_id": 1}}
    assert isinstance(parse_update(json.dumps(body), Own("1")), Ignored)
    assert isinstance(read(None, [None, 3, {"type": "emoji", "emoji": 5}]), Ignored)
