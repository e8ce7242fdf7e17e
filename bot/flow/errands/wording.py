"""The words about errands: for the model that works on one, for its parent, and for people."""

from collections.abc import Sequence

from bot.domain.assignments.errand import DELEGATE, Errand, ErrandResult, titled
from bot.domain.change import Show
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.tools.tool import Code, Status, ToolCall, ToolResult
from bot.domain.turn.mandate import Mandate
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import Progress
from bot.domain.turn.step import Finish, Refuse
from bot.domain.turn.transcript import AskerBody, LateResultBody, NoteBody

_BRIEF = (
    "[Errand] You work on one task for another turn of this chat. You see nothing of its "
    "conversation, and the person does not read along: your last text is the result that the turn "
    "gets, so put everything into it that was asked for. {changes} If you cannot go on without an "
    "answer, ask with send_message (is_question): that ends your work, and your question is its "
    "result."
)
_ASKS = "Calls that change something still show a card to the person."
_ONLY_READS = (
    "You may only read: a call that changes something or needs a card is refused. Tell in your "
    "result what you would change."
)

AWAITED = Refuse(
    Status.SKIPPED,
    Code.AWAITING_DECISION,
    "No result yet: the errand waits for a decision about its card, or for its model, and the "
    "person wrote something else. It goes on later; then its answer arrives as a late result.",
)
ALONE = Refuse(
    Status.BLOCKED,
    Code.POLICY,
    "Not sent: nobody reads along in an errand. Put it into your answer.",
)
NO_DEPTH = Refuse(Status.BLOCKED, Code.POLICY, "Not sent out: an errand has no errands of its own.")
IN_PLAN = Refuse(
    Status.BLOCKED,
    Code.POLICY,
    "Not sent out: a plan is carried out by the calls that the person has seen. Make the calls "
    "yourself.",
)

_ANSWERED = (StopReason.FINAL_ANSWER, StopReason.PIPELINE_DEPTH)
_ENDS = {
    StopReason.MAX_ROUNDS: "it reached its limit of rounds",
    StopReason.DEADLINE: "its working time was over",
    StopReason.REPEAT_GUARD: "it repeated itself, and a person stopped that",
    StopReason.TOOL_FAILURE_POLICY: "the same call failed too often",
    StopReason.USER_CANCELLED: "a person stopped it",
    StopReason.EXPIRED: "nobody decided about its card in time",
    StopReason.BUDGET: "its budget was used up",
    StopReason.REFUSAL: "its model refused",
    StopReason.MODEL_FAILURE: "no model answered",
    StopReason.INTERNAL_FAILURE: "the program failed in it",
}
_LATE = {Status.SUCCESS: "it is done"}


def brief(mandate: Mandate) -> NoteBody:
    """Returns what the model of an errand is told before its task."""
    changes = _ONLY_READS if mandate.readonly else _ASKS
    return NoteBody("errand", _BRIEF.format(changes=changes))


def closed(code: Code) -> Refuse:
    """Returns the result of a call whose errand was under way when its parent ended."""
    if code is Code.AWAITING_DECISION:
        return AWAITED
    text = (
        "No result: the errand was called back while it was under way. What it had done until then "
        "stays done, so look before you repeat it."
    )
    return Refuse(Status.SKIPPED, code, text)


def too_many(most: int) -> Refuse:
    """Returns the refusal of an errand beyond the bound of a turn."""
    errands = "1 errand" if most == 1 else f"{most} errands"
    text = f"Not sent out: a turn may send out {errands}. Do the rest yourself."
    return Refuse(Status.SKIPPED, Code.LIMIT, text)


def unfit(why: str) -> Refuse:
    """Returns the refusal of a call whose arguments name something that is not here."""
    return Refuse(Status.INVALID, Code.ARGUMENTS, f"Not sent out: {why}.")


def asked(errand: Errand, moment: str, mandate: Mandate) -> AskerBody:
    """Returns the task as the words that the errand's turn works on."""
    return AskerBody(
        text=errand.task,
        speaker=errand.asker_name,
        moment=moment,
        untrusted=mandate.foreign,
        person=errand.asker,
        wish=errand.title,
        only=mandate.counting,
    )


def result_of(
    progress: Progress, finish: Finish, untrusted: str | None, lent: str | None
) -> ErrandResult:
    """Returns the result of an errand whose turn ends."""
    status, text = _told(progress, finish)
    return ErrandResult(status, text, untrusted, progress.files, lent)


def _told(progress: Progress, finish: Finish) -> tuple[Status, str]:
    words, reason = progress.words, finish.stop_reason
    if reason is StopReason.WAITING_FOR_USER and progress.question is not None:
        return Status.SUCCESS, _questioned(progress)
    if reason in _ANSWERED and words:
        return Status.SUCCESS, finish.remarked(words)
    why = f"The errand ended early: {_ENDS.get(reason, finish.why)}."
    if reason is StopReason.MAX_ROUNDS and words:
        return Status.SUCCESS, f"{words}\n\n({why})"
    return Status.FAILED, f"{why}\n\nIts last words were:\n{words}" if words else why


def _questioned(progress: Progress) -> str:
    choices = "".join(f"\n- {choice}" for choice in progress.choices)
    return (
        f"The errand ended with a question:\n{progress.question}{choices}\n\n"
        "If you know the answer, send out a new errand with it; else ask the person."
    )


def late(errand: Errand, result: ErrandResult, text: str) -> LateResultBody:
    """Returns the result of an errand whose parent has ended."""
    decision = _LATE.get(result.status, "it failed")
    return LateResultBody(
        errand.id, DELEGATE, errand.title, decision, text, untrusted=result.untrusted or result.lent
    )


def line(
    turn: str,
    chat: int,
    answered: Sequence[tuple[ToolCall, ToolResult]],
    under_way: Sequence[Errand],
    end: str = "",
) -> Show:
    """Returns the one line that tells people how far the errands of a turn are."""
    told = [f"{'✗' if r.is_error else '✓'} {_task(call)}" for call, r in answered]
    going = [f"{end or '⏳'} {one.title}" for one in under_way]
    done, all_of = len(answered), len(answered) + len(under_way)
    sign = end or ("⏳" if under_way else "✓")
    if all_of == 1:
        text = f"{sign} Helper: {_task(answered[0][0]) if answered else under_way[0].title}"
    else:
        text = "\n".join([f"{sign} Helpers: {done} of {all_of} done", *told, *going])
    content = Outbound(OutboundKind.PROGRESS, (Plain(text, style="line"),), silent=True)
    return Show(f"errands:{turn}", chat, content, about=turn)


def _task(call: ToolCall) -> str:
    return titled(str((call.arguments or {}).get("task", "")))
