"""Who a group's message is for, and what is left of it without the mention."""

import json
from typing import Any

import pytest

from bot.adapters.telegram.addressing import Own
from bot.adapters.telegram.updates import parse_update
from bot.domain.talk.message import Address, Ignored, Inbound, InboundMessage, Moved, Press

BOT = Own("900", "steward_bot")
TEAM = {"id": -42, "type": "supergroup", "title": "The \n Team"}
ANN = {"id": 42, "is_bot": False, "first_name": "Ann"}


def read(text: str = "hello", **fields: Any) -> Inbound:
    message = {"message_id": 7, "date": 1, "chat": TEAM, "from": ANN, "text": text, **fields}
    return parse_update(json.dumps({"update_id": 1, "message": message}), BOT)


def said(text: str = "hello", **fields: Any) -> InboundMessage:
    found = read(text, **fields)
    assert isinstance(found, InboundMessage)
    return found


def entity(text: str, part: str, kind: str, **more: Any) -> dict[str, Any]:
    before = text.partition(part)[0]
    offset, length = (len(t.encode("utf-16-le")) // 2 for t in (before, part))
    return {"type": kind, "offset": offset, "length": length, **more}


def test_talk_among_people_is_not_addressed() -> None:
    found = said()
    assert (found.addressed, found.private, found.title) == (False, False, "The Team")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("@steward_bot when is lunch?", "when is lunch?"),
        ("😀 @Steward_Bot when?", "😀 when?"),
        ("when is lunch @steward_bot", "when is lunch"),
        ("@steward_bot /stop", "/stop"),
        ("@steward_bot", ""),
    ],
)
def test_a_mention_addresses_the_bot_and_is_cut_out(text: str, left: str) -> None:
    mention = "@Steward_Bot" if "@Steward_Bot" in text else "@steward_bot"
    found = said(text, entities=[entity(text, mention, "mention")])
    assert (found.addressed, found.text) == (True, left)


def test_a_mention_in_a_caption_counts() -> None:
    fields = {"caption": "@steward_bot look", "photo": [{"file_id": "p", "width": 1}]}
    message = {"message_id": 7, "date": 1, "chat": TEAM, "from": ANN, **fields}
    message["caption_entities"] = [entity("@steward_bot look", "@steward_bot", "mention")]
    found = parse_update(json.dumps({"update_id": 1, "message": message}), BOT)
    assert isinstance(found, InboundMessage)
    assert (found.addressed, found.text) == (True, "look")


def test_a_mention_by_account_counts_and_that_of_another_does_not() -> None:
    of_bot = entity("Steward, hi", "Steward", "text_mention", user={"id": 900})
    of_ann = entity("Steward, hi", "Steward", "text_mention", user={"id": 42})
    assert said("Steward, hi", entities=[of_bot]).text == ", hi"
    assert not said("Steward, hi", entities=[of_ann]).addressed


def test_a_mention_of_someone_else_is_left_alone() -> None:
    text = "@steward_bot_two hi"
    found = said(text, entities=[entity(text, "@steward_bot_two", "mention")])
    assert (found.addressed, found.text) == (False, text)


@pytest.mark.parametrize(("text", "ours"), [("/stop", True), ("/stop@Steward_Bot all", True)])
def test_a_command_for_the_bot_is_addressed(text: str, ours: bool) -> None:
    command = entity(text, text.split(maxsplit=1)[0], "bot_command")
    assert said(text, entities=[command]).addressed is ours


def test_a_command_for_another_bot_is_not_ours() -> None:
    command = entity("/stop@other_bot", "/stop@other_bot", "bot_command")
    assert isinstance(read("/stop@other_bot", entities=[command]), Ignored)


def test_a_reply_to_the_bot_is_addressed_and_one_to_a_person_is_not() -> None:
    def reply(user: int, **more: Any) -> dict[str, Any]:
        return {"message_id": 3, "from": {"id": user, "first_name": "S"}, "text": "x", **more}

    assert said(reply_to_message=reply(900)).addressed
    assert not said(reply_to_message=reply(42)).addressed
    assert not said(reply_to_message=reply(900, forum_topic_created={})).addressed


@pytest.mark.parametrize(
    "bad",
    [
        {"type": "mention", "offset": 0, "length": 99},
        {"type": "mention", "offset": -1, "length": 4},
        {"type": "mention", "offset": "0", "length": 4},
        {"type": "mention", "offset": 0, "length": 0},
    ],
)
def test_an_entity_that_cannot_be_is_left_out(bad: dict[str, Any]) -> None:
    assert not said("hello", entities=[bad]).addressed


@pytest.mark.parametrize("user", [{"id": 1087968824, "is_bot": True, "first_name": "Group"}, ANN])
def test_who_writes_in_the_name_of_a_chat_is_nobody(user: dict[str, Any]) -> None:
    command = entity("/stop", "/stop", "bot_command")
    fields = {"from": user, "sender_chat": TEAM, "entities": [command]}
    found = said("/stop", **fields)
    assert (found.anonymous, found.addressed, found.sender.user_id) == (True, False, "-42")
    assert found.sender.name == "The Team"


def test_everything_in_a_private_chat_is_addressed() -> None:
    assert said(chat={"id": 42, "type": "private"}).addressed


def test_a_group_that_became_a_supergroup_tells_from_both_sides() -> None:
    moved = Moved(Address("telegram", "-42"), Address("telegram", "-10042"))
    new = {"id": -10042, "type": "supergroup"}
    assert read(migrate_to_chat_id=-10042) == moved
    assert read(chat=new, migrate_from_chat_id=-42) == moved


def test_a_press_knows_whether_its_chat_is_a_group() -> None:
    query = {"id": "1", "from": ANN, "data": "a", "message": {"message_id": 7, "chat": TEAM}}
    press = parse_update(json.dumps({"update_id": 1, "callback_query": query}), BOT)
    assert isinstance(press, Press)
    assert not press.private
