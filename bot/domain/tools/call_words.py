"""Words about a call for people who want to see it whole: bounded, visible, without secrets."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, TypeAlias, cast

from bot.domain.talk.message import CallBlock
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.deeds import deed_of
from bot.domain.tools.tool import Code, Status, ToolCall, ToolResult
from bot.domain.value import frozen

Conceal: TypeAlias = Callable[[str], str]
"""Returns a text without the secrets that the program knows."""

CALLS = "calls:"
"""Beginning of the keys of messages that show calls; the id of their turn follows."""

EACH = 1_500
"""The most characters of an input, and of an output."""

ROOM = 3_400
"""The most characters of the calls in one message, titles included."""

_LEAST = 12
"""Characters below which a part of a text says nothing."""

_WORTH_TWO_ENDS = 60
"""Characters below which only the beginning is shown."""

_LONGEST_TITLE = 120
_GAP = "\n[… the middle is left out …]\n"
_LOOKED_AT = 16_000
"""Characters at each end of a long text that are searched for secrets."""

_LONGEST_SECRET = 4_000
"""Characters next to a cut that are not shown: a part of a secret may stand there."""

_SECOND_MS = 1_000


def asked_of(call: ToolCall, result: ToolResult, conceal: Conceal) -> tuple[str, str]:
    """Returns the title of a call, and its input; of a very long input the two ends."""
    return _asked(call, result, partial(_ends, conceal=conceal))


def block_of(
    asked: tuple[str, str], result: ToolResult, conceal: Conceal, room: int, more: str = ""
) -> CallBlock:
    """Returns a call with `room` characters of its input and output together.

    `more` is the command that shows it whole.
    """
    title, given = asked
    told = _ends(result.text, conceal)
    first = excerpt(given, min(EACH, max(room // 2, room - len(told))))
    second = excerpt(told, min(EACH, room - len(first)))
    return CallBlock(title, first, second, more)


def excerpt(text: str, longest: int) -> str:
    """Returns a text with every character visible: all of it, or its beginning and its end."""
    if len(text) <= longest and len(shown := visible(text)) <= longest:
        return shown
    left = longest - len(_GAP)
    if left < _WORTH_TWO_ENDS:
        first = longest - 1
        return f"{visible(text[:first])[:first]}…" if longest >= _LEAST else ""
    first, last = left * 2 // 3, left // 3
    end = visible(text[len(text) - last :])
    return f"{visible(text[:first])[:first]}{_GAP}{end[len(end) - last :]}"


@frozen
class CallsOf:
    """The calls of one turn with their results; `heading` names the errand that made them."""

    pairs: Sequence[tuple[ToolCall, ToolResult]]
    heading: str = ""


def whole_text(makers: Sequence[CallsOf], conceal: Conceal, most: int) -> str:
    """Returns calls as a document of at most so many characters; what it quotes is indented."""
    parts: list[str] = []
    room = most
    for part in _parts(makers, conceal):
        room -= len(part)
        if room < 0:
            parts.append(f"{part[:room]}\n\n[… the rest is left out …]\n")
            break
        parts.append(part)
    return "\n".join(parts)


def _parts(makers: Sequence[CallsOf], conceal: Conceal) -> Iterator[str]:
    numbers = count(1)
    for maker in makers:
        if maker.heading:
            yield f"{visible(conceal(maker.heading))}\n"
        for call, result in maker.pairs:
            title, given = _asked(call, result, conceal)
            shown, told = visible(given), visible(conceal(result.text))
            yield as_text(CallBlock(f"{next(numbers)}. {title}", shown, told))


def as_text(block: CallBlock) -> str:
    """Returns a call in plain lines; its texts are indented, so none looks like a label."""
    lines = [block.text.replace("`", "")]
    for label, text in (("Input", block.given), ("Output", block.result)):
        if text:
            lines += [f"{label}:", *(f"    {line}".rstrip() for line in text.split("\n"))]
    return "\n".join([*lines, ""])


def _asked(call: ToolCall, result: ToolResult, conceal: Conceal) -> tuple[str, str]:
    """Returns the title of a call, and its input."""
    arguments = _concealed(call.arguments or {}, conceal)
    given = _lines(arguments) if call.arguments is not None else conceal(call.arguments_text)
    return _title(call.name, arguments, result), given.strip("\n")


def _ends(text: str, conceal: Conceal) -> str:
    """Returns a text without secrets; of a very long one the two ends."""
    if len(text) <= 2 * _LOOKED_AT:
        return conceal(text).strip("\n")
    # A secret that the cut parts is not found, so what is next to the cut is not shown.
    head = conceal(text[:_LOOKED_AT])[:-_LONGEST_SECRET]
    tail = conceal(text[-_LOOKED_AT:])[_LONGEST_SECRET:]
    return f"{head}{_GAP}{tail}".strip("\n")


def _title(tool: str, arguments: Mapping[str, Any], result: ToolResult) -> str:
    """Returns a line such as “✓ Run `make`, 12 s”; everything that a model wrote is code."""
    took = result.duration_ms // _SECOND_MS
    lasted = f", {took} s" if took else ""
    return f"{_sign(result)} {_as_code(one_line(deed_of(tool, arguments), _LONGEST_TITLE))}{lasted}"


def _sign(result: ToolResult) -> str:
    if result.status is Status.SUCCESS:
        return "✓"
    if result.code is Code.OUTCOME_UNKNOWN:
        return "❓"
    return "⏭" if result.synthetic else "✗"


def _as_code(deed: str) -> str:
    verb, quote, command = deed.partition(" `")
    if verb == "Run" and quote and command.endswith("`") and command.count("`") == 1:
        return deed
    quotable = deed.replace("`", "'")
    return f"`{quotable}`"


def _lines(arguments: Mapping[str, Any]) -> str:
    """Returns arguments as people read them: a text alone as it is, others each with its name."""
    if len(arguments) == 1 and isinstance(only := next(iter(arguments.values())), str):
        return only
    return "\n".join(f"{name}: {_value(value)}" for name, value in arguments.items())


def _value(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, default=str)
    return f"\n{value}" if "\n" in value else value


def _concealed(value: Mapping[str, Any], conceal: Conceal) -> dict[str, Any]:
    return {conceal(str(name)): _hidden(inner, conceal) for name, inner in value.items()}


def _hidden(value: Any, conceal: Conceal) -> Any:
    if isinstance(value, str):
        return conceal(value)
    if isinstance(value, Mapping):
        return _concealed(cast("Mapping[str, Any]", value), conceal)
    if isinstance(value, list | tuple):
        return [_hidden(inner, conceal) for inner in cast("Sequence[Any]", value)]
    return value
