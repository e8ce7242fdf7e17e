"""Tasks and the runs of their due times."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.assignments.task import (
    Allowed,
    ApprovedCall,
    Overlap,
    RunState,
    TaskLimits,
    TaskRun,
    TaskState,
    TimedTask,
    turn_of,
)
from bot.domain.assignments.unwatched import late_turn
from bot.domain.change import (
    AddRun,
    AddUsage,
    Change,
    DropRuns,
    DropTask,
    JoinChats,
    PauseTasks,
    Revoke,
    SaveApproval,
    SaveErrand,
    SaveRun,
    SaveTask,
    SaveTurn,
    Write,
)
from bot.domain.clock.when import Cron, Every, EveryDays, Once, Rule
from bot.domain.consent.approval import UNENDING
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Usage
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.turn import TurnState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_card, a_turn, an_errand, commit, later

RULES: Sequence[Rule] = (Once(NOW), Every(60, NOW), EveryDays(2, NOW), Cron("0", "9", "L"))


def a_task(chat: Chat, id: str = "one", due: int | None = 0) -> TimedTask:
    return TimedTask(
        id=id,
        chat=chat.id,
        home=chat.id,
        asker=1,
        asker_name="Ann",
        what="Water the plants",
        said="every 2h",
        rule=Every(7_200, NOW),
        zone="Europe/Berlin",
        created_at=NOW,
        due=None if due is None else later(due),
        planned_at=NOW,
        mandate=PERSONAL.narrowed(tools=("look",), foreign="a page"),
    )


def a_run(task: TimedTask, due: int = 0, state: RunState = RunState.QUEUED) -> TaskRun:
    at = later(due)
    return TaskRun(task.id, at, turn_of(task.id, at, 1), task.chat, at, state=state)


async def refused(store: StorePorts, *writes: Write) -> None:
    with pytest.raises(Conflict):
        await store.journal.commit(Change(writes))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
async def test_a_task_comes_back_as_it_was_stored(
    store: StorePorts, chat: Chat, rule: Rule
) -> None:
    whole = replace(
        a_task(chat),
        rule=rule,
        why="because",
        fresh=False,
        allowed=Allowed.READONLY,
        overlap=Overlap.REPLACE,
        calls=(ApprovedCall("run_command", '{"command":"ls"}'),),
        calls_until=later(9),
        limits=TaskLimits(3, 40, 500_000_000),
        failures=2,
        untrusted="a page",
    )
    await commit(store, SaveTask(whole))
    assert await store.scheduled.get("one") == whole
    assert await store.scheduled.get("two") is None


async def test_a_task_moves_on_from_its_version_alone(store: StorePorts, chat: Chat) -> None:
    task = a_task(chat)
    await commit(store, SaveTask(task))
    await refused(store, SaveTask(task))
    moved = task.changed(due=later(60))
    await commit(store, SaveTask(moved, 1))
    await refused(store, SaveTask(moved, 1))
    assert await store.scheduled.get("one") == moved


async def test_a_due_time_has_one_run_and_a_second_one_takes_its_turn_back(
    store: StorePorts, chat: Chat
) -> None:
    task = a_task(chat)
    run, turn = a_run(task), replace(a_turn(chat, "x"), state=TurnState.QUEUED)
    await commit(store, SaveTask(task), AddRun(run), SaveTurn(replace(turn, id=run.turn)))
    await refused(store, SaveTurn(turn), AddRun(run))
    assert await store.turns.get("x") is None
    assert await store.scheduled.run_of(run.turn) == (run, task)
    assert await store.scheduled.run_of("x") is None
    await commit(store, DropTask(task.id))
    assert await store.scheduled.run_of(run.turn) is None


async def test_due_tasks_come_by_their_time_and_paused_ones_do_not(
    store: StorePorts, chat: Chat
) -> None:
    tasks = [a_task(chat, "b", 5), a_task(chat, "a", 5), a_task(chat, "c", 1)]
    others = [a_task(chat, "never", None), a_task(chat, "later", 50)]
    paused = replace(a_task(chat, "paused", 0), state=TaskState.PAUSED)
    await commit(store, *map(SaveTask, (*tasks, *others, paused)))
    assert [one.id for one in await store.scheduled.due(later(5), 9)] == ["c", "a", "b"]
    assert [one.id for one in await store.scheduled.due(later(5), 1)] == ["c"]
    assert await store.scheduled.due(NOW, 9) == []
    assert await store.scheduled.next_at() == later(1)


async def test_another_try_is_due_at_its_time(store: StorePorts, chat: Chat) -> None:
    task = a_task(chat, due=None)
    assert await store.scheduled.next_at() is None
    failed = replace(a_run(task), state=RunState.AGAIN, again_at=later(30))
    await commit(store, SaveTask(task), AddRun(a_run(task)), SaveRun(failed))
    assert await store.scheduled.next_at() == later(30)
    assert await store.scheduled.again(later(29), 9) == []
    assert await store.scheduled.again(later(30), 9) == [failed]
    again = replace(failed, turn="t2", tries=2, state=RunState.QUEUED, again_at=None)
    await commit(store, SaveRun(again))
    assert await store.scheduled.again(later(99), 9) == []
    assert await store.scheduled.run_of("t2") == (again, task)
    assert await store.scheduled.run_of(failed.turn) is None


async def test_runs_are_found_by_age_and_open_ones_always(store: StorePorts, chat: Chat) -> None:
    task = a_task(chat)
    old, open_one, new = a_run(task, 0), a_run(task, 5), a_run(task, 60)
    over = old.ended(RunState.FAILED, later(2), "no key", rounds=4)
    await commit(store, SaveTask(task), *map(AddRun, (old, open_one, new)), SaveRun(over))
    assert await store.scheduled.runs("one", later(50)) == [open_one, new]
    assert await store.scheduled.runs("one", NOW) == [over, open_one, new]
    assert await store.scheduled.last("one") == new
    assert await store.scheduled.last("two") is None


async def test_tasks_of_a_chat_and_of_a_person_come_by_age(store: StorePorts, chat: Chat) -> None:
    other = await store.chats.at(Address("telegram", "43"), private=True)
    first, second = a_task(chat, "z"), replace(a_task(chat, "a"), created_at=later(5))
    elsewhere = replace(a_task(other, "e"), home=chat.id, created_at=later(9))
    theirs = replace(a_task(other, "t"), asker=2)
    await commit(store, *map(SaveTask, (elsewhere, second, first, theirs)))
    assert await store.scheduled.of_chat(chat.id, 9) == [first, second, elsewhere]
    assert await store.scheduled.of_chat(chat.id, 1, 1) == [second]
    assert await store.scheduled.of_chat(other.id, 9) == [theirs, elsewhere]
    assert await store.scheduled.of_person(1) == [first, second, elsewhere]


async def test_tasks_planned_by_a_clock_that_was_ahead_are_found(
    store: StorePorts, chat: Chat
) -> None:
    ahead = replace(a_task(chat, "ahead"), planned_at=later(90))
    await commit(store, SaveTask(a_task(chat)), SaveTask(ahead))
    assert await store.scheduled.ahead(later(60)) == [ahead]
    assert await store.scheduled.ahead(later(90)) == []


async def test_a_removed_task_takes_its_runs_along(store: StorePorts, chat: Chat) -> None:
    task = a_task(chat)
    await commit(store, SaveTask(task), AddRun(a_run(task)), DropTask("one"), DropTask("none"))
    assert await store.scheduled.get("one") is None
    assert await store.scheduled.last("one") is None
    await commit(store, SaveRun(a_run(task)))
    assert await store.scheduled.last("one") is None


async def test_the_cost_of_turns_is_summed(store: StorePorts, chat: Chat) -> None:
    def paid(call: str, turn: str, cost: int | None) -> AddUsage:
        cause = Cause(CallKind.ANSWER, chat.id, 1, turn)
        return AddUsage(call, cause, "m", NOW, Usage(1, 1), cost)

    await commit(store, paid("1", "a", 5), paid("2", "a", None), paid("3", "b", 7))
    assert await store.scheduled.spent(["a"]) == 5
    assert await store.scheduled.spent(["a", "b", "c"]) == 12
    assert await store.scheduled.spent([]) == 0


async def test_a_chat_that_was_left_and_a_person_without_access_have_no_active_tasks(
    store: StorePorts, chat: Chat
) -> None:
    ann = await store.people.admit(Sender("telegram", "42", "Ann"), Role.MEMBER)
    other = await store.chats.at(Address("telegram", "43"), private=True)
    here, there = a_task(chat, "here"), replace(a_task(other, "there"), asker=ann.id)
    foreign = replace(a_task(other, "foreign"), asker=ann.id + 1)
    await commit(store, *map(SaveTask, (here, there, foreign)), PauseTasks(chat.id, "gone"))
    assert await store.scheduled.get("here") == here.changed(state=TaskState.PAUSED, why="gone")
    await commit(store, Revoke(ann.id, "revoked"))
    states = [(await store.scheduled.get(id)) for id in ("there", "foreign")]
    assert [one.state for one in states if one] == [TaskState.PAUSED, TaskState.ACTIVE]


async def test_tasks_of_a_person_without_access_are_listed_nowhere(
    store: StorePorts, chat: Chat
) -> None:
    ann = await store.people.admit(Sender("telegram", "42", "Ann"), Role.MEMBER)
    bob = await store.people.admit(Sender("telegram", "43", "Bob"), Role.MEMBER)
    other = await store.chats.at(Address("telegram", "44"), private=True)
    hers = replace(a_task(chat, "hers"), asker=ann.id)
    his, away = (replace(a_task(at, at.address.chat), asker=bob.id) for at in (chat, other))
    await commit(store, *map(SaveTask, (hers, his, replace(away, home=chat.id))))
    assert len(await store.scheduled.of_chat(chat.id, 9)) == 3
    await commit(store, Revoke(bob.id, "revoked"))
    assert [one.id for one in await store.scheduled.of_chat(chat.id, 9)] == ["hers"]
    assert await store.scheduled.of_chat(chat.id, 9, 1) == []
    assert await store.scheduled.of_chat(other.id, 9) == []


async def test_a_joined_chat_takes_its_tasks_along(store: StorePorts) -> None:
    old = await store.chats.at(Address("telegram", "-1"), private=False)
    new = await store.chats.at(Address("telegram", "-2"), private=False)
    task = a_task(new)
    await commit(store, SaveTask(task), AddRun(a_run(task)))
    await commit(store, JoinChats(old.address, new.address))
    moved = await store.scheduled.get("one")
    assert moved is not None
    assert (moved.chat, moved.home) == (old.id, old.id)
    run = await store.scheduled.last("one")
    assert run is not None
    assert run.chat == old.id


async def test_a_removed_task_expires_the_open_cards_of_its_runs(
    store: StorePorts, chat: Chat
) -> None:
    task, run = a_task(chat), a_run(a_task(chat))
    own = a_card(chat, "own", turn=run.turn, expires_at=UNENDING)
    helped = a_card(chat, "helped", turn="errand-1", expires_at=UNENDING)
    later_on = a_card(chat, "later", turn=late_turn("own", unwatched=True), expires_at=UNENDING)
    brought = late_turn("errand-1", unwatched=True)
    still_later = a_card(chat, "still", turn=brought, expires_at=UNENDING)
    other = a_card(chat, "other", turn="another", expires_at=UNENDING)
    home = await store.chats.at(Address("errand", "errand-1"), private=True)
    errand = an_errand(chat, home, parent=run.turn)
    cards = [SaveApproval(one) for one in (own, helped, later_on, still_later, other)]
    await commit(store, SaveTask(task), AddRun(run), SaveErrand(errand), *cards)
    assert await store.approvals.overdue(later(90), 9) == []
    await commit(
        store, SaveTask(replace(task, id="two")), AddRun(replace(run, task="two", turn="t"))
    )
    await commit(store, SaveApproval(replace(other, id="kept", token="kept", turn="t")))
    await commit(store, DropTask("two", keeps_cards=True), DropTask("one"))
    overdue = await store.approvals.overdue(datetime.now(UTC) + timedelta(days=1), 9)
    assert {one.id for one in overdue} == {"own", "helped", "later", "still"}


async def test_old_runs_go_by_age_and_number_unless_they_are_open_or_ask(
    store: StorePorts, chat: Chat
) -> None:
    task, over = a_task(chat), RunState.DONE
    runs = [replace(a_run(task, n, over), ended_at=later(n)) for n in range(6)]
    skipped = replace(a_run(task, 6, RunState.SKIPPED), ended_at=later(6))
    waits = a_run(task, -1, RunState.WAITING)
    card = a_card(chat, turn=runs[0].turn, expires_at=UNENDING)
    added = [AddRun(one) for one in (*runs, skipped, waits)]
    await commit(store, SaveTask(task), *added, SaveApproval(card))

    async def left(before: int, skipped: int, most: int) -> list[int]:
        await commit(store, DropRuns("one", later(before), later(skipped), most))
        kept = await store.scheduled.runs("one", later(-9))
        return [int((one.due - NOW).total_seconds()) for one in kept]

    assert await left(0, 0, 9) == [-1, 0, 1, 2, 3, 4, 5, 6]
    assert await left(2, 7, 9) == [-1, 0, 2, 3, 4, 5]
    assert await left(0, 0, 2) == [-1, 0, 4, 5]


async def test_the_rounds_of_turns_count_those_of_their_errands(
    store: StorePorts, chat: Chat
) -> None:
    home = await store.chats.at(Address("errand", "e"), private=True)
    await commit(
        store,
        SaveTurn(a_turn(chat, "task-1", rounds=2)),
        SaveTurn(a_turn(chat, "other", rounds=30)),
        SaveErrand(an_errand(chat, home, "e", parent="task-1")),
        SaveTurn(a_turn(home, "e", rounds=5, parent="task-1")),
    )
    assert await store.scheduled.rounds(["task-1", "task-2"]) == 7
    assert await store.scheduled.rounds([]) == 0
