"""A model made of a table: it shows the work of the program around a model."""

import asyncio
import json
import re
import secrets
from collections.abc import AsyncGenerator, Iterable

from bot.adapters.demo_model.wish import ABILITIES, Wanted, wish_of
from bot.domain.model import FinishReason, ModelProfile, Price, Usage
from bot.domain.plan import APPROVED_NOTE, COLLECTING_NOTE
from bot.domain.skill_words import MARK
from bot.domain.tool import ToolCall
from bot.domain.transcript import CallPart, ReplyPart, TextPart
from bot.domain.view import ModelEvent, ModelReply, ModelRequest, ResultPart, TextDelta

LABEL = "*Demo model:*\n\n"
"""Every answer begins with this label, so that nobody takes it for the words of a real model."""

_FREE = Price(input=0.0, output=0.0, cache_read=0.0, cache_write=0.0)
_PROFILE = ModelProfile(
    "demo", "demo", window=200_000, max_output=8_000, sees=False, thinks=False, price=_FREE
)
_PIECE = re.compile(r"\s*\S{1,24}(?:\s+\Z)?")
_QUOTED = 600
_LATE = "[Late result]"
_STEP = re.compile(r"^\d+\. ([\w-]+) (\{.*\})$", re.MULTILINE)


class DemoModel:
    """The port `Model` without a network; `pause` are the seconds between two pieces of text."""

    def __init__(self, pause: float = 0.0) -> None:
        self._pause = pause

    def profile(self, name: str) -> ModelProfile:
        return _PROFILE

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        parts = _answer(request)
        for part in parts:
            if isinstance(part, TextPart):
                for piece in _PIECE.findall(part.text):
                    await asyncio.sleep(self._pause)
                    yield TextDelta(piece)
        calls = any(isinstance(part, CallPart) for part in parts)
        finish = FinishReason.CALLS if calls else FinishReason.END
        yield ModelReply(parts, finish, _PROFILE.name, Usage())


def _answer(request: ModelRequest) -> tuple[ReplyPart, ...]:
    """Answers results first; a person's words after them count as a new wish."""
    newest = request.messages[-1].parts if request.messages else ()
    results = [part for part in newest if isinstance(part, ResultPart)]
    after = newest[newest.index(results[-1]) + 1 :] if results else newest
    texts = [part.text for part in after if isinstance(part, TextPart)]
    said = [text for text in texts if not text.startswith(MARK)]
    if texts and not said and not results:
        return (_said(_taken_over(texts[-1])),)
    words = said[-1] if said else ""
    if words.startswith(_LATE):
        return (_said(f"You decided later. This came of it:\n\n{words}"),)
    if words.startswith(APPROVED_NOTE):
        return (_said("I carry out the plan."), *_steps(words))
    if results and not (words and request.calls_allowed):
        return (_said(_told(results, request)),)
    collecting = any(text.startswith(COLLECTING_NOTE) for text in said)
    return _granted(words.partition("\n\n<now>")[0], request, collecting=collecting)


def _taken_over(words: str) -> str:
    """Returns the end of a pipeline; nobody has seen its earlier text."""
    head = words.partition("\n")[0].removeprefix(MARK).strip()
    return (
        f"This is the second skill of a pipeline. I wrote a text before, which was kept and not "
        f"sent to you; then I was told:\n\n> {head}"
    )


def _granted(words: str, request: ModelRequest, *, collecting: bool) -> tuple[ReplyPart, ...]:
    wish = wish_of(words)
    if wish is None:
        return (_said(f"You said “{words[:_QUOTED]}”. I can only show these:\n\n{ABILITIES}"),)
    wanted = wish.planned if collecting and wish.planned else wish.calls
    if not wanted:
        return (_said(wish.says),)
    missing = {call.tool for call in wanted} - {spec.name for spec in request.tools}
    if missing or not request.calls_allowed:
        names = ", ".join(f"`{name}`" for name in sorted(missing))
        reason = f"there is no tool {names} here" if missing else "no more calls are allowed now"
        return (_said(f"I cannot show that: {reason}."),)
    return (_said("Let me show you."), *(_call(one) for one in wanted))


def _steps(note: str) -> tuple[CallPart, ...]:
    """Returns a call for each open step of an approved plan, exactly as its note says."""
    found = ((tool, json.loads(text)) for tool, text in _STEP.findall(note))
    return tuple(_call(Wanted(tool, arguments)) for tool, arguments in found)


def _call(wanted: Wanted) -> CallPart:
    text = json.dumps(wanted.arguments)
    return CallPart(ToolCall(f"demo_{secrets.token_hex(8)}", wanted.tool, text, wanted.arguments))


def _told(results: Iterable[ResultPart], request: ModelRequest) -> str:
    names = {
        part.call.id: part.call.name
        for message in request.messages[-2:]
        for part in message.parts
        if isinstance(part, CallPart)
    }
    return "\n\n".join(_one_told(result, names.get(result.call_id, "?")) for result in results)


def _one_told(result: ResultPart, tool: str) -> str:
    verdict = "did not succeed" if result.is_error else "gave back"
    text = result.text.strip() or "nothing"
    shown = text if len(text) <= _QUOTED else f"{text[:_QUOTED]} …"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    return f"`{tool}` {verdict}:\n{fence}\n{shown}\n{fence}"


def _said(text: str) -> TextPart:
    return TextPart(LABEL + text)
