"""The buttons of a card: what each grants, and the data that it carries."""

from bot.domain.consent.approval import Approval, Verb
from bot.domain.consent.own_search import SWITCH_ON
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import Button, ButtonRows, Hint
from bot.domain.text.visible_text import clipped, visible
from bot.domain.tools.deeds import deed_of
from bot.domain.tools.house import SEARCH_ASKERS
from bot.domain.tools.tool import Effect, ExactRule, PathRule
from bot.domain.value import frozen, replace


@frozen
class CardButton:
    """The meaning of a button: the token of its card, and the wish."""

    token: str
    verb: Verb


CARD_BUTTONS = ButtonCodec("a", CardButton)

_ALLOW = "🧩 Allow what this skill asks for"
_SAME = {"run_command": "this command", "write_file": "exactly this text"}
"""The thing that a rule for exactly the same call is about, where one word tells it."""

_LONGEST_FOLDER = 14
_LONGEST_GRANT = 30


@frozen
class Together:
    """The cards that were asked together, as far as they are open at this moment."""

    open: int
    approved: int
    """Those that one press for all of them would approve."""


def buttons_of(approval: Approval, together: Together | None = None) -> ButtonRows:
    """Returns the rows of buttons; with `together` the one for several cards says how many."""
    if approval.kind == "repeat":
        going = _button(approval, "▶️ Go on", Verb.APPROVE)
        return ((going, _button(approval, "⏹ Stop", Verb.DENY)),)
    if approval.call.name in SEARCH_ASKERS:
        on, later = _button(approval, SWITCH_ON, Verb.APPROVE), "❌ Not now"
        return ((on, _button(approval, later, Verb.DENY)),)
    rows = [(_button(approval, "✅ Approve", Verb.APPROVE),), *_rules(approval)]
    if approval.preview.offer is not None:
        rows.append((_button(approval, _ALLOW, Verb.ALLOW),))
    rows.extend(refusals(approval))
    if approval.group > 1 and approval.position == 0 and (together is None or together.approved):
        rows.append((_button(approval, _approve_all(approval, together), Verb.ALL),))
    return tuple(rows)


def _rules(approval: Approval) -> list[tuple[Button, ...]]:
    """Returns the buttons of the standing rules that would cover such a call the next time."""
    preview = approval.preview
    if preview.effect is Effect.DANGER:
        return []
    rows: list[tuple[Button, ...]] = []
    if preview.always is not None and not preview.once:
        exact = isinstance(preview.always, ExactRule)
        same = _SAME.get(approval.call.name, "exactly this")
        granted = same if exact else clipped(preview.always_label, _LONGEST_GRANT)
        rows.append((_button(approval, f"🔁 Always allow {granted}", Verb.ALWAYS),))
    if isinstance(preview.wider, PathRule):
        folder = _end_of(visible(preview.wider.folder), _LONGEST_FOLDER)
        verb = deed_of(approval.call.name, {}).partition(" ")[0].lower()
        rows.append((_button(approval, f"🔁 Always {verb} documents in {folder}/", Verb.FOLDER),))
    return rows


def refusals(approval: Approval) -> ButtonRows:
    """Returns the rows of buttons that say no: to this call, as it is, and to the whole work."""
    change = replace(_button(approval, "✏️ Change…", Verb.CHANGE), asks=Hint.DIFFERENT)
    return (
        (_button(approval, "❌ Deny", Verb.DENY), change),
        (_button(approval, "⏹ Stop the work", Verb.STOP),),
    )


def _approve_all(approval: Approval, together: Together | None) -> str:
    """Returns a label; without a number where cards may be decided one by one before the press."""
    if together is not None:
        whole = together.approved == together.open
        several = f"all {together.open}" if whole else f"{together.approved} of {together.open}"
        return f"✅ Approve {several}"
    left_out = approval.preview.together - approval.group
    return f"✅ Approve all{' but the ⚠️' if left_out > 0 else ''}"


def _button(approval: Approval, label: str, verb: Verb) -> Button:
    return CARD_BUTTONS.button(label, CardButton(approval.token, verb))


def _end_of(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"…{text[1 - longest :]}"
