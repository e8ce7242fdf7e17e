"""Stops running turns, the message about to begin, and waiting messages."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from bot.domain.change import InboundState, MarkInbound, Write
from bot.domain.consent.approval import Approval
from bot.domain.plans.plan import Plan, PlanState
from bot.domain.talk.chat import Chat
from bot.domain.value import frozen
from bot.flow.approvals.undecided import CardEnding
from bot.flow.commanding.effects import Interrupt, Noted, Unqueue
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.commands.stops import how_asked, stops
from bot.flow.plans.desk import PlanDesk
from bot.flow.reading.gathering import Gathered
from bot.ports.approvals import Approvals
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Agenda, Journal

NextMessage: TypeAlias = Callable[[Sequence[InboundRow], Chat], Awaitable[Gathered | None]]
"""Gathers the next message from the waiting rows."""


@frozen
class StopCommands:
    _journal: Journal
    _inbox: Inbox
    _approvals: Approvals
    _ending: CardEnding
    _plans: PlanDesk
    _next_message: NextMessage

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "stop",
                "stop what I am doing; `/stop all` also drops waiting messages",
                self.stop,
                "[all]",
                first=True,
                on_pages=True,
            ),
        )

    async def stop(self, asked: Invocation) -> Answer:
        """Stops the running turn; where none runs, the cards and the plan that still wait."""
        agenda = await self._journal.agenda(asked.chat.id)
        waiting = await self._inbox.waiting(asked.chat.id)
        asked_to = stops(agenda, asked)
        theirs = [row for row in waiting if _may_drop(row, asked)]
        everything = "all" in asked.words
        dropping = theirs if everything else await self._about_to_begin(agenda, asked)
        drops = _drops(dropping, how_asked(asked))
        idle = not asked_to and not drops
        cards = await self._waiting_cards(asked)
        withdrawn = 0
        if idle or everything:
            withdrawn = await self._ending.withdraw(cards, asked.person)
        plan = self._plans.left(agenda.plan, asked.person)
        told = Stopped(
            running=bool(asked_to),
            dropped=len(drops),
            unread=0 if everything else len(theirs) - len(drops),
            withdrawn=withdrawn,
            cards=len(cards) - withdrawn,
            plan=_ended(agenda.plan) if plan and idle else "",
            plan_waits=bool(plan) and not idle and not _told_of(agenda.plan),
            everything=everything,
        )
        gone = Unqueue.of(asked.chat.address, dropping)
        stopping = (Noted.of(asked.message), Interrupt(asked.chat.id)) if asked_to else ()
        ended = plan if idle else ()
        return Answer(told.text, (*asked_to, *drops, *ended), (gone, *stopping))

    async def _waiting_cards(self, asked: Invocation) -> Sequence[Approval]:
        """Returns the open cards whose turn is over, as far as the person may decide them."""
        cards = await self._approvals.open_in(asked.chat.id)
        return [c for c in cards if c.set_aside and asked.person.may_decide_for(c.asker)]

    async def _about_to_begin(self, agenda: Agenda, asked: Invocation) -> Sequence[InboundRow]:
        """Returns the rows of the next message, which its sender believes to be running.

        The turns and the messages come from one read. If the message begins after it, dropping it
        is a Conflict, and the command runs again.
        """
        waiting = agenda.waiting
        at_work = agenda.unfinished or agenda.queued
        if at_work or not waiting or not _may_drop(waiting[0], asked):
            return ()
        if waiting[0].message_id is None:
            return ()
        gathered = await self._next_message(waiting, asked.chat)
        return () if gathered is None else gathered.rows


@frozen
class Stopped:
    """The effects of one command, in words."""

    running: bool
    """True when a turn was asked to stop."""
    dropped: int
    """Messages that are not read any more."""
    unread: int
    """Messages that will still be read."""
    withdrawn: int
    """Cards that were withdrawn."""
    cards: int
    """Cards that still wait for a decision."""
    plan: str
    """The sentence about a waiting plan that was ended; empty when there was none."""
    plan_waits: bool
    """True when a plan still waits."""
    everything: bool
    """True when the person wanted all of it to end."""

    @property
    def text(self) -> str:
        """Returns the answer; empty where the end of the stopped turn says it all."""
        parts = [self._of_messages, self._of_cards, self.plan]
        if not any(parts) and not self.running:
            parts.append("There is nothing to stop.")
        if self.unread:
            parts.append(self._of_the_next)
        if self.cards:
            waits = "waits" if self.cards == 1 else "wait"
            parts.append(f"{_cards(self.cards)} still {waits}: /approvals.")
        if self.plan_waits:
            parts.append("The plan still waits; a second /stop ends it.")
        return " ".join(part for part in parts if part)

    @property
    def _of_cards(self) -> str:
        if not self.withdrawn:
            return ""
        they = "It does" if self.withdrawn == 1 else "They do"
        return f"Closed {self.withdrawn} waiting {_plural(self.withdrawn, 'card')}. {they} not run."

    @property
    def _of_messages(self) -> str:
        if not self.dropped:
            return ""
        if not self.everything:
            return "Stopped before it began."
        return f"Dropped {self.dropped} waiting {_plural(self.dropped, 'message')}."

    @property
    def _of_the_next(self) -> str:
        # The end of the running turn is told by a message of its own, after this one.
        stopping = "I stop what I am doing. " if self.running else ""
        if self.unread == 1:
            return f"{stopping}1 more message waits and is next. /stop all drops it, too."
        more = f"{self.unread} more messages wait and are next."
        return f"{stopping}{more} /stop all drops them, too."


def _cards(count: int) -> str:
    return f"{count} {_plural(count, 'card')}"


def _plural(count: int, thing: str) -> str:
    return thing if count == 1 else f"{thing}s"


def _ended(plan: Plan | None) -> str:
    """Returns what became of a plan, in the words of its card."""
    done = plan is not None and plan.state is PlanState.EXECUTING
    if done:
        return "Stopped the plan."
    return "Cancelled the plan. I answer your next message without a plan."


def _told_of(plan: Plan | None) -> bool:
    """Returns true for a plan that is being made: the end of the turn names it."""
    return plan is not None and plan.collecting


def _may_drop(row: InboundRow, asked: Invocation) -> bool:
    """Returns true for the sender of the message and for owners."""
    return row.person is not None and asked.person.may_decide_for(row.person)


def _drops(waiting: Sequence[InboundRow], how: str) -> tuple[Write, ...]:
    expected = (InboundState.WAITING,)
    return tuple(
        MarkInbound(r.id, InboundState.DROPPED, expected, r.chat, reason=how)
        for r in waiting
        if r.message_id is not None
    )
