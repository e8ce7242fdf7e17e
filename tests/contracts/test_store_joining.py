"""Two people who are the same: everything of one becomes the other's, in one commit."""

import asyncio
from dataclasses import replace

import pytest

from bot.domain.change import (
    AddNote,
    AddRule,
    AddUsage,
    CheckAccess,
    InboundState,
    JoinPeople,
    KeepPassage,
    MarkInbound,
    SaveApproval,
    SaveErrand,
    SaveFeedback,
    SaveFileChange,
    SaveGoal,
    SavePlan,
    SaveProfile,
    SaveTask,
    SaveTerms,
    SaveTurn,
    Write,
)
from bot.domain.consent.approval import ApprovalState, Rule
from bot.domain.memory.note import Note
from bot.domain.memory.passage import Passage, of_group, of_person
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.feedback import Opinion
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.rights import NOTHING, Rights
from bot.domain.tools.tool import CommandRule
from bot.domain.turn.turn import TurnState
from bot.ports.ledger import Spender
from bot.ports.meaning import Leaving
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_card, a_plan, a_turn, an_errand, commit, later
from tests.contracts.test_store_feedback import good
from tests.contracts.test_store_file_changes import a_change
from tests.contracts.test_store_goals import a_goal
from tests.contracts.test_store_ledger import used
from tests.contracts.test_store_meaning import INDEX
from tests.contracts.test_store_memory import found, passage
from tests.contracts.test_store_scheduled import a_task

ANN, BOB = Sender("telegram", "42", "Ann"), Sender("discord", "77", "Bob")
SECOND = Sender("discord", "78", "Bob")


async def two(store: StorePorts) -> tuple[Person, Person]:
    """Returns Ann and Bob, in this order."""
    ann = await store.people.admit(ANN, Role.OWNER)
    return ann, await store.people.admit(BOB, Role.MEMBER)


async def joined(store: StorePorts) -> tuple[Person, Person]:
    """Joins Bob to Ann, and returns both as they are then."""
    ann, bob = await two(store)
    await commit(store, JoinPeople(bob.id, ann.id))
    left, stays = await store.people.get(bob.id), await store.people.get(ann.id)
    assert left is not None
    assert stays is not None
    return stays, left


async def clashes(store: StorePorts, *writes: Write) -> None:
    with pytest.raises(Conflict):
        await commit(store, *writes)


async def marked(store: StorePorts, chat: Chat, person: int, state: InboundState) -> None:
    await store.inbox.accept("discord", [RawUpdate(f"{person}", "{}")], later(5))
    (row,) = await store.inbox.unrouted(10)
    mark = MarkInbound(row.id, state, (InboundState.NEW,), chat.id, message_id="m", person=person)
    await commit(store, mark)


async def test_all_accounts_are_those_of_the_person_who_stays(store: StorePorts) -> None:
    ann, bob = await two(store)
    await store.people.admit(SECOND, Role.MEMBER)
    second = await store.people.by_sender(SECOND)
    assert second is not None
    await commit(store, SaveTerms(bob.id, Rights(commands=False), None))
    await commit(store, SaveProfile(bob.id, "I am Bob.", "Europe/Berlin"))
    await commit(store, JoinPeople(second.id, bob.id))
    stays, left = await joined(store)
    assert stays == replace(ann, about="I am Bob.", timezone="Europe/Berlin")
    assert left == Person(bob.id, "Bob", Role.MEMBER, NOTHING)
    assert [(key, one.id) for key, one in await store.people.accounts()] == [
        (key, ann.id) for key in ("discord:77", "discord:78", "telegram:42")
    ]


async def test_what_the_one_who_stays_says_of_themselves_counts(store: StorePorts) -> None:
    ann, bob = await two(store)
    await commit(store, SaveProfile(ann.id, "I am Ann.", None))
    await commit(store, SaveProfile(bob.id, "I am Bob.", "Asia/Tokyo"))
    stays, left = await joined(store)
    assert (stays.about, stays.timezone) == ("I am Ann.", "Asia/Tokyo")
    assert (left.about, left.timezone) == ("", None)


