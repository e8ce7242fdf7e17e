"""Decides if a call may run: by arguments, rights, stances of companions, grounds, repetition."""

from collections.abc import Mapping

from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.consent.consent import difference, of_card
from bot.domain.loop.contribution import Agreed, Deferred, Stance
from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.talk.rights import NOTHING, Rights
from bot.domain.text.names import quoted_name
from bot.domain.tools.run_place import walls_of
from bot.domain.tools.tool import Code, Effect, Preview, Status, ToolCall, Warrant
from bot.domain.turn.progress import OpenCall, Progress
from bot.domain.turn.step import AskFirst, Elsewhere, Gate, Refuse, Run
from bot.domain.value import frozen, replace
from bot.flow.approvals.owners import AskedOwners, Owners
from bot.flow.log.companions import Companions
from bot.flow.log.foreign_addresses import may_carry
from bot.flow.log.work import Work
from bot.flow.turn.bounds import bounded, refusal_of
from bot.flow.turn.first_look import asked_anew, first_look
from bot.flow.turn.grounds import Grounds, Outside, asked_once
from bot.flow.turn.repetitions import Repetitions
from bot.flow.turn.stances import agreed, deferred
from bot.ports.people import People
from bot.ports.tool import Place, Tool


@frozen
class _Foreign:
    """The foreign content in view, if any, and the turn that reads it."""

    outside: Outside | None
    work: Work

    def carried_by(self, call: ToolCall, tools: Mapping[str, Tool]) -> bool:
        """Returns true when the call may carry out what the foreign text asked for."""
        return self.outside is not None and may_carry(call, tools, self.work)


