"""Errands: rows with homes, moved on by their version."""

from dataclasses import replace
from typing import Any

import pytest

from bot.domain.assignments.errand import Errand, ErrandResult, ErrandState, home_of
from bot.domain.change import (
    AddAudit,
    Append,
    Erase,
    JoinChats,
    MoveChat,
    NameChat,
    SaveApproval,
    SaveErrand,
    SaveSettings,
    SaveTurn,
)
from bot.domain.change.erasing import Target
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address, FileRef
from bot.domain.tools.tool import Status
from bot.domain.turn.transcript import AskerBody, CutBody
from bot.domain.turn.turn import TurnState
from bot.ports.errands import ErrandProgress
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_card, a_turn, an_entry, commit, later, shown

RESULT = ErrandResult(Status.SUCCESS, "42", "a web page", (FileRef("/f", "f.txt"),))


async def sent(store: StorePorts, chat: Chat, id: str = "e", **changes: Any) -> Errand:
    """An errand of turn-1 that was sent out, with its queued turn."""
    home = await store.chats.at(home_of(id), private=chat.private)
    known: dict[str, Any] = {
        "id": id,
        "home": home.id,
        "chat": chat.id,
        "conversation": chat.conversation,
        "parent": "turn-1",
        "call": f"call-{id}",
        "asker": 1,
        "asker_name": "Ann",
        "task": "find it",
        "created_at": NOW,
    }
    errand = Errand(**{**known, **changes})
    turn = a_turn(home, id, state=TurnState.QUEUED, origin="errand", parent="turn-1", rounds=2)
    await commit(store, SaveErrand(errand), SaveTurn(turn))
    return errand


async def test_an_errand_is_found_by_its_chat_its_home_and_its_id(
    store: StorePorts, chat: Chat
) -> None:
    errand = await sent(store, chat)
    assert await store.errands.get("e") == errand
    assert await store.errands.get("another") is None
    agenda = await store.journal.agenda(chat.id)
    assert agenda.errands == agenda.sent_by("turn-1") == (errand,)
    assert agenda.queued == ()
    home = await store.journal.agenda(errand.home)
    assert (home.errands, [t.id for t in home.queued]) == ((errand,), ["e"])
    assert home.queued[0].parent == "turn-1"
    assert await store.errands.of_chat(chat.id) == [ErrandProgress(errand, 2, 0)]


async def test_a_home_has_the_place_of_its_screen(store: StorePorts, chat: Chat) -> None:
    await commit(store, NameChat(chat.id, "Team"))
    errand = await sent(store, chat)
    raw = await store.chats.at(home_of("e"), private=True)
    assert raw.id == errand.home
    await commit(store, MoveChat(chat.address, Address("telegram", "43")))
    home = (await store.journal.agenda(errand.home)).chat
    assert home == await store.chats.get(errand.home)
    assert (home.screen, home.shown_in, home.title) == (chat.id, chat.id, "Team")
    assert home.address == Address("telegram", "43")
    await commit(store, SaveSettings(raw, replace(raw.settings, model="fast")))
    known = await store.chats.get(errand.home)
    assert (known.screen, known.settings.model) == (chat.id, "fast")
    assert await store.chats.within(chat.address) == [await store.chats.get(chat.id)]


async def test_an_errand_is_sent_out_once_and_moved_by_its_version(
    store: StorePorts, chat: Chat
) -> None:
    errand = await sent(store, chat)
    with pytest.raises(Conflict):
        await commit(store, SaveErrand(errand))
    waiting = errand.amended(state=ErrandState.WAITING)
    await commit(store, SaveErrand(waiting, errand.version))
    with pytest.raises(Conflict):
        await commit(store, SaveErrand(errand.amended(set_aside=True), errand.version))
    done = waiting.amended(state=ErrandState.DONE, result=RESULT, ended_at=later(5))
    await commit(store, SaveErrand(done, waiting.version))
    assert await store.errands.get("e") == done
    taken = done.amended(taken=True)
    await commit(store, SaveErrand(taken, done.version))
    assert (await store.journal.agenda(chat.id)).errands == ()
    assert (await store.journal.agenda(errand.home)).errands == (taken,)
    assert await store.errands.of_chat(chat.id) == []


async def test_a_finished_errand_is_work_of_its_chat_until_it_is_taken(
    store: StorePorts, chat: Chat
) -> None:
    errand = await sent(store, chat)
    settled = a_turn(await store.chats.get(errand.home), "e", state=TurnState.SETTLED)
    done = errand.amended(state=ErrandState.DONE, result=RESULT)
    assert list(await store.journal.chats_with_work()) == [errand.home]
    await commit(store, SaveTurn(settled), SaveErrand(done, errand.version))
    assert list(await store.journal.chats_with_work()) == [chat.id]
    await commit(store, SaveErrand(done.amended(taken=True), done.version))
    assert list(await store.journal.chats_with_work()) == []


async def test_a_card_of_an_errand_is_shown_in_the_chat_and_works_at_home(
    store: StorePorts, chat: Chat
) -> None:
    errand = await sent(store, chat)
    parked = a_turn(await store.chats.get(errand.home), "e", state=TurnState.PARKED)
    card = a_card(chat, turn="e", home=errand.home)
    await commit(store, SaveTurn(parked), SaveApproval(card))
    assert await store.approvals.open_in(chat.id) == [card]
    assert await store.approvals.open_in(errand.home) == []
    assert (await store.journal.agenda(errand.home)).approvals == (card,)
    assert list(await store.journal.chats_with_work()) == []
    decided = replace(card, state=ApprovalState.APPROVED)
    await commit(store, SaveApproval(decided, ApprovalState.OPEN))
    assert list(await store.journal.chats_with_work()) == [errand.home]


async def test_a_joined_chat_takes_its_errands_along(store: StorePorts) -> None:
    old = await store.chats.at(Address("telegram", "-1"), private=False)
    new = await store.chats.at(Address("telegram", "-2"), private=False)
    errand = await sent(store, new)
    await commit(store, JoinChats(old.address, new.address))
    (moved,) = (await store.journal.agenda(old.id)).errands
    assert moved == replace(errand, chat=old.id, conversation=old.conversation)
    home = await store.chats.get(errand.home)
    assert (home.screen, home.address) == (old.id, new.address)


async def test_an_erased_turn_takes_the_words_of_its_errands_along(
    store: StorePorts, chat: Chat
) -> None:
    errand = await sent(store, chat)
    home = await store.chats.get(errand.home)
    done = errand.amended(state=ErrandState.DONE, result=RESULT, taken=True)
    details = {"turn": "turn-1", "errand": "e"}
    await commit(
        store,
        Append(home.id, (an_entry(home, 1, AskerBody("find it", "Ann"), "e"),)),
        SaveTurn(a_turn(home, "e", state=TurnState.SETTLED)),
        SaveTurn(a_turn(chat, state=TurnState.SETTLED)),
        SaveErrand(done, errand.version),
        shown(chat, "errands:turn-1", "find it", "turn-1"),
        AddAudit(NOW, chat.id, 1, "errand.sent", "find it", details),
    )
    await commit(store, Erase(Target("p1", turn="turn-1")))
    left = await store.errands.get("e")
    assert left is not None
    assert (left.result, left.version, "find" in left.task) == (None, 2, False)
    first, cut = await store.journal.entries(home.conversation)
    assert "find" not in str(first.body)
    assert isinstance(cut.body, CutBody)
    row = await store.outbox.row("errands:turn-1")
    assert "find" not in str(row)
    (line,) = await store.ledger.audit(chat.id, 5)
    assert "find" not in str(line)
