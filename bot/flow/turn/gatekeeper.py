"""Decides if a call may run: by arguments, effect, standing rules, taint and open cards."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.domain.approval import Approval, ApprovalState, Rule
from bot.domain.chat import Chat
from bot.domain.contribution import Agreed, Deferred, Stance
from bot.domain.errors import InvalidArguments, ToolFailure
from bot.domain.foresight import unforeseen
from bot.domain.limits import Limits
from bot.domain.person import Person
from bot.domain.progress import OpenCall, Progress
from bot.domain.rights import NOTHING, Rights
from bot.domain.rules import allowed_by, folder_rule, matches
from bot.domain.step import AskFirst, Elsewhere, Gate, Refuse, Run
from bot.domain.tool import Code, Effect, Preview, Status, ToolCall
from bot.domain.transcript import Entry
from bot.domain.visible_text import cited_name
from bot.flow.approvals.owners import AskedOwners, Owners
from bot.flow.log.foreign_addresses import may_carry
from bot.flow.log.work import Work
from bot.flow.turn.companion import Companions
from bot.flow.turn.held_approvals import HeldApprovals
from bot.ports.approvals import Approvals, Rules
from bot.ports.people import People
from bot.ports.tool import Place, Tool

_WAITING = Refuse(
    Status.SKIPPED,
    Code.AWAITING_DECISION,
    "Already waiting: the same call has an open card in this chat.",
)


@dataclass(frozen=True, slots=True)
class _Foreign:
    """The source of foreign content in view, if any, and the log that it stands in."""

    source: str | None
    log: Sequence[Entry]

    def carried_by(self, call: ToolCall, tools: Mapping[str, Tool]) -> bool:
        """Returns true when the call may carry out what the foreign text asked for."""
        return self.source is not None and may_carry(call, tools, self.log)


class Gatekeeper:
    """Judges calls that have no card yet, by the rights that their asker has at that moment."""

    def __init__(
        self,
        approvals: Approvals,
        rules: Rules,
        people: People,
        owners: Owners,
        companions: Companions,
        limits: Limits,
        documents: frozenset[str],
    ) -> None:
        self._approvals = approvals
        self._rules = rules
        self._people = people
        self._owners = owners
        self._companions = companions
        self._limits = limits
        self._documents = documents

    async def judge(
        self, work: Work, tools: Mapping[str, Tool], place: Place, untrusted: str | None
    ) -> dict[str, Gate]:
        """Returns gates for open calls without a card, and for approved calls no longer allowed."""
        if not work.progress.open_calls:
            return {}
        asker = await self._people.get(place.person)
        rights = NOTHING if asker is None else asker.effective_rights
        gates: dict[str, Gate] = {}
        asking: set[str] = set()
        held = HeldApprovals(work.progress)
        owners: AskedOwners | None = None
        for open_call in work.progress.open_calls:
            call, stance = open_call.call, self._stance(work, open_call, tools)
            forbidden = _forbidden(open_call, rights, stance)
            if forbidden is not None:
                gates[call.id] = forbidden
            elif open_call.approval is None and not open_call.begun:
                here = self.placed(work, place, call)
                foreign = _Foreign(untrusted, work.log.entries())
                gate = await self._judge(call, stance, tools, here, foreign, rights, held)
                later = isinstance(stance, Deferred)
                first = not asking and untrusted is None
                if isinstance(gate, AskFirst) and not later and first:
                    gate = await self._offering(work, gate, call, here, tools)
                if isinstance(gate, AskFirst) and not later and _takes_owner(gate, asker, rights):
                    owners = owners or await self._owners.asked_for(work.log.chat)
                    gate = _for_owner(gate, asker, work.log.chat, owners)
                gate = self._unrepeated(call, gate, stance, work.progress)
                gates[call.id] = gate if later else _once(call, gate, asking)
        return gates

    def placed(self, work: Work, place: Place, call: ToolCall) -> Place:
        """Returns the place where a call of the turn happens."""
        for one in self._companions:
            place = one.placed(work, place, call)
        return place

    async def _offering(
        self, work: Work, gate: AskFirst, call: ToolCall, place: Place, tools: Mapping[str, Tool]
    ) -> AskFirst:
        """Returns the gate with what companions offer on the first card of a round."""
        preview = gate.preview
        for one in self._companions:
            preview = await one.offered(work, call, preview, place, tools)
        return replace(gate, preview=preview)

    def _stance(self, work: Work, open_call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        """Returns the stance of the companions on a call: a refusal counts before others."""
        said = [one.stance(work, open_call, tools) for one in self._companions]
        told = sorted(filter(None, said), key=lambda stance: not isinstance(stance, Refuse))
        return told[0] if told else None

    async def _judge(
        self,
        call: ToolCall,
        stance: Stance | None,
        tools: Mapping[str, Tool],
        place: Place,
        foreign: "_Foreign",
        rights: Rights,
        held: HeldApprovals,
    ) -> Gate:
        """Returns the gate of one call; standing rules count only when the asker may approve."""
        ahead, carries = isinstance(stance, Deferred), foreign.carried_by(call, tools)
        preview = await self._foreseen(call, tools, place, ahead=ahead, carries=carries)
        tool = tools.get(call.name)
        planned = tool is not None and tool.spec.planned
        match stance:
            case Elsewhere():
                return preview if isinstance(preview, Refuse) else stance
            case Deferred():
                return _deferred(call, preview, stance, planned=planned)
            case Agreed() if isinstance(preview, Run) and planned:
                # It keeps its place behind the changes that were agreed to before it.
                return Run(Effect.WRITE)
            case Agreed():
                return preview if not isinstance(preview, Preview) else _agreed(preview, stance)
            case _ if not isinstance(preview, Preview):
                return preview
            case _ if held.covers(call, preview):
                return Run(preview.effect, preview)
            case _:
                ruled = rights.approve and preview.effect is Effect.WRITE
                rule = await self._rule(call, place, preview) if ruled else None
                return await self._consent(call, preview, place, foreign.source, rule)

    async def _foreseen(
        self,
        call: ToolCall,
        tools: Mapping[str, Tool],
        place: Place,
        *,
        ahead: bool,
        carries: bool,
    ) -> Preview | Run | Refuse:
        """Returns the preview of a call, or its gate if it only reads or cannot run.

        One that only reads has a preview when it `carries` data out. With `ahead`, a call that its
        tool cannot preview yet gets a preview of its arguments.
        """
        tool = tools.get(call.name)
        if tool is None:
            return Refuse(Status.INVALID, Code.UNKNOWN_TOOL, _unknown(call.name, list(tools)))
        if why := place.refusal(call.name):
            return Refuse(Status.BLOCKED, Code.POLICY, f"Not run: {why}")
        if call.arguments is None:
            text = f"The arguments are not a JSON object: {call.fault or 'unreadable'}"
            return Refuse(Status.INVALID, Code.ARGUMENTS, text)
        try:
            tool.check(call.arguments)
            reads = tool.spec.effect is Effect.READ and not carries
            if reads and not (ahead and tool.spec.planned):
                return Run(Effect.READ)
            return await tool.preview(call.arguments, place)
        except InvalidArguments as fault:
            return Refuse(Status.INVALID, Code.ARGUMENTS, str(fault))
        except ToolFailure as fault:
            if ahead:
                return unforeseen(call, tool.spec.effect, str(fault))
            return Refuse(Status.FAILED, Code.ERROR, str(fault))

    async def _consent(
        self,
        call: ToolCall,
        preview: Preview,
        place: Place,
        untrusted: str | None,
        rule: Rule | None,
    ) -> Gate:
        if preview.effect is Effect.READ:
            return Run(Effect.READ, preview)
        if rule is not None and untrusted is None:
            return Run(Effect.WRITE, preview, allowed_by(rule))
        if _same(call, await self._approvals.open_in(place.chat)):
            return _WAITING
        if untrusted is not None:
            # A rule given now would not count before the next fresh start.
            paused = untrusted if rule is not None else ""
            return AskFirst(replace(_unruled(preview), paused=paused))
        wider = folder_rule(call.name, preview.always, self._documents)
        return AskFirst(replace(preview, wider=wider))

    async def _rule(self, call: ToolCall, place: Place, preview: Preview) -> Rule | None:
        """Returns a rule that covers the call; none does where its card would offer none."""
        offered = preview.always
        if offered is None:
            return None
        arguments, here = call.arguments or {}, preview.surroundings
        covering = (
            rule
            for rule in await self._rules.of(place.person, place.chat)
            if rule.tool == call.name
            and (not rule.under or rule.under == place.under)
            and here.within(rule.surroundings)
            and matches(rule.pattern, call.name, arguments, self._documents, offered=offered)
        )
        return next(covering, None)

    def _unrepeated(
        self, call: ToolCall, gate: Gate, stance: Stance | None, progress: Progress
    ) -> Gate:
        """Returns the gate after the check for repetitions; skips agreed and deferred calls."""
        later = isinstance(stance, Deferred) and isinstance(gate, AskFirst)
        if later or isinstance(stance, Agreed):
            return gate
        return self._against_repeats(call, gate, progress)

    def _against_repeats(self, call: ToolCall, gate: Gate, progress: Progress) -> Gate:
        """Asks a person whether to go on before the same call runs once too often."""
        limits = self._limits
        allowed = limits.repeat_calls - 1 + progress.repeats_granted(call, limits.repeat_grant)
        times = progress.repeats(call)
        if times < allowed or isinstance(gate, Refuse | Elsewhere):
            return gate
        why = f"I have made this call {_times(times)} with the same result. Try again?"
        if isinstance(gate, AskFirst):
            return replace(gate, preview=_explained(gate.preview, why))
        shown = gate.preview or Preview(call.subject, call.subject, gate.effect)
        again = replace(_unruled(shown), effect=gate.effect, why=why)
        return AskFirst(again, repeat=True)


def _once(call: ToolCall, gate: Gate, asking: set[str]) -> Gate:
    """Lets the second of two equal calls of a round wait for the first one's card."""
    if not isinstance(gate, AskFirst):
        return gate
    if call.signature in asking:
        return _WAITING
    asking.add(call.signature)
    return gate


