"""Takes presses and replies to cards, and carries every decision out exactly once."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.domain.approval import Approval, ApprovalState, Rule, Verb, card_of
from bot.domain.change import AddAudit, AddRule, Write
from bot.domain.message import Press
from bot.domain.person import Person
from bot.domain.tool import Effect
from bot.flow.approvals.cards import open_card, parse_data, shown_decided
from bot.flow.approvals.desks import NOT_APPROVER, NOT_OURS, NOT_YOURS, SPENT, UNSHOWN, Taken
from bot.flow.approvals.ending import CardEnding
from bot.flow.approvals.open_cards import Closed, OpenCards
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock
from bot.ports.ledger import Ledger
from bot.ports.outbox import DeliveryState, Outbox

WAITS = "It waits for the card before it."

_ASSENTS = (Verb.APPROVE, Verb.ALWAYS, Verb.ALL)

_LATE = timedelta(minutes=10)
"""After this time a press gets the card's age and the calls that ran since."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on a card."""

    state: ApprovalState
    person: Person
    reason: str = ""
    always: bool = False


class ApprovalDesk:
    """Takes decisions about cards from anywhere; it never runs a call."""

    def __init__(
        self,
        cards: OpenCards,
        ending: CardEnding,
        approvals: Approvals,
        outbox: Outbox,
        ledger: Ledger,
        clock: Clock,
    ) -> None:
        self._cards = cards
        self._ending = ending
        self._approvals = approvals
        self._outbox = outbox
        self._ledger = ledger
        self._clock = clock

    async def press(self, press: Press, chat: int, person: Person | None) -> str:
        """Takes a press; returns the private answer to the person who pressed."""
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
            return UNSHOWN
        match verb:
            case Verb.APPROVE:
                return await self._decide(card, yes)
            case Verb.ALWAYS if card.preview.always is not None:
                return await self._decide(card, replace(yes, always=True))
            case Verb.ALL:
                return await self._approve_all(card, yes, chat)
            case Verb.DENY:
                return await self._decide(card, Decision(ApprovalState.DENIED, person))
            case Verb.STOP:
                return await self._ending.stop(card, person)
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
            denied = await self._decide(card, denial) != SPENT
        else:
            known = (card.state, card.decided_by, card.reason)
            denied = known == (ApprovalState.DENIED, person.id, text)
        return Taken.DECIDED if denied else Taken.NO

    async def card_key(self, data: str, chat: int) -> str | None:
        """Returns the outbound key of the card with this button in this chat."""
        parsed = parse_data(data)
        card = await self._approvals.by_token(parsed[0]) if parsed is not None else None
        return card.key_in(chat) if card is not None and chat in card.chats else None

    async def _decide(self, card: Approval, decision: Decision) -> str:
        """Decides an open card once; returns the answer to the person who decided."""
        approved = decision.state is ApprovalState.APPROVED
        if approved and self._clock.now() >= card.expires_at:
            await self._ending.expire([card])
            return "This card has expired."
        note = ""

        async def closing(known: Approval) -> Closed:
            nonlocal note
            now = self._clock.now()
            ruled = "🔁 From now on without asking." if decision.always else ""
            note = " ".join(part for part in (ruled, await self._late_note(known, now)) if part)
            return _closed(known, decision, note, now)

        if not await self._cards.close(card, closing):
            return SPENT
        if not approved:
            return note or "Denied."
        waits = WAITS if await self._stands_behind(card) else ""
        return " ".join(part for part in (note or "Approved.", waits) if part)

    async def _stands_behind(self, card: Approval) -> bool:
        """Returns True when an earlier change of the round is undecided; they run in call order."""
        if card.position == 0 or card.preview.effect is Effect.READ:
            return False
        cards = await self._approvals.of_turn(card.turn)
        return any(a.position < card.position and a.state is ApprovalState.OPEN for a in cards)

    async def _approve_all(self, first: Approval, decision: Decision, chat: int) -> str:
        """Approves the cards of the round that are on the screen, but never a dangerous call."""
        approved = 0
        for card in await self._approvals.of_turn(first.turn):
            open_yet = card.state is ApprovalState.OPEN
            if open_yet and await self._may_approve_with_others(card, chat):
                approved += await self._decide(card, decision) != SPENT
        return f"Approved {approved}."

    async def _shown_whole(self, card: Approval, chat: int) -> bool:
        """Returns True when the card's document has arrived, or when the card has none."""
        if not open_card(card).files:
            return True
        row = await self._outbox.row(card.key_in(chat))
        return row is not None and row.shown_version > 0

    async def _may_approve_with_others(self, card: Approval, chat: int) -> bool:
        if card.preview.effect is Effect.DANGER or card.kind == "repeat":
            return False
        row = await self._outbox.row(card.key_in(chat))
        return row is not None and row.state is DeliveryState.SHOWN

    async def _late_note(self, card: Approval, now: datetime) -> str:
        """Returns the age of an old card and the calls that ran since; empty for a fresh card."""
        age = now - card.created_at
        if age < _LATE:
            return ""
        ran = await self._ledger.ran_since(card.chat, card.created_at)
        told = f"This card is {_age(age)} old."
        return f"{told} Ran since: {'; '.join(ran[-5:])}." if ran else told


def _closed(card: Approval, decision: Decision, note: str, now: datetime) -> Closed:
    """Returns the decided card with its writes: screen, record, and the new standing rule."""
    person, subject = decision.person, card.preview.subject
    decided = replace(
        card,
        state=decision.state,
        decided_by=person.id,
        decider_name=person.name,
        decided_at=now,
        reason=decision.reason,
    )
    details = {"decision": decided.state.value, "reason": decided.reason, "card": card.id}
    writes: list[Write] = [
        *shown_decided(decided, note),
        AddAudit(now, card.chat, person.id, "card.decided", subject, details),
    ]
    if decision.always and card.preview.always is not None:
        writes.append(AddRule(_rule(card, now)))
        writes.append(AddAudit(now, card.chat, person.id, "rule.added", subject, {}))
    return Closed(decided, now, tuple(writes))


def _may_approve(person: Person, card: Approval) -> bool:
    if card.preview.owner_only:
        return person.is_owner
    return card.preview.effect is Effect.READ or person.may_approve_for(card.asker)


def _rule(card: Approval, now: datetime) -> Rule:
    pattern = card.preview.always
    if pattern is None:
        raise ValueError("this card offers no standing rule")
    label = card.preview.always_label or card.preview.subject
    shown = card.preview.surroundings
    return Rule(0, card.asker, card.chat, card.call.name, pattern, label, now, shown)


def _age(age: timedelta) -> str:
    hours, rest = divmod(int(age.total_seconds()), 3600)
    return f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min"
