"""Passages that are remembered, and the index of their words."""

from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from bot.adapters.sql import word_index
from bot.domain.assignments.errand import home_of
from bot.domain.change import (
    AddNote,
    DropNote,
    JoinChats,
    KeepPassage,
    LinkAccount,
    ReadPast,
    SaveErrand,
    SaveTurn,
)
from bot.domain.memory.fit import ENOUGH, Explained
from bot.domain.memory.note import Note
from bot.domain.memory.passage import Passage, of_group, whose
from bot.domain.memory.standing_wish import WISH
from bot.domain.money.budget import CallKind, Cause
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from bot.flow.memory.recall import Recall
from bot.ports.belongings import Talk
from bot.ports.listed import ListPlace
from bot.ports.records import RowKey
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_turn, an_errand, commit
from tests.fakes.clock import FakeClock

ME = "p1"
HOSTILE = [
    '"',
    '" OR "x',
    "zz AND",
    "NOT",
    "tokens:zz OR (",
    "*",
    "\ud800",
    "\0",
    "x" * 5_000,
    "NEAR(a b)",
    "-",
    "'",
    "^a",
    "a:b & !c | <->",
    "\\",
    "%s {} ?",
    "",
]


def passage(id: str, question: str, answer: str, **changed: Any) -> Passage:
    one = Passage(id, ME, NOW, question, answer, person=1, speaker="Ann", conversation="c")
    return replace(one, **changed)


DOG = passage("dog", "What is my dog called?", "Your dog is called Rex.")
CAR = passage("car", "Where did I park the car?", "In the garage below the station.")
TAX = passage("tax", "When are the taxes due?", "On 31 July.")


async def remember(store: StorePorts, *passages: Passage) -> None:
    await commit(store, *map(KeepPassage, passages))
    await store.words.take_in(await store.memory.owed(1_000))


async def found(store: StorePorts, words: str, of: str = ME) -> list[str]:
    return [hit.id for hit in await store.words.search(words, of, 5) if hit.share >= ENOUGH]


async def test_a_passage_is_kept_once_and_owed_until_it_is_indexed(store: StorePorts) -> None:
    await commit(store, KeepPassage(DOG), KeepPassage(CAR))
    await commit(store, KeepPassage(replace(DOG, answer="another")))
    owed = await store.memory.owed(10)
    assert [replace(one, number=0) for one in owed] == [DOG, CAR]
    assert owed[0].number < owed[1].number
    assert (await store.memory.condition()).owed == 2
    assert await found(store, "dog") == []
    await store.words.take_in(owed)
    await store.words.take_in(owed)
    assert await store.memory.owed(10) == []
    assert await found(store, "dog") == ["dog"]
    condition = await store.memory.condition()
    assert (condition.passages, condition.owed) == (2, 0)


@pytest.mark.parametrize(
    ("words", "id"),
    [
        ("the name of my DOGS", "dog"),
        ("cars I have parked", "car"),
        ("tax", "tax"),
        ("what was due in July?", "tax"),
    ],
)
async def test_words_are_found_in_each_of_their_forms(
    store: StorePorts, words: str, id: str
) -> None:
    await remember(store, DOG, CAR, TAX)
    assert [hit.id for hit in await store.words.search(words, ME, 5)][:1] == [id]


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("The letter came.", "letters"),
        ("Two questions for my teachers.", "question teacher"),
        ("The persons in the gardens planned it.", "person garden plans"),
        ("We went by bus and bought mice.", "go buy mouse"),
        ("Zwei Katzen und die Häuser.", "Katze Haus"),
        ("Los niños comen.", "niño"),
        ("Собаки бегали.", "собака"),
    ],
)
async def test_a_word_and_its_plural_have_one_stem(
    store: StorePorts, told: str, asked: str
) -> None:
    await remember(store, DOG, passage("told", told, "Noted."), CAR)
    hits = await store.words.search(asked, ME, 5)
    assert [(hit.id, round(hit.share, 3)) for hit in hits] == [("told", 1.0)]


