"""What people think of answers: one row for each person and answer."""

from dataclasses import replace

import pytest

from bot.domain.change import DropFeedback, Erase, JoinChats, SaveFeedback, SaveTurn, Show
from bot.domain.change.erasing import Target
from bot.domain.memory.passage import whose
from bot.domain.talk.chat import Chat
from bot.domain.talk.feedback import Feedback, Opinion
from bot.domain.talk.message import Address, Markdown, Outbound, OutboundKind
from bot.domain.turn.turn import TurnState
from bot.ports.outbox import Delivered, DeliveryState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_turn, commit, later


def good(chat: Chat, turn: str = "turn-1", person: int = 1, at: float = 0) -> Feedback:
    return Feedback(turn, person, chat.id, Opinion.GOOD, later(at), ("anthropic/claude", "b/ü"))


async def shown(store: StorePorts, chat: Chat, key: str, message: str) -> None:
    """Puts a message on the screen."""
    await commit(store, Show(key, chat.id, Outbound(OutboundKind.ANSWER, (Markdown("x"),))))
    row = await store.outbox.row(key)
    assert row is not None
    told = Delivered(row.id, row.version, DeliveryState.SHOWN, row.version, (), (message,), 1, NOW)
    await store.outbox.record(told)


async def test_a_person_has_one_opinion_about_an_answer(store: StorePorts, chat: Chat) -> None:
    first, other = good(chat), good(chat, person=2)
    changed = replace(first, verdict=Opinion.BAD, at=later(5))
    await commit(store, SaveFeedback(first), SaveFeedback(other))
    assert await store.feedback.since(None) == [first, other]
    await commit(store, SaveFeedback(changed))
    assert await store.feedback.since(None) == [other, changed]
    assert await store.feedback.since(later(5)) == [changed]
    assert await store.feedback.newest(1) == [changed]
    assert await store.feedback.of_person(2) == [other]


async def test_only_the_opinion_that_stands_is_taken_back(store: StorePorts, chat: Chat) -> None:
    await commit(store, SaveFeedback(good(chat)))
    await commit(store, DropFeedback("turn-1", 1, Opinion.BAD))
    await commit(store, DropFeedback("turn-1", 2, Opinion.GOOD))
    assert await store.feedback.since(None) == [good(chat)]
    await commit(store, DropFeedback("turn-1", 1, Opinion.GOOD))
    assert await store.feedback.since(None) == []


async def test_answers_alone_are_found_by_their_message(store: StorePorts, chat: Chat) -> None:
    await shown(store, chat, "answer:turn-1", "7")
    await shown(store, chat, "answer:turn-2", "8")
    await shown(store, chat, "command:3", "9")
    assert await store.feedback.answer_at([chat.id], "7") == "turn-1"
    assert await store.feedback.answer_at([chat.id + 1, chat.id], "8") == "turn-2"
    assert await store.feedback.answer_at([chat.id], "9") is None
    assert await store.feedback.answer_at([chat.id + 1], "7") is None
    assert await store.feedback.newest_answer(chat.id) == "turn-2"
    assert await store.feedback.newest_answer(chat.id + 1) is None


@pytest.mark.parametrize("everything", [False, True])
async def test_opinions_are_erased_with_the_answer_and_with_the_person(
    store: StorePorts, chat: Chat, everything: bool
) -> None:
    settled = a_turn(chat, state=TurnState.SETTLED)
    elsewhere = await store.chats.at(Address("telegram", "-5"), private=False)
    rows = (good(chat, person=2), good(elsewhere, "turn-2"), good(elsewhere, "turn-2", 2, 1))
    await commit(store, SaveTurn(settled), *map(SaveFeedback, rows))
    target = Target(whose(chat, 1)) if everything else Target(whose(chat, 1), "turn-1")
    await commit(store, Erase(target))
    left = await store.feedback.since(None)
    if everything:
        assert good(elsewhere, "turn-2") not in left
        assert rows[2] in left
    else:
        assert left == list(rows[1:])


async def test_opinions_move_with_their_chat(store: StorePorts, chat: Chat) -> None:
    new = Address("telegram", "-100200")
    await store.chats.at(new, private=False)
    await commit(store, SaveFeedback(good(chat)))
    await commit(store, JoinChats(chat.address, new))
    (row,) = await store.feedback.since(None)
    assert (await store.chats.get(row.chat)).address == new
