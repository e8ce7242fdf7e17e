import json
from datetime import UTC, datetime
from typing import Any

import pytest
import telegram
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.telegram.addressing import Own
from bot.adapters.telegram.updates import parse_update
from bot.domain.talk.message import (
    Address,
    Attachment,
    Cut,
    Ignored,
    Inbound,
    InboundMessage,
    Press,
    Quote,
    Unreadable,
)
from bot.domain.talk.person import Sender

BOT = "4200"
ANN = {"id": 42, "is_bot": False, "first_name": "Ann", "last_name": "Lee"}
BOB = {"id": 43, "is_bot": False, "first_name": "Bob"}
ME = {"id": 4200, "is_bot": True, "first_name": "Steward"}
CHAT = {"id": 42, "type": "private"}


def message(**fields: Any) -> dict[str, Any]:
    return {
        "message_id": 7,
        "from": ANN,
        "chat": CHAT,
        "date": 1_790_000_000,
        "text": "hi",
    } | fields


def read(kind: str = "message", **fields: Any) -> Inbound:
    return parse_update(json.dumps({"update_id": 1, kind: message(**fields)}), Own(BOT))


def read_message(**fields: Any) -> InboundMessage:
    inbound = read(**fields)
    assert isinstance(inbound, InboundMessage)
    return inbound


def test_a_message_is_read_whole() -> None:
    assert read() == InboundMessage(
        address=Address("telegram", "42"),
        sender=Sender("telegram", "42", "Ann Lee"),
        message_id="7",
        text="hi",
        sent_at=datetime.fromtimestamp(1_790_000_000, UTC),
        number=7,
    )


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("x" * 2048, Cut.NO),
        ("x" * 2049, Cut.PERHAPS),
        ("x" * 3840, Cut.LIKELY),
        ("x" * 4095, Cut.LIKELY),
        ("x" * 4096, Cut.SHARP),
        ("😀" * 2048, Cut.SHARP),
        ("😀" * 4096, Cut.SHARP),
    ],
)
def test_a_text_tells_whether_an_app_may_have_cut_it(text: str, cut: Cut) -> None:
    assert read_message(text=text).cut is cut


def test_a_part_of_an_album_names_its_album() -> None:
    assert read_message(media_group_id="13", photo=[{"file_id": "P"}]).album == "13"
    assert read_message(media_group_id=13).album == ""


def test_what_a_quoted_message_carries_is_known() -> None:
    reply = {"message_id": 3, "from": BOB, "photo": [{"file_id": "P", "width": 9}]}
    quote = read_message(reply_to_message=reply).quote
    assert quote is not None
    assert not quote.own
    assert [one.handle for one in quote.attachments] == ["P"]
    elsewhere = {
        "origin": {"type": "user", "sender_user": BOB},
        "document": {"file_id": "D", "file_name": "a.txt"},
    }
    quote = read_message(external_reply=elsewhere).quote
    assert quote is not None
    assert [one.name for one in quote.attachments] == ["a.txt"]


def test_an_edit_is_marked() -> None:
    inbound = read("edited_message")
    assert isinstance(inbound, InboundMessage)
    assert inbound.edited


def test_a_topic_is_a_thread_and_a_plain_reply_chain_is_none() -> None:
    group = {"id": -100, "type": "supergroup"}
    topic = read_message(chat=group, message_thread_id=5, is_topic_message=True)
    chain = read_message(chat=group, message_thread_id=5)
    assert topic.address == Address("telegram", "-100", "5")
    assert chain.address == Address("telegram", "-100")
    assert not topic.private


def test_nul_and_lone_surrogates_are_replaced_and_marks_are_kept() -> None:
    inbound = read_message(
        text="a\x00b\ud800c\u202ed\x1b[0m", **{"from": ANN | {"first_name": "A\udfff\nn"}}
    )
    assert inbound.text == "a\ufffdb\ufffdc\u202ed\x1b[0m"
    assert inbound.sender.name == "A\ufffd n Lee"


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        ({"type": "user", "sender_user": BOB}, "Bob"),
        ({"type": "hidden_user", "sender_user_name": "Eve"}, "Eve"),
        ({"type": "chat", "sender_chat": {"id": -1, "title": "Club"}}, "Club"),
        ({"type": "channel", "chat": {"id": -2, "title": "News"}}, "News"),
        ("nonsense", "an unknown source"),
        ({"type": "user"}, "an unknown source"),
    ],
)
def test_a_forward_names_its_source_and_is_untrusted(origin: object, source: str) -> None:
    inbound = read_message(forward_origin=origin)
    assert inbound.forwarded_from == source
    assert inbound.untrusted is not None


