"""A turn while its lane works on it: the log, the row, the cards, and the time spent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.domain.change import CountStart, SaveTurn, Write, with_one_sound
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.plans.plan import Plan
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person
from bot.domain.turn.progress import Progress, fold
from bot.domain.turn.transcript import AskerBody, Body, Entry, ReplyBody
from bot.domain.turn.turn import Turn, TurnState
from bot.flow.log.history import ChatLog
from bot.flow.log.starts import Start
from bot.ports.clock import Clock
from bot.ports.journal import Agenda


def _nothing(_: "Work") -> Sequence[Write]:
    return ()


@dataclass(slots=True, eq=False, weakref_slot=True)
class Work:
    """The only mutable value of the loop: it holds the rows as they were last written.

    It is equal only to itself, so other parts can use it as a key for what they know of a turn.
    """

    log: ChatLog
    """The log of the chat, which this turn appends to."""
    turn: Turn
    """The row of the turn as it was last written."""
    approvals: tuple[Approval, ...]
    """The cards of the turn as they were last read or written."""
    clock: Clock
    """The clock that the turn is timed by."""
    agenda: Agenda
    """The open work of the chat as this run of the turn began: if no card was open then, none of an
    earlier turn can open meanwhile.
    """
    asker: Person | None = None
    """The person as they were when this run of the turn began; None when nobody knows them any
    more. What a person may do is asked anew each time.
    """
    occasion: str = ""
    """The purpose of a turn that no message of a person opened."""
    words: str = ""
    """The words of the message that opens the turn, as long as its entry is not written."""
    plan: Plan | None = None
    """The plan that the turn collects or executes, as this run of the turn began."""
    resumed: bool = True
    """False for a turn that a message has opened, in its first run."""
    called: set[str] = field(default_factory=set[str])
    """The names of the tools that its model has called."""
    cut_off: ReplyBody | None = None
    """The words of a reply that people had read when this run of the turn was cancelled."""
    ends_whole: bool | None = None
    """True when the turn settles with a whole answer, False with another end."""
    began_with: str = ""
    """The model as this run of the turn began."""
    began: float = 0.0
    """The steady time at which this run of the turn began."""
    timezone: str | None = None
    """The zone of the people who read its cards; None when nobody told one."""
    counted_after: float = Limits().counted_after_seconds
    """Seconds that a step must live before a death in it counts."""
    left_behind: Callable[["Work"], Sequence[Write]] = _nothing
    """Returns what becomes owed to the screen with the write that ends or parks the turn."""
    address: Address = field(init=False)
    """The place of the chat."""
    task: str = field(init=False)
    """The turn that its calls of models count for."""
    _torn: bool = False
    """True during a write, and after one that was cut off: then nobody knows the row."""
    _since: float = 0.0
    """The steady time up to which the row counts the time worked."""
    _folded: tuple[Turn, tuple[Approval, ...], int, Progress] | None = None
    """The progress as it was last computed, behind what it was computed from."""
    _start: Start | None = None
    """The present start of the turn, once somebody asked for it."""

    def begin(self) -> None:
        """Takes what stays as it is in this run of the turn, and starts to count its time."""
        self.address, self.task = self.log.chat.address, self.turn.parent or self.turn.id
        self.began = self._since = self.clock.steady()
        self.began_with = self.turn.model

    @property
    def start(self) -> Start:
        """The present start of the turn."""
        if self._start is None:
            self._start = Start(self._count_start, self.clock, self.counted_after)
        return self._start

    async def _count_start(self) -> None:
        await self.log.note(CountStart(self.turn.id))

    @property
    def worked_seconds(self) -> float:
        """Returns the time worked so far, over all starts; waiting for people does not count."""
        return self.turn.worked_ms / 1000 + self.clock.steady() - self._since

    @property
    def tags(self) -> Mapping[str, str | int]:
        """Returns the chat and the turn, for lines of the program's log."""
        return {"chat": self.turn.chat, "turn": self.turn.id}

    @property
    def progress(self) -> Progress:
        """Returns the progress, computed again when the row, the cards or the log have changed."""
        row, cards, end = self.turn, self.approvals, self.log.end
        known = self._folded
        if known is None or known[0] is not row or known[1] is not cards or known[2] != end:
            known = (row, cards, end, fold(row, tuple(self.log.of_turns[row.id]), cards))
            self._folded = known
        return known[3]

    @property
    def late_approval(self) -> Approval | None:
        """Returns the card that this turn continues; None when it is no continuation."""
        return next((a for a in self.approvals if a.id == self.turn.approval), None)

    @property
    def purpose(self) -> str:
        """Returns the occasion; without one, the person's first words, or its card's purpose."""
        if self.occasion:
            return self.occasion
        askers = (e.body for e in self.log.of_turns[self.turn.id])
        continued = self.late_approval.purpose if self.late_approval is not None else ""
        asked = (b.purpose for b in askers if isinstance(b, AskerBody))
        return next(asked, continued)

    @property
    def message_ids(self) -> tuple[str, ...]:
        """Returns the ids of the messages that this turn answers."""
        bodies = (entry.body for entry in self.log.of_turns[self.turn.id])
        asked = (b.message_id for b in bodies if isinstance(b, AskerBody))
        return tuple(id for id in asked if id is not None)

    def counted(self, **changes: Any) -> Turn:
        """Returns the row with these changes and with the time worked since the last write."""
        now = self.clock.steady()
        worked = self.turn.worked_ms + round((now - self._since) * 1000)
        self._since = now
        progress = {
            **{"attempts": 0, "rests": 0, "rests_until": None},
            **{"begun": 0, "held_back": False},
        }
        return replace(self.turn, **{"worked_ms": worked, **progress, **changes})

    async def write(
        self,
        *bodies: Body,
        turn: Turn | None = None,
        also: Sequence[Write] = (),
        durable: bool = False,
        asked: bool = False,
    ) -> tuple[Entry, ...]:
        """Appends to the turn and saves its row, in one transaction.

        Of the messages among the other writes at most one makes a sound; none asks by a sound while
        a card of the turn is open, or its task has `asked` in another way.
        """
        waits = any(card.state is ApprovalState.OPEN for card in self.approvals)
        also = with_one_sound(also, asked=asked or waits)
        row = turn if turn is not None else self.counted()
        if row.state is not TurnState.RUNNING:
            also = (*self.left_behind(self), *also)
        self.start.progress()
        self._torn = True
        entries = await self.log.write(row.id, bodies, (SaveTurn(row), *also), durable=durable)
        self._torn = False
        self.turn = row
        await self.log.learn()
        return entries

    def hold(self, body: Body, turn: Turn, also: Sequence[Write]) -> None:
        """Appends a body in memory for the next write; `release` writes it without one."""
        self.log.hold(turn.id, (body,), also)
        self.turn = turn

    async def interrupted(self) -> None:
        """Takes back the start of a turn that was interrupted in good order, if it was counted.

        When a write was cut off, the stored row is unknown here, so it stays as it is.
        """
        if (self.start.counted or self.turn.begun) and not self._torn:
            await self.write(turn=replace(self.turn, begun=max(self.turn.begun - 1, 0)))

    async def release(self) -> None:
        """Writes the held entries, if there are any."""
        if self.log.holds:
            await self.write()
