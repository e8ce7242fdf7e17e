"""Cards: a question bound to one exact call, decided once."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from bot.domain.tool import Preview, RulePattern, ToolCall


class ApprovalState(StrEnum):
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


@dataclass(frozen=True, slots=True)
class Approval:
    """One card. `token` is the secret of its buttons; `set_aside` once its turn ended without it.

    `kind` tells what is asked: to run a call, or to go on after a repeat. `reported` is True once
    the model has read what came of it. `asker_name` is told where others see the card too.
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

    @property
    def card_key(self) -> str:
        """The outbound key of the card: one visible message for one approval."""
        return f"card:{self.id}"


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
