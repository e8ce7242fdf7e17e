"""Standing rules on a page: what each allows, how often it was used, and new ones from cards."""

import asyncio
from collections.abc import Callable
from functools import partial

from bot.domain.change import Change, CheckAccess
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.consent.offered_rules import OfferedRule, offered_rules
from bot.domain.talk.hunks import readable
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.tools.house import SEARCH_ASKERS
from bot.flow.approvals.decisions import given
from bot.flow.inspection.listing import ListPlace, shown_part
from bot.flow.inspection.places import Places
from bot.flow.inspection.rules_told import RuleTeller
from bot.flow.room import Ground
from bot.ports.rules_page import RuleOffer, RulesPage

_EACH = 25
"""Rules of one page."""


def rules_of_card(card: Approval) -> tuple[OfferedRule, ...]:
    """Returns the rules that an approved card offered; a search and a repeat offer none."""
    offers = card.kind == "call" and card.call.name not in SEARCH_ASKERS
    approved = card.state is ApprovalState.APPROVED
    return offered_rules(card.call.name, card.preview) if offers and approved else ()


class RuleInspection:
    """Shows people their rules and owners everybody's; a rule is given as a card's button does."""

    def __init__(self, ground: Ground, places: Callable[[], Places]) -> None:
        self._store, self._journal = ground.store, ground.journal
        self._zones = ground.zones
        self._now = ground.world.clock.now
        self._conceal = ground.world.conceal
        self._places = places
        self._giving = asyncio.Lock()

    async def rules(self, reader: Person, place: ListPlace[int] | None) -> RulesPage:
        read = partial(self._store.records.rules, None if reader.is_owner else reader.id)
        shown, ways = await shown_part(read, lambda one: one.id, place, _EACH)
        places = self._places()
        await places.read(rule.chat for rule in shown)
        names = {person.id: person.name for _, person in await self._store.people.accounts()}
        teller = RuleTeller(reader, self._zones.of(reader), self._conceal, names)
        cards = {one.card: await self._store.approvals.get(one.card) for one in shown if one.card}
        lines = [teller.line(one, cards.get(one.card), places.of(one.chat)) for one in shown]
        return RulesPage(tuple(lines), ways)

    async def chat_of(self, reader: Person, rule: int) -> int | None:
        found = await self._store.records.rules(reader.id, ListPlace(rule - 1), 1)
        return found[0].chat if found and found[0].id == rule else None

    async def offer(self, reader: Person, card: str, number: int) -> RuleOffer | None:
        found = await self._found(reader, card, number)
        if found is None:
            return None
        shown, rule = found
        places = self._places()
        await places.read([shown.chat])
        return RuleOffer(
            card,
            number,
            RuleTeller(reader, "UTC", self._conceal, {}).told(rule.words),
            places.of(shown.chat),
            "you" if shown.asker == reader.id else plain_name(shown.asker_name),
            readable(shown.preview.blocks),
            await self.stands(shown, rule),
        )

    async def give(self, reader: Person, card: str, number: int) -> bool:
        async with self._giving:
            found = await self._found(reader, card, number)
            if found is None:
                return False
            shown, rule = found
            if not await self.stands(shown, rule):
                writes = given(shown, rule.pattern, reader, self._now())
                known = (CheckAccess(reader.id), CheckAccess(shown.asker))
                await self._journal.commit(Change((*known, *writes), durable=True))
        return True

    async def stands(self, card: Approval, offered: OfferedRule) -> bool:
        """Returns True when the asker of a card has this rule in its chat already."""
        rules = await self._store.rules.of(card.asker, card.chat)
        wanted = (card.call.name, offered.pattern)
        return any(
            (rule.tool, rule.pattern) == wanted
            and not rule.under
            and card.preview.surroundings.within(rule.surroundings)
            for rule in rules
        )

    async def _found(
        self, reader: Person, card: str, number: int
    ) -> tuple[Approval, OfferedRule] | None:
        """Returns the card and its rule, where the reader could have given it by a button."""
        known = await self._store.approvals.get(card)
        if known is None or not reader.may_approve(known.asker, known.preview.needs):
            return None
        offered = rules_of_card(known)
        return (known, offered[number]) if 0 <= number < len(offered) else None
