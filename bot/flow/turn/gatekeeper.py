"""May this call run? Arguments, effect, standing rules, taint and open cards decide."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain.approval import Approval, ApprovalState
from bot.domain.budget import Limits
from bot.domain.chat import Chat
from bot.domain.errors import InvalidArguments, ToolFailure
from bot.domain.person import Person
from bot.domain.plan import SUBMIT_PLAN, PlanStep
from bot.domain.progress import OpenCall, Progress
from bot.domain.rights import NOTHING, Rights
from bot.domain.rules import matches
from bot.domain.skill import Skill, SkillSet
from bot.domain.step import AskFirst, Gate, Refuse, Run
from bot.domain.tool import Code, Effect, Preview, Status, ToolCall
from bot.domain.visible_text import quoted_name
from bot.flow.approvals.owners import AskedOwners, Owners
from bot.flow.log.work import Work
from bot.flow.plans.steps import placed, steps_at_hand, unforeseen
from bot.ports.approvals import Approvals, Rules
from bot.ports.people import People
from bot.ports.tool import Place, Tool

_WAITING = Refuse(
    Status.SKIPPED,
    Code.AWAITING_DECISION,
    "Already waiting: the same call has an open card in this chat.",
)
_NOT_COLLECTING = Refuse(
    Status.BLOCKED,
    Code.POLICY,
    "Not run: no plan is being collected. The person begins with /plan.",
)
_NAME = re.compile(r"[a-zA-Z0-9_-]+")


def clean_name(name: str) -> str:
    """The legal beginning of a tool name: models leak tokens behind it."""
    found = _NAME.match(name.strip())
    return found.group()[:128] if found else "unnamed"


class Gatekeeper:
    """Judges calls that have no card yet, by what their asker may do at that moment.

    With `explore` calls that only read run while a plan is collected.
    """

    def __init__(
        self,
        approvals: Approvals,
        rules: Rules,
        people: People,
        owners: Owners,
        limits: Limits,
        *,
        explore: bool = True,
    ) -> None:
        self._approvals = approvals
        self._rules = rules
        self._people = people
        self._owners = owners
        self._limits = limits
        self._explore = explore

    async def judge(
        self,
        work: Work,
        tools: Mapping[str, Tool],
        place: Place,
        skills: SkillSet,
        untrusted: str | None,
    ) -> dict[str, Gate]:
        """A gate for every open call without a card, and for approved ones not allowed any more."""
        progress = work.progress
        if not progress.open_calls:
            return {}
        asker = await self._people.get(place.person)
        rights = NOTHING if asker is None else asker.effective_rights
        gates: dict[str, Gate] = {}
        asking: set[str] = set()
        owners: AskedOwners | None = None
        steps = steps_at_hand(work)
        for open_call in progress.open_calls:
            call, step = open_call.call, steps.get(open_call.call.id)
            forbidden = _forbidden(open_call, rights, _stranded(step, skills))
            if forbidden is not None:
                gates[call.id] = forbidden
            elif open_call.approval is None and not open_call.begun:
                if work.plan is not None and work.plan.collecting:
                    gates[call.id] = await self._to_plan(call, tools, place, progress)
                    continue
                if step is not None:
                    gate = await self._of_plan(call, step, tools, placed(place, step, skills))
                else:
                    gate = await self._judge(call, tools, place, untrusted, ruled=rights.approve)
                if isinstance(gate, AskFirst) and _takes_owner(gate, asker, rights):
                    owners = owners or await self._owners.asked_for(work.log.chat)
                    gate = _for_owner(gate, asker, work.log.chat, owners)
                if step is None:
                    gate = self._against_repeats(call, gate, progress)
                gates[call.id] = _once(call, gate, asking)
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
        if call.name == SUBMIT_PLAN and call.name in tools:
            return _NOT_COLLECTING
        preview = await self._foreseen(call, tools, place)
        if not isinstance(preview, Preview):
            return preview
        ruled = ruled and preview.effect is Effect.WRITE and await self._ruled(call, place, preview)
        return await self._consent(call, preview, place, untrusted, ruled=ruled)

    async def _foreseen(
        self, call: ToolCall, tools: Mapping[str, Tool], place: Place, *, ahead: bool = False
    ) -> Preview | Run | Refuse:
        """What a call would do, if it would change anything; `ahead` of its time perhaps."""
        tool = tools.get(call.name)
        if tool is None:
            return Refuse(Status.INVALID, Code.UNKNOWN_TOOL, _unknown(call.name, list(tools)))
        if place.skill is not None and not place.skill.allows(call.name):
            return Refuse(Status.BLOCKED, Code.POLICY, _shut_out(call.name, place.skill))
        if call.arguments is None:
            text = f"The arguments are not a JSON object: {call.fault or 'unreadable'}"
            return Refuse(Status.INVALID, Code.ARGUMENTS, text)
        try:
            tool.check(call.arguments)
            if tool.spec.effect is Effect.READ:
                return Run(Effect.READ)
            return await tool.preview(call.arguments, place)
        except InvalidArguments as fault:
            return Refuse(Status.INVALID, Code.ARGUMENTS, str(fault))
        except ToolFailure as fault:
            if ahead:
                return unforeseen(call, tool.spec.effect, f"Cannot be foreseen yet: {fault}")
            return Refuse(Status.FAILED, Code.ERROR, str(fault))

    async def _to_plan(
        self, call: ToolCall, tools: Mapping[str, Tool], place: Place, progress: Progress
    ) -> Gate:
        """While collecting: what would change something is asked about with the plan."""
        seen = await self._foreseen(call, tools, place, ahead=True)
        if isinstance(seen, Refuse):
            return seen
        if isinstance(seen, Preview) and seen.effect is not Effect.READ:
            return AskFirst(seen)
        if self._explore or call.name == SUBMIT_PLAN:
            gate = seen if isinstance(seen, Run) else Run(Effect.READ, seen)
            return self._against_repeats(call, gate, progress)
        return AskFirst(seen if isinstance(seen, Preview) else unforeseen(call, Effect.READ))

    async def _of_plan(
        self, call: ToolCall, step: PlanStep, tools: Mapping[str, Tool], place: Place
    ) -> Gate:
        """A step of an approved plan runs unasked, unless it is dangerous or elsewhere by now."""
        seen = await self._foreseen(call, tools, place)
        if not isinstance(seen, Preview):
            return seen
        known, shown = f"Step {step.number} of the approved plan", step.preview.where
        if seen.effect is Effect.DANGER:
            return AskFirst(_explained(seen, f"{known}: a dangerous step asks again"))
        if shown and shown != seen.where:
            return AskFirst(_explained(seen, f"{known}: the plan said {shown}"))
        return Run(seen.effect, seen)

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

    async def _ruled(self, call: ToolCall, place: Place, preview: Preview) -> bool:
        rules = await self._rules.of(place.person, place.chat)
        arguments, offered = call.arguments or {}, preview.always
        return any(
            rule.tool == call.name and matches(rule.pattern, call.name, arguments, offered=offered)
            for rule in rules
        )

    def _against_repeats(self, call: ToolCall, gate: Gate, progress: Progress) -> Gate:
        """Before one identical call too many a person is asked whether to go on."""
        limits = self._limits
        allowed = limits.repeat_calls - 1 + progress.repeats_granted(call, limits.repeat_grant)
        times = progress.repeats(call)
        if times < allowed or isinstance(gate, Refuse):
            return gate
        why = f"This is the same call for the {times + 1}. time, with the same result each time."
        if isinstance(gate, AskFirst):
            return replace(gate, preview=_explained(gate.preview, why))
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


def _once(call: ToolCall, gate: Gate, asking: set[str]) -> Gate:
    """The second of two equal calls of a round waits with the first one's card."""
    if not isinstance(gate, AskFirst):
        return gate
    if call.signature in asking:
        return _WAITING
    asking.add(call.signature)
    return gate


