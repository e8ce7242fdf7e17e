"""Takes presses and replies to cards: a reply denies, unless it is assent or a question."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.domain.change import Show, Write
from bot.domain.clock.span import span
from bot.domain.consent.approval import Approval, ApprovalState, Verb, card_of, change_of
from bot.domain.consent.assent import is_assent, is_question
from bot.domain.talk.message import Hint, Outbound, OutboundKind, Plain, Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.tools.tool import Effect, Offer, RulePattern
from bot.domain.value import frozen, replace
from bot.flow.approvals.card_buttons import CARD_BUTTONS, CardButton
from bot.flow.approvals.cards import open_card
from bot.flow.approvals.decided_cards import late
from bot.flow.approvals.decisions import Decision, allowed, allowed_alone, closed, ruled
from bot.flow.approvals.open_cards import Closed, OpenCards
from bot.flow.approvals.referring import Referring
from bot.flow.approvals.together import asked_with, goes_along
from bot.flow.approvals.undecided import CardEnding
from bot.flow.commanding.asking_desk import asked_of
from bot.flow.commanding.desks import (
    NOT_APPROVER,
    NOT_OURS,
    NOT_YOURS,
    REFERRED,
    UNSHOWN,
    Desk,
    Taken,
    is_shown_whole,
    refused,
    spent,
)
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock
from bot.ports.ledger import AuditRows
from bot.ports.outbox import Outbox

WAITS = "It runs when the cards before it are decided."
EXPIRED = "This card has expired."

_ASSENTS = (Verb.APPROVE, Verb.ALWAYS, Verb.FOLDER, Verb.ALLOW, Verb.ALL)

_LATE = timedelta(minutes=10)
"""After this time a press gets the card's age and the calls that ran since."""


