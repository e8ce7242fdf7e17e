"""The content of a card, open and decided."""

from dataclasses import replace
from datetime import datetime

from bot.domain.approval import Approval, ApprovalState, Verb
from bot.domain.change import Show
from bot.domain.message import Block, Button, CodeBlock, FileRef, Outbound, OutboundKind, Plain
from bot.domain.tool import Effect, Preview, clipped

PREFIX = "a"
"""The first letter of the button data of every card."""

LONGEST = 3_000
"""Characters a card shows in its message; Telegram allows 4,096 with everything around them."""

_BEGINNING = 600
_DENY, _STOP = "❌ Deny", "⏹ Stop"

_DECIDED = {
    ApprovalState.APPROVED: "✅ Approved",
    ApprovalState.DENIED: "❌ Denied",
    ApprovalState.EXPIRED: "⌛ Expired",
    ApprovalState.CANCELLED: "⏹ Cancelled",
    ApprovalState.UNASKABLE: "🚫 Could not be shown",
    ApprovalState.OPEN: "🔐 Open",
}


def button_data(approval: Approval, verb: Verb) -> str:
    """Returns button data of at most 64 bytes, the limit of the strictest platform."""
    return f"{PREFIX}:{approval.token}:{verb.value}"


def parse_data(data: str) -> tuple[str, Verb] | None:
    """Returns the token and the wish of a button; None when the data is not ours."""
    match data.split(":"):
        case [prefix, token, verb] if prefix == PREFIX and token and verb in set(Verb):
            return token, Verb(verb)
        case _:
            return None


def shown_open(approval: Approval) -> list[Show]:
    """Returns the card for each chat; its own has no Approve button if only owners may approve."""
    whole = open_card(approval)
    own = whole
    if approval.owner_chats:
        row = tuple(b for b in _buttons(approval)[-1] if b.label in (_DENY, _STOP))
        told = Plain("⏳ An owner is asked in their private chat. You may deny or stop it here.")
        own = replace(whole, blocks=(*whole.blocks, told), buttons=(row,))
    shown = ((chat, own if chat == approval.chat else whole) for chat in approval.chats)
    return [Show(approval.key_in(chat), chat, content) for chat, content in shown]


def shown_decided(approval: Approval, note: str = "") -> list[Show]:
    """Returns the decided card for each chat that shows it."""
    content = decided_card(approval, note)
    return [Show(approval.key_in(chat), chat, content) for chat in approval.chats]


def open_card(approval: Approval) -> Outbound:
    """Returns the question, the whole call, and the buttons."""
    preview = approval.preview
    shown, files = _whole(preview)
    place = " · ".join(part for part in (preview.where, _purpose(approval)) if part)
    lines: list[Block] = [Plain(f"🔐 {preview.title}"), *shown]
    lines.extend(Plain(text) for text in (preview.why and f"⚠️ {preview.why}", place) if text)
    lines.append(Plain(f"Open until {_minute(approval.expires_at)}"))
    return Outbound(OutboundKind.CARD, tuple(lines), _buttons(approval), files)


def decided_card(approval: Approval, note: str = "") -> Outbound:
    """Returns the decided card: the question, the person, the time; no buttons."""
    verdict = _DECIDED[approval.state]
    if approval.decider_name and approval.decided_by is not None:
        verdict = f"{verdict} by {approval.decider_name}"
    if approval.decided_at is not None:
        verdict = f"{verdict} · {_minute(approval.decided_at)}"
    shown, files = _whole(approval.preview)
    lines: list[Block] = [Plain(f"🔐 {approval.preview.title}"), *shown]
    lines.append(Plain(verdict))
    lines.extend(Plain(text) for text in (approval.reason and f"“{approval.reason}”", note) if text)
    return Outbound(OutboundKind.CARD, tuple(lines), files=files)


def _whole(preview: Preview) -> tuple[tuple[Block, ...], tuple[FileRef, ...]]:
    """Returns the blocks of a card, and a document for the part that is too long for a message."""
    if sum(len(block.text) for block in preview.blocks) <= LONGEST:
        return preview.blocks, ()
    whole = "\n\n".join(block.text for block in preview.blocks)
    note = Plain(f"{len(whole)} characters: the whole of it is in the attached document.")
    begun = CodeBlock(clipped(whole, _BEGINNING))
    return (begun, note), (FileRef("", "card.txt", text=whole),)


def _purpose(approval: Approval) -> str:
    asked = " ".join(approval.purpose.split())
    who = " ".join(approval.asker_name.split())
    by = f"asked by {clipped(who, 60)}" if who else ""
    return " ".join(part for part in (by, asked and f"for “{clipped(asked, 60)}”") if part)


def _buttons(approval: Approval) -> tuple[tuple[Button, ...], ...]:
    def button(label: str, verb: Verb) -> Button:
        return Button(label, button_data(approval, verb))

    if approval.kind == "repeat":
        return ((button("▶️ Go on", Verb.APPROVE), button(_STOP, Verb.DENY)),)
    first = [button("✅ Approve", Verb.APPROVE)]
    if approval.preview.always is not None and approval.preview.effect is not Effect.DANGER:
        label = clipped(approval.preview.always_label or approval.call.name, 30)
        first.append(button(f"🔁 Always: {label}", Verb.ALWAYS))
    rows = [tuple(first), (button(_DENY, Verb.DENY), button(_STOP, Verb.STOP))]
    if approval.group > 1 and approval.position == 0:
        rows.append((button(f"✅ Approve all ({approval.group})", Verb.ALL),))
    return tuple(rows)


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