class HeldApprovals:
    """Lets an equal call run for each approved call that a rest closed before it ran."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._used: set[str] = set()

    def covers(self, call: ToolCall, preview: Preview) -> bool:
        """Returns True, once, when a person has approved what a card would show again."""
        for card in self._progress.held(call):
            if card.id not in self._used and difference(of_card(card), call, preview) is None:
                self._used.add(card.id)
                return True
        return False


@frozen
class _Case:
    """A call that is judged: what companions say of it, and where it would happen."""

    call: ToolCall
    stance: Stance | None
    place: Place


@frozen
class Gatekeeper:
    """Judges calls that have no card yet, by the rights that their asker has at that moment."""

    _people: People
    _owners: Owners
    _companions: Companions
    _grounds: Grounds
    _repetitions: Repetitions

    async def judge(
        self, work: Work, tools: Mapping[str, Tool], place: Place, outside: Outside | None
    ) -> dict[str, Gate]:
        """Returns gates for open calls without a card, and for approved ones that changed since."""
        asker = await self._people.get(place.person)
        rights = NOTHING if asker is None else asker.effective_rights
        gates: dict[str, Gate] = {}
        asking: set[str] = set()
        held = HeldApprovals(work.progress)
        owners: AskedOwners | None = None
        for open_call in work.progress.open_calls:
            call, stance = open_call.call, self._stance(work, open_call, tools)
            forbidden = _forbidden(open_call, rights, stance)
            if forbidden is None and not _waits(open_call):
                forbidden = refusal_of(call, work.turn.mandate, tools)
            if forbidden is not None:
                gates[call.id] = forbidden
            elif open_call.approval is None and not open_call.begun:
                here = self._companions.placed(work, place, call)
                foreign = _Foreign(outside, work)
                gate = await self._judge(_Case(call, stance, here), tools, foreign, asker, held)
                later = isinstance(stance, Deferred)
                first = not asking and outside is None
                if isinstance(gate, AskFirst) and not later and first:
                    gate = await self._offering(work, gate, call, here, tools)
                gate = self._repetitions.gate(call, gate, stance, work.progress)
                if isinstance(gate, AskFirst) and not later and not _within(asker, gate.preview):
                    owners = owners or await self._owners.asked_for(work.log.chat)
                    gate = _for_owner(gate, asker, work.log.chat, owners)
                gate = bounded(gate, work.turn.mandate)
                gates[call.id] = gate if later else asked_once(call, gate, asking)
            elif not _waits(open_call) and open_call.approval is not None:
                case = _Case(call, stance, self._companions.placed(work, place, call))
                if anew := await self._anew(work, case, open_call.approval, tools, asker):
                    gates[call.id] = anew
        return gates

    async def _anew(
        self,
        work: Work,
        case: _Case,
        card: Approval,
        tools: Mapping[str, Tool],
        asker: Person | None,
    ) -> Gate | None:
        """Returns the gate of an approved call whose card shows what is no longer so."""
        anew = await asked_anew(card, case.call, tools, case.place)
        if anew is None:
            return None
        if _within(asker, anew.preview):
            return bounded(anew, work.turn.mandate)
        owners = await self._owners.asked_for(work.log.chat)
        return bounded(_for_owner(anew, asker, work.log.chat, owners), work.turn.mandate)

    async def _offering(
        self, work: Work, gate: AskFirst, call: ToolCall, place: Place, tools: Mapping[str, Tool]
    ) -> AskFirst:
        """Returns the gate with what companions offer on the first card of a round."""
        preview = await self._companions.offered(work, call, gate.preview, place, tools)
        return replace(gate, preview=preview)

    def _stance(self, work: Work, open_call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        """Returns the stance of the companions on a call: a refusal counts before others.

        A call that happens elsewhere comes next: no plan keeps it.
        """
        told = sorted(self._companions.stances(work, open_call, tools), key=_weight)
        return told[0] if told else None

    async def _judge(
        self,
        case: _Case,
        tools: Mapping[str, Tool],
        foreign: _Foreign,
        asker: Person | None,
        held: HeldApprovals,
    ) -> Gate:
        """Returns the gate of one call; standing rules count only when the asker may approve it."""
        call, stance, place = case.call, case.stance, case.place
        ahead, carries = isinstance(stance, Deferred), foreign.carried_by(call, tools)
        preview = await first_look(call, tools, place, ahead=ahead, carries=carries)
        tool = tools.get(call.name)
        planned = tool is not None and tool.spec.planned
        match stance:
            case Elsewhere():
                return preview if isinstance(preview, Refuse) else stance
            case Deferred():
                return deferred(call, preview, stance, planned=planned)
            case Agreed() if isinstance(preview, Run) and planned:
                # It keeps its place behind the changes that were agreed to before it.
                return Run(Effect.WRITE, warrant=Warrant.AGREED)
            case Agreed():
                if not isinstance(preview, Preview):
                    return preview
                walled = _walled(preview, place)
                return agreed(call, preview, stance, within=_within(asker, preview), walled=walled)
            case _ if not isinstance(preview, Preview):
                return preview
            case _ if held.covers(call, preview):
                return Run(preview.effect, preview, warrant=Warrant.HELD)
            case _:
                walled, outside = _walled(preview, place), foreign.outside
                ruled = walled and _within(asker, preview)
                reads = walled and asker is not None and asker.is_owner
                return await self._grounds.gate(
                    call, preview, place, outside, ruled=ruled, reads=reads
                )


def _weight(stance: Stance) -> int:
    return 0 if isinstance(stance, Refuse) else 1 if isinstance(stance, Elsewhere) else 2


def _for_owner(gate: AskFirst, asker: Person | None, chat: Chat, owners: AskedOwners) -> Gate:
    """Returns the gate for a card that only an owner may approve.

    If no owner is in the chat, owners see the card in their private chats.
    """
    who = "This person" if asker is None else quoted_name(asker.name)
    if not owners.reachable:
        text = f"{who} may not approve this, and no owner can be reached to ask."
        return Refuse(Status.BLOCKED, Code.UNASKABLE, f"Not run: {text}")
    return AskFirst(owners.asked(gate.preview, chat), gate.repeat, owners.chats)


def _forbidden(open_call: OpenCall, rights: Rights, stance: Stance | None) -> Refuse | None:
    """Returns the refusal of a call that its asker has no right to, or that a companion refuses.

    A card that nobody has decided yet may stay open.
    """
    if _waits(open_call):
        return None
    why = rights.refusal(open_call.call.name)
    if why is not None:
        return Refuse(Status.BLOCKED, Code.POLICY, f"Not run: {why}.")
    return stance if isinstance(stance, Refuse) else None


def _waits(open_call: OpenCall) -> bool:
    """Returns True for a call that has begun, or whose card nobody has decided."""
    card = open_call.approval
    return open_call.begun or (card is not None and card.state is not ApprovalState.APPROVED)


def _walled(preview: Preview, place: Place) -> bool:
    """Returns True when the walls around the call are no lower than when its turn began."""
    return walls_of(preview.surroundings.where) <= place.mandate.walls


def _within(asker: Person | None, preview: Preview) -> bool:
    """Returns True when the asker may approve this call without an owner."""
    return asker is not None and asker.may_approve(asker.id, preview.needs)
