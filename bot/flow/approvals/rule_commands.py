"""Commands about standing rules, and about servers that were let in."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.domain.change import AddAudit, AddRule, DropConsent, DropRule, SaveApproval, Write
from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.consent.own_search import is_search
from bot.domain.consent.rules import describe, matches, trusted_origins, widenings
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Button
from bot.domain.text.markdown import coded, inline_code, item, literal
from bot.domain.text.visible_text import clipped, visible
from bot.domain.tools.origin import read_origin, server_origin, site_of
from bot.domain.tools.server import ServerConsent
from bot.domain.tools.tool import OriginRule, RulePattern
from bot.flow.approvals.cards import shown_open
from bot.flow.approvals.remedies import is_recalled, remedy
from bot.flow.commanding.choices import choice, no_choice
from bot.flow.commanding.effects import Expel
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.log.request_view import any_view
from bot.ports.approvals import Approvals, Rules
from bot.ports.clock import Clock
from bot.ports.consents import Consents
from bot.ports.journal import Journal

_MOST_BUTTONS = 8
_RULES = "[remove <number|server>|widen <number>|trust <site>|trust server <name>]"
_HOW = (
    "- `/rules`: what your rules let run without asking\n"
    "- `/rules remove 1`: take a rule back\n"
    "- `/rules widen 1`: let more run\n"
    "- `/rules trust https://docs.example`: trust what I read on a site"
)
_LONGEST_LABEL = 40
_LONGEST_RULE = 200
"""Characters of a rule or a server's command line in a list."""

_TRUSTABLE = (
    "{slip}A text that you did not write can contain orders for me. So after I read one, your "
    "rules are paused: I ask before each change again. You can trust single web sites and tool "
    "servers. What I read there pauses no rule:\n\n"
    "- `/rules trust https://docs.example`: this web site\n"
    "- `/rules trust server notes`: the tool server that is called “notes”\n\n"
    "Nothing else that you did not write can be trusted: no files, no forwards, no search results."
)
_GRANTED = (
    "Trusted in this chat: {origin}.\n\nWhat I read there from now on no longer pauses your rules. "
    "I also open any address there without asking. Anyone who can write there can then make me do "
    "what your rules allow. I still ask before a change that no rule allows.\n\n"
    "/rules lists what you trust, with a number; `/rules remove <number>` takes it back."
)
_UNTRUSTED = (
    "Not trusted any more: {origin}. What I read there from now on pauses your rules again. "
    "What I read there before is still in this conversation and does not pause them; /new starts a "
    "fresh one."
)

_NONE = "You have no rules here, so I ask before each change. The button 🔁 on a card makes a rule."
PAUSED = "⏸ They are paused: I read something here that you did not write. /new resumes them."


