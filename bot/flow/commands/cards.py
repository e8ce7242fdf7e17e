"""Commands about open cards and standing rules."""

from collections.abc import Sequence

from bot.domain.approval import Approval, Rule
from bot.domain.change import AddAudit, AddRule, DropRule
from bot.domain.rules import describe, widenings
from bot.domain.tool import clipped
from bot.flow.commands.table import Answer, Command, Invocation
from bot.flow.commands.whom import harmless
from bot.ports.approvals import Approvals, Rules
from bot.ports.clock import Clock
from bot.ports.members import Members

_LONGEST_RULE = 200
"""Characters of a rule in a list."""


class CardCommands:
    def __init__(self, approvals: Approvals, rules: Rules, members: Members, clock: Clock) -> None:
        self._approvals = approvals
        self._rules = rules
        self._members = members
        self._clock = clock

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("approvals", "what waits for your word", self.approvals),
            Command("rules", "what may run without asking", self.rules, "[remove|widen <number>]"),
        )

    async def approvals(self, asked: Invocation) -> Answer:
        here = asked.chat.id
        cards = list(await self._approvals.open_in(here))
        if asked.person.is_owner and asked.chat.private:
            cards += [c for c in await self._members.for_owners() if c.chat != here]
        if not cards:
            return Answer("Nothing waits for your word.")
        return Answer("\n".join(["Open cards:", *(self._card(c) for c in cards)]))

    def _card(self, card: Approval) -> str:
        minutes = max(0, int((self._clock.now() - card.created_at).total_seconds() // 60))
        until = f"{card.expires_at:%m-%d %H:%M} UTC"
        asker = f" · asked by {harmless(card.asker_name)}" if card.owner_chats else ""
        return f"- `{_code(card.preview.subject)}`{asker} · {minutes} min old · until {until}"

    async def rules(self, asked: Invocation) -> Answer:
        rules = await self._rules.of(asked.person.id, asked.chat.id)
        match asked.words:
            case []:
                return Answer(_listed(rules))
            case [verb, number, *choice] if number.isdigit():
                rule = next((r for r in rules if r.id == int(number)), None)
                if rule is None:
                    return Answer(f"You have no rule {number}. /rules lists them.")
                if verb == "remove":
                    return self._removed(asked, rule)
                if verb == "widen":
                    return self._widened(asked, rule, choice)
            case _:
                pass
        return Answer("Usage: /rules [remove|widen <number>]")

    def _removed(self, asked: Invocation, rule: Rule) -> Answer:
        now, who = self._clock.now(), asked.person.id
        audit = AddAudit(now, asked.chat.id, who, "rule.removed", rule.label, {})
        told = f"Removed: `{_told(rule)}`. It will ask again."
        return Answer(told, (DropRule(rule.id, asked.chat.id), audit))

    def _widened(self, asked: Invocation, rule: Rule, choice: Sequence[str]) -> Answer:
        offers = [(p, describe(rule.tool, p)) for p in widenings(rule.tool, rule.pattern)]
        if not offers:
            return Answer("This rule cannot be made wider.")
        if not choice or not choice[0].isdigit() or not 0 < int(choice[0]) <= len(offers):
            lines = [f"{n}. `{_code(label)}`" for n, (_, label) in enumerate(offers, start=1)]
            told = f"Wider rules, chosen with /rules widen {rule.id} <choice>:"
            return Answer("\n".join([told, *lines]))
        pattern, label = offers[int(choice[0]) - 1]
        now, who = self._clock.now(), asked.person.id
        wider = Rule(0, who, asked.chat.id, rule.tool, pattern, label, now)
        audit = AddAudit(now, asked.chat.id, who, "rule.widened", label, {"from": rule.label})
        return Answer(
            f"From now on `{_code(label)}` runs without asking.",
            (DropRule(rule.id, asked.chat.id), AddRule(wider), audit),
        )


def _listed(rules: Sequence[Rule]) -> str:
    if not rules:
        return "You have no standing rules here. “Always” on a card makes one."
    lines = [f"{r.id}. `{_told(r)}`" for r in rules]
    hint = "/rules remove <number> takes one back, /rules widen <number> shows wider ones."
    return "\n".join(["Runs without asking:", *lines, hint])


def _told(rule: Rule) -> str:
    """The rule itself, not the words of its button, which stood below what it is about."""
    return _code(clipped(describe(rule.tool, rule.pattern), _LONGEST_RULE))


def _code(text: str) -> str:
    """Text inside a code span cannot end it."""
    return text.replace("`", "'")
