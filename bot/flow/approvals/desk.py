"""Cards: asking for a person's word, and carrying every decision out exactly once."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.domain.approval import Approval, ApprovalState, Rule, Verb, card_of
from bot.domain.budget import Limits
from bot.domain.change import (
    AddAudit,
    AddRule,
    AskStop,
    Change,
    SaveApproval,
    SaveTurn,
    Write,
)
from bot.domain.errors import Conflict
from bot.domain.message import Press
from bot.domain.person import Person
from bot.domain.step import AskFirst, Gate
from bot.domain.tool import Effect, ToolCall
from bot.domain.turn import Turn, TurnState
from bot.flow.approvals.cards import open_card, parse_data, shown_decided, shown_open
from bot.flow.approvals.desks import NOT_OURS, Taken
from bot.flow.log.work import Work
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.ledger import Ledger
from bot.ports.outbox import DeliveryState, Outbox

SPENT = "This is decided already."
NOT_APPROVER = "Only an owner may approve this. You may still deny or stop it."
NOT_YOURS = "Only the one who asked, or an owner, may decide this."
WAITS = "It waits for the card before it."

_ASSENTS = (Verb.APPROVE, Verb.ALWAYS, Verb.ALL)

_LATE = timedelta(minutes=10)
"""A press later than this is told how old the card is and what ran since."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's word on a card."""

    state: ApprovalState
    person: Person
    reason: str = ""
    always: bool = False