def _for_owner(gate: AskFirst, asker: Person | None, chat: Chat, owners: AskedOwners) -> Gate:
    """Returns the gate for a card that only an owner may approve.

    If no owner is in the chat, owners see the card in their private chats.
    """
    who = "This person" if asker is None else asker.name
    if not owners.reachable:
        text = f"{who} may not approve changes, and no owner can be reached to ask."
        return Refuse(Status.BLOCKED, Code.UNASKABLE, f"Not run: {text}")
    where = "" if chat.private else f" in the group {cited_name(chat.title)}"
    why = (
        f"{who} asks{where if owners.chats else ''}; only an owner can approve this: {owners.names}"
    )
    return AskFirst(_explained(gate.preview, why), gate.repeat, owners.chats)


def _forbidden(open_call: OpenCall, rights: Rights, stance: Stance | None) -> Refuse | None:
    """Returns the refusal of a call that its asker has no right to, or that a companion refuses.

    A card that nobody has decided yet may stay open.
    """
    card = open_call.approval
    if open_call.begun or (card is not None and card.state is not ApprovalState.APPROVED):
        return None
    why = rights.refusal(open_call.call.name)
    if why is not None:
        return Refuse(Status.BLOCKED, Code.POLICY, f"Not run: {why}.")
    return stance if isinstance(stance, Refuse) else None