@pytest.mark.parametrize(("writer", "echoes"), [(ME, True), (BOB, False)])
def test_a_forward_tells_if_the_words_are_ours(writer: dict[str, Any], echoes: bool) -> None:
    inbound = read_message(forward_origin={"type": "user", "sender_user": writer})
    assert inbound.echoes is echoes


def test_a_quote_of_the_bot_or_of_oneself_is_own() -> None:
    of_bot = read_message(reply_to_message=message(message_id=3, text="Hello", **{"from": ME}))
    of_self = read_message(reply_to_message=message(message_id=3))
    assert of_bot.quote == Quote("Hello", "Steward", own=True, message_id="3")
    assert of_self.quote is not None
    assert of_self.quote.own


def test_the_bots_own_voice_note_is_quoted_without_its_sound() -> None:
    sound = {"voice": {"file_id": "V", "duration": 3}, "text": None}
    of_bot = read_message(reply_to_message=message(message_id=3, **{"from": ME}, **sound))
    assert of_bot.quote == Quote("[your answer as a voice note]", "Steward", True, message_id="3")
    assert of_bot.untrusted is None


def test_a_voice_message_of_oneself_stays_own_when_it_is_quoted() -> None:
    sound = {"voice": {"file_id": "V", "duration": 3}, "text": None}
    of_self = read_message(reply_to_message=message(message_id=3, **sound))
    assert of_self.quote is not None
    assert [one.recorded for one in of_self.quote.attachments] == [True]
    assert of_self.untrusted is None
    of_other = read_message(reply_to_message=message(message_id=3, **{"from": BOB}, **sound))
    assert of_other.untrusted is not None
    song = {"audio": {"file_id": "S"}, "text": None}
    assert read_message(reply_to_message=message(message_id=3, **song)).untrusted is not None


@pytest.mark.parametrize(
    "foreign",
    [
        {"from": BOB},
        {"forward_origin": {"type": "user", "sender_user": BOB}},
        {"sender_chat": {"id": -1, "title": "Club"}},
        {"from": None},
    ],
)
def test_a_quote_with_the_words_of_another_is_foreign(foreign: dict[str, Any]) -> None:
    inbound = read_message(reply_to_message=message(**foreign))
    assert inbound.quote is not None
    assert not inbound.quote.own


def test_the_part_that_was_cited_is_the_text_of_the_quote() -> None:
    inbound = read_message(reply_to_message=message(text="one two"), quote={"text": "two"})
    assert inbound.quote is not None
    assert inbound.quote.text == "two"


def test_a_citation_from_another_chat_is_foreign() -> None:
    origin = {"type": "user", "sender_user": BOB}
    inbound = read_message(external_reply={"origin": origin}, quote={"text": "so he said"})
    assert inbound.quote == Quote("so he said", "Bob", own=False)


