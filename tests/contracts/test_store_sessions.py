"""Sign-in codes and sessions of the page."""

from dataclasses import replace

import pytest

from bot.domain.change import JoinPeople, LinkAccount, Revoke
from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.session import MOST_TRIES, Session, hashed, new_code, parts_of
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit, later

ANN = Sender("telegram", "1", "Ann")
BOB = Sender("telegram", "2", "Bob")


def opened(person: Person, id: str = "one") -> Session:
    return Session(id, hashed(id), person.id, "Firefox", NOW, NOW, later(3600))


async def test_a_code_is_spent_once_and_in_time(store: StorePorts):
    ann = await store.people.admit(ANN, Role.OWNER)
    words, code = new_code(NOW, ann.id)
    await store.sessions.offer(code, NOW)
    id, hash = parts_of(words) or ("", "")
    assert await store.sessions.tried(id, hash, code.expires_at) is None
    late, other = new_code(NOW, 2)
    await store.sessions.offer(other, NOW)
    good = await store.sessions.tried(id, hash, NOW)
    assert good == replace(code, tries=1)
    # Until a session is opened by it, a try changes nothing: the program may end in between.
    assert await store.sessions.tried(id, hash, NOW) == good
    session = await store.sessions.open(opened(ann), good)
    assert await store.sessions.tried(id, hash, NOW) is None
    with pytest.raises(Conflict):
        await store.sessions.open(opened(ann, "two"), good)
    assert await store.sessions.of(ann.id, NOW) == [session]
    assert await store.sessions.tried(*(parts_of(late) or ("", "")), NOW) == other


async def test_a_code_stays_where_no_session_is_opened_by_it(store: StorePorts):
    words, code = new_code(NOW, 99)
    await store.sessions.offer(code, NOW)
    nobody = Session("one", hashed("one"), 99, "Firefox", NOW, NOW, later(3600))
    with pytest.raises(Conflict):
        await store.sessions.open(nobody, code)
    assert await store.sessions.tried(*(parts_of(words) or ("", "")), NOW) == code


async def test_a_code_lives_no_longer_when_the_clock_is_set_back(store: StorePorts):
    words, code = new_code(NOW, 1)
    await store.sessions.offer(code, NOW)
    id, hash = parts_of(words) or ("", "")
    assert await store.sessions.tried(id, hash, later(-3600)) is None
    # The clock of another machine may be behind.
    assert await store.sessions.tried(id, hash, later(-60)) == replace(code, tries=1)


async def test_a_code_is_void_after_some_wrong_tries(store: StorePorts):
    words, code = new_code(NOW, None, "terminal:ann", "Ann")
    await store.sessions.offer(code, NOW)
    for number in range(MOST_TRIES):
        assert await store.sessions.tried(code.id, hashed(str(number)), NOW) is None
    assert await store.sessions.tried(*(parts_of(words) or ("", "")), NOW) is None


async def test_a_session_has_its_person_as_they_are_now(store: StorePorts):
    ann = await store.people.admit(ANN, Role.MEMBER)
    session = await store.sessions.open(opened(ann))
    assert session.account == f"web:{ann.id}"
    assert await store.sessions.at(session.hash, NOW) == (session, ann)
    assert await store.people.by_sender(Sender("web", str(ann.id), "Ann")) == ann
    owner = await store.people.admit(ANN, Role.OWNER)
    found = await store.sessions.at(session.hash, NOW)
    assert found is not None
    assert found[1].is_owner
    assert found[1].id == owner.id


async def test_a_session_ends_by_time_by_its_person_and_with_the_access(store: StorePorts):
    ann, bob = [await store.people.admit(one, Role.OWNER) for one in (ANN, BOB)]
    one, two = [await store.sessions.open(opened(ann, id)) for id in ("one", "two")]
    other = await store.sessions.open(opened(bob, "bobs"))
    assert await store.sessions.at(one.hash, one.ends_at) is None
    await store.sessions.renew("one", later(10), later(7200))
    renewed = replace(one, seen_at=later(10), ends_at=later(7200))
    assert await store.sessions.at(one.hash, one.ends_at) == (renewed, ann)
    assert await store.sessions.of(ann.id, NOW) == [renewed, two]
    assert await store.sessions.end(bob.id, "two") == 0
    assert await store.sessions.end(ann.id, "two") == 1
    assert await store.sessions.at(two.hash, NOW) is None
    assert await store.sessions.end(ann.id) == 1
    assert await store.sessions.at(other.hash, NOW) == (other, bob)
    await commit(store, Revoke(bob.id, "access_ended"))
    assert await store.sessions.at(other.hash, NOW) is None


async def test_the_session_of_a_person_who_is_joined_belongs_to_the_other_one(store: StorePorts):
    ann, bob = [await store.people.admit(one, Role.OWNER) for one in (ANN, BOB)]
    session = await store.sessions.open(opened(ann))
    await commit(store, JoinPeople(ann.id, bob.id))
    assert await store.sessions.at(session.hash, NOW) == (replace(session, person=bob.id), bob)
    again = await store.sessions.open(opened(bob, "again"))
    assert again.account == session.account


async def test_somebody_signed_in_at_the_machine_may_still_pair_a_platform(store: StorePorts):
    local = await store.people.admit(Sender("terminal", "ann", "ann"), Role.OWNER)
    await store.sessions.open(opened(local))
    await store.door.offer("code", later(60))
    assert await store.door.redeem("code", ANN, NOW) == local


async def test_whoever_lost_the_access_gets_in_by_no_code_and_by_no_earlier_session(
    store: StorePorts,
):
    bob = await store.people.admit(BOB, Role.MEMBER)
    session = await store.sessions.open(opened(bob))
    words, code = new_code(NOW, bob.id)
    await store.sessions.offer(code, NOW)
    await commit(store, Revoke(bob.id, "access_ended"))
    # Spent in the moment before: the session is opened a moment after.
    with pytest.raises(Conflict):
        await store.sessions.open(opened(bob, "late"))
    assert await store.people.by_sender(Sender("web", str(bob.id), "Bob")) is None
    assert await store.sessions.tried(*(parts_of(words) or ("", "")), NOW) is None
    assert await store.sessions.of(bob.id, NOW) == []
    # An account that comes back opens none of the doors of before.
    await commit(store, LinkAccount("telegram:2", bob.id))
    assert await store.sessions.at(session.hash, NOW) is None