async def test_work_and_its_record_are_handed_over(store: StorePorts, chat: Chat) -> None:
    ann, bob = await two(store)
    of, begun = {"asker": bob.id}, a_plan(chat, asker=ann.id, collector=bob.id)
    turn = a_turn(chat, asker=bob.id, state=TurnState.SETTLED)
    card = a_card(chat, asker=bob.id, decided_by=bob.id, state=ApprovalState.DENIED)
    await commit(
        store,
        SaveTurn(turn),
        SaveApproval(card),
        SaveTask(replace(a_task(chat), **of)),
        SaveGoal(replace(a_goal(chat), **of)),
        SavePlan(begun),
        SaveErrand(replace(an_errand(chat, chat), **of)),
        SaveFileChange(replace(a_change(chat), **of)),
    )
    await joined(store)
    assert await store.turns.get("turn-1") == replace(turn, asker=ann.id)
    known = await store.approvals.get("card-1")
    assert known is not None
    assert (known.asker, known.decided_by) == (ann.id, ann.id)
    (task,) = await store.scheduled.of_person(ann.id)
    (goal,) = await store.goals.of_person(ann.id)
    plan, errand = await store.plans.get("plan-1"), await store.errands.get("errand-1")
    change = await store.file_changes.get("one")
    assert plan is not None
    assert errand is not None
    assert change is not None
    assert (plan.asker, plan.collector) == (ann.id, ann.id)
    assert (errand.asker, change.asker) == (ann.id, ann.id)
    grown = [
        (task, a_task(chat)),
        (goal, a_goal(chat)),
        (plan, begun),
        (errand, an_errand(chat, chat)),
        (change, a_change(chat)),
    ]
    assert [now.version - before.version for now, before in grown] == [1] * 5
    assert (await store.members.open_work(bob.id)).asked is False


async def test_whoever_read_a_row_before_cannot_save_it(store: StorePorts, chat: Chat) -> None:
    _, bob = await two(store)
    task = replace(a_task(chat), asker=bob.id)
    await commit(store, SaveTask(task))
    await joined(store)
    late = a_turn(chat, asker=bob.id, state=TurnState.QUEUED)
    await clashes(store, SaveTurn(late), SaveTask(task.changed(), task.version))
    assert await store.turns.get(late.id) is None


async def test_a_rule_that_both_had_stands_once(store: StorePorts, chat: Chat) -> None:
    ann, bob = await two(store)
    both = Rule(0, ann.id, chat.id, "run_command", CommandRule(("ls",)), "ls", NOW)
    own = replace(both, person=bob.id, pattern=CommandRule(("make",)), label="make")
    lent = replace(both, person=bob.id, under="minutes@1")
    rules = (both, replace(both, person=bob.id, created_at=later(5)), own, lent)
    await commit(store, *map(AddRule, rules))
    await joined(store)
    kept = [(rule.label, rule.under) for rule in await store.rules.of(ann.id, chat.id)]
    assert kept == [("ls", ""), ("make", ""), ("ls", "minutes@1")]
    assert await store.rules.of(bob.id, chat.id) == []


async def test_of_two_opinions_that_of_the_one_who_stays_stands(
    store: StorePorts, chat: Chat
) -> None:
    ann, bob = await two(store)
    mine = good(chat, person=ann.id)
    theirs = replace(mine, person=bob.id, verdict=Opinion.BAD)
    other = good(chat, "turn-2", bob.id, at=1)
    await commit(store, *map(SaveFeedback, (mine, theirs, other)))
    await joined(store)
    assert await store.feedback.since(None) == [mine, replace(other, person=ann.id)]


async def test_costs_and_messages_of_both_count_together(store: StorePorts, chat: Chat) -> None:
    ann, bob = await two(store)
    await commit(
        store,
        SaveTurn(a_turn(chat, "t", asker=bob.id, state=TurnState.SETTLED)),
        used(chat, "m", 50, person=ann.id),
        used(chat, "m", 25, person=bob.id),
    )
    await marked(store, chat, bob.id, InboundState.TAKEN)
    await joined(store)
    late = used(chat, "m", 5, person=bob.id, turn="t")
    await commit(store, late, replace(late, cost=7))
    assert await store.ledger.total(NOW, Spender(person=ann.id)) == 82
    assert await store.ledger.total(NOW, Spender(person=bob.id)) == 0
    assert await store.members.seen() == {ann.id: later(5)}


async def test_a_call_is_paid_by_the_asker_of_its_turn(store: StorePorts, chat: Chat) -> None:
    await commit(store, SaveTurn(a_turn(chat, asker=7)))
    paid: AddUsage = used(chat, "m", 5, person=3, turn="turn-1")
    await commit(store, paid, used(chat, "m", 3, person=3, turn="none"))
    assert await store.ledger.total(NOW, Spender(person=7)) == 5
    assert await store.ledger.total(NOW, Spender(person=3)) == 3


