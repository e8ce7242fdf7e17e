"""Open cards and plans of all chats in one place, the decided ones, and figures about consent."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from bot.domain.consent.approval import UNENDING, Approval, ApprovalState, card_of
from bot.domain.plans.plan import Plan, plan_of_card
from bot.domain.talk.person import Person
from bot.domain.value import replace
from bot.flow.inspection.cards_told import CardTeller
from bot.flow.inspection.consent_measured import Week, measured, saving_rules
from bot.flow.inspection.gates_told import why_asked
from bot.flow.inspection.listing import ListPlace, shown_part
from bot.flow.inspection.places import Places
from bot.flow.inspection.rule_pages import RuleInspection, rules_of_card
from bot.flow.room import Ground
from bot.ports.card_page import AskedCard, CardsPage, ConsentFigures, DecidedCard, StandingCard
from bot.ports.records import CardRecords, RowKey

_OPEN = 25
_DECIDED = 20
_PLANS = 25
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

    @property
    def _records(self) -> CardRecords:
        return self._store.records

    async def asked(self, key: str) -> AskedCard:
        id = card_of(key)
        card = None if id is None else await self._store.approvals.get(id)
        if card is None or card.state is not ApprovalState.OPEN:
            return AskedCard()
        until = None if card.expires_at == UNENDING else card.expires_at
        return AskedCard(tuple(why_asked(card, self._conceal)), until)

    async def standing(self, reader: Person, chat: int, key: str) -> StandingCard | None:
        if not await self._waits(reader, chat, key):
            return None
        row = await self._store.outbox.row(key)
        if row is None or row.chat != chat or not row.message_ids:
            return None
        cited = next((block.text for block in row.content.blocks), "")[:_CITED]
        return StandingCard(row.address, row.message_ids[-1], cited)

    async def _waits(self, reader: Person, chat: int, key: str) -> bool:
        """Returns True for the message of an open card or a live plan of the reader."""
        if (id := card_of(key)) is not None:
            card = await self._store.approvals.get(id)
            open_yet = card is not None and card.state is ApprovalState.OPEN
            return card is not None and open_yet and _theirs(reader, card, chat)
        plan = await self._store.plans.get(plan_of_card(key) or "")
        return plan is not None and plan.live and _theirs(reader, plan, chat)

    async def waiting(self, reader: Person) -> int:
        whose = _whose(reader)
        cards = await self._records.open(whose, None, _COUNTED)
        plans = await self._records.plans(whose, _COUNTED)
        return min(len(cards) + len(plans), _COUNTED)

    async def cards(
        self,
        reader: Person,
        place: ListPlace[RowKey] | None = None,
        decided: ListPlace[RowKey] | None = None,
    ) -> CardsPage:
        whose, places = _whose(reader), self._places()
        told = CardTeller(reader, self._zones.of(reader), self._now(), self._conceal, places)
        cards, ways = await shown_part(partial(self._records.open, whose), _place, place, _OPEN)
        first = ways.before is None
        plans: Sequence[Plan] = await self._records.plans(whose, _PLANS) if first else ()
        read = partial(self._records.decided, whose)
        ended, decided_ways = await shown_part(read, _end, decided, _DECIDED)
        newest = await self._records.decided(whose, None, _LIKE)
        await places.read(one.chat for one in (*cards, *plans, *ended, *newest))
        shown = [told.waiting_card(card) for card in cards]
        return CardsPage(
            (*shown, *(told.waiting_plan(plan) for plan in plans)),
            ways,
            tuple([await self._decided(told, card) for card in ended]),
            decided_ways,
            await self._consent(whose, newest, places),
        )

    async def _decided(self, told: CardTeller, card: Approval) -> DecidedCard:
        """Returns an ended card with the rules that the reader may still give."""
        may = told.reader.may_approve(card.asker, card.preview.needs)
        offered = enumerate(rules_of_card(card) if may else ())
        left = [n for n, one in offered if not await self._rules.stands(card, one)]
        return replace(told.decided(card), rules=tuple(left))

    async def _consent(
        self, whose: int | None, newest: Sequence[Approval], places: Places
    ) -> ConsentFigures:
        week, earlier = await self._weeks(whose)
        begin = self._now() - _WEEK
        rules = saving_rules([c for c in newest if c.created_at >= begin], places.of)
        counted = len(week.decisions) + len(earlier.decisions)
        return measured(week, earlier, rules, bounded=counted >= _MEASURED)

    async def _weeks(self, whose: int | None) -> tuple[Week, Week]:
        """Returns the decisions of this week and of the one before."""
        now = self._now()
        begin, first = now - _WEEK, now - 2 * _WEEK
        every = await self._records.decisions(whose, first, _MEASURED)
        requests = (
            await self._records.requests(whose, begin, now + _WEEK),
            await self._records.requests(whose, first, begin),
        )
        newer = [one for one in every if one.at >= begin]
        return Week(newer, requests[0]), Week(every[len(newer) :], requests[1])


def _whose(reader: Person) -> int | None:
    """Returns whose cards a person sees: an owner sees all of them."""
    return None if reader.is_owner else reader.id


def _place(card: Approval) -> RowKey:
    return RowKey(card.created_at, card.id, card.position)


def _end(card: Approval) -> RowKey:
    return RowKey(card.decided_at or card.created_at, card.id)


def _theirs(reader: Person, one: Approval | Plan, chat: int) -> bool:
    return reader.may_decide_for(one.asker) and chat in one.chats