class RuleCommands:
    def __init__(
        self,
        approvals: Approvals,
        rules: Rules,
        consents: Consents,
        journal: Journal,
        clock: Clock,
        documents: frozenset[str],
        servers: Sequence[str],
    ) -> None:
        self._approvals = approvals
        self._rules = rules
        self._consents = consents
        self._journal = journal
        self._clock = clock
        self._documents = documents
        self._origins = {server_origin(one): one for one in servers}

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "rules",
                "what your rules let run without asking",
                self.rules,
                _RULES,
                Topic.CONSENT,
                chosen=True,
            ),
        )

    async def rules(self, asked: Invocation) -> Answer:
        rules = await self._rules.of(asked.person.id, asked.chat.id)
        match asked.words:
            case []:
                return await self._list(asked, rules)
            case ["remove" | "widen" as verb, word, *wider]:
                rule = next((r for r in rules if str(r.id) == word), None)
                if rule is None and verb == "remove" and asked.person.is_owner:
                    return await self._taken_back(asked, word.lower())
                if rule is None:
                    return Answer(f"You have no rule {inline_code(word[:40])}. /rules lists them.")
                if verb == "remove":
                    return await self._removed(asked, rule, [r for r in rules if r.id != rule.id])
                return self._widened(asked, rule, wider)
            case ["trust", *named]:
                return self._trusted(asked, tuple(named), trusted_origins(rules))
            case ["remove" | "widen" as verb]:
                told = f"/rules {verb}"
                return Answer(f"Which one? Write `{told} <number>`; /rules shows the numbers.")
            case _:
                return Answer(f"{no_choice(asked.words)}{_HOW}")

    def _trusted(self, asked: Invocation, named: tuple[str, ...], before: frozenset[str]) -> Answer:
        """Lets what comes from one site or server pause no rule of this owner in this chat."""
        if not asked.person.is_owner:
            return Answer("Only an owner can trust web sites and tool servers.")
        try:
            origin = read_origin(named)
        except ToolFailure:
            return Answer(_TRUSTABLE.format(slip=_untrustable(named)))
        if site_of(origin) is None and origin not in self._origins:
            return self._no_server(named[-1])
        if origin in before:
            return Answer(f"{inline_code(origin)} is trusted here already. /rules lists it.")
        now, chat, who = self._clock.now(), asked.chat.id, asked.person.id
        rule = Rule(0, who, chat, "", OriginRule(origin), origin, now)
        audit = AddAudit(now, chat, who, "origin.trusted", origin, {})
        return Answer(_GRANTED.format(origin=inline_code(origin)), (AddRule(rule), audit))

    def _no_server(self, name: str) -> Answer:
        names = ", ".join(inline_code(one) for one in sorted(self._origins.values()))
        there = f"It names {names}." if names else "It names none."
        return Answer(f"`steward.toml` has no tool server {inline_code(name)}. {there}")

    async def _list(self, asked: Invocation, rules: Sequence[Rule]) -> Answer:
        lines = [_listed(rules, widens=any(self._wider(rule) for rule in rules))]
        if rules:
            entries = await self._journal.entries(asked.chat.conversation)
            view = any_view()
            view.extend(entries)
            source = view.untrusted_for(asked.person.id)
            if source is not None:
                lines.append(f"\n{_paused_by(source, view.origins_for(asked.person.id))}")
        told = "\n".join([*lines, *await self._let_in(asked)])
        rows = [self._row(rule) for rule in rules]
        return Answer(told, buttons=tuple(rows[:_MOST_BUTTONS]))

    async def _removed(self, asked: Invocation, rule: Rule, left: Sequence[Rule]) -> Answer:
        """Removes a rule; open cards do not say any more that it is paused."""
        now, who = self._clock.now(), asked.person.id
        audit = AddAudit(now, asked.chat.id, who, "rule.removed", rule.label, {})
        told = f"Removed: {_told(rule)}. From now on I ask again."
        if isinstance(rule.pattern, OriginRule):
            told = _UNTRUSTED.format(origin=inline_code(rule.pattern.origin))
        freed: list[Write] = []
        for card in await self._approvals.open_in(asked.chat.id):
            if card.preview.paused and card.asker == who and not self._covers(left, card):
                free = replace(card, preview=replace(card.preview, paused=""))
                freed.append(SaveApproval(free, expect=ApprovalState.OPEN))
                freed.extend(shown_open(free))
        return Answer(told, (DropRule(rule.id, asked.chat.id), audit, *freed))

    def _covers(self, rules: Iterable[Rule], card: Approval) -> bool:
        call, arguments = card.call, card.call.arguments or {}
        return any(
            rule.tool == call.name
            and matches(rule.pattern, call.name, arguments, self._documents, offered=rule.pattern)
            for rule in rules
        )

    def _widened(self, asked: Invocation, rule: Rule, chosen: Sequence[str]) -> Answer:
        offers = [(pattern, describe(rule.tool, pattern)) for pattern in self._wider(rule)]
        if not offers:
            return Answer("This rule cannot be made wider.")
        if not chosen or chosen[0] not in map(str, range(1, len(offers) + 1)):
            lines = [item(n, coded(label)) for n, (_, label) in enumerate(offers, start=1)]
            told = f"What may run without asking? Press one, or type /rules widen {rule.id} <line>."
            rows = [
                choice(
                    f"{n}: {clipped(label, _LONGEST_LABEL)}", "rules", "widen", str(rule.id), str(n)
                )
                for n, (_, label) in enumerate(offers, start=1)
            ]
            return Answer("\n".join([literal(told), *lines]), buttons=tuple(rows))
        pattern, label = offers[int(chosen[0]) - 1]
        now, who = self._clock.now(), asked.person.id
        added = replace(rule, pattern=pattern, label=label, created_at=now, used=0, used_at=None)
        audit = AddAudit(now, asked.chat.id, who, "rule.widened", label, {"from": rule.label})
        return Answer(
            f"From now on without asking: {coded(label)}.",
            (DropRule(rule.id, asked.chat.id), AddRule(added), audit),
        )

    def _wider(self, rule: Rule) -> Sequence[RulePattern]:
        return widenings(rule.tool, rule.pattern, self._documents)

    def _row(self, rule: Rule) -> tuple[Button, ...]:
        number = str(rule.id)
        widen = choice(f"Widen {number}…", "rules", "widen", number) if self._wider(rule) else ()
        return (*choice(f"Remove {number}", "rules", "remove", number), *widen)

    async def _let_in(self, asked: Invocation) -> Sequence[str]:
        """Lists the servers of skills that were let in, for an owner in a private chat."""
        if not (asked.person.is_owner and asked.chat.private):
            return ()
        given = [each for each in await self._consents.given() if not is_search(each)]
        lines = [f"- {_server(each)}" for each in given]
        hint = "\n/rules remove <server> takes that back and ends it."
        return ("\nServers of skills that were let in:", *lines, hint) if lines else ()

    async def _taken_back(self, asked: Invocation, name: str) -> Answer:
        """Withdraws the consent for every server of this name; each must ask again."""
        given = await self._consents.given()
        theirs = [each for each in given if each.server == name and not is_search(each)]
        if not theirs:
            rule = inline_code(name[:40])
            return Answer(f"There is no {rule} here. /rules lists your rules with their numbers.")
        now, who = self._clock.now(), asked.person.id
        drops = [DropConsent(each.identity) for each in theirs]
        audits = [
            AddAudit(now, asked.chat.id, who, "consent.removed", name, {"line": each.line})
            for each in theirs
        ]
        lines = "\n".join(f"- {_server(each)}" for each in theirs)
        return Answer(
            f"Taken back, and ended where it ran:\n{lines}\n\nFrom now on I ask again.",
            (*drops, *audits),
            (Expel(tuple(each.identity for each in theirs)),),
        )