def _deferred(
    call: ToolCall, seen: Preview | Run | Refuse, stance: Deferred, *, planned: bool
) -> Gate:
    """Returns the gate of a call that a companion keeps.

    One that changes something asks later, and so does one that is always a step of its own.
    """
    if isinstance(seen, Refuse) or (isinstance(seen, Run) and stance.reads_run):
        return seen
    if isinstance(seen, Run):
        return AskFirst(unforeseen(call, Effect.READ))
    if seen.at_once:
        return Run(Effect.READ, seen)
    reads = seen.effect is Effect.READ and stance.reads_run and not planned
    return Run(Effect.READ, seen) if reads else AskFirst(seen)


def _agreed(seen: Preview, stance: Agreed) -> Gate:
    """Runs an agreed call without a card, unless it is dangerous or its place has changed."""
    if seen.effect is Effect.DANGER:
        return AskFirst(_explained(seen, stance.if_dangerous))
    if stance.where and stance.where != seen.where:
        return AskFirst(_explained(seen, stance.if_elsewhere))
    return Run(seen.effect, seen)


def _takes_owner(gate: AskFirst, asker: Person | None, rights: Rights) -> bool:
    """Returns True when the asker may not approve this call without an owner."""
    owner = asker is not None and asker.is_owner
    return not rights.approve or (gate.preview.owner_only and not owner)


def _explained(preview: Preview, why: str) -> Preview:
    told = ". ".join(part for part in (preview.why, why) if part)
    return replace(_unruled(preview), why=told)


def _unruled(preview: Preview) -> Preview:
    """Returns the preview of a card that offers no standing rule."""
    return replace(preview, always=None, always_label="", wider=None, offer=None)


def _times(count: int) -> str:
    return {1: "once", 2: "twice", 3: "three times"}.get(count, f"{count} times")


def _same(call: ToolCall, cards: Sequence[Approval]) -> bool:
    return any(card.call.signature == call.signature for card in cards)


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"There is no tool named {name!r}.{hint} Tools: {', '.join(known)}."
