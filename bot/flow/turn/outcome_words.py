"""The last words of a turn: how it ended, what was done, and what the person can do next."""

from itertools import groupby

from bot.domain.money.trouble import ModelTrouble, Trouble
from bot.domain.talk.brought_back import BROUGHT_BACK
from bot.domain.text.markdown import inline_code
from bot.domain.text.visible_text import clipped, visible
from bot.domain.tools.tool import Code, Status
from bot.domain.turn.outcome import Outcome, StopReason
from bot.domain.turn.progress import HINT, Done, Progress
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import NoteBody
from bot.domain.turn.turn import ACCESS_ENDED, BOT_GONE, GIVEN_UP, ONE_OF_SEVERAL
from bot.flow.turn.model_failure import others_told, streamed, words_of

_HAPPENED: dict[StopReason, tuple[str, str]] = {
    StopReason.MAX_ROUNDS: (
        "I stopped after {rounds} rounds without reaching the end.",
        "Say “go on” and I continue, or ask for less.",
    ),
    StopReason.DEADLINE: (
        "I stopped: the working time for one message is over.",
        "Say “go on” and I continue, or ask for less.",
    ),
    StopReason.REPEAT_GUARD: (
        "I stopped, as I was repeating the same call with the same result.",
        "Tell me what to try instead.",
    ),
    StopReason.TOOL_FAILURE_POLICY: (
        "I stopped: {why}.",
        "Fix the cause and let me try again, or tell me another way.",
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
    StopReason.BUDGET: ("{why}", ""),
    StopReason.INTERNAL_FAILURE: (
        "A fault of this program stopped me ({why}).",
        "Try again, or write something else. The program's log has the details.",
    ),
}

_STOPPED = {
    ACCESS_ENDED: "Stopped: an owner has taken your access back.",
    BOT_GONE: "Stopped: I was removed from this chat.",
    BROUGHT_BACK: "Stopped: I was brought back from a backup, and this may be done already. If it "
    "is not, ask again.",
}

_SAID_ELSEWHERE = ("/new ", "/plan done ", GIVEN_UP)
"""The beginnings of `stop_asked` of turns whose stop people read in another message."""

_NOTHING = "Nothing was changed."

_LONGEST_ERROR = 600

_QUESTION = "I need your answer to go on."

_CUT_NOTE = "\n\n(The answer was cut at the model's length limit. Say “go on” for the rest.)"


_OWN_WORDS = (StopReason.FINAL_ANSWER, StopReason.WAITING_FOR_USER, StopReason.PIPELINE_DEPTH)


def outcome_of(
    progress: Progress, finish: Finish, *, cut: bool, listed: bool = False, owner: bool = False
) -> Outcome:
    """Returns the end of a turn: its text for the person, and the files of its results.

    Where a card has `listed` what was done, the text does not repeat it. An `owner` reads what to
    change when only an owner can help.
    """
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
            text = _closing_text(reason, progress, finish, listed=listed, owner=owner)
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


def _closing_text(
    reason: StopReason, progress: Progress, finish: Finish, *, listed: bool, owner: bool
) -> str:
    happened, next_step = _HAPPENED.get(reason, ("I stopped.", ""))
    if reason is StopReason.MODEL_FAILURE:
        trouble = finish.trouble or ModelTrouble(Trouble.OTHER)
        told, next_step = words_of(trouble, owner=owner)
        told = " ".join(part for part in (told, others_told(trouble)) if part)
        return _joined(told, streamed(trouble), *_stand(progress, listed=listed), next_step)
    if reason is StopReason.USER_CANCELLED:
        asked = progress.turn.stop_asked or ""
        happened = _STOPPED.get(asked, happened)
        if asked.startswith(_SAID_ELSEWHERE) or asked.endswith(ONE_OF_SEVERAL):
            happened = ""  # the answer to the command, a card, or another turn says it already
    told = happened.format(rounds=progress.turn.rounds, why=finish.why)
    if reason is StopReason.TOOL_FAILURE_POLICY and (alike := _failed_alike(progress)):
        told = alike
        # Where nothing else was called, a list would only name the same call again.
        listed = listed or len({done.call.subject for done in progress.done}) == 1
    return _joined(told, *_stand(progress, listed=listed), next_step)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _stand(progress: Progress, *, listed: bool) -> tuple[str, str]:
    """Returns what was done, and the text of earlier stages."""
    return "" if listed else _done(progress), _kept(progress)


def _failed_alike(progress: Progress) -> str:
    """Names the call that failed again and again, and quotes its error."""
    failed, times = progress.same_error()
    if failed is None:
        return ""
    error = failed.result.text.partition(HINT)[0].strip().replace("`", "'")
    call = inline_code(failed.call.subject)
    told = f"I stopped: {call} failed {times} times with the same error"
    if not error:
        return f"{told}."
    return f"{told}:\n\n```\n{clipped(visible(error), _LONGEST_ERROR)}\n```"


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
        # Nobody doubts it where a person ended the turn.
        return _NOTHING if progress.turn.stop_asked is None else ""
    folded = [(line, len(list(alike))) for line, alike in groupby(real)]
    lines = [line if times == 1 else f"{line} ({times} times)" for line, times in folded[-12:]]
    if earlier := sum(times for _, times in folded[:-12]):
        lines.insert(0, f"… {earlier} earlier calls")
    sure = any(not line.startswith(_UNKNOWN) for line in real)
    failed = all(line.startswith("✗") for line in real)
    head = "Tried so far:" if failed else "Done so far:"
    head = head if sure else "Begun, and perhaps done in part:"
    if not sure:
        lines = [line.replace(_UNKNOWN, "❓", 1) for line in lines]
    return f"{head}\n" + "\n".join(f"- {line}" for line in lines)


_UNKNOWN = "❓ outcome unknown:"


def _mark(done: Done) -> str:
    if done.result.code is Code.OUTCOME_UNKNOWN:
        return _UNKNOWN
    return "✓" if done.result.status is Status.SUCCESS else "✗"
