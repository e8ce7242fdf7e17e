"""The grounds on which a change may run: a standing rule, or the decision of a person on a card."""

from collections.abc import Sequence
from functools import partial

from bot.domain.consent.approval import Approval, Rule
from bot.domain.consent.consent import difference, of_rule
from bot.domain.consent.rules import allowed_by, folder_rule
from bot.domain.tools.server import is_lent
from bot.domain.tools.tool import Code, Effect, Preview, Status, ToolCall, Warrant
from bot.domain.turn.step import AskFirst, Gate, Refuse, Run
from bot.domain.value import frozen, replace
from bot.ports.approvals import Approvals, Rules
from bot.ports.tool import Place

WAITING = Refuse(
    Status.SKIPPED,
    Code.AWAITING_DECISION,
    "Already waiting: the same call has an open card in this chat.",
)


@frozen
class Outside:
    """Names what is foreign to a turn; `origins` are all of it, if an owner could trust them."""

    source: str
    origins: tuple[str, ...] = ()
    ends: bool = True
    """False for a turn whose own words were written beside foreign text."""


@frozen
class Grounds:
    """Finds rules, which taint pauses, and open cards.

    `documents` are the endings of files that a rule for a folder covers.
    """

    _approvals: Approvals
    _rules: Rules
    _documents: frozenset[str]

    async def gate(
        self,
        call: ToolCall,
        preview: Preview,
        place: Place,
        outside: Outside | None,
        *,
        ruled: bool,
        reads: bool,
    ) -> Gate:
        """Returns the gate of one call; rules count where its asker may approve (`ruled`).

        With `reads` a command that only reads needs no card, unless foreign text is in view.
        """
        ruled = ruled and preview.effect is Effect.WRITE
        rule = await self._rule(call, place, preview) if ruled else None
        if preview.effect is Effect.READ:
            return Run(Effect.READ, preview)
        if reads and preview.reads and outside is None:
            return Run(Effect.WRITE, preview, warrant=Warrant.LOOKS)
        if rule is not None and outside is None:
            return Run(Effect.WRITE, preview, allowed_by(rule), Warrant.RULE, rule.id)
        if _same(call, await self._approvals.open_in(place.chat)):
            return WAITING
        if outside is not None:
            return AskFirst(_barred(call, preview, outside, given=rule is not None))
        wider = folder_rule(call.name, preview.always, self._documents)
        return AskFirst(replace(preview, wider=wider))

    async def _rule(self, call: ToolCall, place: Place, preview: Preview) -> Rule | None:
        """Returns a rule that covers the call; none does where its card would offer none."""
        if preview.always is None:
            return None
        rules = await self._rules.of(place.person, place.chat)
        judged = partial(
            difference, call=call, now=preview, under=place.under, documents=self._documents
        )
        return next((rule for rule in rules if judged(of_rule(rule)) is None), None)


def _barred(call: ToolCall, preview: Preview, outside: Outside, *, given: bool) -> Preview:
    """Returns the preview without rules, which would not count before the next fresh start.

    A card tells why where a rule is `given`, or where it would offer one for a server's tool.
    """
    bare = preview.unruled()
    if given:
        return replace(bare, paused=outside.source, trustable=outside.origins)
    if preview.always is None or not is_lent(call.name) or not outside.ends:
        return bare
    return replace(bare, barred=outside.source, trustable=outside.origins)


def asked_once(call: ToolCall, gate: Gate, asking: set[str]) -> Gate:
    """Lets the second of two equal calls of a round wait for the first one's card."""
    if not isinstance(gate, AskFirst):
        return gate
    if call.signature in asking:
        return WAITING
    asking.add(call.signature)
    return gate


def _same(call: ToolCall, cards: Sequence[Approval]) -> bool:
    return any(card.call.signature == call.signature for card in cards)
