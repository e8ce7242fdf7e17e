"""Commands about open cards, standing rules, and servers that were let in."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.approval import Approval, Rule
from bot.domain.change import AddAudit, AddRule, DropConsent, DropRule
from bot.domain.markdown import inline_code
from bot.domain.rules import describe, widenings
from bot.domain.server import ServerConsent
from bot.domain.tool import clipped
from bot.domain.visible_text import visible
from bot.flow.commands.consequences import Expel
from bot.flow.commands.table import Answer, Command, Invocation
from bot.flow.commands.terms import named
from bot.ports.approvals import Approvals, Rules
from bot.ports.clock import Clock
from bot.ports.consents import Consents
from bot.ports.members import Members

_RULES = "[remove <number|server>|widen <number>]"
_LONGEST_RULE = 200
"""Characters of a rule or a server's command line in a list."""


class CardCommands:
    def __init__(
        self,
        approvals: Approvals,
        rules: Rules,
        members: Members,
        consents: Consents,
        clock: Clock,
        documents: frozenset[str],
    ) -> None:
        self._approvals = approvals
        self._rules = rules
        self._members = members
        self._consents = consents
        self._clock = clock
        self._documents = documents

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("approvals", "what waits for your word", self.approvals),
            Command("rules", "what may run without asking", self.rules, _RULES),
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
        asker = f" · asked by {named(card.asker_name)}" if card.owner_chats else ""
        return f"- {inline_code(card.preview.subject)}{asker} · {minutes} min old · until {until}"

    async def rules(self, asked: Invocation) -> Answer:
        rules = await self._rules.of(asked.person.id, asked.chat.id)
        match asked.words:
            case []:
                return Answer("\n".join([_listed(rules), *await self._let_in(asked)]))
            case ["remove" | "widen" as verb, word, *choice]:
                rule = next((r for r in rules if str(r.id) == word), None)
                if rule is None and verb == "remove" and asked.person.is_owner:
                    return await self._taken_back(asked, word.lower())
                if rule is None:
                    return Answer(f"You have no rule {inline_code(word[:40])}. /rules lists them.")
                if verb == "remove":
                    return self._removed(asked, rule)
                return self._widened(asked, rule, choice)
            case _:
                return Answer(f"Usage: /rules {_RULES}")

    def _removed(self, asked: Invocation, rule: Rule) -> Answer:
        now, who = self._clock.now(), asked.person.id
        audit = AddAudit(now, asked.chat.id, who, "rule.removed", rule.label, {})
        told = f"Removed: {_told(rule)}. It will ask again."
        return Answer(told, (DropRule(rule.id, asked.chat.id), audit))

    def _widened(self, asked: Invocation, rule: Rule, choice: Sequence[str]) -> Answer:
        wider = widenings(rule.tool, rule.pattern, self._documents)
        offers = [(pattern, describe(rule.tool, pattern)) for pattern in wider]
        if not offers:
            return Answer("This rule cannot be made wider.")
        if not choice or not choice[0].isdigit() or not 0 < int(choice[0]) <= len(offers):
            lines = [f"{n}. {inline_code(label)}" for n, (_, label) in enumerate(offers, start=1)]
            told = f"Wider rules, chosen with /rules widen {rule.id} <choice>:"
            return Answer("\n".join([told, *lines]))
        pattern, label = offers[int(choice[0]) - 1]
        now, who = self._clock.now(), asked.person.id
        added = replace(rule, pattern=pattern, label=label, created_at=now)
        audit = AddAudit(now, asked.chat.id, who, "rule.widened", label, {"from": rule.label})
        return Answer(
            f"From now on {inline_code(label)} runs without asking.",
            (DropRule(rule.id, asked.chat.id), AddRule(added), audit),
        )

    async def _let_in(self, asked: Invocation) -> Sequence[str]:
        """Lists the servers of skills that were let in, for an owner in a private chat."""
        if not (asked.person.is_owner and asked.chat.private):
            return ()
        lines = [f"- {_server(each)}" for each in await self._consents.given()]
        hint = "\n/rules remove <server> takes that back and ends it."
        return ("\nServers of skills that were let in:", *lines, hint) if lines else ()

    async def _taken_back(self, asked: Invocation, name: str) -> Answer:
        """Withdraws the consent for every server of this name; each must ask again."""
        theirs = [each for each in await self._consents.given() if each.server == name]
        if not theirs:
            rule = inline_code(name[:40])
            told = f"There is no rule {rule} of yours, and no such server was let in."
            return Answer(f"{told} /rules lists them.")
        now, who = self._clock.now(), asked.person.id
        drops = [DropConsent(each.identity) for each in theirs]
        audits = [
            AddAudit(now, asked.chat.id, who, "consent.removed", name, {"line": each.line})
            for each in theirs
        ]
        lines = "\n".join(f"- {_server(each)}" for each in theirs)
        return Answer(
            f"Taken back, and ended where it ran:\n{lines}\n\nIt will ask again.",
            (*drops, *audits),
            (Expel(tuple(each.identity for each in theirs)),),
        )


def _server(consent: ServerConsent) -> str:
    return inline_code(f"{consent.server}: {clipped(visible(consent.line), _LONGEST_RULE)}")


def _listed(rules: Sequence[Rule]) -> str:
    if not rules:
        return "You have no standing rules here. “Always” on a card makes one."
    lines = [f"{r.id}. {_told(r)}" for r in rules]
    hint = "/rules remove <number> takes one back, /rules widen <number> shows wider ones."
    return "\n".join(["Runs without asking:", *lines, hint])


def _told(rule: Rule) -> str:
    """Describes the rule itself; the label of its button makes no sense without its card."""
    told = inline_code(clipped(describe(rule.tool, rule.pattern), _LONGEST_RULE))
    if not rule.surroundings.variables:
        return told
    return f"{told}, with variables of the skill {inline_code(rule.surroundings.skill)}"
