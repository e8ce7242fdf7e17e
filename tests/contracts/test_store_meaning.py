"""What every store notes about the index of meaning."""

from dataclasses import replace

import pytest

from bot.domain.change import AddNote, AddUsage, DropNote, Erase, KeepPassage, LinkAccount
from bot.domain.change.erasing import Target
from bot.domain.memory.note import Note
from bot.domain.memory.passage import Passage, whose
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Usage
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.ports.meaning import Begun, Leaving, Sample
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit
from tests.contracts.test_store_memory import CAR, DOG, ME, TAX

INDEX = Begun("i1", "model/8")


async def keep(store: StorePorts, *passages: Passage) -> list[Passage]:
    await commit(store, *map(KeepPassage, passages))
    owed = await store.meaning_debts.owed(100)
    await store.meaning_debts.taken_in(owed, "i1")
    return list(owed)


async def test_a_new_index_is_owed_everything(store: StorePorts) -> None:
    assert await store.meant.begun() is None
    await store.meant.begin(Begun("i1", "model/4"))
    await keep(store, DOG, CAR)
    assert await store.meaning_debts.owed(10) == []
    await store.meant.begin(INDEX)
    assert await store.meant.begun() == INDEX
    assert [one.id for one in await store.meaning_debts.owed(10)] == ["dog", "car"]
    assert await store.meant.count_owed() == 2
    await store.meaning_debts.taken_in(await store.meaning_debts.owed(1), "i1")
    assert [one.id for one in await store.meaning_debts.owed(10)] == ["car"]
    await store.meant.begin(replace(INDEX, name="i2"))
    assert await store.meant.count_owed() == 2
    with pytest.raises(Conflict):
        await store.meaning_debts.taken_in(await store.meaning_debts.owed(1), "i1")
    with pytest.raises(Conflict):
        await store.meaning_debts.taken_out([Leaving(1, ME)], "i1")
    assert await store.meant.count_owed() == 2
    await store.meant.begin(None)
    assert await store.meant.begun() is None


async def test_the_cost_of_indexing_is_on_record_with_the_note_that_it_is_done(
    store: StorePorts,
) -> None:
    cost = AddUsage("call", Cause(CallKind.EMBEDDING), "embedder", NOW, Usage(9), 18)
    await store.meant.begin(INDEX)
    await commit(store, KeepPassage(DOG))
    owed = await store.meaning_debts.owed(1)
    with pytest.raises(Conflict):
        await store.meaning_debts.taken_in(owed, "another", [cost])
    assert await store.ledger.spent(NOW) == []
    for _ in range(2):
        await store.meaning_debts.taken_in(owed, "i1", [cost])
    (spent,) = await store.ledger.spent(NOW)
    assert (spent.model, spent.calls, spent.usage, spent.cost) == ("embedder", 1, Usage(9), 18)


async def test_the_places_of_numbers_are_found(store: StorePorts) -> None:
    await store.meant.begin(INDEX)
    dog, car = await keep(store, DOG, CAR)
    found = await store.meant.places([car.number, 999, dog.number])
    assert {(p.number, p.id, p.at, p.whose) for p in found} == {
        (one.number, one.id, one.at, one.whose) for one in (dog, car)
    }
    assert await store.meant.places([]) == []


async def test_a_forgotten_passage_leaves_the_index_once(store: StorePorts, chat: Chat) -> None:
    await store.meant.begin(INDEX)
    dog, _, _ = await keep(store, DOG, CAR, TAX)
    await commit(store, Erase(Target(ME, "dog")))
    note = Note("n", ME, "quince", NOW, 1, "Ann")
    await commit(store, AddNote(note), KeepPassage(note.as_passage(chat)), DropNote("n"))
    left = await store.meaning_debts.leaving(10)
    assert Leaving(dog.number, ME) in left
    assert len(left) == 2
    await store.meaning_debts.taken_out(left, "i1")
    assert await store.meaning_debts.leaving(10) == []
    await commit(store, Erase(Target(ME)))
    assert len(await store.meaning_debts.leaving(10)) == 2