async def test_a_rare_pair_of_common_words_is_found_in_a_large_memory(store: StorePorts) -> None:
    things = ("garden", "lantern")
    crowd = [passage(f"n{n}", f"The {things[n % 2]} {n}", "Noted.") for n in range(2_100)]
    told = passage("told", "The lantern of the garden", "Noted.", conversation="d")
    await remember(store, told, *crowd)
    while owed := await store.memory.owed(1_000):
        await store.words.take_in(owed)
    assert (await found(store, "Which lanterns are in the garden?"))[0] == "told"


async def test_a_long_answer_with_both_words_is_found_among_many_short_ones(
    store: StorePorts,
) -> None:
    things = ("garden", "lantern")
    crowd = [
        passage(f"n{n}", f"The {things[n % 2]} {n}", "Noted.", conversation=f"c{n}")
        for n in range(400)
    ]
    far = " and there was nothing else to be seen for a while" * 10
    told = passage("told", f"The garden{far}", f"A lantern{far}", conversation="d")
    await remember(store, told, *crowd)
    assert (await found(store, "Which lanterns are in the garden?"))[0] == "told"


async def test_words_near_each_other_and_the_persons_own_count_more(store: StorePorts) -> None:
    far = " and there was nothing else to be seen for a while "
    await remember(
        store,
        passage("near", "Tell me", f"{far}{far}A quince tree.{far}", conversation="a"),
        passage("apart", "Tell me", f"A quince.{far}{far} A tree.", conversation="b"),
        passage("own", f"A quince tree.{far}{far}", "Yes.", conversation="e"),
    )
    hits = await store.words.search("quince tree", ME, 5)
    assert [hit.id for hit in hits] == ["own", "near", "apart"]


async def test_what_somebody_said_comes_before_what_was_said_to_them(store: StorePorts) -> None:
    far = "and there was nothing else to be seen for a while"
    tennis, tea = f"Well, {far}: I play tennis {far}.", f"Oh, {far}: I have tea {far}."
    await remember(
        store,
        passage("to her", f"Ann: {tea}", f"Bob: {tennis}", conversation="a"),
        passage("to him", f"Ann: {tennis}", f"Bob: {tea}", conversation="b"),
    )
    for name, id in (("Bob", "to her"), ("Ann", "to him")):
        hits = await store.words.search(f"Which sport does {name} play, tennis?", ME, 5)
        assert (len(hits), hits[0].id) == (2, id)


async def test_a_short_line_is_not_outweighed_by_a_word_that_stands_on_both_sides_of_a_long_answer(
    store: StorePorts,
) -> None:
    filling = " ".join(f"thing{number} and matter{number}" for number in range(150))
    await remember(
        store,
        passage("long", "Where are violins made?", f"A violin: {filling}", conversation="a"),
        passage("short", "My violin is ill.", "Poor you.", conversation="b"),
    )
    hits = await store.words.search("violin", ME, 5)
    assert [hit.id for hit in hits] == ["short", "long"]


async def test_a_passage_is_nearer_beside_others_that_fit(store: StorePorts) -> None:
    await remember(
        store,
        passage("alone", "The violin?", "A violin.", conversation="a"),
        passage("first", "The violin concert in Lisbon?", "Yes, the concert.", conversation="b"),
        passage("beside", "The violin?", "A violin.", conversation="b"),
    )
    hits = await store.words.search("violin concert Lisbon", ME, 5)
    assert [hit.id for hit in hits] == ["first", "beside", "alone"]


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("我最喜欢的菜是北京烤鸭。", "北京烤鸭好吃吗?"),
        ("私の犬の名前はポチです。", "犬の名前"),
        ("แมวของฉันชื่อส้ม", "แมวชื่ออะไร"),
        ("Мою кошку зовут Мурка.", "кошку зовут"),
        ("اسم قطتي ميشو", "قطتي"),
        ("Mein Büro ist in Zürich.", "ZURICH buro"),
    ],
)
async def test_every_script_is_found(store: StorePorts, told: str, asked: str) -> None:
    await remember(store, DOG, passage("told", told, "我知道了。"), CAR)
    assert [hit.id for hit in await store.words.search(asked, ME, 5)] == ["told"]