def _for_owner(gate: AskFirst, asker: Person | None, chat: Chat, owners: AskedOwners) -> Gate:
    """A card only an owner may approve; where none is in the chat, they see it in their own."""
    who = "This person" if asker is None else asker.name
    if not owners.reachable:
        text = f"{who} may not approve changes, and no owner can be reached to ask."
        return Refuse(Status.BLOCKED, Code.UNASKABLE, f"Not run: {text}")
    why = f"Only an owner may approve this ({owners.names}), not {who}"
    if owners.chats:
        where = "a private chat" if chat.private else f"the group {quoted_name(chat.title)}"
        why = f"{why}, who asks in {where}"
    return AskFirst(_explained(gate.preview, why), gate.repeat, owners.chats)


def _forbidden(open_call: OpenCall, rights: Rights, stranded: Refuse | None) -> Refuse | None:
    """The refusal of a call its asker has no right to, or whose step is `stranded`.

    A card nobody decided yet may stay open.
    """
    card = open_call.approval
    if open_call.begun or (card is not None and card.state is not ApprovalState.APPROVED):
        return None
    why = rights.refusal(open_call.call.name)
    return stranded if why is None else Refuse(Status.BLOCKED, Code.POLICY, f"Not run: {why}.")


def _stranded(step: PlanStep | None, skills: SkillSet) -> Refuse | None:
    """The refusal of a step whose skill is not to be had: nothing runs elsewhere than was shown."""
    for name in step.needs if step is not None else ():
        if why := skills.refusal(name):
            text = f"Not run, since it was planned with the skill {name}: {why}."
            return Refuse(Status.FAILED, Code.ERROR, text)
    return None


def _takes_owner(gate: AskFirst, asker: Person | None, rights: Rights) -> bool:
    """Whether the asker's own word is not enough."""
    owner = asker is not None and asker.is_owner
    return not rights.approve or (gate.preview.owner_only and not owner)


def _explained(preview: Preview, why: str) -> Preview:
    told = ". ".join(part for part in (preview.why, why) if part)
    return replace(preview, why=told, always=None, always_label="")


def _same(call: ToolCall, cards: Sequence[Approval]) -> bool:
    return any(card.call.signature == call.signature for card in cards)


def _shut_out(tool: str, skill: Skill) -> str:
    allowed = ", ".join(skill.allowed_tools or ()) or "none"
    return f"Not run: the skill {skill.name} does not allow {tool}. Tools it allows: {allowed}."


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"There is no tool named {name!r}.{hint} Tools: {', '.join(known)}."
