"""The command that shows budgets, and lets owners set them."""

from collections.abc import Sequence

from bot.domain.budget import Budgets, CallKind, Cause, Limit, Purse, Scope
from bot.domain.change import AddAudit, SetBudget
from bot.domain.markdown import inline_code
from bot.domain.message import Button
from bot.domain.money import dollars_of, read_money, told
from bot.domain.person import Person
from bot.flow.commands.choices import choice
from bot.flow.commands.table import Answer, Command, Invocation, Topic
from bot.flow.commands.terms import counted, named, sentence
from bot.flow.money.till import Till
from bot.flow.money.wording import anew_at
from bot.ports.clock import Clock
from bot.ports.ledger import By, Ledger, Spender

_OFF = "off"
_USAGE = f"[{'|'.join(Scope)}] [dollars|{_OFF}]"
_FOR = {
    Scope.DAY: "Everybody, a day",
    Scope.PERSON: "Each person, a day",
    Scope.TURN: "One message",
}
_OFFERED = {
    Scope.DAY: ("1", "5", "20"),
    Scope.PERSON: ("0.5", "2", "10"),
    Scope.TURN: ("0.2", "1", "5"),
}


class BudgetCommands:
    def __init__(self, till: Till, ledger: Ledger, clock: Clock) -> None:
        self._till = till
        self._ledger = ledger
        self._clock = clock

    @property
    def table(self) -> Sequence[Command]:
        summary = "what may be spent, and what is left"
        return (Command("budget", summary, self.budget, _USAGE, Topic.SETTINGS, chosen=True),)

    async def budget(self, asked: Invocation) -> Answer:
        if not asked.words:
            return await self._shown(asked, "")
        if not asked.person.is_owner:
            return Answer("Only an owner can change budgets. `/budget` shows yours.")
        match [word.lower() for word in asked.words]:
            case [scope, amount] if scope in set(Scope):
                return await self._set(asked, Scope(scope), amount)
            case _:
                return Answer(f"Usage: `/budget {_USAGE}`")

    async def _set(self, asked: Invocation, scope: Scope, amount: str) -> Answer:
        try:
            money = None if amount == _OFF else read_money(amount)
        except ValueError as error:
            fault = f"{inline_code(amount[:40])} is no budget: {error}, or {_OFF}."
            return Answer(f"{fault} I changed nothing.")
        now, by = self._clock.now(), asked.person
        await self._till.choose(scope, Limit(money, by.name))
        details = {"dollars": None if money is None else str(dollars_of(money))}
        return await self._shown(
            asked,
            f"{_FOR[scope]}: {_bound(money)}. It counts from now on.",
            SetBudget(scope, money, by.name, now),
            AddAudit(now, asked.chat.id, by.id, "budget.set", scope.value, details),
        )

    async def _shown(self, asked: Invocation, first: str, *writes: SetBudget | AddAudit) -> Answer:
        person, now = asked.person, self._clock.now()
        budgets = await self._till.budgets()
        purses = await self._till.purses(Cause(CallKind.ANSWER, person=person.id))
        lines = [self._line(p, person) for p in purses]
        turn = budgets.get(Scope.TURN, Limit()).money
        if turn is not None:
            lines.append(f"- {_FOR[Scope.TURN]}: {told(turn)}")
        if not lines:
            lines.append("There is no budget.")
        parts = [*([first] if first else []), "\n".join(["**Budgets**", *lines])]
        until = next((p for p in purses), None)
        if until is not None:
            parts.append(f"A new day begins at {anew_at(until, now)}.")
            parts.extend(await self._uncounted(until, person))
        if not person.is_owner:
            return Answer("\n\n".join([*parts, "An owner can change budgets."]))
        setters = sorted({limit.by for limit in budgets.values() if limit.by})
        if setters:
            parts.append(f"Set here by {', '.join(map(named, setters))}.")
        parts.append("`/budget day 10` sets one in dollars, `/budget day off` takes it away.")
        return Answer("\n\n".join(parts), writes, buttons=_buttons(budgets))

    def _line(self, purse: Purse, person: Person) -> str:
        share = 100 * purse.spent // purse.limit if purse.limit else 100
        if purse.scope is Scope.DAY and not person.is_owner:
            return f"- {_FOR[purse.scope]}: {share} % is used"
        whose = "You: " if purse.scope is Scope.PERSON else ""
        used = f"{told(purse.spent)} of {told(purse.limit)} is used ({share} %)"
        return f"- {_FOR[purse.scope]}: {sentence(f'{whose}{used}').rstrip('.')}"

    async def _uncounted(self, purse: Purse, person: Person) -> list[str]:
        """Returns a sentence about calls of today whose price nobody knows."""
        whose = Spender() if person.is_owner else Spender(person=person.id)
        bills = await self._ledger.bills([purse.since], By.MODEL, whose)
        unknown = sum(bill.unknown for bill in bills)
        if not unknown:
            return []
        return [f"{counted(unknown, 'call')} of unknown price today: not in these sums."]


def _bound(money: int | None) -> str:
    return "no budget" if money is None else told(money)


def _buttons(budgets: Budgets) -> tuple[tuple[Button, ...], ...]:
    """Returns a row for each scope, with three sums and one to take it away."""
    rows: list[tuple[Button, ...]] = []
    for scope, offered in _OFFERED.items():
        now = budgets.get(scope, Limit()).money
        sums = [(f"${dollars}", dollars, read_money(dollars)) for dollars in offered]
        row = [
            button
            for label, word, money in (*sums, ("Off", _OFF, None))
            for button in choice(
                f"{scope.value.title()} {label}", "budget", scope.value, word, now=money == now
            )
        ]
        rows.extend((tuple(row[:2]), tuple(row[2:])))
    return tuple(rows)
