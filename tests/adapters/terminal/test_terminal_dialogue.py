"""Words and keys that a person types in the terminal channel, and what comes of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.terminal.update import ADDRESS, Writer
from bot.domain.talk.errors import StoreBusy, StoreUnwritable
from bot.domain.talk.message import (
    InboundMessage,
    Unreadable,
)
from bot.domain.talk.person import Sender
from bot.domain.text.storable import storable
from tests.adapters.terminal.desk import AT, Desk
from tests.words import PRESS_AGAIN, STAYS_OPEN


async def test_a_message_is_accepted_as_typed(desk: Desk) -> None:
    (message,) = await desk.hold("hello there", EOFError())
    assert message == InboundMessage(
        ADDRESS,
        Sender("terminal", "alice", "Alice"),
        desk.accepted[0].key,
        "hello there",
        AT,
    )


async def test_every_update_has_a_key_of_its_own(desk: Desk) -> None:
    await desk.hold("an", "an", "an", EOFError())
    assert len({update.key for update in desk.accepted}) == 3


async def test_text_at_a_card_is_a_reply_to_it(desk: Desk) -> None:
    (message,) = await desk.hold(desk.card, "n use make", EOFError())
    assert isinstance(message, InboundMessage)
    assert message.text == "use make"
    assert message.quote is not None
    assert (message.quote.own, message.quote.text) == (True, "Run a command?")
    assert message.quote.message_id == desk.screen.board.cards[0].message_id
    assert message.untrusted is None


async def test_a_key_no_card_has_is_told_and_not_sent(desk: Desk) -> None:
    assert await desk.hold(desk.card, "w", EOFError()) == []
    assert "no key w" in desk.paper.printed


async def test_a_line_that_cannot_be_stored_is_told_and_the_talk_goes_on(desk: Desk) -> None:
    desk.faults.append(StoreUnwritable("database or disk is full"))
    (message,) = await desk.hold("hello", "hello again", EOFError())
    assert isinstance(message, InboundMessage)
    assert message.text == "hello again"
    assert "nothing was sent: database or disk\nis full" in desk.paper.printed


async def test_what_could_not_be_stored_is_not_waited_for(desk: Desk) -> None:
    desk.faults.append(StoreBusy("locked"))
    assert await desk.hold("hello", KeyboardInterrupt(), EOFError()) == []
    assert PRESS_AGAIN in desk.paper.printed


async def test_quit_leaves_without_a_word(desk: Desk) -> None:
    assert await desk.hold("/quit") == []
    assert desk.paper.printed == ""


async def test_ctrl_c_twice_leaves_when_nothing_goes_on(desk: Desk) -> None:
    assert await desk.hold(KeyboardInterrupt(), KeyboardInterrupt()) == []
    assert desk.paper.printed.count(PRESS_AGAIN) == 1


async def test_ctrl_c_leaves_only_when_the_second_follows_at_once(desk: Desk) -> None:
    interrupt = KeyboardInterrupt()
    texts = await desk.hold(interrupt, "hi", desk.reply, interrupt, interrupt)
    assert len(texts) == 1
    assert desk.paper.printed.count(PRESS_AGAIN) == 2


async def test_ctrl_c_stops_a_turn_and_leaves_when_pressed_again(desk: Desk) -> None:
    interrupt = KeyboardInterrupt()
    texts = await desk.hold("hi", interrupt, interrupt)
    assert [text.text for text in texts if isinstance(text, InboundMessage)] == ["hi", "/stop"]


async def test_ctrl_c_leaves_an_open_card_alone_and_leaving_says_that_it_stays(desk: Desk) -> None:
    assert await desk.hold(desk.card, KeyboardInterrupt(), KeyboardInterrupt()) == []
    assert f"{STAYS_OPEN}: pytest -q." in desk.paper.printed


async def test_leaving_before_the_answer_says_that_it_comes_later(desk: Desk) -> None:
    await desk.hold("hi", EOFError())
    assert "I go on at the next start" in desk.paper.printed


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"type":"poll","user":"a","name":"a"}',
        '{"type":"press","user":"a","name":"a","data":7,"message_id":"m","id":"x"}',
        '{"type":"message","user":"a","name":"a","text":"t","id":"x","at":"yesterday"}',
        '{"type":"message","user":1,"name":"a","text":"t","id":"x","at":"2026-01-01"}',
        "[" * 100_000,
    ],
)
def test_what_is_no_update_of_ours_is_unreadable(desk: Desk, body: str) -> None:
    assert isinstance(desk.channel.parse(body), Unreadable)


@given(st.text())
def test_any_text_comes_back_as_it_can_be_stored(text: str) -> None:
    update = Writer("a", "a").message(text, AT)
    message = Desk().channel.parse(update.body)
    assert isinstance(message, InboundMessage)
    assert message.text == storable(text)
