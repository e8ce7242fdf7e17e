"""Goals with their diaries, their tasks, and what their turns cost."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.domain.assignments.goal import DiaryEntry, DiaryKind, Goal, GoalPace, GoalState
from bot.domain.assignments.task import TaskState
from bot.domain.change import (
    AddDiary,
    AddGoalTurn,
    AddRun,
    AddUsage,
    AdoptTask,
    Change,
    DropGoal,
    Erase,
    HoldGoalTasks,
    JoinChats,
    Revoke,
    SaveGoal,
    SaveTask,
    SaveTurn,
    Write,
)
from bot.domain.change.erasing import Target
from bot.domain.memory.passage import of_group
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Usage
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.domain.turn.turn import TurnState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_turn, commit, later
from tests.contracts.test_store_scheduled import a_run, a_task


def a_goal(chat: Chat, id: str = "sail", age: int = 0) -> Goal:
    return Goal(
        id=id,
        chat=chat.id,
        asker=1,
        asker_name="Ann",
        text="Learn to sail",
        pace=GoalPace.DAILY,
        a_day=500_000_000,
        budget=5_000_000_000,
        until=later(86_400),
        created_at=later(age),
        state=GoalState.ACTIVE,
    )


def an_entry(id: str, at: int = 0, turn: str = "", goal: str = "sail") -> DiaryEntry:
    return DiaryEntry(id, goal, later(at), DiaryKind.NOTE, f"Entry {id}.", turn)


def going(goal: Goal, chat: Chat) -> Sequence[Write]:
    """Returns the writes of a goal with its own task and another one."""
    own = replace(a_task(chat, goal.id), goal=goal.id)
    return (SaveGoal(goal), SaveTask(own), SaveTask(a_task(chat, "remind")))


def costs(call: str, turn: str, cost: int) -> AddUsage:
    cause = Cause(CallKind.ANSWER, 1, 1, turn, None)
    return AddUsage(call, cause, "m", NOW, Usage(input=1, output=1), cost)


async def test_a_goal_comes_back_as_it_was_stored(store: StorePorts, chat: Chat) -> None:
    goal = a_goal(chat)
    await commit(store, SaveGoal(goal))
    assert await store.goals.get("sail") == goal
    moved = goal.changed(state=GoalState.STUCK, question="goal:t:c", budget=None, a_day=None)
    await commit(store, SaveGoal(moved, 1))
    assert await store.goals.get("sail") == moved
    for stale in (SaveGoal(goal.changed(), 1), SaveGoal(goal)):
        with pytest.raises(Conflict):
            await store.journal.commit(Change((stale,)))
    newer = a_goal(chat, "row", 5)
    await commit(store, SaveGoal(newer))
    assert await store.goals.of_chat(chat.id, 5) == [newer, moved]
    assert await store.goals.of_chat(chat.id, 1, 1) == [moved]
    assert await store.goals.of_person(1) == [newer, moved]
    counts = [await store.goals.count(one) for one in (GoalState.STUCK, GoalState.DONE)]
    assert counts == [1, 0]


async def test_goals_of_a_person_without_access_are_listed_nowhere(
    store: StorePorts, chat: Chat
) -> None:
    ann = await store.people.admit(Sender("telegram", "42", "Ann"), Role.MEMBER)
    bob = await store.people.admit(Sender("telegram", "43", "Bob"), Role.MEMBER)
    theirs, hers = replace(a_goal(chat, "row"), asker=bob.id), replace(a_goal(chat), asker=ann.id)
    await commit(store, SaveGoal(theirs), SaveGoal(hers))
    assert {one.id for one in await store.goals.of_chat(chat.id, 5)} == {"row", "sail"}
    await commit(store, Revoke(bob.id, "revoked"))
    assert [one.id for one in await store.goals.of_chat(chat.id, 5)] == ["sail"]
    assert await store.goals.of_chat(chat.id, 5, 1) == []


async def test_entries_of_a_diary_exist_once_and_come_newest_first(
    store: StorePorts, chat: Chat
) -> None:
    await commit(store, SaveGoal(a_goal(chat)))
    old, new = an_entry("a"), replace(an_entry("b", 1), untrusted="a page")
    await commit(store, AddDiary(old), AddDiary(new), AddDiary(replace(old, text="again")))
    await commit(store, AddDiary(an_entry("c", goal="unknown")))
    assert await store.goals.diary("sail", 5) == [new, old]
    assert await store.goals.diary("sail", 5, 1) == [old]
    assert await store.goals.diary("unknown", 5) == []


async def test_tasks_of_a_goal_are_held_and_listed_with_it_alone(
    store: StorePorts, chat: Chat
) -> None:
    await commit(store, *going(a_goal(chat), chat))
    assert [one.id for one in await store.scheduled.of_chat(chat.id, 5)] == ["remind"]
    await commit(store, AdoptTask("remind", "sail"), AdoptTask("remind", "unknown"))
    assert [one.id for one in await store.goals.tasks("sail")] == ["remind", "sail"]
    assert [one.id for one in await store.scheduled.of_chat(chat.id, 5)] == ["remind"]
    await commit(store, HoldGoalTasks("sail", TaskState.PAUSED, "a person paused it"))
    held = await store.goals.tasks("sail")
    assert {(one.state, one.why) for one in held} == {(TaskState.PAUSED, "a person paused it")}
    assert {one.version for one in held} == {2}
    await commit(store, HoldGoalTasks("sail", TaskState.DONE, "done"))
    await commit(store, HoldGoalTasks("sail", TaskState.PAUSED, "too late"))
    assert {one.state for one in await store.goals.tasks("sail")} == {TaskState.DONE}


async def test_turns_of_a_goal_are_known_and_their_cost_counts(
    store: StorePorts, chat: Chat
) -> None:
    await commit(store, *going(a_goal(chat), chat))
    run = a_run(replace(a_task(chat, "sail"), goal="sail"))
    await commit(store, AddRun(run))
    found = await store.goals.of_turn(run.turn)
    assert found is not None
    assert found.id == "sail"
    assert await store.goals.of_turn("reflection-1") is None
    turns = (run.turn, "reflection-1")
    noted = [AddGoalTurn("sail", turn) for turn in (*turns, *turns)]
    await commit(store, *noted, AddGoalTurn("unknown", "other"))
    assert await store.goals.of_turn("reflection-1") == found
    assert await store.goals.of_turn("other") is None
    assert await store.goals.spent("sail") == 0
    paid = (costs("c1", run.turn, 3), costs("c2", "reflection-1", 4), costs("c3", "other", 9))
    await commit(store, *paid)
    assert await store.goals.spent("sail") == 7


async def test_a_goal_goes_with_all_that_is_its_own(store: StorePorts, chat: Chat) -> None:
    await commit(store, *going(a_goal(chat), chat), AdoptTask("remind", "sail"))
    run = a_run(a_task(chat, "sail"))
    await commit(store, AddRun(run), AddGoalTurn("sail", run.turn), AddDiary(an_entry("a")))
    await commit(store, DropGoal("sail"))
    assert await store.goals.get("sail") is None
    assert await store.scheduled.get("remind") is None
    assert await store.scheduled.run_of(run.turn) is None
    assert await store.goals.diary("sail", 5) == []


async def test_forgetting_all_leaves_the_words_of_goals_that_go_on_and_nothing_else(
    store: StorePorts,
) -> None:
    chat = await store.chats.at(Address("telegram", "-7"), private=False)
    over = a_goal(chat, "over").changed(state=GoalState.DONE)
    proposed = replace(a_goal(chat, "proposed"), state=GoalState.PROPOSED)
    await commit(store, *going(a_goal(chat), chat), SaveGoal(over), SaveGoal(proposed))
    await commit(store, SaveTask(replace(a_task(chat, "over"), goal="over")))
    await commit(store, AddDiary(an_entry("a")), AddDiary(an_entry("b", goal="over")))
    await commit(store, Erase(Target(of_group(chat.id))))
    assert [one.id for one in await store.goals.of_chat(chat.id, 5)] == ["sail"]
    assert await store.goals.diary("sail", 5) == []
    assert await store.scheduled.get("over") is None


async def test_forgetting_a_turn_takes_what_it_wrote_out_of_the_diary(
    store: StorePorts,
) -> None:
    chat = await store.chats.at(Address("telegram", "-7"), private=False)
    done = replace(a_turn(chat), id="task-one", state=TurnState.SETTLED)
    await commit(store, SaveGoal(a_goal(chat)), SaveTurn(done))
    await commit(store, AddDiary(an_entry("a", turn="task-one")), AddDiary(an_entry("b", 1)))
    await commit(store, Erase(Target(of_group(chat.id), turn="task-one")))
    assert [one.id for one in await store.goals.diary("sail", 5)] == ["b"]


async def test_a_joined_chat_takes_its_goals_along(store: StorePorts) -> None:
    old = await store.chats.at(Address("telegram", "-1"), private=False)
    new = await store.chats.at(Address("telegram", "-2"), private=False)
    await commit(store, *going(a_goal(new), new))
    await commit(store, JoinChats(old.address, new.address))
    assert [one.id for one in await store.goals.of_chat(old.id, 5)] == ["sail"]