async def test_without_an_index_nothing_has_to_leave_it(store: StorePorts) -> None:
    await commit(store, KeepPassage(DOG), Erase(Target(ME)))
    assert await store.meaning_debts.leaving(10) == []


async def test_what_was_forgotten_while_it_was_taken_in_leaves_again(store: StorePorts) -> None:
    await store.meant.begin(INDEX)
    await commit(store, KeepPassage(DOG))
    owed = await store.meaning_debts.owed(1)
    await commit(store, Erase(Target(ME, "dog")))
    await store.meaning_debts.taken_out(await store.meaning_debts.leaving(10), "i1")
    await store.meaning_debts.taken_in(owed, "i1")
    assert await store.meaning_debts.leaving(10) == [Leaving(owed[0].number, ME)]


async def test_what_goes_to_another_owner_leaves_and_is_owed_again(store: StorePorts) -> None:
    await store.meant.begin(INDEX)
    ann = await store.people.admit(Sender("telegram", "42", "Ann"), Role.OWNER)
    other = await store.people.admit(Sender("fake", "7", "Ann too"), Role.MEMBER)
    home = await store.chats.at(Address("fake", "7"), private=True)
    before = whose(home, other.id)
    (said,) = await keep(store, replace(DOG, whose=before, person=other.id, chat=home.id))
    await commit(store, LinkAccount("fake:7", ann.id))
    assert await store.meaning_debts.leaving(10) == [Leaving(said.number, before)]
    (owed,) = await store.meaning_debts.owed(10)
    assert owed.whose == f"p{ann.id}"
    await store.meaning_debts.taken_in([said], "i1")
    assert [one.id for one in await store.meaning_debts.owed(10)] == ["dog"]


async def test_a_vector_that_was_taken_out_of_a_kept_passage_is_owed_again(
    store: StorePorts,
) -> None:
    await store.meant.begin(INDEX)
    (dog,) = await keep(store, DOG)
    await store.meaning_debts.taken_out([Leaving(dog.number, ME)], "i1")
    assert [one.id for one in await store.meaning_debts.owed(10)] == ["dog"]


async def test_a_weight_is_kept_with_its_index_and_ends_with_it(store: StorePorts) -> None:
    with pytest.raises(Conflict):
        await store.weights.weigh(INDEX)
    await store.meant.begin(INDEX)
    weighed = replace(INDEX, weight=0.3, weighed=9)
    for _ in range(2):
        await store.weights.weigh(weighed)
        assert await store.meant.begun() == weighed
    with pytest.raises(Conflict):
        await store.weights.weigh(replace(weighed, name="another", weight=1.0))
    assert await store.meant.begun() == weighed
    await store.weights.weigh(replace(INDEX, weighed=20))
    assert await store.meant.begun() == replace(INDEX, weighed=20)
    await store.weights.weigh(weighed)
    await store.meant.begin(Begun("i2", "other/8"))
    assert await store.meant.begun() == Begun("i2", "other/8")


async def test_a_sample_is_spread_over_all_that_has_a_question_and_an_answer(
    store: StorePorts, chat: Chat
) -> None:
    assert await store.weights.sample(4) == Sample((), 0)
    said = [replace(DOG, id=f"t{n}", answer=f"word{n}") for n in range(20)]
    note = Note("n", ME, "quince", NOW, 1, "Ann").as_passage(chat)
    await commit(store, *map(KeepPassage, [*said, note]))
    kept = [one for one in await store.memory.owed(30) if one.question]
    found = await store.weights.sample(100)
    assert (list(found.passages), found.newest) == (kept, kept[-1].number + 1)
    few = (await store.weights.sample(4)).passages
    assert [one.id for one in few] == ["t0", "t6", "t13"]
