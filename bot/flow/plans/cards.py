"""The card of a plan: ready for a decision, running, waiting, and at its end."""

from bot.domain.change import Show
from bot.domain.message import Block, Button, CodeBlock, FileRef, Outbound, OutboundKind, Plain
from bot.domain.plan import Plan, PlanState, PlanStep, PlanVerb, StepState
from bot.domain.tool import Effect, clipped
from bot.domain.visible_text import visible
from bot.flow.approvals.cards import LONGEST

PREFIX = "p"
"""The first letter of the button data of every plan's card."""

_LONGEST_SUMMARY = 600
_LONGEST_LINE = 160

_MARKS = {
    StepState.OPEN: "⏳",
    StepState.DONE: "✅",
    StepState.FAILED: "❌",
    StepState.SKIPPED: "⏭",
}
_NEXT = "▶️"
_ENDS = {
    PlanState.DONE: "✅ Done",
    PlanState.PARTLY_DONE: "◐ Partly done",
    PlanState.CANCELLED: "❌ Cancelled",
}
_LABELS = {
    PlanVerb.APPROVE: "✅ Approve",
    PlanVerb.CHANGE: "✏️ Change",
    PlanVerb.CANCEL: "❌ Cancel",
    PlanVerb.RETRY: "🔁 Retry",
    PlanVerb.SKIP: "⏭ Skip",
    PlanVerb.RESUME: "▶️ Resume",
    PlanVerb.STOP: "⏹ Stop",
}


def button_data(plan: Plan, verb: PlanVerb) -> str:
    """Returns button data of at most 64 bytes; the version shows that a card is out of date.

    The Stop button carries no version: it stays good, and looks the same, while steps go on.
    """
    version = 0 if verb is PlanVerb.STOP else plan.version
    return f"{PREFIX}:{plan.token}:{version}:{verb.value}"


def parse_data(data: str) -> tuple[str, int, PlanVerb] | None:
    """Returns token, version and wish of a button; None when the data is not ours."""
    match data.split(":"):
        case [prefix, token, version, verb] if prefix == PREFIX and token and verb in set(PlanVerb):
            plain = version.isascii() and version.isdecimal() and len(version) < 10
            return (token, int(version), PlanVerb(verb)) if plain else None
        case _:
            return None


def offered(plan: Plan) -> tuple[PlanVerb, ...]:
    """Returns the actions that a person may take on a plan in its present state."""
    match plan.state:
        case PlanState.READY:
            return (PlanVerb.APPROVE, PlanVerb.CHANGE, PlanVerb.CANCEL)
        case PlanState.APPROVED:
            return (PlanVerb.STOP,)
        case PlanState.EXECUTING if plan.turn is not None:
            return (PlanVerb.STOP,)
        case PlanState.EXECUTING if plan.failed_step is not None:
            return (PlanVerb.RETRY, PlanVerb.SKIP, PlanVerb.STOP)
        case PlanState.EXECUTING:
            return (PlanVerb.RESUME, PlanVerb.STOP)
        case _:
            return ()


def shown(plan: Plan, note: str = "") -> list[Show]:
    """Returns the card for each chat; if owners are asked, the asker's has no Approve button."""
    return [Show(plan.key_in(chat), chat, card(plan, chat, note)) for chat in plan.chats]


def voided(plan: Plan, who: str) -> list[Show]:
    """Returns the card of an old revision whose steps are collected again."""
    blocks = (Plain(_headline(plan)), *_lines(plan), Plain(f"✏️ Changed by {who}: this is void."))
    content = Outbound(OutboundKind.CARD, blocks, files=document(plan))
    return [Show(plan.key_in(chat), chat, content) for chat in plan.chats]


