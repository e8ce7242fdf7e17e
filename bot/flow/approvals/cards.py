"""The content of an open card: what will happen, the thing itself, why it asks, and for whom."""

from dataclasses import replace
from datetime import datetime

from bot.domain.change import Show
from bot.domain.consent.approval import UNENDING, Approval
from bot.domain.consent.rules import describe
from bot.domain.talk.message import Block, Call, Outbound, OutboundKind, Plain
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import clipped, one_line, visible
from bot.domain.tools.tool import Offer, Preview
from bot.flow.approvals.card_buttons import buttons_of, refusals
from bot.flow.approvals.fitting import LONGEST_ASIDE, whole
from bot.flow.approvals.remedies import is_recalled, remedy

OWNER_ASKED = "⏳ I sent this question to an owner in private. Here you can only deny or stop it."
REPLY = "Reply with a change or a question"
_IN_WORKSPACE, _IN_FOLDER = "in the workspace", "in the working folder"
"""The place that a card does not name alone, since files are nowhere else; and in people's words.

The first is what a rule was given for, so it stays as it is.
"""

_LONGEST_NAME = 60


def shown_open(approval: Approval) -> list[Show]:
    """Returns the card for each chat; its own has no Approve button if only owners may approve."""
    return [
        Show(key, chat, open_card(approval, chat), about=approval.id, call=Call.NEEDS)
        for chat in approval.chats
        for key in (approval.key_in(chat),)
    ]


def open_card(approval: Approval, chat: int | None = None) -> Outbound:
    """Returns what will happen, the whole of it, why it asks, and the buttons."""
    preview = approval.preview
    shown, files = whole(preview)
    elsewhere = bool(approval.owner_chats) and chat == approval.chat
    blocks: list[Block] = [Plain(_title(approval), style="title"), *shown]
    blocks.extend(
        Plain(text) for text in (*_reasons(preview), place_told(preview, LONGEST_ASIDE)) if text
    )
    blocks.extend(_offered(preview.offer))
    blocks.extend(_unoffered(preview))
    if elsewhere:
        blocks.append(Plain(OWNER_ASKED))
    small = (_about(approval), REPLY, _life(approval, approval.created_at))
    blocks.extend(Plain(text, style="aside") for text in small if text)
    rows = buttons_of(approval)
    if elsewhere:
        rows = refusals(approval)
    return Outbound(OutboundKind.CARD, tuple(blocks), rows, files)


def _title(approval: Approval) -> str:
    preview, again = approval.preview, approval.kind == "repeat"
    count = f" · {approval.position + 1} of {preview.together}" if preview.together > 1 else ""
    return f"{'🔁' if again else '🔐'} {preview.title}{count}"


def _reasons(preview: Preview) -> list[str]:
    paused = _paused(preview) if preview.paused else ""
    return [f"⚠️ {text}" for text in (clipped(preview.why, LONGEST_ASIDE), paused) if text]


def _paused(preview: Preview) -> str:
    """Returns the words about a rule that does not count now, and what helps."""
    source = visible(preview.paused)
    if is_recalled(source):
        helps = remedy(source, preview.trustable, "")
        return f"Your rule is paused: I recalled {source}. {helps}"
    return (
        f"Your rule is paused: I read something that you did not write ({source}). /new resumes it."
    )


def _unoffered(preview: Preview) -> list[Block]:
    """Returns the line that tells why a card offers no standing rule, and what brings it."""
    if not preview.barred:
        return []
    helps = remedy(preview.barred, preview.trustable, "/new brings it back.")
    source = visible(preview.barred)
    told = f"No “Always” here: I read something that you did not write ({source}). {helps}"
    return [Plain(told, style="aside")]


def place_told(preview: Preview, longest: int | None = None) -> str:
    """Returns the place of a call in people's words; empty where files always are."""
    where = preview.where if longest is None else clipped(preview.where, longest)
    return "" if where == _IN_WORKSPACE else _in_folder(where)


def _in_folder(where: str) -> str:
    return where.replace(_IN_WORKSPACE, _IN_FOLDER, 1) if where.startswith(_IN_WORKSPACE) else where


def _about(approval: Approval) -> str:
    """Returns the request, where the card does not stand right below it."""
    named = approval.position == 0 or approval.owner_chats or approval.home is not None
    return _purpose(approval) if named else ""


def _purpose(approval: Approval) -> str:
    asked = one_line(" ".join(approval.purpose.split()), _LONGEST_NAME)
    who = plain_name(approval.asker_name)
    by = f"asked by {who}" if approval.asker_name else ""
    what = "for the helper's task" if approval.home is not None else "for"
    return " ".join(part for part in (by, asked and f"{what} “{asked}”") if part)


def _offered(offer: Offer | None) -> list[Block]:
    """Returns the lines that list everything that the button for a skill's wishes allows."""
    if offer is None:
        return []
    told = f"🧩 The skill {offer.skill} wants to do this without asking, while it is in use here:"
    lines = [told, *(f"• {describe(rule.tool, rule.pattern)}" for rule in offer.rules)]
    if offer.where:
        lines.append(f"Commands run {_in_folder(offer.where)}.")
    lines.append("That includes this call." if offer.covers else "This call still asks.")
    return [Plain("\n".join(visible(line) for line in lines))]


def shown_later(content: Outbound, approval: Approval, now: datetime) -> Outbound:
    """Returns the content of an open card with the time that is left now."""
    first, left = _life(approval, approval.created_at), _life(approval, now)
    blocks = (
        replace(b, text=left) if isinstance(b, Plain) and b.text == first else b
        for b in content.blocks
    )
    return replace(content, blocks=tuple(blocks))


def _life(approval: Approval, since: datetime) -> str:
    """Returns what happens without a decision; empty for a card that has no end."""
    if approval.expires_at == UNENDING:
        return ""
    hours = max(1, round((approval.expires_at - since).total_seconds() / 3600))
    return f"No answer in {hours} h: it does not run"
