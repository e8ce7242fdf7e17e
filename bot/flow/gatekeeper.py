"""May this call run? Arguments, effect, standing rules, taint and open cards decide."""

import difflib
import re
from collections.abc import Mapping, Sequence

from bot.domain.approval import Approval, ApprovalState
from bot.domain.budget import Limits
from bot.domain.errors import InvalidArguments, ToolFailure
from bot.domain.person import Person
from bot.domain.progress import OpenCall, Progress
from bot.domain.rights import NOTHING, Rights
from bot.domain.rules import matches
from bot.domain.step import AskFirst, Gate, Refuse, Run
from bot.domain.tool import Code, Effect, Preview, Status, ToolCall
from bot.flow.work import Work
from bot.ports.approvals import Approvals, Rules
from bot.ports.people import People
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
    """Judges calls that have no card yet, by what their asker may do at that moment."""

    def __init__(self, approvals: Approvals, rules: Rules, people: People, limits: Limits) -> None:
        self._approvals = approvals
        self._rules = rules
        self._people = people
        self._limits = limits

    async def judge(
        self, work: Work, tools: Mapping[str, Tool], place: Place, untrusted: str | None
    ) -> dict[str, Gate]:
        """A gate for every open call without a card, and for approved ones not allowed any more."""
        progress = work.progress
        if not progress.open_calls:
            return {}
        asker = await self._people.get(place.person)
        rights = NOTHING if asker is None else asker.effective_rights
        gates: dict[str, Gate] = {}
        asking: set[str] = set()
        for open_call in progress.open_calls:
            call = open_call.call
            forbidden = _forbidden(open_call, rights)
            if forbidden is not None:
                gates[call.id] = forbidden
            elif open_call.approval is None and not open_call.begun:
                gate = await self._judge(call, tools, place, untrusted, ruled=rights.approve)
                if isinstance(gate, AskFirst) and not rights.approve:
                    gate = await self._for_owner(gate, asker, private=work.log.chat.private)
                gate = self._against_repeats(call, gate, progress)
                if isinstance(gate, AskFirst) and call.signature in asking:
                    gate = _WAITING
                elif isinstance(gate, AskFirst):
                    asking.add(call.signature)
                gates[call.id] = gate
        return gates

    async def _judge(
        self,
        call: ToolCall,
        tools: Mapping[str, Tool],
        place: Place,
        untrusted: str | None,
        *,
        ruled: bool,
    ) -> Gate:
        """The gate of one call; standing rules count only if `ruled`."""
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
        ruled = ruled and preview.effect is Effect.WRITE and await self._ruled(call, place)
        return await self._consent(call, preview, place, untrusted, ruled=ruled)

    async def _consent(
        self,
        call: ToolCall,
        preview: Preview,
        place: Place,
        untrusted: str | None,
        *,
        ruled: bool,
    ) -> Gate:
        if preview.effect is Effect.READ:
            return Run(Effect.READ, preview)
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

    async def _for_owner(self, gate: AskFirst, asker: Person | None, *, private: bool) -> Gate:
        """A card only an owner may approve; in a private chat no owner would ever see it."""
        who = "This person" if asker is None else asker.name
        if private:
            text = f"{who} may not approve changes, and no owner is in this chat to ask."
            return Refuse(Status.BLOCKED, Code.POLICY, f"Not run: {text}")
        accounts = await self._people.accounts()
        owners = list(dict.fromkeys(p.name for _, p in accounts if p.is_owner))
        names = " or ".join(owners[:_NAMED_OWNERS]) or "nobody yet"
        why = f"Only an owner may approve this ({names}), not {who}"
        return AskFirst(_explained(gate.preview, why), gate.repeat)

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


_NAMED_OWNERS = 3


def _forbidden(open_call: OpenCall, rights: Rights) -> Refuse | None:
    """The refusal of a call its asker has no right to; a card nobody decided yet may stay open."""
    card = open_call.approval
    if open_call.begun or (card is not None and card.state is not ApprovalState.APPROVED):
        return None
    why = rights.refusal(open_call.call.name)
    return None if why is None else Refuse(Status.BLOCKED, Code.POLICY, f"Not run: {why}.")


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