async def test_everything_is_remembered_of_the_one_who_stays(store: StorePorts) -> None:
    ann, bob = await two(store)
    before, after = of_person(bob.id), of_person(ann.id)
    home = await store.chats.at(Address("discord", "77"), private=True)
    group = await store.chats.at(Address("discord", "9"), private=False)

    def said(id: str, whose: str, chat: Chat | None) -> Passage:
        told = passage(id, "What grows here?", f"A quince {id}.", whose=whose, person=bob.id)
        return replace(told, chat=None if chat is None else chat.id)

    note = Note("n", before, "quince n", NOW, bob.id)
    await store.meant.begin(INDEX)
    passages = (said("at home", before, home), said("imported", before, None))
    shared = said("in a group", of_group(group.id), group)
    await commit(store, AddNote(note), *map(KeepPassage, (*passages, shared)))
    await commit(store, KeepPassage(note.as_passage(home)))
    await store.words.take_in(await store.memory.owed(10))
    owed = await store.meaning_debts.owed(10)
    await store.meaning_debts.taken_in(owed, "i1")
    await joined(store)
    left = {Leaving(one.number, before) for one in owed if one.id != "in a group"}
    assert set(await store.meaning_debts.leaving(10)) == left
    assert len(await store.meaning_debts.owed(10)) == 3
    await store.words.take_in(await store.memory.owed(10))
    assert await found(store, "quince", before) == []
    assert set(await found(store, "quince", after)) == {"at home", "imported", "note:n"}
    assert await store.notes.of(after, 5) == [replace(note, whose=after, person=ann.id)]
    kept = await store.memory.get("in a group")
    assert kept is not None
    assert (kept.whose, kept.person) == (of_group(group.id), ann.id)


@pytest.mark.parametrize("what", ["turn", "card", "message"])
async def test_nobody_is_joined_while_something_of_theirs_is_open(
    store: StorePorts, chat: Chat, what: str
) -> None:
    ann, bob = await two(store)
    task = replace(a_task(chat), asker=bob.id)
    await commit(store, SaveTask(task))
    match what:
        case "turn":
            await commit(store, SaveTurn(a_turn(chat, asker=bob.id, state=TurnState.PARKED)))
        case "card":
            await commit(store, SaveApproval(a_card(chat, asker=bob.id)))
        case _:
            await marked(store, chat, bob.id, InboundState.WAITING)
    await clashes(store, JoinPeople(bob.id, ann.id))
    assert await store.scheduled.get("one") == task
    assert await store.people.by_sender(BOB) == bob


async def test_only_two_people_with_accounts_are_joined(store: StorePorts) -> None:
    ann, bob = await joined(store)
    for of in ((bob.id, ann.id), (ann.id, bob.id), (ann.id, ann.id), (404, ann.id)):
        await clashes(store, JoinPeople(*of))
    assert await store.people.by_sender(BOB) == ann


async def test_what_was_begun_for_a_person_who_left_is_refused(
    store: StorePorts, chat: Chat
) -> None:
    ann, bob = await joined(store)
    turn = a_turn(chat, asker=bob.id)
    await clashes(store, CheckAccess(bob.id), SaveTurn(turn))
    assert await store.turns.get(turn.id) is None
    await commit(store, CheckAccess(ann.id), SaveTurn(turn))


async def test_a_message_that_comes_during_a_join_is_not_lost(
    store: StorePorts, chat: Chat
) -> None:
    """One of both wins: no message waits for a person who has no account."""
    ann, bob = await two(store)
    await store.inbox.accept("discord", [RawUpdate("late", "{}")], NOW)
    (row,) = await store.inbox.unrouted(1)
    waits = MarkInbound(row.id, InboundState.WAITING, (InboundState.NEW,), chat.id, person=bob.id)
    ends = await asyncio.gather(
        commit(store, CheckAccess(bob.id), waits),
        commit(store, JoinPeople(bob.id, ann.id)),
        return_exceptions=True,
    )
    assert [type(end) for end in ends if end is not None] == [Conflict]
    holder = await store.people.by_sender(BOB)
    assert holder is not None
    now = await store.inbox.get(row.id)
    assert now is not None
    assert now.person in (None, holder.id)
