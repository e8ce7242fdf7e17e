"""The content of a card: open, decided, and after its call."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.approval import Approval, ApprovalState, Verb
from bot.domain.change import Show
from bot.domain.deeds import without_deed
from bot.domain.hunks import LANGUAGE, in_words, readable
from bot.domain.message import Block, Button, CodeBlock, FileRef, Outbound, OutboundKind, Plain
from bot.domain.recalled import SOURCE
from bot.domain.rules import describe
from bot.domain.tool import (
    Code,
    Effect,
    ExactRule,
    Offer,
    PathRule,
    Preview,
    Status,
    ToolResult,
    clipped,
)
from bot.domain.visible_text import one_line, visible

PREFIX = "a"
"""The first letter of the button data of every card."""

LONGEST = 3_500
"""Characters a card shows in its message; Telegram allows 4,096 with everything around them."""

REPLY = "Reply to say what should be different"
DIFFERENT = "What should be different?"
IN_WORKSPACE = "in the workspace"
"""The place that a card does not name: files are nowhere else."""

_BEGINNING = 3_000
_BEGINNING_UNFOLDED = 600
_ASIDE = 1_000
"""Characters of the place and of the reason to ask; longer ones are whole in the document."""

_LONGEST_NAME = 60
_LONGEST_SUBJECT = 200
_LONGEST_LINE = 1_000
_LONGEST_REASON = 300
_LONGEST_FAULT = 200
_LONGEST_FOLDER = 24

_ALLOW = "🧩 Allow what this skill asks for"

_DECIDED = {
    ApprovalState.APPROVED: "✅ Approved",
    ApprovalState.DENIED: "❌ Denied",
    ApprovalState.EXPIRED: "⌛ Not decided in time",
    ApprovalState.CANCELLED: "⏹ Stopped",
    ApprovalState.UNASKABLE: "🚫 Could not be shown",
    ApprovalState.OPEN: "🔐 Open",
}
_UNRUN: dict[Code | None, str] = {
    Code.CANCELLED: "⏹ {}: stopped before it ran",
    Code.LIMIT: "⏭ {}: skipped, a limit was reached before it",
    Code.INTERRUPTED: "⏭ {}: skipped, I failed before it",
    Code.FINISHED: "⏭ {}: skipped, the answer came before it",
    Code.ERROR: "⏭ {}: skipped, I failed before it",
}
"""The outcomes of approved calls that did not run: stopped by a person, or skipped."""

_REPEATED = {ApprovalState.APPROVED: "▶️ Going on", ApprovalState.DENIED: "⏹ Stopped"}


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
    return [Show(approval.key_in(chat), chat, open_card(approval, chat)) for chat in approval.chats]


def shown_decided(
    approval: Approval,
    note: str = "",
    timezone: str | None = None,
    result: ToolResult | None = None,
) -> list[Show]:
    """Returns the one line that is left of a card, for each chat that shows it.

    The time is that of the card's own chat, so the copies for owners carry none.
    """
    shown: list[Show] = []
    for chat in approval.chats:
        zone = timezone if chat == approval.chat else None
        content = decided_card(approval, note, zone, result)
        shown.append(Show(approval.key_in(chat), chat, content))
    return shown


def open_card(approval: Approval, chat: int | None = None) -> Outbound:
    """Returns what will happen, the whole of it, why it asks, and the buttons."""
    preview = approval.preview
    shown, files = whole(preview)
    elsewhere = bool(approval.owner_chats) and chat == approval.chat
    blocks: list[Block] = [Plain(_title(approval), style="title"), *shown]
    blocks.extend(Plain(text) for text in (*_reasons(preview), _about(approval)) if text)
    blocks.extend(_offered(preview.offer))
    if elsewhere:
        blocks.append(Plain("⏳ An owner is asked in their private chat. You can deny or stop it."))
    blocks.append(Plain(f"{REPLY} · open for {_life(approval)}", style="aside"))
    rows = _buttons(approval)
    if elsewhere:
        rows = (_refusals(approval),)
    return Outbound(OutboundKind.CARD, tuple(blocks), rows, files)


def decided_card(
    approval: Approval,
    note: str = "",
    timezone: str | None = None,
    result: ToolResult | None = None,
) -> Outbound:
    """Returns the one line that is left of a card; its document stays beside it.

    With a result the line tells what came of the call, else how the card was decided.
    """
    preview = approval.preview
    told = _decision(approval) if result is None else _outcome(approval, result)
    at = _clock(approval.decided_at, timezone)
    line = one_line(" · ".join(part for part in (*told, at, note) if part), _LONGEST_LINE)
    _, files = whole(preview)
    return Outbound(OutboundKind.CARD, (Plain(line, style="line"),), files=files)


def whole(preview: Preview) -> tuple[tuple[Block, ...], tuple[FileRef, ...]]:
    """Returns the blocks of a card, and a document for the part that is too long for a message.

    The document is the thing alone, unless the place or the reason to ask is too long as well.
    """
    blocks, asides = preview.blocks, (preview.why, preview.where)
    short = all(len(text) <= _ASIDE for text in asides)
    if short and sum(len(text) for text in (*(b.text for b in blocks), *asides)) <= LONGEST:
        return readable(blocks), ()
    told = [*(block.text for block in blocks), *(() if short else asides)]
    text = "\n\n".join(part for part in told if part)
    name = preview.document if preview.document and short else "card.txt"
    folds = any(isinstance(block, CodeBlock) and block.folds for block in blocks)
    room = _BEGINNING - sum(min(len(aside), _ASIDE) for aside in asides)
    begun = beginning(text, room if folds else _BEGINNING_UNFOLDED)
    lines, of = begun.count("\n") + 1, text.count("\n") + 1
    note = f"This is the beginning. The whole of it ({of} lines) is in the document {name}."
    if lines == of:
        note = f"This is the beginning. The whole of it is in the document {name}."
    language = next((b.language for b in blocks if isinstance(b, CodeBlock)), "")
    told = in_words(begun) if language == LANGUAGE else begun
    return (CodeBlock(told, language, folds=folds), Plain(note)), (FileRef("", name, text=text),)


def beginning(text: str, longest: int) -> str:
    """Returns the first whole lines of a text that fit, or the start of a first line too long."""
    if len(text) <= longest:
        return text
    at = text.rfind("\n", 0, longest + 1)
    return text[:at] if at > 0 else clipped(text, longest)


def _title(approval: Approval) -> str:
    preview, again = approval.preview, approval.kind == "repeat"
    count = f" · {approval.position + 1} of {preview.together}" if preview.together > 1 else ""
    return f"{'🔁' if again else '🔐'} {preview.title}{count}"


def _reasons(preview: Preview) -> list[str]:
    paused = _paused(visible(preview.paused)) if preview.paused else ""
    return [f"⚠️ {text}" for text in (clipped(preview.why, _ASIDE), paused) if text]


def _paused(source: str) -> str:
    """Returns the words about a rule that does not count now, and what helps."""
    if source.startswith(SOURCE):
        # A fresh start is no remedy: the same answer may be recalled again.
        return f"Your rule is paused: I recalled {source}. /forget erases it."
    return (
        "Your rule is paused: this chat contains output from outside. /new resumes it. "
        f"Source: {source}."
    )


def _about(approval: Approval) -> str:
    """Returns the place and the request, where the card does not stand right below it."""
    where = approval.preview.where
    where = "" if where == IN_WORKSPACE else clipped(where, _ASIDE)
    named = approval.position == 0 or approval.owner_chats or approval.home is not None
    purpose = _purpose(approval) if named else ""
    return " · ".join(part for part in (where, purpose) if part)


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


def _decision(approval: Approval) -> tuple[str, ...]:
    verdict = _DECIDED[approval.state]
    if approval.kind == "repeat":
        verdict = _REPEATED.get(approval.state, verdict)
    by = f" by {_decider(approval)}" if _names(approval) else ""
    if approval.state is ApprovalState.CANCELLED and approval.reason:
        return (f"⏭ Skipped: {approval.reason}", _subject(approval.preview))
    approved = approval.state is ApprovalState.APPROVED
    reason = "" if approved else " ".join(visible(approval.reason).split())
    because = f": “{clipped(reason, _LONGEST_REASON)}”" if reason else ""
    return (f"{verdict}{by}{because}", _subject(approval.preview))


def _subject(preview: Preview) -> str:
    return clipped(preview.subject, _LONGEST_SUBJECT)


def _outcome(approval: Approval, result: ToolResult) -> tuple[str, ...]:
    subject, done = _subject(approval.preview), approval.preview.outcome
    by = f"approved by {_decider(approval)}" if _names(approval) else ""
    if result.status is Status.SUCCESS:
        # What was allowed beside the call stays on record.
        return (f"✅ {clipped(done, _LONGEST_SUBJECT)}", by, approval.reason)
    if result.code is Code.OUTCOME_UNKNOWN:
        return (f"❓ {subject}: outcome unknown", by)
    if (unrun := _UNRUN.get(result.code)) is not None and result.synthetic:
        return (unrun.format(subject), by)
    fault = clipped(without_deed(_first_line(result.text), subject), _LONGEST_FAULT)
    if result.synthetic:
        return (f"⏹ {subject}: {fault or 'not run'}", by)
    return (f"✗ {subject}: {fault or 'failed'}", by)


def _first_line(text: str) -> str:
    lines = (" ".join(line.split()) for line in visible(text).split("\n"))
    return next((line for line in lines if line), "")


def _names(approval: Approval) -> bool:
    """Returns True where the card says who decided: others see it, or it was somebody else."""
    if not approval.decider_name or approval.decided_by is None:
        return False
    return bool(approval.asker_name) or approval.decided_by != approval.asker


def _decider(approval: Approval) -> str:
    return one_line(" ".join(approval.decider_name.split()), _LONGEST_NAME)


def _buttons(approval: Approval) -> tuple[tuple[Button, ...], ...]:
    if approval.kind == "repeat":
        going = _button(approval, "▶️ Go on", Verb.APPROVE)
        return ((going, _button(approval, "⏹ Stop", Verb.DENY)),)
    rows = [(_button(approval, "✅ Approve", Verb.APPROVE),), *_rules(approval)]
    if approval.preview.offer is not None:
        rows.append((_button(approval, _ALLOW, Verb.ALLOW),))
    rows.append(_refusals(approval))
    if approval.group > 1 and approval.position == 0:
        rows.append((_button(approval, _approve_all(approval), Verb.ALL),))
    return tuple(rows)


def _rules(approval: Approval) -> list[tuple[Button, ...]]:
    """Returns the buttons of the standing rules that would cover such a call the next time."""
    preview = approval.preview
    if preview.effect is Effect.DANGER:
        return []
    rows: list[tuple[Button, ...]] = []
    if preview.always is not None and not preview.once:
        exact = isinstance(preview.always, ExactRule)
        granted = "exactly this" if exact else clipped(preview.always_label, 30)
        rows.append((_button(approval, f"🔁 Always allow {granted}", Verb.ALWAYS),))
    if isinstance(preview.wider, PathRule):
        folder = _end_of(visible(preview.wider.folder), _LONGEST_FOLDER)
        rows.append((_button(approval, f"🔁 Always in {folder}/", Verb.FOLDER),))
    return rows


def _refusals(approval: Approval) -> tuple[Button, ...]:
    return (
        _button(approval, "❌ Deny", Verb.DENY),
        replace(_button(approval, "✏️ Change…", Verb.CHANGE), asks=DIFFERENT),
        _button(approval, "⏹ Stop", Verb.STOP),
    )


def _approve_all(approval: Approval) -> str:
    left_out = approval.preview.together - approval.group
    return f"✅ Approve all ({approval.group}{', not the ⚠️' if left_out > 0 else ''})"


def _button(approval: Approval, label: str, verb: Verb) -> Button:
    return Button(label, button_data(approval, verb))


def _end_of(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"…{text[1 - longest :]}"


def _life(approval: Approval) -> str:
    hours = round((approval.expires_at - approval.created_at).total_seconds() / 3600)
    return f"{hours} h"


def _clock(at: datetime | None, timezone: str | None) -> str:
    """Returns the time of day; empty where the time zone of the people is not known."""
    if at is None or timezone is None:
        return ""
    try:
        return f"{at.astimezone(ZoneInfo(timezone)):%H:%M}"
    except (KeyError, ValueError, OSError):
        return ""
