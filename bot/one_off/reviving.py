"""Makes a backup fit to live again: what it had begun is closed, told, or asked about."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.adapters.apscheduler.calendar import CronCalendar
from bot.adapters.sql.moment import change_of
from bot.adapters.sql.reviving import LaidDown, lay_down
from bot.adapters.sql.store import Store, open_store
from bot.domain.assignments.task import TaskState, TimedTask
from bot.domain.change import Change, SaveApproval, SavePlan, SaveTask, Write
from bot.domain.change.erasing import as_kept
from bot.domain.clock.when import Once, next_times
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.brought_back import BROUGHT_BACK
from bot.domain.text.visible_text import one_line
from bot.domain.value import replace
from bot.flow.approvals.decided_cards import shown_decided
from bot.flow.people.brought_back import LostTime, question, summary, unanswered
from bot.flow.plans.cards import shown

_MOST_ASKED = 20
"""Messages about which owners are asked; more of them nobody would read."""

_MOST_TASKS = 20
_LONGEST_TASK = 80


async def revive(url: str, made_at: datetime) -> LostTime:
    """Brings a database file up to date and lays down its work; returns what that was.

    The next start stops the turns, each with a sentence in its chat; it finds the rest decided.
    """
    async with open_store(url):
        pass
    now = datetime.now(UTC)
    with change_of(url) as connection:
        laid = lay_down(connection, now)
    async with open_store(url) as store:
        closed = await _close_cards(store, laid.aside, now)
        closed += await _close_plans(store, laid.planned, now)
        tasks = await _pass_over(store, laid.due, now)
        lost = LostTime(
            made_at=made_at,
            stopped=laid.turns,
            closed=closed,
            unanswered=laid.unread + sum(count for _, count in laid.waiting),
            unasked=max(len(laid.held) - _MOST_ASKED, 0),
            tasks=tasks,
        )
        await _tell(store, laid, lost, now)
    return lost


async def _close_cards(store: Store, chats: Sequence[int], now: datetime) -> int:
    """Closes the open cards whose turn is over; the others end with their turn."""
    writes: list[Write] = []
    cards = [card for chat in chats for card in await store.approvals.open_in(chat)]
    aside = [card for card in cards if card.set_aside]
    for card in aside:
        over = replace(card, state=ApprovalState.CANCELLED, reason=BROUGHT_BACK, decided_at=now)
        ended = as_kept(over)
        writes += [SaveApproval(ended, expect=ApprovalState.OPEN), *shown_decided(ended)]
    await _commit(store, writes)
    return len(aside)


async def _close_plans(store: Store, chats: Sequence[int], now: datetime) -> int:
    writes: list[Write] = []
    for chat in chats:
        plan = await store.plans.live(chat)
        if plan is not None:
            over = plan.ended(now)
            writes += [SavePlan(over, plan.version), *(() if plan.collecting else shown(over))]
    await _commit(store, writes)
    return len(chats)


async def _pass_over(store: Store, due: Sequence[str], now: datetime) -> Sequence[str]:
    """Plans each task for its next time; returns what they would have done."""
    writes: list[Write] = []
    told: list[str] = []
    for id in due:
        task = await store.scheduled.get(id)
        if task is not None:
            writes.append(SaveTask(_from_now(task, now), task.version))
            told.append(one_line(task.what, _LONGEST_TASK))
    await _commit(store, writes)
    more = len(told) - _MOST_TASKS
    return [*told[:_MOST_TASKS], *([f"and {more:,} more"] if more > 0 else [])]


def _from_now(task: TimedTask, now: datetime) -> TimedTask:
    coming = None
    if not isinstance(task.rule, Once):
        coming = next(iter(next_times(task.rule, task.zone, now, CronCalendar().after, 1)), None)
    state = TaskState.DONE if coming is None else TaskState.ACTIVE
    return task.changed(due=coming, planned_at=now, state=state)


async def _tell(store: Store, laid: LaidDown, lost: LostTime, now: datetime) -> None:
    """Owes owners the whole story and a question for each message, and tells those who waited."""
    writes: list[Write] = [unanswered(count, chat, now) for chat, count in laid.waiting]
    rows = [await store.outbox.row(key) for key in laid.held[:_MOST_ASKED]]
    for home in await store.members.owner_chats():
        writes.append(summary(lost, home, now))
        writes += [question(row, home) for row in rows if row is not None]
    await _commit(store, writes)


async def _commit(store: Store, writes: Sequence[Write]) -> None:
    if writes:
        await store.journal.commit(Change(tuple(writes), durable=True))