@frozen
class ApprovalDesk(Desk[CardButton]):
    """Takes decisions about cards from anywhere; it never runs a call."""

    buttons = (CARD_BUTTONS,)

    _cards: OpenCards
    _ending: CardEnding
    _referring: Referring
    _approvals: Approvals
    _outbox: Outbox
    _ledger: AuditRows
    _clock: Clock

    async def press(
        self, meant: CardButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        """Takes a press; returns the private answer to the person who pressed."""
        card = await self._approvals.by_token(meant.token)
        if card is None or chat not in card.chats:
            return refused(NOT_OURS)
        if person is None or not person.may_decide_for(card.asker):
            return refused(NOT_YOURS)
        over = card.state is not ApprovalState.OPEN
        if over and not await self._counts_for_others(card, meant.verb):
            return late(card, person, self._clock.now())
        if meant.verb in _ASSENTS and not person.may_approve(card.asker, card.preview.needs):
            return await self._referred(card)
        if meant.verb is Verb.CHANGE:
            await self._cards.show(_asked_for_change(card, chat, press, person))
            return PressAnswer()
        if meant.verb in _ASSENTS:
            key = card.key_in(chat)
            if not await is_shown_whole(open_card(card), key, press, self._outbox):
                return refused(UNSHOWN)
        return await self._carry_out(card, meant.verb, person, chat)

    async def _referred(self, card: Approval) -> PressAnswer:
        """Shows owners a card that its asker may not approve any more, if none has seen it."""
        asked = not card.owner_chats and await self._referring.refer(card)
        return refused(f"{NOT_APPROVER} {REFERRED}" if asked else NOT_APPROVER)

    async def _counts_for_others(self, card: Approval, verb: Verb) -> bool:
        """Returns True for the button of cards asked together of which one is open yet."""
        if verb is not Verb.ALL:
            return False
        cards = await asked_with(card, self._approvals)
        return any(other.state is ApprovalState.OPEN for other in cards)

    async def _carry_out(
        self, card: Approval, verb: Verb, person: Person, chat: int
    ) -> PressAnswer:
        yes = Decision(ApprovalState.APPROVED, person)
        match verb:
            case Verb.APPROVE:
                return await self._decide(card, yes)
            case Verb.ALWAYS | Verb.FOLDER if (rule := _rule_of(card, verb)) is not None:
                return await self._decide(card, replace(yes, rule=rule))
            case Verb.ALLOW if card.preview.offer is not None:
                return await self._allow(card, card.preview.offer, person)
            case Verb.ALL:
                return await self._approve_all(card, yes, chat)
            case Verb.DENY:
                return await self._decide(card, Decision(ApprovalState.DENIED, person))
            case Verb.STOP:
                return PressAnswer(await self._ending.stop(card, person))
            case _:
                return refused(NOT_OURS)

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        """Takes a reply to a card, or to the question of its Change, as a denial with a reason.

        Assent is no denial, and a question is one only where the person was asked for the words.
        """
        del chat
        id = card_of(key) or change_of(key)
        card = await self._approvals.get(id) if id is not None else None
        if card is None or not person.may_decide_for(card.asker):
            return Taken.NO
        if card.state is not ApprovalState.OPEN:
            known = (card.state, card.decided_by, card.reason)
            denied = known == (ApprovalState.DENIED, person.id, text)
            return Taken.DECIDED if denied else Taken.NO
        if not text.strip():
            return Taken.NO  # a picture or a voice message: nobody has read yet what it says
        if is_question(text) and change_of(key) is None and not asked:
            return Taken.QUESTION
        if is_assent(text):
            return Taken.ASSENT
        denial = Decision(ApprovalState.DENIED, person, reason=text)
        return Taken.DECIDED if await self._decided(card, denial) is not None else Taken.NO

    async def card_key(self, meant: CardButton, chat: int) -> str | None:
        """Returns the outbound key of the card with this button in this chat."""
        card = await self._approvals.by_token(meant.token)
        return card.key_in(chat) if card is not None and chat in card.chats else None

    async def waits_for(self, chat: int, person: Person) -> int:
        return len(await self._held_up(chat, person))

    async def refuse(self, chat: int, person: Person) -> bool:
        denial = Decision(ApprovalState.DENIED, person)
        cards = await self._held_up(chat, person)
        return bool(cards) and await self._decided(cards[0], denial) is not None

    async def _held_up(self, chat: int, person: Person) -> list[Approval]:
        """Returns the cards at which a turn waits and which the person may decide."""
        open_cards = await self._approvals.open_in(chat)
        return [c for c in open_cards if not c.set_aside and person.may_decide_for(c.asker)]

    async def _decide(self, card: Approval, decision: Decision) -> PressAnswer:
        """Decides an open card once; returns the answer to the person who decided."""
        approved = decision.state is ApprovalState.APPROVED
        if approved and await self._expired(card):
            return refused(EXPIRED)
        note = await self._decided(card, decision)
        if note is None:
            now = await self._approvals.get(card.id)
            return late(now or card, decision.person, self._clock.now())
        left = await self._left(card, approved=approved)
        parts = [note or _told(card, approved=approved, goes_on=not any(left)), *left]
        # The card says that it was approved, but not why nothing happens yet.
        return PressAnswer(" ".join(part for part in parts if part), alone=WAITS in left)

    async def _decided(self, card: Approval, decision: Decision) -> str | None:
        """Decides an open card; returns what is worth a note, None when it was open no longer."""
        note = ""

        async def closing(known: Approval) -> Closed:
            nonlocal note
            now = self._clock.now()
            told = (ruled(known, decision), await self._late_note(known, now))
            note = " ".join(filter(None, told))
            return closed(known, decision, note, now, await self._cards.timezone(known))

        return note if await self._cards.close(card, closing) else None

    def _is_over(self, card: Approval) -> bool:
        return self._clock.now() >= card.expires_at

    async def _expired(self, card: Approval) -> bool:
        """Ends a card whose time is over; returns True when it is."""
        if not self._is_over(card):
            return False
        await self._ending.expire([card])
        return True

    async def _allow(self, card: Approval, offer: Offer, person: Person) -> PressAnswer:
        """Makes the rules that a skill asks for; a card whose call none covers stays open."""
        if offer.covers:
            return await self._decide(card, Decision(ApprovalState.APPROVED, person, allow=True))
        if await self._expired(card):
            return refused(EXPIRED)

        async def allowing(known: Approval) -> Sequence[Write]:
            return allowed_alone(known, offer, person, self._clock.now())

        if not await self._cards.change(card, allowing):
            return spent()
        # The card loses its offer and says nothing of what became of it.
        return PressAnswer(f"{allowed(offer)} This call still waits.", alone=True)

    async def _left(self, card: Approval, *, approved: bool) -> Sequence[str]:
        """Returns what still waits of the round: an earlier change, and the number of cards."""
        if card.preview.together == 1 and card.position == 0:
            return ()
        cards = await self._approvals.of_turn(card.turn)
        left = [a for a in cards if a.state is ApprovalState.OPEN]
        # Changes run in call order.
        behind = any(a.position < card.position for a in left)
        behind = behind and approved and card.preview.effect is not Effect.READ
        return (WAITS if behind else "", f"{_cards(len(left))} left." if left else "")

    async def _approve_all(self, first: Approval, decision: Decision, chat: int) -> PressAnswer:
        """Approves the cards asked with this one that were shown, but never a dangerous call."""
        approved = 0
        for card in await asked_with(first, self._approvals):
            along = not self._is_over(card)
            if along and await goes_along(card, chat, decision.person, self._outbox):
                approved += await self._decided(card, decision) is not None
        cards = await self._approvals.of_turn(first.turn)
        left = sum(a.state is ApprovalState.OPEN for a in cards)
        waits = "card still waits" if left == 1 else "cards still wait"
        return PressAnswer(f"Approved {_cards(approved)}.{f' {left} {waits}.' if left else ''}")

    async def _late_note(self, card: Approval, now: datetime) -> str:
        """Returns the age of an old card and the calls that ran since; empty for a fresh card."""
        age = now - card.created_at
        if age < _LATE:
            return ""
        ran = await self._ledger.ran_since(card.chat, card.created_at)
        told = f"This card is {span(age.total_seconds())} old."
        return f"{told} Ran since: {'; '.join(ran[-5:])}." if ran else told


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _asked_for_change(card: Approval, chat: int, press: Press, person: Person) -> Show:
    """Asks for the words that deny the call; a press taken twice asks once."""
    words = asked_of(press, person, f"{Hint.DIFFERENT} ({card.preview.subject})")
    asked = Plain(words, style="line")
    content = Outbound(OutboundKind.NOTICE, (asked,), asks=Hint.DIFFERENT)
    return Show(card.change_key(press.handle), chat, content, about=card.id)


def _rule_of(card: Approval, verb: Verb) -> RulePattern | None:
    """Returns the standing rule that a button of the card gives."""
    return card.preview.always if verb is Verb.ALWAYS else card.preview.wider


def _told(card: Approval, *, approved: bool, goes_on: bool) -> str:
    if card.kind == "repeat":
        return "Going on." if approved else "Stopped."
    if approved:
        return "Approved."
    return "Denied. I go on without it." if goes_on and not card.set_aside else "Denied."
