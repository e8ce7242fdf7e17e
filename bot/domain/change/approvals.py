"""Writes of cards, standing rules and consents."""

from typing import TypeAlias

from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.tools.server import ServerConsent
from bot.domain.value import frozen


@frozen
class SaveApproval:
    """Inserts a card (`expect` None) or moves it on; Conflict when its state is another one.

    A card that was set aside stays so: a decision made from an older state is a Conflict.
    """

    approval: Approval
    expect: ApprovalState | None = None


@frozen
class AddRule:
    """Stores a standing rule; its id is given by the store."""

    rule: Rule


@frozen
class UseRule:
    """Counts a call that ran because of a standing rule; nothing when the rule is gone."""

    id: int


@frozen
class DropRule:
    """Removes a standing rule of a chat."""

    id: int
    chat: int


@frozen
class AllowServer:
    """Keeps the consent that a tool server may be started; nothing when it was given before."""

    consent: ServerConsent


@frozen
class DropConsent:
    """Removes the consent for the server with this identity."""

    identity: str


ApprovalWrite: TypeAlias = SaveApproval | AddRule | UseRule | DropRule | AllowServer | DropConsent
