"""Cards that were asked together, and those among them that one press approves."""

from collections.abc import Sequence

from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.talk.person import Person
from bot.domain.tools.tool import Effect
from bot.flow.approvals.card_buttons import Together
from bot.ports.approvals import Approvals
from bot.ports.outbox import DeliveryState, Outbox


async def asked_with(card: Approval, approvals: Approvals) -> Sequence[Approval]:
    """Returns the cards that the button for all of them names, and no later ones."""
    cards = await approvals.of_turn(card.turn)
    return [other for other in cards if other.asked_with == card.asked_with]


async def goes_along(card: Approval, chat: int, person: Person, outbox: Outbox) -> bool:
    """Returns True for an open card that the press for all approves: never a dangerous call.

    It must stand in the chat: nobody approves there what they could not see.
    """
    if card.state is not ApprovalState.OPEN:
        return False
    if not person.may_approve(card.asker, card.preview.needs):
        return False
    if card.preview.effect is Effect.DANGER or card.kind == "repeat":
        return False
    row = await outbox.row(card.key_in(chat))
    return row is not None and row.state is DeliveryState.SHOWN


async def told_together(
    card: Approval, person: Person, approvals: Approvals, outbox: Outbox
) -> Together | None:
    """Returns how many cards the button for several of them names; None without such a button."""
    if card.group == 1 or card.position:
        return None
    cards = await asked_with(card, approvals)
    left = [one for one in cards if one.state is ApprovalState.OPEN]
    along = [await goes_along(one, card.chat, person, outbox) for one in left]
    return Together(len(left), sum(along))