def card(plan: Plan, chat: int, note: str = "") -> Outbound:
    verbs = [v for v in offered(plan) if not _is_elsewhere(plan, chat, v)]
    buttons = tuple(Button(_LABELS[verb], button_data(plan, verb)) for verb in verbs)
    body = _proposal(plan) if plan.state is PlanState.READY else _progress(plan)
    blocks: list[Block] = [Plain(_headline(plan)), *body]
    if note:
        blocks.append(Plain(note))
    return Outbound(OutboundKind.CARD, tuple(blocks), (buttons,) if buttons else (), document(plan))


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
    parts = [f"# {_title(plan)}", visible(plan.summary)]
    for step in plan.steps:
        parts.append(f"## {_line(step, _danger(step))}")
        parts.extend(block.text for block in _shown(step))
        parts.append(f"Arguments: {visible(step.arguments)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _length(plan: Plan) -> int:
    blocks = sum(len(b.text) for s in plan.steps for b in _shown(s))
    return len(plan.summary) + blocks + sum(len(s.description) + 8 for s in plan.steps)


def _shown(step: PlanStep) -> tuple[Block, ...]:
    """Returns the content that a card for this step alone would show: its action and its place."""
    where = step.preview.where
    return (*step.preview.blocks, *((Plain(visible(where)),) if where else ()))


def _proposal(plan: Plan) -> list[Block]:
    blocks: list[Block] = []
    if plan.summary:
        blocks.append(Plain(clipped(visible(plan.summary), _LONGEST_SUMMARY)))
    if document(plan):
        blocks.extend(_lines(plan))
        blocks.append(Plain("The whole of every step is in the attached document."))
    else:
        for step in plan.steps:
            blocks.append(Plain(_line(step, _danger(step))))
            blocks.extend(_shown(step))
    if any(step.effect is Effect.DANGER for step in plan.steps):
        blocks.append(Plain("⚠️ A dangerous step asks again when its turn comes."))
    if plan.owner_chats:
        blocks.append(Plain(f"Asked by {visible(plan.asker_name)}; only an owner may approve it."))
    return blocks


def _progress(plan: Plan) -> list[Block]:
    blocks: list[Block] = [*_lines(plan)]
    failed = plan.failed_step
    if failed is not None and plan.turn is None:
        told = f"Step {failed.number} failed: {failed.outcome}"
        blocks.append(Plain(f"{visible(told)}\nTry it again, leave it out, or stop here?"))
    elif plan.state is PlanState.EXECUTING and plan.turn is None:
        blocks.append(Plain("It waits. Go on?"))
    elif not plan.live:
        by = f" · decided by {visible(plan.decider_name)}" if plan.decider_name else ""
        blocks.append(Plain(f"{_ENDS[plan.state]}{by}"))
    elif plan.decider_name:
        blocks.append(Plain(f"Approved by {visible(plan.decider_name)}"))
    return blocks


def _lines(plan: Plan) -> list[Block]:
    """Returns one line for each step, short enough for all of them to stand in one message."""
    room = min(_LONGEST_LINE, LONGEST // max(1, len(plan.steps)) - 8)
    return [Plain("\n".join(clipped(line, room) for line in step_lines(plan)))]


def step_lines(plan: Plan) -> list[str]:
    """Returns a line for each step: its mark, and its outcome if it failed or was skipped."""
    if plan.collecting or plan.state is PlanState.READY:
        return [_line(step, _danger(step)) for step in plan.steps]
    working = plan.state in (PlanState.APPROVED, PlanState.EXECUTING) and plan.failed_step is None
    following = next(iter(plan.open_steps), None) if working else None
    lines: list[str] = []
    for step in plan.steps:
        mark = _NEXT if step is following else _MARKS[step.state]
        if not plan.live and step.state is StepState.OPEN:
            mark, told = _MARKS[StepState.SKIPPED], " — not run"
        else:
            told = f" — {visible(step.outcome)}" if _tells(step) else ""
        lines.append(f"{mark} {_line(step)}{told}")
    return lines


def _tells(step: PlanStep) -> bool:
    return bool(step.outcome) and step.state in (StepState.FAILED, StepState.SKIPPED)


def _headline(plan: Plan) -> str:
    revised = f" · revision {plan.revision}" if plan.revision > 1 else ""
    return f"📋 {_title(plan)} · {_count(plan)}{revised}"


def _count(plan: Plan) -> str:
    """Returns the number of steps, and of done ones when the plan has been approved."""
    count = f"{len(plan.steps)} step{'' if len(plan.steps) == 1 else 's'}"
    if plan.collecting or plan.state is PlanState.READY or not plan.steps:
        return count
    done = sum(step.state is StepState.DONE for step in plan.steps)
    return f"{done} of {count} done"


_STANDS = {
    PlanState.COLLECTING: "being collected",
    PlanState.READY: "waits for your word",
    PlanState.APPROVED: "approved",
    PlanState.EXECUTING: "being carried out",
    PlanState.DONE: "done",
    PlanState.PARTLY_DONE: "partly done",
    PlanState.CANCELLED: "cancelled",
}


def described_state(plan: Plan) -> str:
    """Returns one line about a plan, for lists."""
    waits = plan.state is PlanState.EXECUTING and plan.turn is None
    stand = "waits to go on" if waits else _STANDS[plan.state]
    return f"plan {plan.id}: {_title(plan)}, {stand}, {_count(plan)}."


def _title(plan: Plan) -> str:
    return clipped(" ".join(visible(plan.title).split()), 80) or "Plan"


def _danger(step: PlanStep) -> str:
    return "⚠️ " if step.effect is Effect.DANGER else ""


def _line(step: PlanStep, mark: str = "") -> str:
    return f"{step.number}. {mark}{step.description}"


def described(arguments: str) -> CodeBlock:
    """Returns arguments as a block of a card, every character visible."""
    return CodeBlock(visible(arguments), "json")
