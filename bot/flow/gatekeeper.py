"""May this call run? Arguments, effect, standing rules, taint and open cards decide."""

import difflib
import re
from collections.abc import Mapping, Sequence

from bot.domain.approval import Approval
from bot.domain.budget import Limits
from bot.domain.errors import InvalidArguments, ToolFailure
from bot.domain.progress import Progress
from bot.domain.rules import matches
from bot.domain.step import AskFirst, Gate, Refuse, Run
from bot.domain.tool import Code, Effect, Preview, Status, ToolCall
from bot.flow.work import Work
from bot.ports.approvals import Approvals, Rules
from bot.ports.tool import Place, Tool

_WAITING = Refuse(
    Status.SKIPPED,
    Code.AWAITING_DECISION,
    "Already waiting: the same call has an open card in this chat.",
)
_NAME = re.compile(r"[a-zA-Z0-9_-]+")


def clean_name(name: str) -> str:
    """The legal beginning of a tool name: models leak tokens behind it."""
    found = _NAME.match(name.strip())
    return found.group()[:128] if found else "unnamed"


class Gatekeeper:
    """Judges calls that have no card yet."""

    def __init__(self, approvals: Approvals, rules: Rules, limits: Limits) -> None:
        self._approvals = approvals
        self._rules = rules
        self._limits = limits

    async def judge(
        self, work: Work, tools: Mapping[str, Tool], place: Place, untrusted: str | None
    ) -> dict[str, Gate]:
        """A gate for every open call without a card."""
        progress = work.progress
        gates: dict[str, Gate] = {}
        asking: set[str] = set()
        for open_call in progress.open_calls:
            if open_call.approval is None and not open_call.begun:
                call = open_call.call
                gate = await self._judge(call, tools, place, untrusted)
                gate = self._against_repeats(call, gate, progress)
                if isinstance(gate, AskFirst) and call.signature in asking:
                    gate = _WAITING
                elif isinstance(gate, AskFirst):
                    asking.add(call.signature)
                gates[call.id] = gate
        return gates

    async def _judge(
        self, call: ToolCall, tools: Mapping[str, Tool], place: Place, untrusted: str | None
    ) -> Gate:
        tool = tools.get(call.name)
        if tool is None:
            return Refuse(Status.INVALID, Code.UNKNOWN_TOOL, _unknown(call.name, list(tools)))
        if call.arguments is None:
            text = f"The arguments are not a JSON object: {call.fault or 'unreadable'}"
            return Refuse(Status.INVALID, Code.ARGUMENTS, text)
        try:
            tool.check(call.arguments)
            if tool.spec.effect is Effect.READ:
                return Run(Effect.READ)
            preview = await tool.preview(call.arguments, place)
        except InvalidArguments as fault:
            return Refuse(Status.INVALID, Code.ARGUMENTS, str(fault))
        except ToolFailure as fault:
            return Refuse(Status.FAILED, Code.ERROR, str(fault))
        return await self._consent(call, preview, place, untrusted)

    async def _consent(
        self, call: ToolCall, preview: Preview, place: Place, untrusted: str | None
    ) -> Gate:
        if preview.effect is Effect.READ:
            return Run(Effect.READ, preview)
        ruled = preview.effect is Effect.WRITE and await self._ruled(call, place)
        if ruled and untrusted is None:
            return Run(Effect.WRITE, preview)
        if _same(call, await self._approvals.open_in(place.chat)):
            return _WAITING
        if ruled:
            return AskFirst(
                _explained(preview, f"Asked in spite of your rule: {untrusted} is in view")
            )
        return AskFirst(preview)

    async def _ruled(self, call: ToolCall, place: Place) -> bool:
        rules = await self._rules.of(place.person, place.chat)
        arguments = call.arguments or {}
        return any(r.tool == call.name and matches(r.pattern, call.name, arguments) for r in rules)

    def _against_repeats(self, call: ToolCall, gate: Gate, progress: Progress) -> Gate:
        """Before one identical call too many a person is asked whether to go on."""
        limits = self._limits
        allowed = limits.repeat_calls - 1 + progress.repeats_granted(call, limits.repeat_grant)
        times = progress.repeats(call)
        if times < allowed or isinstance(gate, Refuse):
            return gate
        why = f"This is the same call for the {times + 1}. time, with the same result each time."
        if isinstance(gate, AskFirst):
            return AskFirst(_explained(gate.preview, why))
        shown = gate.preview or Preview(call.subject, call.subject, gate.effect)
        return AskFirst(
            Preview(
                title=f"Go on? {shown.title}",
                subject=shown.subject,
                effect=gate.effect,
                blocks=shown.blocks,
                where=shown.where,
                why=why,
                seen=shown.seen,
            ),
            repeat=True,
        )


def _explained(preview: Preview, why: str) -> Preview:
    told = ". ".join(part for part in (preview.why, why) if part)
    return Preview(
        preview.title,
        preview.subject,
        preview.effect,
        preview.blocks,
        preview.where,
        told,
        preview.seen,
    )


def _same(call: ToolCall, cards: Sequence[Approval]) -> bool:
    return any(card.call.signature == call.signature for card in cards)


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"There is no tool named {name!r}.{hint} Tools: {', '.join(known)}."