def test_the_opening_of_a_topic_is_no_quote() -> None:
    assert read_message(reply_to_message=message(forum_topic_created={"name": "x"})).quote is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"document": {"file_id": "D", "file_name": "a\nb.txt", "file_size": 3}},
            Attachment("document", "a b.txt", 3, "D"),
        ),
        (
            {"photo": [{"file_id": "S", "width": 90}, {"file_id": "L", "width": 1280}]},
            Attachment("photo", "photo.jpg", None, "L"),
        ),
        (
            {"animation": {"file_id": "A"}, "document": {"file_id": "A"}},
            Attachment("video", "animation.mp4", None, "A"),
        ),
        (
            {"voice": {"file_id": "V", "file_size": -1, "file_unique_id": "u"}},
            Attachment("voice", "voice.ogg", None, "V", "u", recorded=True),
        ),
        (
            {"document": {"file_id": "D", "mime_type": "application/pdf"}},
            Attachment("document", "document.pdf", None, "D"),
        ),
        (
            {"document": {"file_id": "D", "file_name": "x" * 300 + ".csv"}},
            Attachment("document", "x" * 251 + ".csv", None, "D"),
        ),
        ({"game": {"title": "Chess"}}, Attachment("other", "game", None, "")),
    ],
)
def test_attachments_are_listed_beside_the_caption(
    fields: dict[str, Any], expected: Attachment
) -> None:
    inbound = read_message(text=None, caption="look", **fields)
    assert inbound.attachments == (expected,)
    assert inbound.text == "look"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"location": {"latitude": 48.2082, "longitude": 16.3738}},
            "[location: latitude 48.2082, longitude 16.3738]",
        ),
        (
            {
                "location": {"latitude": 48, "longitude": 16.5},
                "venue": {
                    "title": "Café\nNord",
                    "address": "Ring 1",
                    "location": {"latitude": 48, "longitude": 16.5},
                },
            },
            "[venue: Café Nord · Ring 1 · latitude 48, longitude 16.5]",
        ),
        (
            {"contact": {"first_name": "Eve", "last_name": "Nord", "phone_number": "+4312"}},
            "[contact: Eve Nord · +4312]",
        ),
        (
            {"poll": {"question": "Lunch?", "options": [{"text": "yes"}, {"text": "no"}, 7]}},
            "[poll: Lunch? · yes · no]",
        ),
        ({"sticker": {"file_id": "S", "emoji": "😀"}}, "[sticker: 😀]"),
        ({"dice": {"emoji": "🎲", "value": 5}}, "[dice: 🎲 · 5]"),
        ({"location": {"latitude": "north"}}, "[location]"),
        ({"poll": {"question": ["?"], "options": "none"}}, "[poll]"),
    ],
)
def test_what_has_no_words_is_told_in_words(fields: dict[str, Any], told: str) -> None:
    inbound = read_message(text=None, **fields)
    assert inbound.text == told
    assert inbound.attachments == ()


def test_a_reply_to_a_poll_quotes_what_it_asked() -> None:
    poll = message(text=None, poll={"question": "Lunch?", "options": []})
    inbound = read_message(reply_to_message=poll)
    assert inbound.quote is not None
    assert inbound.quote.text == "[poll: Lunch?]"


@pytest.mark.parametrize(
    "fields",
    [
        {"sender_chat": {"id": -1}},
        {"from": ANN | {"is_bot": True}},
        {"text": None, "new_chat_members": [ANN]},
    ],
)
def test_what_no_person_said_is_ignored(fields: dict[str, Any]) -> None:
    assert isinstance(read(**fields), Ignored)


@pytest.mark.parametrize(
    "fields",
    [
        {"chat": "x"},
        {"chat": {"id": True}},
        {"chat": {"id": 10**30}},
        {"from": None},
        {"message_id": "7"},
        {"date": 10**15},
        {"date": -1},
    ],
)
def test_a_message_without_its_essentials_is_unreadable(fields: dict[str, Any]) -> None:
    assert isinstance(read(**fields), Unreadable)


@pytest.mark.parametrize("body", ["", "{", "[1]", "null", "[" * 100_000, "9" * 5000])
def test_what_is_no_update_is_unreadable(body: str) -> None:
    assert isinstance(parse_update(body, Own(BOT)), Unreadable)


def test_updates_of_other_kinds_are_ignored() -> None:
    assert isinstance(parse_update('{"update_id":1,"chat_member":{}}', Own(BOT)), Ignored)


def press(**fields: Any) -> Inbound:
    query = {"id": "99", "from": ANN, "message": message(), "data": "ok:1"} | fields
    return parse_update(json.dumps({"update_id": 1, "callback_query": query}), Own(BOT))


def test_a_press_is_read_whole() -> None:
    ann = Sender("telegram", "42", "Ann Lee")
    assert press() == Press(Address("telegram", "42"), ann, "ok:1", "99", "7")


def test_a_press_on_a_message_too_old_to_be_seen_is_read() -> None:
    assert isinstance(press(message={"message_id": 7, "chat": CHAT, "date": 0}), Press)


def test_a_press_on_a_foreign_message_is_ignored_and_a_broken_one_unreadable() -> None:
    assert isinstance(press(message=None, inline_message_id="x"), Unreadable | Ignored)
    assert isinstance(press(**{"from": 5}), Unreadable)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
