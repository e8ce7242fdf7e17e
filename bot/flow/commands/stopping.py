"""Stops running turns, the message about to begin, and waiting messages."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from bot.domain.change import AskStop, InboundState, MarkInbound, Write
from bot.domain.chat import Chat
from bot.flow.commands.consequences import Interrupt, Unqueue
from bot.flow.commands.table import Answer, Command, Invocation
from bot.flow.reading.gathering import Gathered
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Agenda, Journal
from bot.ports.members import Waiting

NextMessage: TypeAlias = Callable[[Sequence[InboundRow], Chat], Awaitable[Gathered | None]]
"""Gathers the next message from the waiting rows."""


class StopCommands:
    def __init__(self, journal: Journal, inbox: Inbox, next_message: NextMessage) -> None:
        self._journal = journal
        self._inbox = inbox
        self._next_message = next_message

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "stop", "stop what I am doing; `all` drops waiting messages", self.stop, "[all]"
            ),
        )

    async def stop(self, asked: Invocation) -> Answer:
        agenda = await self._journal.agenda(asked.chat.id)
        waiting = await self._inbox.waiting(asked.chat.id)
        asked_to = stops(agenda, asked)
        theirs = [row for row in waiting if _may_drop(row, asked)]
        everything = "all" in asked.words
        dropping = theirs if everything else await self._about_to_begin(agenda, asked)
        drops = _drops(dropping)
        told = _told(stopped=bool(asked_to), dropped=len(drops), everything=everything)
        if not everything and len(theirs) > len(drops):
            left = len(theirs) - len(drops)
            told = f"{told} {left} waiting messages still run; /stop all drops them."
        gone = tuple(
            Waiting(asked.chat.address, r.message_id, r.received_at)
            for r in dropping
            if r.message_id is not None
        )
        interrupts = (Interrupt(asked.chat.id),) if asked_to else ()
        return Answer(told, (*asked_to, *drops), (Unqueue(gone), *interrupts))

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


def stops(agenda: Agenda, asked: Invocation) -> tuple[Write, ...]:
    """Asks every turn of the chat to stop that the person may stop."""
    how = f"/{asked.message.text.split()[0].lstrip('/')} by {asked.person.name}"
    turns = (*agenda.unfinished, *agenda.queued)
    return tuple(AskStop(t.id, how) for t in turns if asked.person.may_decide_for(t.asker))


def _told(*, stopped: bool, dropped: int, everything: bool) -> str:
    if dropped and not everything:
        return "Stopped before it began."
    if not stopped and not dropped:
        return "There is nothing to stop."
    told = "Stopping." if stopped else "Nothing was running."
    return f"{told} Dropped {dropped} waiting messages." if dropped else told


def _may_drop(row: InboundRow, asked: Invocation) -> bool:
    """Returns true for the sender of the message and for owners."""
    return row.person is not None and asked.person.may_decide_for(row.person)


def _drops(waiting: Sequence[InboundRow]) -> tuple[Write, ...]:
    expected = (InboundState.WAITING,)
    return tuple(
        MarkInbound(r.id, InboundState.DROPPED, expected, r.chat, reason="/stop all")
        for r in waiting
        if r.message_id is not None
    )
