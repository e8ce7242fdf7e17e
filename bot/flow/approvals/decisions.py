"""A person's decision on a card, and everything that it writes."""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.change import AddAudit, AddRule, AllowServer, NoteOffer, SaveApproval, Write
from bot.domain.change.erasing import as_kept
from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.consent.own_search import decision as kept_decision
from bot.domain.consent.rules import describe
from bot.domain.talk.person import Person
from bot.domain.tools.house import SEARCH_ASKERS
from bot.domain.tools.tool import ExactRule, Offer, RulePattern
from bot.domain.value import frozen, replace
from bot.flow.approvals.cards import shown_open
from bot.flow.approvals.decided_cards import shown_decided
from bot.flow.approvals.open_cards import Closed

_RULED = "🔁 From now on without asking: {what}. /rules shows how to take that back."


@frozen
class Decision:
    state: ApprovalState
    person: Person
    reason: str = ""
    rule: RulePattern | None = None
    """The standing rule that the person gives with it."""
    allow: bool = False
    """True when it allows what the skill on the card asks for."""


def closed(
    card: Approval, decision: Decision, note: str, now: datetime, timezone: str | None
) -> Closed:
    """Returns the decided card with its writes: screen, record, and the new standing rule."""
    person = decision.person
    decided = as_kept(
        replace(
            card,
            state=decision.state,
            decided_by=person.id,
            decider_name=person.name,
            decided_at=now,
            reason=decision.reason or ruled(card, decision),
        )
    )
    subject = decided.preview.subject
    how, reason = decided.state.value, decision.reason
    details = {"decision": how, "reason": reason, "card": card.id, "turn": card.turn}
    writes: list[Write] = [
        *shown_decided(decided, note, timezone),
        AddAudit(now, card.chat, person.id, "card.decided", subject, details),
    ]
    if (provider := SEARCH_ASKERS.get(card.call.name)) is not None:
        on = decision.state is ApprovalState.APPROVED
        # Words are about this call alone, and a member's no is not an owner's.
        if on or (person.is_owner and not decision.reason):
            writes.append(AllowServer(kept_decision(provider, on=on, at=now)))
    if decision.rule is not None:
        writes.extend(given(card, decision.rule, person, now))
    if decision.allow and card.preview.offer is not None:
        writes.extend(_granted(card, card.preview.offer, person, now))
    return Closed(decided, now, tuple(writes))


def ruled(card: Approval, decision: Decision) -> str:
    """Returns what a decision allows beyond the call of its card."""
    if decision.rule is not None:
        exact = isinstance(decision.rule, ExactRule)
        what = "exactly this" if exact else describe(card.call.name, decision.rule)
        return _RULED.format(what=what)
    offer = card.preview.offer
    return allowed(offer) if decision.allow and offer is not None else ""


def allowed(offer: Offer) -> str:
    """Returns the words about what a person has just allowed."""
    return f"🧩 Allowed while the skill {offer.skill} is in use here; /rules lists it."


def _granted(card: Approval, offer: Offer, person: Person, now: datetime) -> list[Write]:
    """Returns the writes of the rules that a skill asks for, with one line in the record."""
    told = [describe(asked.tool, asked.pattern) for asked in offer.rules]
    rules: list[Write] = [
        AddRule(
            Rule(
                id=0,
                person=card.asker,
                chat=card.chat,
                tool=asked.tool,
                pattern=asked.pattern,
                label=label,
                created_at=now,
                surroundings=asked.surroundings,
                under=offer.under,
                card=card.id,
            )
        )
        for asked, label in zip(offer.rules, told, strict=True)
    ]
    details = {"under": offer.under, "rules": told, "card": card.id}
    line = AddAudit(now, card.chat, person.id, "skill.allowed", offer.skill, details)
    return [*rules, NoteOffer(card.chat, offer.under), line]


def allowed_alone(card: Approval, offer: Offer, person: Person, now: datetime) -> Sequence[Write]:
    """Returns the writes that make the rules and leave the card open, without its offer."""
    kept = replace(card, preview=replace(card.preview, offer=None))
    rules = _granted(card, offer, person, now)
    return SaveApproval(kept, expect=card.state), *shown_open(kept), *rules


def given(card: Approval, pattern: RulePattern, person: Person, now: datetime) -> tuple[Write, ...]:
    """Returns the writes of a standing rule that a card offers, with its line in the record."""
    label, shown = describe(card.call.name, pattern), card.preview.surroundings
    rule = Rule(0, card.asker, card.chat, card.call.name, pattern, label, now, shown, card=card.id)
    line = AddAudit(now, card.chat, person.id, "rule.added", label, {"card": card.id})
    return (AddRule(rule), line)