NAMES = (
    st.sampled_from(sorted(message()))
    | st.sampled_from(["caption", "quote", "reply_to_message", "photo", "document", "sender_chat"])
    | st.sampled_from(["forward_origin", "external_reply", "message_thread_id"])
)


@given(st.dictionaries(NAMES, JSON), st.sampled_from(["message", "edited_message"]))
def test_a_message_with_any_fields_at_all_is_read_without_a_fault(
    fields: dict[str, Any], kind: str
) -> None:
    inbound = read(kind, **fields)
    if isinstance(inbound, InboundMessage):
        (inbound.text + inbound.sender.name).encode()


@given(JSON)
def test_any_json_is_read_without_a_fault(value: object) -> None:
    for kind in ("message", "edited_message", "callback_query"):
        assert parse_update(json.dumps({kind: value}), Own(BOT)) is not None
    assert parse_update(json.dumps(value), Own(BOT)) is not None


@pytest.mark.parametrize(
    ("reply", "account"),
    [
        ({"from": BOB}, f"telegram:{BOB['id']}"),
        ({"forward_origin": {"type": "user", "sender_user": BOB}}, f"telegram:{BOB['id']}"),
        ({"forward_origin": {"type": "hidden_user", "sender_user_name": "Eve"}}, None),
        ({"forward_origin": {"type": "channel", "chat": {"id": -2, "title": "News"}}}, None),
        ({"forward_origin": "nonsense"}, None),
        ({"from": ME | {"is_bot": True}}, None),
        ({"from": BOB, "sender_chat": {"id": -1, "title": "Club"}}, None),
        ({"from": None}, None),
    ],
)
def test_a_quote_tells_whose_words_it_is_by_number(reply: Any, account: str | None) -> None:
    inbound = read_message(reply_to_message=message(**reply))
    assert inbound.quote is not None
    assert inbound.quote.account == account


OWN_FIELDS = {
    *("text", "caption", "entities", "caption_entities", "message_id", "from", "chat", "date"),
    *("edit_date", "message_thread_id", "is_topic_message", "media_group_id", "author_signature"),
    *("sender_boost_count", "sender_tag", "effect_id", "has_media_spoiler"),
    *("has_protected_content", "show_caption_above_media", "link_preview_options"),
    *("is_from_offline", "is_paid_post", "paid_star_count", "reply_markup"),
    *("direct_messages_topic", "quote", "voice"),
}
"""Fields beside which a message is still the sender's own words; a quote needs a message quoted."""


@pytest.mark.parametrize("name", sorted({"unheard_of", *telegram.Message.__slots__}))
def test_a_field_of_the_platform_is_foreign_unless_it_is_known_to_be_harmless(name: str) -> None:
    name = "from" if name == "from_user" else name
    fields: dict[str, Any] = {} if name in message() else {name: {}}
    inbound = read("message", **fields)
    trusted = isinstance(inbound, InboundMessage) and inbound.untrusted is None
    assert trusted == (name in OWN_FIELDS)


@pytest.mark.parametrize(
    ("fields", "origin"),
    [
        ({"photo": [{"file_id": "P"}], "caption": "look"}, "a picture"),
        ({"via_bot": {"id": 9, "is_bot": True, "username": "gif"}}, "a message composed by"),
        ({"poll": {"question": "Lunch?", "options": []}}, "a poll"),
        ({"venue": {"title": "x"}, "location": {}}, "a place"),
        ({"contact": {"first_name": "Eve"}}, "a contact card"),
        ({"hologram": {}}, "content of the kind “hologram”"),
    ],
)
def test_what_nobody_typed_is_foreign_by_name_and_so_is_an_answer_to_it(
    fields: dict[str, Any], origin: str
) -> None:
    for inbound in (read_message(**fields), read_message(reply_to_message=message(**fields))):
        assert (inbound.untrusted or "").startswith(origin)


def test_words_of_an_inline_bot_are_nobodys_account() -> None:
    via = {"via_bot": {"id": 9, "username": "gif"}}
    assert read_message(**via).composed
    quote = read_message(reply_to_message=message(**via)).quote
    assert quote is not None
    assert quote.account is None
