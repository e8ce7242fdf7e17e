"""The card of a plan: ready for a decision, running, waiting, and at its end."""

from bot.domain.change import Show
from bot.domain.plans.plan import Plan, PlanState, PlanStep, PlanVerb, StepState
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.hunks import readable
from bot.domain.talk.message import (
    Block,
    Button,
    Call,
    FileRef,
    Hint,
    Outbound,
    OutboundKind,
    Plain,
)
from bot.domain.text.names import brief_name, plain_name
from bot.domain.text.visible_text import clipped, visible
from bot.domain.tools.deeds import denial, without_deed
from bot.domain.value import frozen, replace
from bot.flow.approvals.cards import REPLY, place_told
from bot.flow.approvals.fitting import LONGEST


@frozen
class PlanButton:
    """The meaning of a button of a plan's card; the version shows that a card is out of date.

    The Stop button carries the version 0: it stays good, and looks the same, while steps go on.
    """

    token: str
    version: int
    verb: PlanVerb


PLAN_BUTTONS = ButtonCodec("p", PlanButton)

_LONGEST_SUMMARY = 600
"""Characters of a summary on a card whose document has the whole of it."""

_LONGEST_LINE = 160

_MARKS = {
    StepState.OPEN: "○",
    StepState.DONE: "✓",
    StepState.FAILED: "✗",
    StepState.SKIPPED: "⏭",
}
_NEXT = "⏳"
_NOT_RUN = "⏹"
"""The mark of a step that was still open when the plan ended; a skipped one was left out."""

_ENDS = {
    PlanState.DONE: "✅ Done",
    PlanState.PARTLY_DONE: "⏹ Stopped, partly done",
    PlanState.CANCELLED: "🗑 Cancelled, nothing was done",
}
_LABELS = {
    PlanVerb.APPROVE: "✅ Approve",
    PlanVerb.CHANGE: "✏️ Change…",
    PlanVerb.CANCEL: "🗑 Cancel",
    PlanVerb.RETRY: "🔁 Try again",
    PlanVerb.SKIP: "⏭ Skip",
    PlanVerb.RESUME: "▶️ Resume",
    PlanVerb.STOP: "⏹ Stop",
}


def offered(plan: Plan) -> tuple[PlanVerb, ...]:
    """Returns the actions that a person may take on a plan in its present state."""
    match plan.state:
        case PlanState.READY:
            return (PlanVerb.APPROVE, PlanVerb.CHANGE, PlanVerb.CANCEL)
        case PlanState.APPROVED:
            return (PlanVerb.STOP,)
        case PlanState.EXECUTING if plan.turn is not None:
            return (PlanVerb.STOP,) if plan.open_steps else ()
        case PlanState.EXECUTING if plan.failed_step is not None:
            return (PlanVerb.RETRY, PlanVerb.SKIP, PlanVerb.STOP)
        case PlanState.EXECUTING:
            return (PlanVerb.RESUME, PlanVerb.STOP)
        case _:
            return ()


def shown(plan: Plan, note: str = "") -> list[Show]:
    """Returns the card for each chat; if owners are asked, the asker's has no Approve button."""
    return [
        Show(plan.key_in(chat), chat, card(plan, chat, note), about=plan.id) for chat in plan.chats
    ]


def asking(plan: Plan) -> list[Show]:
    """Returns the card of a plan that has just become ready: it calls who may approve it."""
    return [replace(one, call=Call.NEEDS) for one in shown(plan)]


def replaced(plan: Plan) -> list[Show]:
    """Returns the one line that is left of a revision whose steps are collected again."""
    told = Plain(f"✏️ {named(plan)} · replaced by revision {plan.revision + 1}", style="line")
    content = Outbound(OutboundKind.CARD, (told,), files=document(plan))
    return [Show(plan.key_in(chat), chat, content, about=plan.id) for chat in plan.chats]


def _button(plan: Plan, verb: PlanVerb) -> Button:
    asks = Hint.DIFFERENT if verb is PlanVerb.CHANGE else ""
    version = 0 if verb is PlanVerb.STOP else plan.version
    return PLAN_BUTTONS.button(_LABELS[verb], PlanButton(plan.token, version, verb), asks)


