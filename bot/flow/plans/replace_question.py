"""The card that asks whether a new plan shall replace the live one."""

from bot.domain.plans.plan import Plan, ReplaceVerb
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import Button, Outbound, OutboundKind, Plain
from bot.domain.talk.person import Person
from bot.domain.text.names import brief_name
from bot.domain.value import frozen
from bot.flow.plans.cards import described

THEIRS = "That plan is not yours. Only the one who asked for it, or an owner, decides about it."
_AT_WORK = "Its steps are under way. /stop ends that first."


@frozen
class Replacement:
    """The meaning of a button: the plan as the card showed it, and the row of the command."""

    token: str
    version: int
    row: int
    verb: ReplaceVerb

    def is_about(self, plan: Plan) -> bool:
        """Returns True when the card showed this plan and it has not changed since."""
        return (plan.token, plan.version) == (self.token, self.version)


REPLACE_BUTTONS = ButtonCodec("r", Replacement)


def question(live: Plan, wish: str, row: int) -> Outbound:
    """Asks about the plan as it is now; its buttons carry the version, so old cards are known."""

    def button(label: str, verb: ReplaceVerb) -> Button:
        return REPLACE_BUTTONS.button(label, Replacement(live.token, live.version, row, verb))

    buttons = (button("🔁 Replace", ReplaceVerb.REPLACE), button("Keep", ReplaceVerb.KEEP))
    return Outbound(OutboundKind.CARD, (_asked(live, wish),), (buttons,))


def answered(verdict: str) -> Outbound:
    """Returns the one line that is left of the card."""
    return Outbound(OutboundKind.CARD, (Plain(verdict),))


def fixed(live: Plan, person: Person) -> str:
    """Returns the reason why a person cannot replace the live plan now; empty when they can."""
    if not person.may_decide_for(live.asker):
        return THEIRS
    return _AT_WORK if live.turn is not None else ""


def _asked(live: Plan, wish: str) -> Plain:
    new = brief_name(wish) if wish.strip() else "a new one"
    return Plain(f"There is a plan already: {described(live)}\nReplace it with {new}?")
