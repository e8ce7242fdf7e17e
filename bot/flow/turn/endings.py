"""The last words of a turn: how it ended, what was done, and what the person can do next."""

from bot.domain.outcome import Outcome, StopReason
from bot.domain.progress import Done, Progress
from bot.domain.step import Finish
from bot.domain.tool import Code, Status
from bot.domain.transcript import NoteBody
from bot.domain.turn import ACCESS_ENDED, BOT_GONE

_HAPPENED: dict[StopReason, tuple[str, str]] = {
    StopReason.MAX_ROUNDS: (
        "I stopped after {rounds} rounds without reaching the end.",
        "Say “go on” to let me continue, or narrow the task.",
    ),
    StopReason.DEADLINE: (
        "I stopped: the working time for one turn is over.",
        "Say “go on” to let me continue, or split the task.",
    ),
    StopReason.REPEAT_GUARD: (
        "I stopped, as I was repeating the same call with the same result.",
        "Tell me what to try instead.",
    ),
    StopReason.TOOL_FAILURE_POLICY: (
        "I stopped: {why}.",
        "Look at the last error, mend its cause or tell me another way.",
    ),
    StopReason.USER_CANCELLED: ("Stopped, as you asked.", ""),
    StopReason.EXPIRED: (
        "Nobody decided in time, so the call did not run and I stopped.",
        "Ask again when you are ready to decide.",
    ),
    StopReason.REFUSAL: (
        "The model refused to answer this.",
        "Put the question differently, or start afresh with /new.",
    ),
    StopReason.MODEL_FAILURE: (
        "I got no usable answer from the model: {why}.",
        "Try again in a while. /status shows what is set up; /new starts afresh.",
    ),
    StopReason.BUDGET: ("The budget for today is used up.", "See /usage."),
    StopReason.INTERNAL_FAILURE: (
        "A fault of this program ended the turn ({why}).",
        "The chat goes on; the log on the server has the details.",
    ),
}

_STOPPED = {
    ACCESS_ENDED: "Stopped: an owner has taken your access back.",
    BOT_GONE: "Stopped: I was removed from this chat.",
}

_QUESTION = "I need your answer to go on."

_CUT_NOTE = "\n\n(The answer was cut at the model's length limit. Say “go on” for the rest.)"


_OWN_WORDS = (StopReason.FINAL_ANSWER, StopReason.WAITING_FOR_USER, StopReason.PIPELINE_DEPTH)


def outcome_of(progress: Progress, finish: Finish, *, cut: bool) -> Outcome:
    """Returns the end of a turn: its text for the person, and the files of its results."""
    words = progress.words
    match finish.stop_reason:
        case StopReason.FINAL_ANSWER:
            text = finish.remarked(words + (_CUT_NOTE if cut else ""))
        case StopReason.PIPELINE_DEPTH if words:
            text = finish.remarked(words)
        case StopReason.WAITING_FOR_USER:
            text = "\n\n".join(t for t in (words, progress.question or "") if t) or _QUESTION
        case StopReason.MAX_ROUNDS if words and not (progress.reply and progress.reply.calls):
            told = f"(I stopped after {progress.turn.rounds} rounds. Say “go on” to continue.)"
            text = f"{words}\n\n{told}"
        case reason:
            text = _closing_text(reason, progress, finish.why)
    return Outcome(finish.stop_reason, text, progress.files)


def note_of(outcome: Outcome, progress: Progress) -> NoteBody | None:
    """Returns the note for the model about a turn that did not end with the model's own words."""
    if outcome.stop_reason in _OWN_WORDS:
        return None
    if outcome.stop_reason is StopReason.MAX_ROUNDS and progress.reply is not None:
        own_words = progress.reply.text and not (progress.reply.calls or progress.handed_over)
        return None if own_words else _ended(outcome)
    return _ended(outcome)


def _ended(outcome: Outcome) -> NoteBody:
    return NoteBody("ended", f"[Turn ended: {outcome.stop_reason.value}]")


def _closing_text(reason: StopReason, progress: Progress, why: str) -> str:
    happened, next_step = _HAPPENED.get(reason, ("I stopped.", ""))
    if reason is StopReason.USER_CANCELLED:
        happened = _STOPPED.get(progress.turn.stop_asked or "", happened)
    told = happened.format(rounds=progress.turn.rounds, why=why)
    return "\n\n".join(p for p in (told, _done(progress), _kept(progress), next_step) if p)


def _kept(progress: Progress) -> str:
    """Returns the last settled text of earlier stages, so that a later stage cannot lose it."""
    if not progress.kept:
        return ""
    stage = progress.kept[-1]
    return f"Until then {stage.by} had written:\n\n{stage.text}"


def _done(progress: Progress) -> str:
    """Lists the calls that ran, so that nobody has to guess; synthetic results are left out."""
    real = [
        f"{_mark(d)} {d.call.subject}"
        for d in progress.done
        if not d.result.synthetic or d.result.code is Code.OUTCOME_UNKNOWN
    ]
    real += [f"{_UNKNOWN} {c.call.subject}" for c in progress.open_calls if c.begun]
    if not real:
        return ""
    lines = real[-12:]
    if len(real) > len(lines):
        lines.insert(0, f"… {len(real) - len(lines)} earlier calls")
    return "Done so far:\n" + "\n".join(f"- {line}" for line in lines)


_UNKNOWN = "❓ outcome unknown:"


def _mark(done: Done) -> str:
    if done.result.code is Code.OUTCOME_UNKNOWN:
        return _UNKNOWN
    return "✓" if done.result.status is Status.SUCCESS else "✗"