def _paused_by(source: str, trustable: Sequence[str]) -> str:
    if is_recalled(source):
        helps = remedy(source, trustable, "")
        return f"⏸ They are paused: I recalled {literal(f'{visible(source)}. {helps}')}"
    return PAUSED


def _server(consent: ServerConsent) -> str:
    return inline_code(f"{consent.server}: {clipped(visible(consent.line), _LONGEST_RULE)}")


def _listed(rules: Sequence[Rule], *, widens: bool) -> str:
    trusted = [r for r in rules if isinstance(r.pattern, OriginRule)]
    running = [item(r.id, _told(r)) for r in rules if r not in trusted]
    lines = ["Runs without asking:", *running]
    if not running:
        lines = [_NONE]
    if trusted:
        lines += ["", "Trusted: what I read there does not pause your rules:"]
        lines += [item(r.id, inline_code(r.label)) for r in trusted]
    if not rules:
        return lines[0]
    hint = "/rules remove <number> takes one back."
    if widens:
        hint = f"{hint} /rules widen <number> lets more run."
    return "\n".join([*lines, "", literal(hint)])


def _told(rule: Rule) -> str:
    told = coded(clipped(describe(rule.tool, rule.pattern), _LONGEST_RULE))
    if rule.surroundings.variables:
        told = f"{told}, with variables of the skill {inline_code(rule.surroundings.skill)}"
    if rule.under:
        told = f"{told}, while the skill {inline_code(rule.under.partition('@')[0])} is in use"
    return told


def _untrustable(named: Sequence[str]) -> str:
    """Returns a sentence about words that name neither a site nor a server; empty without words."""
    said = " ".join(named)
    shown = literal(clipped(said, _LONGEST_LABEL))
    return f"“{shown}” is no web address.\n\n" if said else ""
