"""The content of an open card: what will happen, the thing itself, why it asks, and for whom."""

from bot.domain.approval import UNENDING, Approval
from bot.domain.change import Show
from bot.domain.message import Block, Outbound, OutboundKind, Plain
from bot.domain.recalled import SOURCE
from bot.domain.rules import describe
from bot.domain.tool import Offer, Preview, clipped
from bot.domain.visible_text import one_line, visible
from bot.flow.approvals.card_buttons import buttons_of, refusals
from bot.flow.approvals.fitting import LONGEST_ASIDE, whole

REPLY = "Reply to say what should be different"
IN_WORKSPACE = "in the workspace"
"""The place that a card does not name: files are nowhere else."""

_LONGEST_NAME = 60


def shown_open(approval: Approval) -> list[Show]:
    """Returns the card for each chat; its own has no Approve button if only owners may approve."""
    return [Show(approval.key_in(chat), chat, open_card(approval, chat)) for chat in approval.chats]


def open_card(approval: Approval, chat: int | None = None) -> Outbound:
    """Returns what will happen, the whole of it, why it asks, and the buttons."""
    preview = approval.preview
    shown, files = whole(preview)
    elsewhere = bool(approval.owner_chats) and chat == approval.chat
    blocks: list[Block] = [Plain(_title(approval), style="title"), *shown]
    blocks.extend(Plain(text) for text in (*_reasons(preview), _where(preview)) if text)
    blocks.extend(_offered(preview.offer))
    if elsewhere:
        blocks.append(Plain("⏳ An owner is asked in their private chat. You can deny or stop it."))
    small = (_about(approval), f"{REPLY} · open {_life(approval)}")
    blocks.extend(Plain(text, style="aside") for text in small if text)
    rows = buttons_of(approval)
    if elsewhere:
        rows = (refusals(approval),)
    return Outbound(OutboundKind.CARD, tuple(blocks), rows, files)


def _title(approval: Approval) -> str:
    preview, again = approval.preview, approval.kind == "repeat"
    count = f" · {approval.position + 1} of {preview.together}" if preview.together > 1 else ""
    return f"{'🔁' if again else '🔐'} {preview.title}{count}"


def _reasons(preview: Preview) -> list[str]:
    paused = _paused(visible(preview.paused)) if preview.paused else ""
    return [f"⚠️ {text}" for text in (clipped(preview.why, LONGEST_ASIDE), paused) if text]


def _paused(source: str) -> str:
    """Returns the words about a rule that does not count now, and what helps."""
    if source.startswith(SOURCE):
        # A fresh start is no remedy: the same answer may be recalled again.
        return f"Your rule is paused: I recalled {source}. /forget erases it."
    return (
        "Your rule is paused: this chat contains output from outside. /new resumes it. "
        f"Source: {source}."
    )


def _where(preview: Preview) -> str:
    """Returns the place of a call; empty for the workspace, where files always are."""
    return "" if preview.where == IN_WORKSPACE else clipped(preview.where, LONGEST_ASIDE)


def _about(approval: Approval) -> str:
    """Returns the request, where the card does not stand right below it."""
    named = approval.position == 0 or approval.owner_chats or approval.home is not None
    return _purpose(approval) if named else ""


def _purpose(approval: Approval) -> str:
    asked = one_line(" ".join(approval.purpose.split()), _LONGEST_NAME)
    who = one_line(" ".join(approval.asker_name.split()), _LONGEST_NAME)
    by = f"asked by {who}" if who else ""
    what = "for the errand" if approval.home is not None else "for"
    return " ".join(part for part in (by, asked and f"{what} “{asked}”") if part)


def _offered(offer: Offer | None) -> list[Block]:
    """Returns the lines that list everything that the button for a skill's wishes allows."""
    if offer is None:
        return []
    told = f"🧩 The skill {offer.skill} asks to run without a card, while it is in use here:"
    lines = [told, *(f"• {describe(rule.tool, rule.pattern)}" for rule in offer.rules)]
    if offer.where:
        lines.append(f"Commands run {offer.where}.")
    lines.append("That includes this call." if offer.covers else "This call still asks.")
    return [Plain("\n".join(visible(line) for line in lines))]


def _life(approval: Approval) -> str:
    if approval.expires_at == UNENDING:
        return "until you decide"
    hours = round((approval.expires_at - approval.created_at).total_seconds() / 3600)
    return f"for {hours} h"