@pytest.mark.parametrize("words", HOSTILE)
async def test_no_words_are_a_fault_or_an_operator(store: StorePorts, words: str) -> None:
    await remember(store, DOG, passage("bad", words, words))
    assert [h.id for h in await store.words.search(words, ME, 5) if h.id != "bad"] == []


async def test_nobody_finds_what_others_said(store: StorePorts) -> None:
    theirs = replace(DOG, id="theirs", whose="p11", person=11)
    group = replace(DOG, id="group", whose="c1")
    await remember(store, DOG, theirs, group)
    for of, id in ((ME, "dog"), ("p11", "theirs"), ("c1", "group"), ("p2", None), ("c11", None)):
        assert await found(store, "dog", of) == ([id] if id else [])
    assert await found(store, "p11xdog p1xdog c1xdog") == []


async def test_rare_words_count_more_and_little_in_common_is_no_fit(store: StorePorts) -> None:
    crowd = [passage(f"n{n}", f"Note {n} about the garden", "Noted.") for n in range(30)]
    await remember(store, *crowd, passage("rare", "Note about the quince", "Noted."))
    hits = await store.words.search("a note about the quince", ME, 3)
    assert hits[0].id == "rare"
    assert hits[0].share > ENOUGH > hits[1].share
    assert await found(store, "note from Lisbon about Ferdinand's violin concert") == []


async def test_the_number_of_frequent_words_is_estimated_and_rare_ones_still_lead(
    store: StorePorts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_index, "_OFTEN", 4)
    alone = {"conversation": ""}
    crowd = [passage(f"n{n}", "Note about the garden", "Noted.", **alone) for n in range(30)]
    late = [passage(f"l{n}", "Note about the hedge", "Noted.", **alone) for n in range(12)]
    await remember(store, *crowd, *late, passage("rare", "Note about the quince", "Noted."))
    hits = await store.words.search("a note about the quince", ME, 3)
    assert hits[0].id == "rare"
    assert hits[0].share > ENOUGH > hits[1].share
    hits = await store.words.search("the hedge, the garden", ME, 60)
    assert len(hits) >= 42
    assert [hit.id[0] for hit in hits[:12]] == ["l"] * 12, "the rarer one of both counts more"


async def test_a_frequent_word_weighs_little_though_its_passages_were_indexed_in_another_order(
    store: StorePorts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_index, "_OFTEN", 4)
    # Rows of a server stand where others were deleted: without any they stand in their order.
    await store.words.start_anew()
    # Counts of frequent words are kept for a run; nobody else has counted for this person.
    alone = {"conversation": "", "whose": "p31"}
    crowd = [passage(f"n{n}", "garden", "Noted.", **alone) for n in range(30)]
    await commit(store, *map(KeepPassage, crowd))
    first, *others, last = await store.memory.owed(30)
    await store.words.take_in([first, last, *others])
    parts = (await store.words.explained("garden", "p31", 5)).parts
    assert {round(sum(one.words.values()), 1) for one in parts.values()} == {1.4}


