"""A model made of recorded sketches: it shows the work of the program around a model."""

import asyncio
import json
import re
import secrets
from collections.abc import AsyncGenerator, Sequence
from decimal import Decimal

from bot.adapters.demo_model.sketch import Reply, Round, Wanted, fenced, next_reply
from bot.adapters.demo_model.sketches import answered, sketch_of, unknown
from bot.adapters.demo_model.standpoint import standpoint_of
from bot.domain.money.model import FinishReason, ModelProfile, Price, Usage
from bot.domain.talk.errors import NoSuchModel
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, ReplyPart, TextPart
from bot.domain.turn.view import ModelEvent, ModelReply, ModelRequest, TextDelta

LABEL = "*Demo model:*\n\n"
"""Every answer begins with this label, so that nobody takes it for the words of a real model."""

_FREE = Price(Decimal(0), Decimal(0), Decimal(0), Decimal(0))
_PROFILE = ModelProfile(
    "demo", "demo", window=200_000, max_output=8_000, sees=False, thinks=False, price=_FREE
)
_PIECE = re.compile(r"\s*\S{1,24}(?:\s+\Z)?")
_QUOTED = 600
_LATE = re.compile(
    r"\[Late result\] \S+ \((?P<deed>.*?)\): (?P<verdict>\w+)[^\n]*"
    r"(?:\n<output>\n(?P<output>.*)\n</output>)?",
    re.DOTALL,
)
"""The program's words about a card that was decided after its turn had ended."""

_STEP = re.compile(r"^\d+\. ([\w-]+) (\{.*\})$", re.MULTILINE)


class DemoModel:
    """The port `Model` without a network; `pause` are the seconds between two pieces of text."""

    def __init__(self, pause: float = 0.0) -> None:
        self._pause = pause

    def profile(self, name: str) -> ModelProfile:
        return _PROFILE

    async def check(self, name: str) -> None:
        if name != _PROFILE.name:
            raise NoSuchModel(f"404: there is no demo model {name}")

    async def models(self) -> Sequence[str]:
        return (_PROFILE.name,)

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        parts = _parts(_answer(request))
        for part in parts:
            if isinstance(part, TextPart):
                for piece in _PIECE.findall(part.text):
                    await asyncio.sleep(self._pause)
                    yield TextDelta(piece)
        calls = any(isinstance(part, CallPart) for part in parts)
        finish = FinishReason.CALLS if calls else FinishReason.END
        yield ModelReply(parts, finish, _PROFILE.name, Usage())


def _answer(request: ModelRequest) -> Reply:
    now = standpoint_of(request)
    if now.late:
        return Reply(_decided_later(now.said))
    if now.plan:
        return Reply(_carried_out(now.rounds)) if now.rounds else _steps(now.plan)
    sketch = sketch_of(now.said)
    if sketch is None:
        if now.asked:
            return Reply(answered(now.said[:_QUOTED]))
        return Reply(unknown(now.said[:_QUOTED]))
    if now.rounds and (len(sketch.acts) == 1 or not request.calls_allowed):
        return Reply(_told(now.rounds[-1]))
    if now.collecting and sketch.planned and not now.rounds:
        reply = Reply("I collect the steps.", sketch.planned)
    else:
        reply = next_reply(sketch, now.rounds)
    return _possible(reply, request)


def _possible(reply: Reply, request: ModelRequest) -> Reply:
    """Returns the reply, or a word about the calls that cannot be made here."""
    missing = {call.tool for call in reply.calls} - {spec.name for spec in request.tools}
    if reply.calls and not request.calls_allowed:
        return Reply("I cannot show that: no more calls are allowed now.")
    if missing:
        names = ", ".join(f"`{name}`" for name in sorted(missing))
        return Reply(f"I cannot show that: there is no tool {names} here.")
    return reply


def _steps(note: str) -> Reply:
    """Returns a call for each open step of an approved plan, exactly as its note says."""
    found = ((tool, json.loads(text)) for tool, text in _STEP.findall(note))
    return Reply("I carry out the plan.", tuple(Wanted(*step) for step in found))


def _carried_out(rounds: Sequence[Round]) -> str:
    failed = [outcome for outcome in rounds[-1] if outcome.failed]
    if not failed:
        return "The steps are done. Say *list* to see what they left."
    return f"Not all of the plan was done:\n\n{fenced(failed)}"


def _decided_later(said: str) -> str:
    late = _LATE.match(said)
    if late is None:
        return f"You decided after I had answered. This came of it:\n\n{said}"
    told = f"You decided after I had answered. {late['deed']}: {late['verdict']}."
    return f"{told}\n\n```\n{late['output']}\n```" if late["output"] else told


def _told(outcomes: Round) -> str:
    """Returns the results of calls that the demo has no recorded words for."""
    return "\n\n".join(
        f"`{o.tool}` {'did not succeed' if o.failed else 'gave back'}:\n{fenced((o,))}"
        for o in outcomes
    )


def _parts(reply: Reply) -> tuple[ReplyPart, ...]:
    said = (TextPart(LABEL + reply.says),) if reply.says else ()
    return (*said, *(_call(wanted) for wanted in reply.calls))


def _call(wanted: Wanted) -> CallPart:
    text = json.dumps(wanted.arguments)
    return CallPart(ToolCall(f"demo_{secrets.token_hex(8)}", wanted.tool, text, wanted.arguments))
