"""Words about a call: what it was, how it ended, and who or what allowed it."""

from collections.abc import Callable, Mapping

from bot.domain.assignments.errand import DELEGATE
from bot.domain.clock.span import took
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.text.markdown import inline_code, literal
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line
from bot.domain.tools.call_words import Conceal, asked_of
from bot.domain.tools.house import HOUSE
from bot.domain.tools.tool import Code, Status, ToolResult, Warrant
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen
from bot.flow.explaining.story import ToldCall

_LONGEST = 160
_LOOKED_AT = 16_000
"""Characters of a result in which its fault is looked for."""

_NO_END = "no end is known"

_WARRANTS = {
    Warrant.LOOKS: "a command that only reads",
    Warrant.RULE: "a rule allows it",
    Warrant.CARD: "its card was approved",
    Warrant.HELD: "it was approved before a pause",
    Warrant.NOTED: "a note needs no card, as it can be taken back",
}

_AGREED = {
    "plan": "a step of the approved plan",
    "task": "agreed to when the task was made",
}

_UNUSABLE: Mapping[Code | None, str] = {
    Code.UNKNOWN_TOOL: "there is no such tool",
    Code.ARGUMENTS: "its input was not valid",
}

_SAME = "nothing would change, as the file had this content already"

_BEFORE = "it was agreed to before"

_UNDECIDED = {
    ApprovalState.OPEN: "its card is still open",
    ApprovalState.EXPIRED: "nobody decided in time",
    ApprovalState.CANCELLED: "its card was withdrawn",
    ApprovalState.UNASKABLE: "nobody could be asked",
}


@frozen
class StoryReader:
    """The turn that is told, the number of the person who reads of it, and what hides secrets.

    `spell` makes the words of others harmless where they are shown: a page needs nothing for that.
    """

    turn: Turn
    person: int
    conceal: Conceal
    spell: Callable[[str], str] = literal


def call_words(told: ToldCall, reader: StoryReader) -> str:
    """Returns the line of a call in Markdown, as in “✓ `Read a.md`: it only reads”."""
    result = told.result
    if result is None:
        return f"{inline_code(one_line(reader.conceal(told.call.subject), _LONGEST))}: {_NO_END}"
    title, why = asked_of(told.call, result, reader.conceal)[0], why_of(told, reader)
    fault = fault_of(result, reader.conceal)
    ended = f"{_end(result)}: “{reader.spell(fault)}”" if fault else _end(result)
    return f"{title}: {why}{ended}" if why else f"{title}{ended}"


def why_of(told: ToldCall, reader: StoryReader) -> str:
    """Returns who or what allowed a call, or why it did not run, in Markdown."""
    return _why(told.card, told.result, reader) if told.result is not None else ""


def spared(result: ToolResult) -> bool:
    """Returns True for a call that asked nobody because nothing would change."""
    tool = HOUSE.get(result.tool)
    return result.warrant is Warrant.READS and tool is not None and tool.spares


def end_of(result: ToolResult) -> str:
    """Returns how a call ended that ran and did not succeed, as half a sentence."""
    return _end(result).removeprefix(", but ")


def fault_of(result: ToolResult, conceal: Conceal) -> str:
    """Returns the first words of a call that ran and failed; empty for any other."""
    if result.synthetic or result.status is Status.SUCCESS or not result.text.strip():
        return ""
    return one_line(" ".join(conceal(result.text[:_LOOKED_AT]).split()), _LONGEST)


def _end(result: ToolResult) -> str:
    """Returns how a call ended that ran and did not succeed; its sign alone says too little."""
    if result.code is Code.OUTCOME_UNKNOWN:
        return f", but {_NO_END}"
    if result.synthetic or result.status is Status.SUCCESS:
        return ""
    return ", but its time was over" if result.status is Status.TIMEOUT else ", but it failed"


def _why(card: Approval | None, result: ToolResult, reader: StoryReader) -> str:
    if card is not None:
        return f"{decision_of(card, reader)}{_unrun(card, result, reader)}"
    if result.warrant is Warrant.AGREED:
        return _AGREED.get(reader.turn.origin, _BEFORE)
    if result.warrant is Warrant.READS:
        return _SAME if spared(result) else _reads(result.tool)
    if result.warrant is not None:
        return _WARRANTS[result.warrant]
    if result.code in _UNUSABLE:
        return _UNUSABLE[result.code]
    if result.synthetic and result.code is not Code.OUTCOME_UNKNOWN:
        return reader.spell(one_line(reader.conceal(result.text), _LONGEST))
    return ""


def _reads(tool: str) -> str:
    """Returns why a call asked nobody: most of these read, but some tools of the house do more."""
    if tool == DELEGATE:
        return "each call of a helper is checked by itself"
    inward = tool in HOUSE and HOUSE[tool].inward
    return "it changes nothing outside this chat" if inward else "it only reads"


def _unrun(card: Approval, result: ToolResult, reader: StoryReader) -> str:
    """Returns why an approved call did not run, or that its answer had ended by then."""
    ran = not result.synthetic or result.code is Code.OUTCOME_UNKNOWN
    if ran or card.state is not ApprovalState.APPROVED:
        return ""
    if card.set_aside:
        return ", when this answer had ended"
    return f". {reader.spell(one_line(reader.conceal(result.text), _LONGEST))}"


def decision_of(card: Approval, reader: StoryReader) -> str:
    """Returns who decided about a card, how, and how long after it was shown."""
    if (words := _UNDECIDED.get(card.state)) is not None:
        return words
    by = "you" if card.decided_by == reader.person else reader.spell(plain_name(card.decider_name))
    since = card.shown_at or card.created_at
    after = _after((card.decided_at - since).total_seconds()) if card.decided_at else ""
    if card.state is ApprovalState.APPROVED:
        return f"{by} approved its card{after}"
    reason = reader.spell(one_line(reader.conceal(card.reason), _LONGEST))
    return f"{by} said no{after}: “{reason}”" if reason else f"{by} said no{after}"


def _after(seconds: float) -> str:
    return " at once" if seconds < 1 else f" after {took(seconds)}"
