"""Cards: a question bound to one exact call, decided once."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal

from bot.domain.tools.tool import Preview, RulePattern, Surroundings, ToolCall
from bot.domain.value import field, frozen


class ApprovalState(StrEnum):
    """The state of a card; an unaskable one could not be shown to anybody."""

    OPEN = "open"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    UNASKABLE = "unaskable"


class Verb(StrEnum):
    """The wish that a button stands for."""

    APPROVE = "y"
    ALWAYS = "w"
    FOLDER = "f"
    ALL = "a"
    DENY = "n"
    CHANGE = "c"
    STOP = "s"
    ALLOW = "l"


UNENDING = datetime(9999, 1, 1, tzinfo=UTC)
"""The end of a card that stays open as long as it takes."""

_KEY = "card:"
_CHANGE = "change:"


def card_of(key: str) -> str | None:
    """Returns the id of the card that an outbound key belongs to, None for any other key."""
    return key.removeprefix(_KEY).partition("@")[0] if key.startswith(_KEY) else None


def change_of(key: str) -> str | None:
    """Returns the id of the card whose change the message with this key asks for."""
    return key.removeprefix(_CHANGE).partition("@")[0] if key.startswith(_CHANGE) else None


@frozen
class Approval:
    id: str
    """Names the card in the store."""
    token: str
    """The secret of its buttons."""
    chat: int
    """The chat of the call, which shows the card."""
    conversation: str
    """The id of the conversation that the card belongs to."""
    turn: str
    """The turn that made the call."""
    call: ToolCall
    """The call that waits."""
    preview: Preview
    """The foreseen effect of the call, as the card shows it."""
    asker: int
    """The person whose turn made the call."""
    purpose: str
    """The message that led to the call, as the card shows it."""
    created_at: datetime
    """The time the card was opened."""
    expires_at: datetime
    """The time at which the card ends without a decision."""
    kind: Literal["call", "repeat"] = "call"
    """The question: may this call run, or may the turn go on after a repeat?"""
    state: ApprovalState = ApprovalState.OPEN
    """Open, or the way the card ended."""
    position: int = 0
    """The place among the cards that were asked together."""
    group: int = 1
    """The number of cards that `Approve all` decides."""
    set_aside: bool = False
    """True once the turn ended while the card was open."""
    reported: bool = False
    """True once the model has read the decision and its result."""
    decided_by: int | None = None
    """The person who decided; None for an end without a person."""
    decider_name: str = ""
    """The name of the person who decided; empty until then."""
    decided_at: datetime | None = None
    """The time of the decision."""
    reason: str = ""
    """The words with which a person denied the call, or what they allowed beside it.

    On a card that ended with its turn, the reason why the call was skipped.
    """
    shown_at: datetime | None = None
    """The time the card was first on a screen."""
    asker_name: str = ""
    """Shown where other people see the card too."""
    owner_chats: tuple[int, ...] = ()
    """Chats of owners that show the card too, because the asker may not approve it."""
    home: int | None = None
    """The chat in which the turn works, if it is on an errand; None for the chat of the card."""
    asked_with: str = ""
    """The first card of those that were asked together; `Approve all` decides these alone."""

    @property
    def lane(self) -> int:
        """Returns the chat whose lane works on the card's turn."""
        return self.chat if self.home is None else self.home

    def key_in(self, chat: int) -> str:
        """Returns the outbound key of the card in a chat; each chat has its own visible message."""
        return f"{_KEY}{self.id}" if chat == self.chat else f"{_KEY}{self.id}@{chat}"

    def change_key(self, press: str) -> str:
        """Returns the outbound key of the question that a press of Change asks."""
        return f"{_CHANGE}{self.id}@{press}"

    @property
    def chats(self) -> tuple[int, ...]:
        """Returns every chat that shows the card, its own first."""
        return (self.chat, *self.owner_chats)


@frozen
class Rule:
    """A standing permission of one person in one chat for calls of one tool that match."""

    id: int
    person: int
    chat: int
    tool: str
    pattern: RulePattern
    label: str
    created_at: datetime
    surroundings: Surroundings = field(default_factory=Surroundings)
    """The surroundings that the card showed; a call that gets more than these asks."""
    under: str = ""
    """The edition of the skill that asked for the rule, which holds while exactly it is in use.

    Empty for a rule that no skill asked for.
    """
    card: str = ""
    """The id of the card on which it was given; empty for one that was given by a command."""
    used: int = 0
    """The number of calls that ran because of it."""
    used_at: datetime | None = None
    """The time of the newest of them."""