class ApprovalDesk:
    """Opens cards for the loop and takes decisions from anywhere; it never runs a call."""

    def __init__(
        self,
        journal: Journal,
        approvals: Approvals,
        outbox: Outbox,
        ledger: Ledger,
        lanes: Lanes,
        clock: Clock,
        limits: Limits,
    ) -> None:
        self._journal = journal
        self._approvals = approvals
        self._outbox = outbox
        self._ledger = ledger
        self._lanes = lanes
        self._clock = clock
        self._limits = limits
        self._giving_up = asyncio.Lock()

    async def ask(
        self, work: Work, calls: Sequence[ToolCall], gates: Mapping[str, Gate]
    ) -> tuple[Approval, ...]:
        """Opens a card for each call; rows only, the screen follows from the outbox."""
        asked = [(c, g) for c in calls if isinstance(g := gates[c.id], AskFirst)]
        plain = sum(g.preview.effect is not Effect.DANGER and not g.repeat for _, g in asked)
        cards = tuple(
            self._card(work, call, gate, position, plain)
            for position, (call, gate) in enumerate(asked)
        )
        writes: list[Write] = []
        for card in cards:
            subject = card.preview.subject
            details = {"call": card.call.id, "turn": card.turn, "arguments": card.call.canonical}
            now = card.created_at
            writes.append(SaveApproval(card))
            writes.extend(shown_open(card))
            writes.append(AddAudit(now, card.chat, card.asker, "card.opened", subject, details))
        await work.write(also=writes)
        return cards

    def _card(
        self, work: Work, call: ToolCall, gate: AskFirst, position: int, group: int
    ) -> Approval:
        now, private = self._clock.now(), work.log.chat.private
        return Approval(
            id=secrets.token_hex(8),
            token=secrets.token_urlsafe(16),
            chat=work.turn.chat,
            conversation=work.turn.conversation,
            turn=work.turn.id,
            call=call,
            preview=gate.preview,
            asker=work.turn.asker,
            asker_name=work.turn.asker_name if gate.owner_chats or not private else "",
            purpose=work.purpose,
            created_at=now,
            expires_at=now + timedelta(hours=self._limits.approval_hours),
            kind="repeat" if gate.repeat else "call",
            position=position,
            group=group,
            owner_chats=gate.owner_chats,
        )

    async def press(self, press: Press, chat: int, person: Person | None) -> str:
        """Takes a press; the text is the private answer to whoever pressed."""
        parsed = parse_data(press.data)
        card = await self._approvals.by_token(parsed[0]) if parsed is not None else None
        if parsed is None or card is None or chat not in card.chats:
            return NOT_OURS
        if person is None or not person.may_decide_for(card.asker):
            return NOT_YOURS
        if card.state is not ApprovalState.OPEN:
            return SPENT
        if parsed[1] in _ASSENTS and not _may_approve(person, card):
            return NOT_APPROVER
        return await self._carry_out(card, parsed[1], person, chat)

    async def _carry_out(self, card: Approval, verb: Verb, person: Person, chat: int) -> str:
        yes = Decision(ApprovalState.APPROVED, person)
        if verb in _ASSENTS and not await self._shown_whole(card, chat):
            return "The whole of it is not on the screen yet. Look at the document first."
        match verb:
            case Verb.APPROVE:
                return await self.decide(card, yes)
            case Verb.ALWAYS if card.preview.always is not None:
                return await self.decide(card, replace(yes, always=True))
            case Verb.ALL:
                return await self._approve_all(card, yes, chat)
            case Verb.DENY:
                return await self.decide(card, Decision(ApprovalState.DENIED, person))
            case Verb.STOP:
                return await self._stop(card, person)
            case _:
                return NOT_OURS

    async def reply(self, chat: int, key: str, text: str, person: Person) -> Taken:
        """Takes a reply to a card as a denial with a reason."""
        del chat
        id = card_of(key)
        card = await self._approvals.get(id) if id is not None else None
        if card is None or not person.may_decide_for(card.asker):
            return Taken.NO
        if card.state is ApprovalState.OPEN:
            denial = Decision(ApprovalState.DENIED, person, reason=text)
            denied = await self.decide(card, denial) != SPENT
        else:
            known = (card.state, card.decided_by, card.reason)
            denied = known == (ApprovalState.DENIED, person.id, text)
        return Taken.DECIDED if denied else Taken.NO

    async def decide(self, card: Approval, decision: Decision) -> str:
        """Decides an open card once: the row, the card on the screen, the record, the wake-up."""
        told = await self._decide(card, decision)
        while told is None:
            known = await self._approvals.get(card.id)
            if known is None or known.state is not ApprovalState.OPEN:
                return SPENT
            told = await self._decide(known, decision)
        return told

    async def _decide(self, card: Approval, decision: Decision) -> str | None:
        """The answer to who decided; None when the card or its round has just changed."""
        now = self._clock.now()
        if decision.state is ApprovalState.APPROVED and now >= card.expires_at:
            await self.expire([card])
            return "This card has expired."
        decided = replace(
            card,
            state=decision.state,
            decided_by=decision.person.id,
            decider_name=decision.person.name,
            decided_at=now,
            reason=decision.reason,
        )
        ruled = "🔁 From now on without asking." if decision.always else ""
        note = " ".join(part for part in (ruled, await self._late_note(card, now)) if part)
        try:
            await self._write_decision(card, decided, decision, note)
        except Conflict:
            return None
        self._lanes.wake(card.chat)
        if decision.state is not ApprovalState.APPROVED:
            return note or "Denied."
        waits = WAITS if await self._stands_behind(card) else ""
        return " ".join(part for part in (note or "Approved.", waits) if part)

    async def _stands_behind(self, card: Approval) -> bool:
        """Whether an earlier change of the round is undecided: changes run in call order."""
        if card.position == 0 or card.preview.effect is Effect.READ:
            return False
        cards = await self._approvals.of_turn(card.turn)
        return any(a.position < card.position and a.state is ApprovalState.OPEN for a in cards)

    async def _write_decision(
        self, card: Approval, decided: Approval, decision: Decision, note: str
    ) -> None:
        now = decided.decided_at or self._clock.now()
        details = {"decision": decided.state.value, "reason": decided.reason, "card": card.id}
        person, subject = decision.person.id, card.preview.subject
        writes: list[Write] = [
            SaveApproval(decided, expect=ApprovalState.OPEN),
            *shown_decided(decided, note),
            AddAudit(now, card.chat, person, "card.decided", subject, details),
        ]
        if decision.always and card.preview.always is not None:
            writes.append(AddRule(_rule(card, now)))
            writes.append(AddAudit(now, card.chat, person, "rule.added", subject, {}))
        if card.set_aside:
            writes.extend(await self._released(card, decided))
        await self._journal.commit(Change(tuple(writes), durable=True))

    async def _released(self, card: Approval, decided: Approval) -> list[Write]:
        """Continuations that this decision sets free: approved calls with no earlier open one.

        They are queued by their times, which keep the order of the calls.
        """
        now = decided.decided_at or self._clock.now()
        cards = [decided if a.id == card.id else a for a in await self._of_round(card)]
        writes: list[Write] = []
        for place, one in enumerate(sorted(cards, key=lambda a: a.position)):
            if one.state is ApprovalState.OPEN:
                break
            told = one.state is ApprovalState.DENIED and bool(one.reason)
            if not one.reported and (one.state is ApprovalState.APPROVED or told):
                writes.append(SaveApproval(replace(one, reported=True), expect=one.state))
                writes.append(SaveTurn(_continuation(one, now + place * timedelta.resolution)))
        return writes

    async def _of_round(self, card: Approval) -> Sequence[Approval]:
        return [a for a in await self._approvals.of_turn(card.turn) if a.set_aside]

    async def _approve_all(self, first: Approval, decision: Decision, chat: int) -> str:
        """Approves the cards of the round that are on the screen; never a danger."""
        approved = 0
        for card in await self._approvals.of_turn(first.turn):
            open_yet = card.state is ApprovalState.OPEN
            if open_yet and await self._may_approve_with_others(card, chat):
                approved += await self.decide(card, decision) != SPENT
        return f"Approved {approved}."

    async def _shown_whole(self, card: Approval, chat: int) -> bool:
        """Whether a document that belongs to the card has arrived; without it nothing runs."""
        if not open_card(card).files:
            return True
        row = await self._outbox.row(card.key_in(chat))
        return row is not None and row.shown_version > 0

    async def _may_approve_with_others(self, card: Approval, chat: int) -> bool:
        if card.preview.effect is Effect.DANGER or card.kind == "repeat":
            return False
        row = await self._outbox.row(card.key_in(chat))
        return row is not None and row.state is DeliveryState.SHOWN

    async def _stop(self, card: Approval, person: Person) -> str:
        if card.set_aside:
            await self.withdraw([card], person)
            return "Withdrawn."
        ask = AskStop(card.turn, f"the card’s Stop, by {person.name}")
        await self._journal.commit(Change((ask,), durable=True))
        self._lanes.interrupt(card.chat)
        return "Stopping."

    async def withdraw(self, cards: Sequence[Approval], person: Person | None) -> int:
        """Cancels open cards, because the person or a fresh start wants it so."""
        return await self._end(cards, ApprovalState.CANCELLED, person)

    async def expire(self, cards: Sequence[Approval]) -> int:
        """Ends cards nobody decided; a waiting turn is woken, a set-aside card is only edited."""
        return await self._end(cards, ApprovalState.EXPIRED, None)

    async def unaskable(self, id: str, chat: int, why: str) -> None:
        """A card cannot be shown in a chat: where it is shown nowhere else, its call does not run.

        Where owners are asked, only they count: the asker's own copy carries no assent.
        """
        async with self._giving_up:
            card = await self._approvals.get(id)
            if card is None or card.state is not ApprovalState.OPEN:
                return
            left = tuple(c for c in card.owner_chats if c != chat)
            if left:
                await self._narrow(card, left)
            elif chat in card.owner_chats or not card.owner_chats:
                await self._end([replace(card, reason=why)], ApprovalState.UNASKABLE, None)

    async def _narrow(self, card: Approval, owner_chats: tuple[int, ...]) -> None:
        """Remembers which owners can still see the card."""
        known: Approval | None = card
        while known is not None and known.state is ApprovalState.OPEN:
            try:
                narrowed = SaveApproval(replace(known, owner_chats=owner_chats), expect=known.state)
                await self._journal.commit(Change((narrowed,), durable=True))
            except Conflict:
                known = await self._approvals.get(card.id)
            else:
                return

    async def sweep(self) -> None:
        """Expires what is overdue; called now and then."""
        await self.expire(await self._approvals.overdue(self._clock.now(), limit=500))

    async def _end(
        self, cards: Sequence[Approval], state: ApprovalState, person: Person | None
    ) -> int:
        ended = 0
        for card in cards:
            known: Approval | None = card
            while known is not None and known.state is ApprovalState.OPEN:
                if await self._ended(replace(known, reason=card.reason), state, person):
                    ended += 1
                    break
                known = await self._approvals.get(card.id)
        return ended

    async def _ended(self, card: Approval, state: ApprovalState, person: Person | None) -> bool:
        """Ends one open card; False when it or its round has just changed."""
        now = self._clock.now()
        decided = replace(
            card,
            state=state,
            decided_at=now,
            decided_by=person.id if person is not None else None,
            decider_name=person.name if person is not None else "",
        )
        details = {"decision": state.value, "card": card.id, "reason": card.reason}
        subject = card.preview.subject
        writes: list[Write] = [
            SaveApproval(decided, expect=ApprovalState.OPEN),
            *shown_decided(decided),
            AddAudit(now, card.chat, decided.decided_by, "card.ended", subject, details),
        ]
        if card.set_aside:
            writes.extend(await self._released(card, decided))
        try:
            await self._journal.commit(Change(tuple(writes), durable=True))
        except Conflict:
            return False
        self._lanes.wake(card.chat)
        return True

    async def _late_note(self, card: Approval, now: datetime) -> str:
        """The card's age and what ran since, when the world may have moved on."""
        age = now - card.created_at
        if age < _LATE:
            return ""
        ran = await self._ledger.ran_since(card.chat, card.created_at)
        told = f"This card is {_age(age)} old."
        return f"{told} Ran since: {'; '.join(ran[-5:])}." if ran else told


def _may_approve(person: Person, card: Approval) -> bool:
    if card.preview.owner_only:
        return person.is_owner
    return card.preview.effect is Effect.READ or person.may_approve_for(card.asker)


def _continuation(card: Approval, freed: datetime) -> Turn:
    """The queued turn that runs a call whose card was decided after its turn had ended."""
    return Turn(
        id=f"late-{card.id}",
        chat=card.chat,
        conversation=card.conversation,
        asker=card.asker,
        # Where a card names nobody, who asked is alone with the bot and decided it too.
        asker_name=card.asker_name or card.decider_name,
        model="",
        created_at=freed,
        origin="continuation",
        approval=card.id,
        state=TurnState.QUEUED,
    )


def _rule(card: Approval, now: datetime) -> Rule:
    pattern = card.preview.always
    if pattern is None:
        raise ValueError("this card offers no standing rule")
    label = card.preview.always_label or card.preview.subject
    return Rule(0, card.asker, card.chat, card.call.name, pattern, label, now)


def _age(age: timedelta) -> str:
    hours, rest = divmod(int(age.total_seconds()), 3600)
    return f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min"