def card(plan: Plan, chat: int, note: str = "", *, whole_steps: bool = False) -> Outbound:
    """Returns the card of a plan; with `whole_steps` no step of an open one is in a document."""
    verbs = [v for v in offered(plan) if not _is_elsewhere(plan, chat, v)]
    buttons = tuple(_button(plan, verb) for verb in verbs)
    if plan.state is PlanState.CANCELLED:
        line = " · ".join(part for part in (_ENDS[plan.state], named(plan), _decider(plan)) if part)
        return Outbound(OutboundKind.CARD, (Plain(line, style="line"),), files=document(plan))
    body = _proposal(plan, whole_steps) if plan.state is PlanState.READY else _progress(plan)
    blocks: list[Block] = [Plain(headline(plan), style="title"), *body]
    if note:
        blocks.append(Plain(note))
    if PlanVerb.CHANGE in verbs:
        blocks.append(Plain(REPLY, style="aside"))
    files = () if whole_steps else document(plan)
    return Outbound(OutboundKind.CARD, tuple(blocks), (buttons,) if buttons else (), files)


def _is_elsewhere(plan: Plan, chat: int, verb: PlanVerb) -> bool:
    """Returns True for a button that belongs to another chat.

    Owners approve in their chats if they are asked; changes belong in the plan's own chat.
    """
    if verb is PlanVerb.APPROVE:
        return bool(plan.owner_chats) and chat == plan.chat
    return verb is PlanVerb.CHANGE and chat != plan.chat


def document(plan: Plan) -> tuple[FileRef, ...]:
    """Returns the document of a plan that is too long for a message, always equal in a revision."""
    if _length(plan) <= LONGEST:
        return ()
    return (FileRef("", "plan.md", text=whole(plan)),)


