"""What people may do, who has which account, and what stands in a person's name."""

from datetime import timedelta

import pytest

from bot.domain.change import (
    AddRule,
    InboundState,
    LinkAccount,
    MarkInbound,
    Revoke,
    SaveApproval,
    SaveTerms,
    SaveTurn,
)
from bot.domain.consent.approval import ApprovalState, Rule
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.reach import Level
from bot.domain.talk.rights import NEWCOMER, Pace, Rights
from bot.domain.tools.tool import CommandRule
from bot.domain.turn.turn import TurnState
from bot.ports.members import OpenWork, Waiting
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_card, a_turn, commit, later

BOB = Sender("telegram", "2", "Bob")
_NARROW = Rights(commands=False, approves=Level.CHANGES, tools=("read_file", "look"))


async def a_member(store: StorePorts) -> Person:
    return await store.people.admit(BOB, Role.MEMBER)


async def taken(
    store: StorePorts, chat: Chat, person: int, *seconds: float, fragment: bool = False
) -> list[int]:
    """Stores a waiting message of the person for each of these moments."""
    ids: list[int] = []
    for at in seconds:
        await store.inbox.accept("telegram", [RawUpdate(f"{person}-{at}", "{}")], later(at))
        (row,) = await store.inbox.unrouted(10)
        mark = MarkInbound(
            row.id,
            InboundState.WAITING,
            (InboundState.NEW,),
            chat.id,
            message_id=f"m{at:g}",
            person=person,
            fragment=fragment,
        )
        await commit(store, mark)
        ids.append(row.id)
    return ids


async def test_a_new_person_may_do_everything_at_the_common_pace(store: StorePorts):
    bob = await a_member(store)
    assert (bob.rights, bob.pace) == (NEWCOMER, None)
    assert await store.people.get(bob.id) == bob


async def test_rights_and_pace_come_back_as_they_were_set(store: StorePorts):
    bob = await a_member(store)
    await commit(store, SaveTerms(bob.id, _NARROW, Pace(hour=200)))
    assert await store.people.by_sender(BOB) == Person(
        bob.id, "Bob", Role.MEMBER, _NARROW, Pace(hour=200)
    )
    await commit(store, SaveTerms(bob.id, Rights(tools=()), Pace()))
    known = await store.people.get(bob.id)
    assert known is not None
    assert (known.rights, known.pace) == (Rights(tools=()), Pace())


async def test_rights_are_set_only_while_the_person_has_the_expected_ones(store: StorePorts):
    bob = await a_member(store)
    await commit(store, SaveTerms(bob.id, _NARROW, None, expect=NEWCOMER))
    with pytest.raises(Conflict):
        await commit(store, SaveTerms(bob.id, NEWCOMER, None, expect=NEWCOMER))
    known = await store.people.get(bob.id)
    assert known is not None
    assert known.rights == _NARROW


async def test_a_member_raised_to_owner_keeps_what_was_set(store: StorePorts):
    bob = await a_member(store)
    await commit(store, SaveTerms(bob.id, _NARROW, None))
    assert (await store.people.admit(BOB, Role.OWNER)).rights == _NARROW


async def test_a_linked_account_is_the_same_person(store: StorePorts):
    bob = await a_member(store)
    await commit(store, LinkAccount("discord:9", bob.id))
    assert await store.people.by_sender(Sender("discord", "9", "bobby")) == bob
    assert await store.people.accounts() == [("discord:9", bob), ("telegram:2", bob)]


async def test_linking_takes_an_account_from_whoever_had_it(store: StorePorts):
    bob = await a_member(store)
    await store.people.admit(Sender("discord", "9", "bobby"), Role.MEMBER)
    await commit(store, LinkAccount("discord:9", bob.id))
    assert await store.people.by_sender(Sender("discord", "9", "bobby")) == bob


async def test_the_nth_newest_message_counts_those_of_one_person(store: StorePorts, chat: Chat):
    bob = await a_member(store)
    cleo = await store.people.admit(Sender("telegram", "79", "Cleo"), Role.MEMBER)
    await taken(store, chat, bob.id, 10, 30, 20)
    await taken(store, chat, cleo.id, 40)
    assert await store.members.nth_newest(bob.id, 1, later(60)) == later(30)
    assert await store.members.nth_newest(bob.id, 3, later(60)) == later(10)
    assert await store.members.nth_newest(bob.id, 4, later(60)) is None
    assert await store.members.nth_newest(bob.id, 1, later(20)) == later(20)
    assert await store.members.nth_newest(bob.id, 1, later(-60)) is None
    assert await store.members.seen() == {bob.id: later(30), cleo.id: later(40)}


