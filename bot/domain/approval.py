"""Cards: a question bound to one exact call, decided once."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from bot.domain.tool import Preview, RulePattern, ToolCall


class ApprovalState(StrEnum):
    """Where a card stands: open, or decided once; an unaskable one could be shown to nobody."""

    OPEN = "open"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    UNASKABLE = "unaskable"


class Verb(StrEnum):
    """What a button asks for."""

    APPROVE = "y"
    ALWAYS = "w"
    ALL = "a"
    DENY = "n"
    STOP = "s"


_KEY = "card:"


def card_of(key: str) -> str | None:
    """The id of the card that an outbound key belongs to; None for the key of anything else."""
    return key.removeprefix(_KEY).partition("@")[0] if key.startswith(_KEY) else None


@dataclass(frozen=True, slots=True)
class Approval:
    """One card. `token` is the secret of its buttons; `set_aside` once its turn ended without it.

    `kind` tells what is asked: to run a call, or to go on after a repeat. `position` is its
    place among the cards asked together, `group` how many of them `Approve all` decides.
    `reported` is True once the model has read what came of it. `asker_name` is told where others
    see the card too. `owner_chats` are chats of owners that show the card besides its own: the
    asker may not approve.
    """

    id: str
    token: str
    chat: int
    conversation: str
    turn: str
    call: ToolCall
    preview: Preview
    asker: int
    purpose: str
    created_at: datetime
    expires_at: datetime
    kind: Literal["call", "repeat"] = "call"
    state: ApprovalState = ApprovalState.OPEN
    position: int = 0
    group: int = 1
    set_aside: bool = False
    reported: bool = False
    decided_by: int | None = None
    decider_name: str = ""
    decided_at: datetime | None = None
    reason: str = ""
    shown_at: datetime | None = None
    asker_name: str = ""
    owner_chats: tuple[int, ...] = ()

    def key_in(self, chat: int) -> str:
        """The outbound key of the card in a chat: one visible message for each that shows it."""
        return f"{_KEY}{self.id}" if chat == self.chat else f"{_KEY}{self.id}@{chat}"

    @property
    def chats(self) -> tuple[int, ...]:
        """Every chat that shows the card, its own first."""
        return (self.chat, *self.owner_chats)


@dataclass(frozen=True, slots=True)
class Rule:
    """A standing permission of one person in one chat for calls of one tool that match."""

    id: int
    person: int
    chat: int
    tool: str
    pattern: RulePattern
    label: str
    created_at: datetime