def whole(plan: Plan) -> str:
    """Returns the full text of a plan: each step as a card shows it, with its exact arguments."""
    parts = [f"# {named(plan)}", visible(plan.summary)]
    for step in plan.steps:
        parts.append(f"## {_line(step, _danger(step))}")
        parts.extend(block.text for block in _shown(step))
        parts.append(f"Arguments: {visible(step.arguments)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def readable_steps(plan: Plan) -> str:
    """Returns each step as a card shows it, for people who want to read a plan once more."""
    parts = [visible(plan.summary)]
    for step in plan.steps:
        parts.append(_line(step, _danger(step)))
        parts.extend(block.text.rstrip("\n") for block in _shown(step))
    return "\n\n".join(part for part in parts if part) + "\n"


def _length(plan: Plan) -> int:
    blocks = sum(len(b.text) for s in plan.steps for b in _shown(s))
    return len(plan.summary) + blocks + sum(len(s.description) + 8 for s in plan.steps)


def _shown(step: PlanStep) -> tuple[Block, ...]:
    """Returns the content that a card for this step alone would show: its action and its place."""
    where = place_told(step.preview)
    return (*step.preview.blocks, *((Plain(visible(where)),) if where else ()))


def _proposal(plan: Plan, whole_steps: bool) -> list[Block]:
    blocks: list[Block] = []
    attached = bool(document(plan)) and not whole_steps
    if plan.summary:
        summary = visible(plan.summary)
        blocks.append(Plain(clipped(summary, _LONGEST_SUMMARY) if attached else summary))
    if attached:
        blocks.extend(_lines(plan))
        blocks.append(Plain("The whole plan, with every step, is in the attached document."))
    else:
        for step in plan.steps:
            blocks.append(Plain(_line(step, _danger(step), step.preview.title), style="title"))
            blocks.extend(readable(_shown(step)))
    if any(step.dangerous for step in plan.steps):
        blocks.append(Plain("⚠️ I ask again before a dangerous step."))
    if plan.owner_chats:
        asker = plain_name(plan.asker_name)
        blocks.append(Plain(f"⏳ {asker} asks; only an owner can approve this."))
    return blocks


def _progress(plan: Plan) -> list[Block]:
    blocks: list[Block] = [*_lines(plan)]
    failed = plan.failed_step
    if failed is not None and plan.turn is None:
        told = f"Step {failed.number} failed. Try again, skip it, or stop here?"
        blocks.append(Plain(told))
    elif plan.wanting:
        blocks.append(Plain("⏸ This is not finished. Resume?"))
    elif not plan.live:
        blocks.append(Plain(" · ".join(p for p in (_end(plan), _decider(plan)) if p)))
    elif by := _decider(plan):
        blocks.append(Plain(f"✅ Approved {by}"))
    return blocks


def _end(plan: Plan) -> str:
    """Returns how a plan ended: one of which steps were only left out was not stopped."""
    if plan.state is not PlanState.PARTLY_DONE or plan.open_steps or failures(plan):
        return _ENDS[plan.state]
    return f"✅ Done, {skips(plan)}"


def failures(plan: Plan) -> int:
    """Returns the number of failed steps."""
    return sum(step.state is StepState.FAILED for step in plan.steps)


def skips(plan: Plan) -> str:
    """Returns the number of skipped steps in words."""
    count = sum(step.state is StepState.SKIPPED for step in plan.steps)
    return "1 step skipped" if count == 1 else f"{count} steps skipped"


def _decider(plan: Plan) -> str:
    """Names the person who decided, where it was not the one who asked."""
    decided = plan.decider_name and plan.decider_name != plan.asker_name
    return f"by {plain_name(plan.decider_name)}" if decided else ""


def _lines(plan: Plan) -> list[Block]:
    """Returns one line for each step, short enough for all of them to stand in one message."""
    room = min(_LONGEST_LINE, LONGEST // max(1, len(plan.steps)) - 8)
    return [Plain(clipped(line, room), style="line") for line in step_lines(plan)]


def step_lines(plan: Plan) -> list[str]:
    """Returns a line for each step: its mark, and its outcome if it failed or was skipped."""
    if plan.collecting or plan.state is PlanState.READY:
        return [_line(step, _danger(step)) for step in plan.steps]
    at_work = plan.state in (PlanState.APPROVED, PlanState.EXECUTING) and not plan.wanting
    working = at_work and plan.failed_step is None
    following = next(iter(plan.open_steps), None) if working else None
    lines: list[str] = []
    for step in plan.steps:
        mark = _NEXT if step is following else _MARKS[step.state]
        if not plan.live and step.state is StepState.OPEN:
            mark, told = _NOT_RUN, " — not run"
        elif step.state is StepState.SKIPPED and not step.outcome:
            mark, told = _MARKS[step.state], " — skipped"
        else:
            told = f" — {visible(_reason(step))}" if _tells(step) else ""
        lines.append(f"{mark} {_line(step)}{told}")
    return lines


def _reason(step: PlanStep) -> str:
    """Returns what a step came to, without the command or the file that its own line names."""
    told = denial(step.outcome) if step.state is StepState.SKIPPED else ""
    return told or without_deed(step.outcome, step.description)


def _tells(step: PlanStep) -> bool:
    return bool(step.outcome) and step.state in (StepState.FAILED, StepState.SKIPPED)


def headline(plan: Plan) -> str:
    """Returns the title of a plan, the number of its steps, and its revision."""
    revised = f" · revision {plan.revision}" if plan.revision > 1 else ""
    return f"📋 {named(plan)} · {_count(plan)}{revised}"


def _count(plan: Plan) -> str:
    """Returns the number of steps, and of done ones when the plan has been approved."""
    count = f"{len(plan.steps)} step{'' if len(plan.steps) == 1 else 's'}"
    if plan.collecting or plan.state is PlanState.READY or not plan.steps:
        return count
    done = sum(step.state is StepState.DONE for step in plan.steps)
    return f"{done} of {count} done"


_STANDS = {
    PlanState.COLLECTING: "being made",
    PlanState.READY: "waiting for your decision",
    PlanState.APPROVED: "approved",
    PlanState.EXECUTING: "under way",
    PlanState.DONE: "done",
    PlanState.PARTLY_DONE: "stopped",
    PlanState.CANCELLED: "cancelled",
}


def described(plan: Plan) -> str:
    """Returns one line about a plan."""
    if plan.state is PlanState.DONE:
        return f"{cited(plan)} · {_count(plan)}"  # which says “done” already
    stand = _STANDS[PlanState.READY] if plan.wanting else _STANDS[plan.state]
    if plan.state is PlanState.PARTLY_DONE and not (plan.open_steps or failures(plan)):
        stand = f"done, {skips(plan)}"
    return f"{cited(plan)} · {stand} · {_count(plan)}"


def named(plan: Plan) -> str:
    """Returns the title of a plan on one line of plain text."""
    return plain_name(plan.title, "Plan")


def cited(plan: Plan) -> str:
    """Returns the title of a plan in quotation marks, on one line of plain text."""
    return brief_name(plan.title or "Plan")


def _danger(step: PlanStep) -> str:
    return "⚠️ " if step.dangerous else ""


def _line(step: PlanStep, mark: str = "", title: str = "") -> str:
    """Returns the number and the deed; a title says it better where the thing stands below."""
    return f"{step.number}. {mark}{title or step.description}"
