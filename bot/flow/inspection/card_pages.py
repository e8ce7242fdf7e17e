"""Open cards and plans of all chats in one place, the decided ones, and figures about consent."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

from bot.domain.consent.approval import UNENDING, Approval, ApprovalState, card_of
from bot.domain.plans.plan import Plan, plan_of_card
from bot.domain.talk.person import Person
from bot.flow.inspection.cards_told import CardTeller, decider
from bot.flow.inspection.consent_measured import Week, measured, saving_rules
from bot.flow.inspection.gates_told import why_asked
from bot.flow.inspection.listing import ListPlace, shown_part
from bot.flow.inspection.places import Places
from bot.flow.inspection.plans_decided import DecidedPlans, PlanDecision
from bot.flow.inspection.rule_pages import RuleInspection, rules_of_card
from bot.flow.room import Ground
from bot.ports.card_page import AskedCard, CardsPage, ConsentFigures, DecidedCard, StandingCard
from bot.ports.records import CardRecords, Decided, RowKey

_OPEN = 25
_DECIDED = 20
_CITED = 1_000
_COUNTED = 100
_MEASURED = 2_000
"""Decisions of two weeks that are measured."""

_LIKE = 100
"""Newest cards among which alike ones are looked for."""

_WEEK = timedelta(days=7)


class CardInspection:
    """Shows people their cards, and owners everybody's."""

    def __init__(self, ground: Ground, places: Callable[[], Places], rules: RuleInspection) -> None:
        self._store, self._zones = ground.store, ground.zones
        self._now, self._conceal = ground.world.clock.now, ground.world.conceal
        self._places = places
        self._rules = rules
        store = ground.store
        self._decided_plans = DecidedPlans(store.records, store.plans, store.people)

    @property
    def _records(self) -> CardRecords:
        return self._store.records

    async def asked(self, key: str, reader: Person) -> AskedCard:
        if plan_of_card(key) is not None:
            plan = await self._decided_plans.on(key)
            return AskedCard() if plan is None else AskedCard(by=plan.told_to(reader), at=plan.at)
        id = card_of(key)
        card = None if id is None else await self._store.approvals.get(id)
        if card is None:
            return AskedCard()
        if card.state is not ApprovalState.OPEN:
            return AskedCard(by=decider(card, reader), at=card.decided_at)
        until = None if card.expires_at == UNENDING else card.expires_at
        return AskedCard(tuple(why_asked(card, self._conceal)), until)

    async def standing(self, reader: Person, chat: int, key: str) -> StandingCard | None:
        one = await self._waiting(reader, chat, key)
        if one is None:
            return None
        row = await self._store.outbox.row(key)
        if row is None or row.chat != chat:
            return None
        cited = next((block.text for block in row.content.blocks), "")[:_CITED]
        asking = frozenset(
            button.data for line in row.content.buttons for button in line if button.asks
        )
        own = one.asker == reader.id and chat == one.chat
        told = row.message_ids[-1] if row.message_ids else ""
        return StandingCard(row.address, told, cited, own, asking)

    async def _waiting(self, reader: Person, chat: int, key: str) -> Approval | Plan | None:
        """Returns the open card or the live plan whose message is the reader's to answer."""
        if (id := card_of(key)) is not None:
            card = await self._store.approvals.get(id)
            open_yet = card is not None and card.state is ApprovalState.OPEN
            return card if open_yet and card is not None and _theirs(reader, card, chat) else None
        plan = await self._store.plans.get(plan_of_card(key) or "")
        live = plan is not None and plan.live
        return plan if live and plan is not None and _theirs(reader, plan, chat) else None

    async def waiting(self, reader: Person) -> int:
        whose = _whose(reader)
        cards = await self._records.open(whose, None, _COUNTED)
        plans = await self._records.plans(whose, None, _COUNTED)
        return min(len(cards) + len(plans), _COUNTED)

    async def cards(
        self,
        reader: Person,
        place: ListPlace[RowKey] | None = None,
        decided: ListPlace[RowKey] | None = None,
    ) -> CardsPage:
        whose, places = _whose(reader), self._places()
        zone, now = self._zones.of(reader), self._now()
        told = CardTeller(reader, zone, now, self._conceal, places, self._store)
        open_ = partial(self._open, whose)
        waiting, ways = await shown_part(open_, _place, place, _OPEN)
        read = partial(self._ended, whose)
        ended, decided_ways = await shown_part(read, _end, decided, _DECIDED)
        newest = await self._records.decided(whose, None, _LIKE)
        await places.read(one.chat for one in (*waiting, *ended, *newest))
        return CardsPage(
            tuple([await told.waiting(one) for one in waiting]),
            ways,
            tuple([await self._decided(told, one) for one in ended]),
            decided_ways,
            await self._consent(whose, newest, places),
        )

    async def _open(
        self, whose: int | None, place: ListPlace[RowKey] | None, most: int
    ) -> Sequence[Approval | Plan]:
        """Returns open cards and plans at a place, oldest first."""
        cards = await self._records.open(whose, place, most)
        plans = await self._records.plans(whose, place, most)
        both = sorted((*cards, *plans), key=lambda one: _by_age(_place(one)))
        return both[-most:] if place is not None and place.back else both[:most]

    async def _ended(
        self, whose: int | None, place: ListPlace[RowKey] | None, most: int
    ) -> Sequence[Approval | PlanDecision]:
        """Returns ended cards and decisions on plans at a place, the newest first."""
        cards = await self._records.decided(whose, place, most)
        plans = await self._decided_plans.at(whose, place, most)
        both = sorted((*cards, *plans), key=lambda one: _by_age(_end(one)), reverse=True)
        return both[-most:] if place is not None and place.back else both[:most]

    async def _decided(self, told: CardTeller, card: Approval | PlanDecision) -> DecidedCard:
        """Returns an ended card with the rules that the reader may still give."""
        if isinstance(card, PlanDecision):
            return told.decided_plan(card)
        may = told.reader.may_approve(card.asker, card.preview.needs)
        offered = enumerate(rules_of_card(card) if may else ())
        left = [n for n, one in offered if not await self._rules.stands(card, one)]
        return told.decided(card, tuple(left))

    async def _consent(
        self,
        whose: int | None,
        newest: Sequence[Approval],
        places: Places,
    ) -> ConsentFigures:
        now = self._now()
        begin, first = now - _WEEK, now - 2 * _WEEK
        cards = await self._records.decisions(whose, first, _MEASURED)
        plans = await self._decided_plans.since(whose, first)
        bounded = len(cards) >= _MEASURED or plans.bounded
        every = [*cards, *(one.measured for one in plans.decisions)]
        week, earlier = await self._weeks(whose, every)
        rules = saving_rules([c for c in newest if c.created_at >= begin], places.of)
        return measured(week, earlier, rules, bounded=bounded)

    async def _weeks(self, whose: int | None, every: Sequence[Decided]) -> tuple[Week, Week]:
        """Returns decisions of two weeks as those of this week and of the one before."""
        now = self._now()
        begin, first = now - _WEEK, now - 2 * _WEEK
        requests = (
            await self._records.requests(whose, begin, now + _WEEK),
            await self._records.requests(whose, first, begin),
        )
        newer = [one for one in every if one.at >= begin]
        older = [one for one in every if one.at < begin]
        return Week(newer, requests[0]), Week(older, requests[1])


def _whose(reader: Person) -> int | None:
    """Returns whose cards a person sees: an owner sees all of them."""
    return None if reader.is_owner else reader.id


def _place(one: Approval | Plan) -> RowKey:
    return RowKey(one.created_at, one.id, one.position if isinstance(one, Approval) else 0)


def _end(one: Approval | PlanDecision) -> RowKey:
    if isinstance(one, PlanDecision):
        return RowKey(one.at, one.id)
    return RowKey(one.decided_at or one.created_at, one.id)


def _by_age(key: RowKey) -> tuple[datetime, int, str]:
    """Returns the value by which rows are put in order, as the store orders cards."""
    return key.at, key.position, key.id


def _theirs(reader: Person, one: Approval | Plan, chat: int) -> bool:
    """Returns True for a message of it that a person sees: copies stand in chats of owners."""
    if not reader.may_decide_for(one.asker):
        return False
    return chat in one.chats if reader.is_owner else chat == one.chat
