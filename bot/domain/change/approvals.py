"""Writes of cards, standing rules and consents."""

from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.tools.server import ServerConsent


@dataclass(frozen=True, slots=True)
class SaveApproval:
    """Inserts a card (`expect` None) or moves it on; Conflict when its state is another one.

    A card that was set aside stays so: a decision made from an older state is a Conflict.
    """

    approval: Approval
    expect: ApprovalState | None = None


@dataclass(frozen=True, slots=True)
class AddRule:
    """Stores a standing rule; its id is given by the store."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class DropRule:
    """Removes a standing rule of a chat."""

    id: int
    chat: int


@dataclass(frozen=True, slots=True)
class AllowServer:
    """Keeps the consent that a tool server may be started; nothing when it was given before."""

    consent: ServerConsent


@dataclass(frozen=True, slots=True)
class DropConsent:
    """Removes the consent for the server with this identity."""

    identity: str


ApprovalWrite: TypeAlias = SaveApproval | AddRule | DropRule | AllowServer | DropConsent
