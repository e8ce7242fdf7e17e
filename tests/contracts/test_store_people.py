"""Who may command the bot, the way in, and the chats they write in."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.change import LinkAccount, Revoke, SaveProfile
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.rights import NEWCOMER, NOTHING
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit, later

ANN = Sender("telegram", "1", "Ann")
BOB = Sender("telegram", "2", "Bob \N{SNAKE}")


async def test_a_person_and_their_chat_are_found_together(store: StorePorts):
    here = Address("telegram", "1")
    assert await store.people.met(ANN, here) == (None, None)
    by_number = replace(ANN, name=ANN.key)
    ann = await store.people.admit(by_number, Role.MEMBER)
    assert await store.people.met(by_number, here) == (ann, None)
    chat = await store.chats.at(here, private=True)
    assert await store.people.met(ANN, here) == (replace(ann, name="Ann"), chat)
    assert await store.people.met(BOB, here) == (None, None)


async def test_a_stranger_is_nobody(store: StorePorts):
    assert await store.people.by_sender(ANN) is None
    assert await store.people.get(1) is None
    assert await store.people.accounts() == []


async def test_an_admitted_sender_is_known_by_account(store: StorePorts):
    bob = await store.people.admit(BOB, Role.MEMBER)
    assert bob == Person(bob.id, "Bob \N{SNAKE}", Role.MEMBER, NEWCOMER)
    assert await store.people.by_sender(Sender("telegram", "2", "renamed")) == bob
    assert await store.people.get(bob.id) == bob
    assert await store.people.by_sender(Sender("terminal", "2", "Bob")) is None


async def test_someone_admitted_by_number_gets_the_name_they_write_under(store: StorePorts):
    nameless = await store.people.admit(Sender("telegram", "1", "telegram:1"), Role.OWNER)
    named = Person(nameless.id, "Ann", Role.OWNER)
    assert await store.people.by_sender(ANN) == named
    assert await store.people.get(named.id) == named
    assert await store.people.by_sender(Sender("telegram", "1", "renamed")) == named


async def test_the_higher_role_is_kept(store: StorePorts):
    member = await store.people.admit(ANN, Role.MEMBER)
    owner = await store.people.admit(ANN, Role.OWNER)
    assert (owner.id, owner.role) == (member.id, Role.OWNER)
    assert await store.people.admit(ANN, Role.MEMBER) == owner
    assert await store.people.by_sender(ANN) == owner


async def test_accounts_are_listed_with_owners_first(store: StorePorts):
    bob = await store.people.admit(BOB, Role.MEMBER)
    ann = await store.people.admit(ANN, Role.OWNER)
    assert await store.people.accounts() == [("telegram:1", ann), ("telegram:2", bob)]


async def test_one_account_admitted_at_once_is_one_person(store: StorePorts):
    people = await asyncio.gather(*(store.people.admit(ANN, Role.MEMBER) for _ in range(5)))
    assert len({person.id for person in people}) == 1
    assert len(await store.people.accounts()) == 1


async def test_a_revoked_person_has_no_account_and_no_rights_any_more(store: StorePorts):
    bob = await store.people.admit(BOB, Role.OWNER)
    await commit(store, LinkAccount("telegram:3", bob.id), Revoke(bob.id, "gone"))
    assert await store.people.by_sender(BOB) is None
    assert await store.people.accounts() == []
    assert await store.people.get(bob.id) == Person(bob.id, bob.name, Role.MEMBER, NOTHING)
    again = await store.people.admit(BOB, Role.MEMBER)
    assert (again.id != bob.id, again.rights) == (True, NEWCOMER)


async def test_a_live_code_makes_the_first_owner(store: StorePorts):
    await store.door.offer("hash", later(900))
    ann = await store.door.redeem("hash", ANN, later(1))
    assert ann is not None
    assert ann.is_owner
    assert await store.people.by_sender(ANN) == ann


async def test_a_code_raises_a_member_to_owner(store: StorePorts):
    member = await store.people.admit(ANN, Role.MEMBER)
    await store.door.offer("hash", later(900))
    owner = Person(member.id, "Ann", Role.OWNER, NEWCOMER)
    assert await store.door.redeem("hash", ANN, NOW) == owner


@pytest.mark.parametrize(
    ("code", "seconds"), [("forged", 1), ("hash", 900), ("hash", 901), ("replaced", 1)]
)
async def test_a_code_that_is_not_live_opens_nothing(store: StorePorts, code: str, seconds: int):
    await store.door.offer("replaced", later(9000))
    await store.door.offer("hash", later(900))
    assert await store.door.redeem(code, ANN, later(seconds)) is None
    assert await store.people.accounts() == []


async def test_no_code_is_live_before_one_is_offered(store: StorePorts):
    assert await store.door.redeem("", ANN, NOW) is None


async def test_a_code_is_void_once_there_is_an_owner(store: StorePorts):
    await store.door.offer("hash", later(900))
    await store.people.admit(BOB, Role.OWNER)
    assert await store.door.redeem("hash", ANN, NOW) is None


async def test_of_many_who_redeem_at_once_one_gets_in(store: StorePorts):
    await store.door.offer("hash", later(900))
    senders = [Sender("telegram", str(n), f"person {n}") for n in range(8)]
    people = await asyncio.gather(*(store.door.redeem("hash", s, NOW) for s in senders))
    assert len([person for person in people if person is not None]) == 1
    assert len(await store.people.accounts()) == 1


async def test_a_stranger_is_greeted_once_a_day(store: StorePorts):
    today, tomorrow = NOW.date(), NOW.date() + timedelta(days=1)
    assert await store.door.greet("telegram:9", today, 9)
    assert not await store.door.greet("telegram:9", today, 9)
    assert await store.door.greet("telegram:8", today, 9)
    assert await store.door.greet("telegram:9", tomorrow, 9)
    assert not await store.door.greet("telegram:9", today, 9)


async def test_no_more_strangers_than_that_are_greeted_a_day(store: StorePorts):
    today, tomorrow = NOW.date(), NOW.date() + timedelta(days=1)
    greeted = [await store.door.greet(f"telegram:{n}", today, 3) for n in range(5)]
    assert greeted == [True, True, True, False, False]
    assert await store.door.greet("telegram:4", tomorrow, 3)


async def test_a_stranger_who_is_ignored_is_never_greeted_again(store: StorePorts):
    await store.door.ignore("telegram:9")
    assert not await store.door.greet("telegram:9", NOW.date() + timedelta(days=40_000), 9)
    assert await store.door.greet("telegram:8", NOW.date(), 9)
    await store.door.ignore("telegram:8")
    assert not await store.door.greet("telegram:8", NOW.date() + timedelta(days=1), 9)


async def test_a_stranger_who_writes_twice_at_once_is_greeted_once(store: StorePorts):
    greeted = await asyncio.gather(
        *(store.door.greet("telegram:9", NOW.date(), 9) for _ in range(6))
    )
    assert greeted.count(True) == 1


async def test_a_chat_is_made_at_its_first_sight(store: StorePorts):
    made = await store.chats.at(Address("telegram", "-100", "7"), private=False)
    assert made == Chat(made.id, Address("telegram", "-100", "7"), made.conversation, False)
    assert await store.chats.get(made.id) == made
    first = await store.chats.conversation(made.id, made.conversation)
    assert first is not None
    assert (first.opened_at, first.closed_at) == (NOW, None)
    assert await store.chats.conversations(made.id, 10) == []


async def test_threads_are_chats_of_their_own(store: StorePorts):
    whole = await store.chats.at(Address("telegram", "-100"), private=False)
    thread = await store.chats.at(Address("telegram", "-100", "7"), private=False)
    assert whole.id != thread.id
    assert await store.chats.conversation(whole.id, thread.conversation) is None


async def test_one_address_seen_at_once_is_one_chat(store: StorePorts):
    address = Address("telegram", "42")
    chats = await asyncio.gather(*(store.chats.at(address, private=True) for _ in range(6)))
    assert len(set(chats)) == 1
    assert await store.chats.conversation(chats[0].id, chats[0].conversation) is not None


async def test_a_chat_that_is_not_there_is_a_fault(store: StorePorts):
    with pytest.raises(StoreError):
        await store.chats.get(404)


async def test_whoever_owns_the_terminal_pairs_as_the_same_person(store: StorePorts):
    local = await store.people.admit(Sender("terminal", "ana", "ana"), Role.OWNER)
    await store.door.offer("hash", later(60))
    paired = await store.door.redeem("hash", Sender("telegram", "42", "Ana"), NOW)
    assert paired == local
    assert await store.people.by_sender(Sender("telegram", "42", "Ana")) == local
    await store.door.offer("hash", later(60))
    assert await store.door.redeem("hash", Sender("telegram", "7", "Eve"), NOW) is None


async def test_a_profile_is_kept_and_goes_with_the_access(store: StorePorts) -> None:
    ann = await store.people.admit(Sender("telegram", "42", "Ann"), Role.MEMBER)
    assert (ann.about, ann.timezone) == ("", None)
    await commit(store, SaveProfile(ann.id, "I am Ann.", "Europe/Berlin"))
    known = await store.people.by_sender(Sender("telegram", "42", "Ann"))
    assert known is not None
    assert (known.id, known.about, known.timezone) == (ann.id, "I am Ann.", "Europe/Berlin")
    await commit(store, Revoke(ann.id, "gone"))
    gone = await store.people.get(ann.id)
    assert gone is None or (gone.about, gone.timezone) == ("", None)
