"""The one line that is left of a card: how it was decided, then what came of its call."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.change import Show
from bot.domain.clock.span import span
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.talk.message import ButtonRows, Outbound, OutboundKind, Plain, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import clipped, one_line, visible
from bot.domain.tools.deeds import without_deed
from bot.domain.tools.file_change import REDO, UNDO, UNDO_BUTTONS, UndoButton, UndoVerb
from bot.domain.tools.tool import Code, Preview, Status, ToolResult
from bot.flow.approvals.fitting import whole
from bot.flow.commanding.desks import STOPPED, spent
from bot.flow.log.closing import ENDED_BY_FAULT

_LONGEST_SUBJECT = 200
_LONGEST_LINE = 1_000
_LONGEST_REASON = 300
_LONGEST_FAULT = 200

_DECIDED = {
    ApprovalState.APPROVED: "✅ Approved",
    ApprovalState.DENIED: "❌ Denied",
    ApprovalState.EXPIRED: "⌛ Not decided in time",
    ApprovalState.CANCELLED: "⏹ Stopped",
    ApprovalState.UNASKABLE: "🚫 Could not be shown",
    ApprovalState.OPEN: "🔐 Open",
}
_SENT_BACK = "✏️ Not run"
"""A call that was denied with words: mostly a wish for a change."""

_UNRUN: dict[Code | None, str] = {
    Code.CANCELLED: "⏹ {}: stopped before it ran",
    Code.LIMIT: "⏭ {}: skipped, a limit was reached before it",
    Code.INTERRUPTED: "⏭ {}: skipped, I failed before it",
    Code.FINISHED: "⏭ {}: skipped, the answer came before it",
    Code.ERROR: "⏭ {}: skipped, I failed before it",
}
"""The outcomes of approved calls that did not run: stopped by a person, or skipped."""

_REPEATED = {ApprovalState.APPROVED: "▶️ Going on", ApprovalState.DENIED: "⏹ Stopped"}


_HOW = {
    ApprovalState.APPROVED: "approved",
    ApprovalState.DENIED: "denied",
    ApprovalState.EXPIRED: "nobody pressed a button in time",
}
_HOW_REPEATED = {ApprovalState.APPROVED: "told to go on", ApprovalState.DENIED: "stopped"}


def late(approval: Approval, person: Person, now: datetime) -> PressAnswer:
    """Returns the answer to a press on a card that was decided before."""
    if approval.state is ApprovalState.CANCELLED:
        return PressAnswer(STOPPED, alone=True)
    how = _HOW.get(approval.state)
    if approval.kind == "repeat":
        how = _HOW_REPEATED.get(approval.state, how)
    by = "you" if approval.decided_by == person.id else _decider(approval)
    ago = f"{span((now - approval.decided_at).total_seconds())} ago" if approval.decided_at else ""
    return spent(how, by, ago) if how else spent()


def shown_decided(
    approval: Approval,
    note: str = "",
    timezone: str | None = None,
    result: ToolResult | None = None,
    told_in: int | None = None,
) -> list[Show]:
    """Returns the one line that is left of a card, for each chat that shows it.

    The time is that of the card's own chat, so the copies for owners carry none. The chat `told_in`
    shows the whole output already.
    """
    shown: list[Show] = []
    for chat in approval.chats:
        zone = timezone if chat == approval.chat else None
        told = result
        if result is not None and chat == told_in and not result.synthetic:
            told = replace(result, text="")
        content = decided_card(approval, note, zone, told)
        shown.append(Show(approval.key_in(chat), chat, content, about=approval.id))
    return shown


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
    undo = "" if result is None else result.undo
    buttons = undo_button(undo, beside_rule=gave_rule(approval)) if undo else ()
    shown = Plain(line, style="line")
    return Outbound(OutboundKind.CARD, (shown,), buttons, files, decided=bool(buttons))


def gave_rule(approval: Approval) -> bool:
    """Returns True when the decision allowed more than the call of the card."""
    return approval.state is ApprovalState.APPROVED and bool(approval.reason)


def undo_button(change: str, flips: int = 0, *, beside_rule: bool = False) -> ButtonRows:
    """Returns the button that takes a change of a file back, or does it again.

    Beside the words about a rule it says that it is about the change alone.
    """
    label = (REDO if flips % 2 else UNDO) + (" the change" if beside_rule else "")
    return ((UNDO_BUTTONS.button(label, UndoButton(UndoVerb.ONE, change, flips)),),)


def _decision(approval: Approval) -> tuple[str, ...]:
    verdict = _DECIDED[approval.state]
    if approval.kind == "repeat":
        verdict = _REPEATED.get(approval.state, verdict)
    by = f" by {_decider(approval)}" if _names(approval) else ""
    if approval.state is ApprovalState.CANCELLED and approval.reason:
        return (f"⏭ Skipped: {approval.reason}", _subject(approval.preview))
    approved = approval.state is ApprovalState.APPROVED
    reason = "" if approved else " ".join(visible(approval.reason).split())
    if not reason:
        return (f"{verdict}{by}", _subject(approval.preview))
    who = f"{_decider(approval)}: " if _names(approval) else ""
    because = f"{who}“{clipped(reason, _LONGEST_REASON)}”"
    # A platform that refused the card has sent nothing back: its own words are the reason.
    sent_back = approval.state is not ApprovalState.UNASKABLE
    return (_SENT_BACK if sent_back else verdict, _subject(approval.preview), because)


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
    if _could_not(result):
        return (f"✗ {subject}: {_fault(result, subject)}", by)
    if (unrun := _UNRUN.get(result.code)) is not None and result.synthetic:
        return (unrun.format(subject), by)
    fault = _fault(result, subject)
    if result.synthetic:
        return (f"⏹ {subject}: {fault or 'not run'}", by)
    return (f"✗ {subject}: {fault or 'failed'}", by)


def _could_not(result: ToolResult) -> bool:
    """Returns True for a call that was to run and could not: its file had changed, for instance."""
    ours = result.text == ENDED_BY_FAULT
    return result.synthetic and result.code is Code.ERROR and not ours


def _fault(result: ToolResult, subject: str) -> str:
    return clipped(without_deed(_first_line(result.text), subject), _LONGEST_FAULT)


def _first_line(text: str) -> str:
    lines = (" ".join(line.split()) for line in visible(text).split("\n"))
    return next((line for line in lines if line), "")


def _names(approval: Approval) -> bool:
    """Returns True where the card says who decided: others see it, or it was somebody else."""
    if not approval.decider_name or approval.decided_by is None:
        return False
    return bool(approval.asker_name) or approval.decided_by != approval.asker


def _decider(approval: Approval) -> str:
    return plain_name(approval.decider_name) if approval.decider_name else ""


def _clock(at: datetime | None, timezone: str | None) -> str:
    """Returns the time of day; empty where the time zone of the people is not known."""
    if at is None or timezone is None:
        return ""
    try:
        return f"{at.astimezone(ZoneInfo(timezone)):%H:%M}"
    except (KeyError, ValueError, OSError):
        return ""
