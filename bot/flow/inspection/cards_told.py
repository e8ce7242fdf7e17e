"""A card or a plan in the words of the page, for one person."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.clock.span import figure, span
from bot.domain.consent.approval import UNENDING, Approval, ApprovalState
from bot.domain.plans.plan import Plan
from bot.domain.talk.hunks import readable
from bot.domain.talk.message import Block, Plain
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.approvals.card_buttons import Together, buttons_of, refusals
from bot.flow.approvals.cards import place_told
from bot.flow.approvals.together import told_together
from bot.flow.inspection.consent_measured import QUICK_SECONDS, seconds_between
from bot.flow.inspection.gates_told import why_asked
from bot.flow.inspection.places import Places, plan_named
from bot.flow.inspection.plans_decided import PlanDecision
from bot.flow.plans.cards import card as plan_card
from bot.flow.world import StorePorts
from bot.ports.card_page import DecidedCard, WaitingCard

_LONGEST = 160
_OWNERS = "Only an owner can approve this."
_ENDS = {
    ApprovalState.APPROVED: "Approved",
    ApprovalState.DENIED: "Denied",
    ApprovalState.EXPIRED: "Nobody decided in time",
    ApprovalState.CANCELLED: "Withdrawn",
    ApprovalState.UNASKABLE: "Could not be shown",
    ApprovalState.OPEN: "Open",
}


def decider(card: Approval, reader: Person) -> str:
    """Returns who decided a card, as one person reads it; empty where nobody did."""
    if card.decided_by is None:
        return ""
    return "you" if card.decided_by == reader.id else plain_name(card.decider_name)


@frozen
class CardTeller:
    """Tells cards to one person, by their own clock."""

    reader: Person
    zone: str
    now: datetime
    conceal: Conceal
    places: Places
    store: StorePorts

    async def waiting(self, one: Approval | Plan) -> WaitingCard:
        """Returns an open card or a plan, whole, with the buttons that this person may press."""
        if isinstance(one, Plan):
            return self._plan(one)
        store = self.store
        together = await told_together(one, self.reader, store.approvals, store.outbox)
        return self._card(one, together)

    def _card(self, card: Approval, together: Together | None) -> WaitingCard:
        left = (card.expires_at - self.now).total_seconds()
        endless = card.expires_at == UNENDING
        return WaitingCard(
            card.id,
            card.chat,
            card.key_in(card.chat),
            self._line(card.preview.title),
            self._body(card),
            self._about(card.asker, card.asker_name, card.chat, card.purpose),
            tuple(why_asked(card, self.conceal)),
            buttons_of(card, together) if self._may(card) else refusals(card),
            f"{span((self.now - card.created_at).total_seconds())} old",
            "" if endless else f"{span(max(left, 0.0))} left",
            self._hints(card),
            card.turn,
            seconds=None if endless else int(max(left, 0.0)),
        )

    def _body(self, card: Approval) -> tuple[Block, ...]:
        where = place_told(card.preview)
        return (*readable(card.preview.blocks), *((Plain(visible(where)),) if where else ()))

    def _may(self, card: Approval) -> bool:
        return self.reader.may_approve(card.asker, card.preview.needs)

    def _hints(self, card: Approval) -> tuple[str, ...]:
        hints = () if self._may(card) else (_OWNERS,)
        if card.expires_at == UNENDING:
            return hints
        return (*hints, f"No answer by {self._clock(card.expires_at)}: it does not run.")

    def _plan(self, plan: Plan) -> WaitingCard:
        chat = plan.owner_chats[0] if plan.owner_chats and self.reader.is_owner else plan.chat
        content = plan_card(plan, chat, whole_steps=True)
        return WaitingCard(
            plan.id,
            chat,
            plan.key_in(chat),
            self._line(content.blocks[0].text),
            content.blocks[1:],
            self._about(plan.asker, plan.asker_name, plan.chat, plan.wish),
            (),
            content.buttons,
            f"{span((self.now - plan.created_at).total_seconds())} old",
            "",
            (),
        )

    def decided(self, card: Approval, rules: tuple[int, ...] = ()) -> DecidedCard:
        """Returns an ended card as a row of the list."""
        at, since = card.decided_at or card.created_at, card.shown_at or card.created_at
        seconds = seconds_between(since, at)
        denied = card.state is ApprovalState.DENIED
        reason = one_line(self.conceal(card.reason), _LONGEST) if denied else ""
        person = card.decided_by is not None
        return DecidedCard(
            self._line(card.preview.title),
            self.places.of(card.chat),
            f"Not run: “{reason}”" if reason else _ENDS[card.state],
            card.state is ApprovalState.APPROVED,
            not person,
            decider(card, self.reader) or "nobody",
            self._clock(at),
            figure(seconds),
            person and seconds < QUICK_SECONDS,
            card.turn,
            card.id,
            rules,
            card.chat,
        )

    def decided_plan(self, one: PlanDecision) -> DecidedCard:
        """Returns a decision on a plan as a row of the list."""
        seconds = seconds_between(one.since, one.at)
        return DecidedCard(
            plan_named(one.title, self.conceal),
            self.places.of(one.chat),
            one.how,
            one.approved,
            one.by is None,
            one.told_to(self.reader) or "nobody",
            self._clock(one.at),
            figure(seconds),
            one.by is not None and seconds < QUICK_SECONDS,
            one.turn,
            chat=one.chat,
        )

    def _about(self, asker: int, name: str, chat: int, purpose: str) -> str:
        who = "You asked" if asker == self.reader.id else f"{plain_name(name)} asks"
        wish = one_line(" ".join(self.conceal(purpose).split()), _LONGEST)
        told = f", for “{wish}”" if wish else ""
        return f"{who} in {self.places.of(chat)}{told}."

    def _line(self, text: str) -> str:
        return one_line(self.conceal(text), _LONGEST)

    def _clock(self, at: datetime) -> str:
        here = at.astimezone(ZoneInfo(self.zone))
        today = here.date() == self.now.astimezone(ZoneInfo(self.zone)).date()
        return f"{here:%H:%M}" if today else f"{here:%a %d %b, %H:%M}"
