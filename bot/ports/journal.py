"""The log and the rows around it: read in parts, written only by whole changes."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from bot.domain.assignments.errand import Errand
from bot.domain.change import Change, Fence
from bot.domain.consent.approval import Approval
from bot.domain.plans.plan import Plan
from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import field, frozen
from bot.ports.inbox import InboundRow

MOST_AHEAD = 100
"""The number of waiting messages that are considered when the next job is chosen."""


@frozen
class Agenda:
    """A chat and its open work, oldest first."""

    chat: Chat
    unfinished: tuple[Turn, ...] = ()
    """Turns that are running or parked."""
    queued: tuple[Turn, ...] = ()
    """Turns that wait to start."""
    approvals: tuple[Approval, ...] = ()
    """Cards of unfinished and queued turns in any state, and set-aside cards whose end the model
    has not read.
    """
    waiting: tuple[InboundRow, ...] = ()
    senders: Mapping[int, Person] = field(default_factory=dict[int, Person])
    """The people who wrote the waiting messages, without those whose access has ended."""
    noted: bool = True
    """False when the chat has no notes, and none of its `senders` has any."""
    plan: Plan | None = None
    """The live plan of the chat."""
    leads_on: str | None = None
    """The settled turn with open buttons below its end."""
    cards_open: bool = False
    """True when a card is open in the chat, of whichever turn."""
    errands: tuple[Errand, ...] = ()
    """Errands of the chat whose results are not taken; in a home, its own errand."""

    @property
    def busy(self) -> bool:
        """Returns True when a turn is under way or waits to begin; one that rests may wait on."""
        under_way = any(turn.state is not TurnState.RESTING for turn in self.unfinished)
        return bool(self.waiting or self.queued) or under_way

    def sent_by(self, turn: str) -> tuple[Errand, ...]:
        """Returns the errands of a turn whose results are not taken."""
        return tuple(one for one in self.errands if one.parent == turn)


class Journal(Protocol):
    async def claim(self, chat: int) -> Fence:
        """Makes the caller the owner of the chat; every older fence is void from then on."""
        ...

    async def commit(self, change: Change) -> None:
        """Carries a change out in one transaction; raises FenceLost, Conflict or a StoreError."""
        ...

    async def entries(self, conversation: str, after: int = 0) -> Sequence[Entry]:
        """Returns the entries of a conversation with a number above `after`, in order.

        A branch begins with those that it shares; each entry names the conversation it belongs to.
        """
        ...

    async def agenda(self, chat: int) -> Agenda:
        """Returns the open work of a chat; `waiting` has at most its MOST_AHEAD oldest messages."""
        ...

    async def chats_with_work(self) -> Sequence[int]:
        """Returns chats with a running or queued turn, a decided card, a finished errand, or a
        waiting message.
        """
        ...