async def test_a_fragment_of_a_message_does_not_count(store: StorePorts, chat: Chat):
    bob = await a_member(store)
    await taken(store, chat, bob.id, 10)
    await taken(store, chat, bob.id, 20, 30, fragment=True)
    assert await store.members.nth_newest(bob.id, 1, later(60)) == later(10)
    assert await store.members.nth_newest(bob.id, 2, later(60)) is None
    assert await store.members.seen() == {bob.id: later(10)}
    (row, *_) = await store.inbox.waiting(chat.id)
    await commit(store, MarkInbound(row.id, InboundState.TAKEN, (InboundState.WAITING,)))
    assert await store.members.nth_newest(bob.id, 1, later(60)) == later(10)


async def test_what_stands_in_a_persons_name_is_told_across_chats(store: StorePorts, chat: Chat):
    await store.people.admit(Sender("telegram", "1", "Ann"), Role.OWNER)
    bob = await a_member(store)
    other = await store.chats.at(Address("telegram", "-7"), private=False)
    assert await store.members.open_work(bob.id) == OpenWork()
    turn = a_turn(chat, asker=bob.id, state=TurnState.PARKED)
    done = a_turn(chat, "turn-0", asker=bob.id, state=TurnState.SETTLED)
    late = a_turn(other, "turn-2", asker=bob.id, created_at=NOW + timedelta(1))
    card = a_card(chat, asker=bob.id)
    decided = a_card(chat, "card-2", asker=bob.id, state=ApprovalState.DENIED)
    await commit(store, SaveTurn(late), SaveTurn(turn), SaveTurn(done), SaveTurn(a_turn(chat, "x")))
    await commit(store, SaveApproval(card), SaveApproval(decided))
    await taken(store, other, bob.id, 1)
    found = await store.members.open_work(bob.id)
    assert found == OpenWork(
        (turn, late), (card,), (Waiting(other.address, "m1", later(1)),), asked=True
    )


async def test_revoking_ends_all_that_stands_in_a_persons_name(store: StorePorts, chat: Chat):
    await store.people.admit(Sender("telegram", "1", "Ann"), Role.OWNER)
    bob = await a_member(store)
    mine, other = a_turn(chat, "mine", asker=bob.id), a_turn(chat, "other", asker=1)
    rules = [
        Rule(0, who, chat.id, "run_command", CommandRule(("ls",)), "ls", NOW) for who in (bob.id, 1)
    ]
    await commit(store, SaveTurn(mine), SaveTurn(other), *(AddRule(rule) for rule in rules))
    await taken(store, chat, bob.id, 1, 2)
    (kept,) = await taken(store, chat, 1, 3)
    await commit(store, Revoke(bob.id, "gone"))
    agenda = await store.journal.agenda(chat.id)
    assert {t.id: t.stop_asked for t in agenda.unfinished} == {"mine": "gone", "other": None}
    assert [row.id for row in agenda.waiting] == [kept]
    assert await store.rules.of(bob.id, chat.id) == []
    assert len(await store.rules.of(1, chat.id)) == 1


async def test_revoking_twice_is_revoking_once(store: StorePorts):
    bob = await a_member(store)
    await commit(store, Revoke(bob.id, "gone"))
    await commit(store, Revoke(bob.id, "gone"))
    assert await store.people.accounts() == []


async def test_each_account_of_an_owner_has_one_private_chat_to_be_asked_in(store: StorePorts):
    owner = await store.people.admit(Sender("telegram", "7", "Ann"), Role.OWNER)
    await commit(store, LinkAccount("telegram:8", owner.id), LinkAccount("telegram:9", owner.id))
    await store.people.admit(BOB, Role.MEMBER)
    await store.people.admit(Sender("terminal", "local", "Ann"), Role.OWNER)
    threads = [
        await store.chats.at(Address("telegram", "8", thread), private=True) for thread in "12"
    ]
    for address in ("telegram:2", "terminal:local", "telegram:70"):
        await store.chats.at(Address.from_key(address), private=True)
    await store.chats.at(Address("telegram", "-7"), private=False)
    await store.chats.at(Address("telegram", "7", "5"), private=True)
    main = await store.chats.at(Address("telegram", "7"), private=True)
    assert await store.members.owner_chats() == [main.id, threads[1].id]


async def test_open_cards_for_owners_are_found_from_the_oldest(store: StorePorts, chat: Chat):
    mine = a_card(chat)
    late = a_card(chat, "late", owner_chats=(chat.id, 7), created_at=later(5))
    early = a_card(chat, "early", owner_chats=(7,))
    ended = a_card(chat, "ended", owner_chats=(7,), state=ApprovalState.DENIED)
    await commit(store, *(SaveApproval(card) for card in (mine, late, early, ended)))
    assert list(await store.members.for_owners()) == [early, late]