async def test_the_heaviest_passages_are_found_though_common_words_lead_to_few(
    store: StorePorts, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(7)
    words = [f"w{n}" for n in range(12)]

    def some() -> str:
        return " ".join(chance.choices(words, [1 / (n + 1) for n in range(12)], k=3))

    alone = {"conversation": ""}
    await remember(store, *(passage(f"{n:03}", some(), some(), **alone) for n in range(200)))
    searches = [" ".join(chance.sample(words, 6)) for _ in range(20)]
    monkeypatch.setattr(word_index, "_CANDIDATES", 200)
    every = [await store.words.explained(said, ME, 200) for said in searches]
    monkeypatch.setattr(word_index, "_LOOKED_AT", 10)
    for said, all_of_them in zip(searches, every, strict=True):
        weight = {id: round(sum(one.words.values()), 6) for id, one in all_of_them.parts.items()}
        assert len(weight) > 50
        heaviest = sorted(weight, key=lambda id: (weight[id], id))[-10:]
        assert set(heaviest) <= (await store.words.explained(said, ME, 200)).parts.keys()


async def test_a_person_who_looks_sees_what_a_message_would_be_given(store: StorePorts) -> None:
    chance = Random(11)
    words = [f"w{n}" for n in range(30)]

    def some(most: int) -> str:
        return " ".join(chance.choices(words, [1 / (n + 1) for n in range(30)], k=most))

    wishes = [passage(f"wish{n}", f"Never {some(4)}, please.", "Noted.") for n in range(4)]
    unknown = [passage(f"none{n}", some(3), "I don't know.") for n in range(20)]
    await remember(
        store, *wishes, *unknown, *(passage(f"{n:03}", some(3), some(9)) for n in range(99))
    )
    recall = Recall(store.memory, store.words, None, store.journal, FakeClock())
    cause, whole = Cause(CallKind.EMBEDDING, person=1), 0
    for _ in range(25):
        asked = some(4)
        given, seen = (
            await recall.fitting(asked, ME, (), cause),
            await recall.looked(asked, ME, cause),
        )
        assert (list(seen.told), list(seen.around)) == (list(given.ids), list(given.passages)), (
            asked
        )
        whole += len(given.ids)
    assert whole > 25


async def test_passages_are_found_when_a_word_has_become_rare_since_it_was_counted(
    store: StorePorts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_index, "_OFTEN", 4)
    monkeypatch.setattr(word_index, "_LOOKED_AT", 4)
    gardens = [passage(f"g{n}", "garden", "Noted.", conversation="") for n in range(5)]
    trees = [passage(f"t{n}", "tree", "Noted.", conversation="") for n in range(30)]
    await remember(store, *gardens, *trees)
    assert await store.words.search("tree, garden", ME, 60)
    await store.words.start_anew()
    await store.words.take_in((await store.memory.owed(7))[4:])
    found = {hit.id for hit in await store.words.search("tree, garden", ME, 60)}
    assert found >= {"g4", "t0", "t1"}


async def test_a_wish_that_holds_always_comes_before_what_was_said_once(store: StorePorts) -> None:
    once = passage("once", "Once put honey into the tea", "Noted.", conversation="a")
    wish = passage("wish", "Always put honey into the tea", "Noted.", conversation="b")
    await remember(store, once, wish)
    hits = await store.words.search("tea with honey", ME, 2)
    assert [hit.id for hit in hits] == ["wish", "once"]


async def test_neighbours_come_with_a_passage(store: StorePorts) -> None:
    line = [passage(f"n{n}", f"question {n}", "answer") for n in range(5)]
    other = passage("x", "elsewhere", "x", conversation="d")
    alone = passage("y", "imported", "y", conversation="")
    await commit(store, *map(KeepPassage, (*line[:3], other, alone, *line[3:])))
    assert [p.id for p in await store.memory.around(["n3"])] == ["n2", "n3", "n4"]
    assert [p.id for p in await store.memory.around(["x", "n0", "y"])] == ["n0", "n1", "x", "y"]
    assert list(await store.memory.around([])) == []


async def test_an_index_starts_anew_and_everything_is_owed_to_it(store: StorePorts) -> None:
    await remember(store, DOG, CAR)
    await store.words.start_anew()
    assert await found(store, "dog") == []
    assert [p.id for p in await store.memory.owed(10)] == ["dog", "car"]
    await store.words.take_in(await store.memory.owed(10))
    assert await found(store, "dog") == ["dog"]


async def test_the_past_is_read_conversation_by_conversation(store: StorePorts, chat: Chat) -> None:
    settled = a_turn(
        chat, "old", state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER, ended_at=NOW
    )
    stopped = replace(settled, id="stopped", stop_reason=StopReason.USER_CANCELLED)
    under_way = a_turn(chat, "now")
    await commit(store, SaveTurn(settled), SaveTurn(stopped), SaveTurn(under_way))
    past = await store.memory.past()
    assert past is not None
    assert (past.chat.id, past.conversation) == (chat.id, chat.conversation)
    assert past.turns == (settled,)
    condition = await store.memory.condition()
    assert (condition.past_read, condition.past) == (0, 1)
    await commit(store, ReadPast(past.conversation))
    assert await store.memory.past() is None
    assert (await store.memory.condition()).past_read == 1
    await commit(store, ReadPast(past.conversation, ended=True))
    assert (await store.memory.condition()).past == 0


async def test_what_was_said_at_an_account_follows_it_to_its_person(store: StorePorts) -> None:
    ann = await store.people.admit(Sender("telegram", "42", "Ann"), Role.OWNER)
    other = await store.people.admit(Sender("fake", "7", "Ann too"), Role.MEMBER)
    home = await store.chats.at(Address("fake", "7"), private=True)
    said = replace(DOG, whose=whose(home, other.id), person=other.id, chat=home.id)
    await remember(store, said)
    await commit(store, LinkAccount("fake:7", ann.id))
    await store.words.take_in(await store.memory.owed(10))
    assert await found(store, "dog", f"p{other.id}") == []
    assert await found(store, "dog", f"p{ann.id}") == ["dog"]


async def test_what_a_joined_chat_said_belongs_to_the_other_one(store: StorePorts) -> None:
    old = await store.chats.at(Address("telegram", "-1"), private=False)
    new = await store.chats.at(Address("telegram", "-2"), private=False)
    await remember(store, replace(DOG, whose=of_group(new.id), chat=new.id))
    await commit(store, JoinChats(old.address, new.address))
    await store.words.take_in(await store.memory.owed(10))
    kept = await store.memory.get("dog")
    assert kept is not None
    assert (kept.chat, kept.whose) == (old.id, of_group(old.id))
    assert await found(store, "dog", of_group(old.id)) == ["dog"]


async def test_wishes_that_hold_always_are_found_by_themselves(store: StorePorts) -> None:
    nuts = passage("nuts", "I never eat nuts in a cake.", "Noted.")
    theirs = replace(nuts, id="theirs", whose="p11", person=11)
    said = passage("said", "Which cake has nuts?", "A nut cake.")
    cite = passage("cite", "From now on cite in APA.", "I will.")
    await remember(store, nuts, theirs, said, cite, DOG)
    assert [hit.id for hit in await store.words.wishes("Bake me a cake", ME)] == ["nuts"]
    assert [hit.id for hit in await store.words.wishes("the cited cake", ME)] == ["cite", "nuts"]
    assert not await store.words.wishes("what is it", ME)
    assert await found(store, WISH) == []


async def test_the_parts_of_a_score_are_all_of_it(store: StorePorts) -> None:
    named = passage("named", "Whose dog is it?\nAnn: the dog is mine", "Noted, it is hers.")
    elsewhere = passage("elsewhere", "A dog barks.", "Yes.", conversation="d")
    wish = passage("wish", "Never call a dog Ann.", "Noted.", conversation="e")
    await remember(store, DOG, named, elsewhere, wish, replace(DOG, id="theirs", whose="p11"))
    hits = await store.words.search("What did Ann say of the dog?", ME, 10)
    explained = await store.words.explained("What did Ann say of the dog?", ME, 10)
    parts = explained.parts
    assert list(explained.hits) == list(hits)
    assert {hit.id for hit in hits} == {"dog", "named", "elsewhere", "wish"} == set(parts)
    for hit in hits:
        one = parts[hit.id]
        assert one.own - one.lost + one.beside + one.talk == pytest.approx(hit.score)
    assert parts["named"].names == {"ann"}
    assert set(parts["named"].words) == {"ann", "dog", "the"}
    assert parts["elsewhere"].lost > 0
    assert parts["dog"].beside > 0
    assert parts["wish"].wish
    assert await store.words.explained("", ME, 10) == Explained()


async def test_what_no_word_finds_yet_is_counted(store: StorePorts) -> None:
    await commit(store, KeepPassage(DOG), KeepPassage(replace(DOG, id="other")))
    assert await store.memory.count_owed() == 2
    await store.words.take_in(await store.memory.owed(1))
    assert await store.memory.count_owed() == 1


async def test_the_date_of_a_passage_is_found_too(store: StorePorts) -> None:
    later = replace(DOG, id="later", at=NOW + timedelta(days=60))
    await remember(store, DOG, later)
    hits = await store.words.search("the dog in January 2027", ME, 5)
    assert [hit.id for hit in hits] == ["later", "dog"]


async def test_notes_are_found_newest_first_and_gone_with_their_passages(
    store: StorePorts, chat: Chat
) -> None:
    notes = [Note(f"n{n}", ME, f"quince {n}", NOW + timedelta(n), 1, "Ann") for n in range(3)]
    theirs = Note("theirs", "p11", "quince", NOW, 11)
    await commit(store, *map(AddNote, (*notes, theirs)))
    await commit(store, *(KeepPassage(note.as_passage(chat)) for note in notes))
    await store.words.take_in(await store.memory.owed(10))
    assert [note.id for note in await store.notes.of(ME, 2)] == ["n2", "n1"]
    assert [note.id for note in await store.notes.of(ME, 1, 1)] == ["n1"]
    assert await store.notes.of(ME, 5, 100) == []
    assert [note.id for note in await store.notes.part(ME, None, 2)] == ["n2", "n1"]
    place = ListPlace(RowKey(notes[1].at, "n1"))
    assert [note.id for note in await store.notes.part(ME, place, 2)] == ["n0"]
    place = ListPlace(RowKey(notes[0].at, "n0"), back=True)
    assert [note.id for note in await store.notes.part(ME, place, 1)] == ["n1"]
    assert [note.id for note in await store.notes.part(ME, place, 9)] == ["n2", "n1"]
    assert await store.notes.get("n1") == notes[1]
    await commit(store, DropNote("n1"), DropNote("n1"), DropNote("none"))
    assert await store.notes.get("n1") is None
    assert await store.memory.get("note:n1") is None
    hits = await store.words.search("quince", ME, 5)
    assert {hit.id for hit in hits} == {"note:n0", "note:n2"}


async def test_the_talks_of_somebody_are_those_of_their_chats(
    store: StorePorts, chat: Chat
) -> None:
    group = await store.chats.at(Address("telegram", "-1"), private=False)
    await remember(store, replace(DOG, chat=chat.id), replace(CAR, whose="c9", chat=group.id))
    assert await store.belongings.talks(ME) == [Talk("telegram:42", chat.conversation)]
    assert await store.belongings.talks("p7") == []
    home = await store.chats.at(home_of("e1"), private=True)
    await commit(store, SaveErrand(an_errand(chat, home)))
    assert {one.place for one in await store.belongings.talks(ME)} == {"telegram:42", "errand:e1"}


async def test_talks_that_left_nothing_to_remember_are_theirs_too(
    store: StorePorts, chat: Chat
) -> None:
    group = await store.chats.at(Address("telegram", "-1"), private=False)
    theirs = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(
        store,
        SaveTurn(a_turn(chat, "a", state=TurnState.SETTLED)),
        SaveTurn(replace(a_turn(group, "b", state=TurnState.SETTLED))),
        SaveTurn(replace(a_turn(theirs, "c", state=TurnState.SETTLED), asker=2)),
    )
    assert await store.belongings.talks(ME) == [Talk("telegram:42", chat.conversation)]
    assert await store.belongings.talks("p2") == [Talk("telegram:43", theirs.conversation)]


async def test_what_was_imported_for_somebody_is_handed_over_page_by_page(
    store: StorePorts,
) -> None:
    brought = [replace(DOG, id=f"import:{n}") for n in range(3)]
    await remember(store, DOG, *brought, replace(CAR, id="import:x", whose="p2"))
    first = await store.belongings.imported(ME, 0, 2)
    rest = await store.belongings.imported(ME, first[-1].number, 2)
    assert [one.id for one in (*first, *rest)] == [one.id for one in brought]
    assert await store.belongings.imported("p3", 0, 2) == []
