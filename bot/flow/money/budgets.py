"""The command that shows budgets, and lets owners set them."""

from collections.abc import Mapping, Sequence

from bot.domain.change import AddAudit, SetBudget
from bot.domain.money.budget import Budgets, CallKind, Cause, Limit, Purse, Scope
from bot.domain.money.money import dollars_of, read_money, told
from bot.domain.talk.message import Button, ButtonRows
from bot.domain.talk.person import Person
from bot.domain.text.markdown import inline_code
from bot.domain.text.names import named
from bot.domain.value import frozen
from bot.flow.commanding.choices import choice, no_choice
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.commanding.wording import counted
from bot.flow.money.till import Till
from bot.flow.money.wording import anew_at
from bot.ports.clock import Clock
from bot.ports.ledger import By, Ledger, Spender

_OFF = "off"
_WORDS = {"day": Scope.DAY, "person": Scope.PERSON, "message": Scope.TURN, "turn": Scope.TURN}
"""The words for each budget; one message starts one turn."""

_USAGE = f"[day|person|message] [dollars|{_OFF}]"
_SETS = (
    "- `/budget day 10`: 10 dollars a day for everybody together\n"
    "- `/budget person 2`: 2 dollars a day for each person\n"
    "- `/budget message 0.50`: 0.50 dollars for one message, with everything it leads to\n"
    "- `/budget day off`: no budget for the day"
)
_HOW = f"- `/budget`: what may be spent, and what is left\n{_SETS}"
_FOR = {
    Scope.DAY: "The budget for everybody",
    Scope.PERSON: "The budget for each person",
    Scope.TURN: "The budget for each message",
}
_USED = {Scope.DAY: "Everybody, today", Scope.PERSON: "You, today"}
_OFFERED = {"day": ("1", "5", "20"), "person": ("0.50", "2", "10"), "message": ("0.20", "1", "5")}


@frozen
class BudgetCommands:
    _till: Till
    _ledger: Ledger
    _clock: Clock

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
            case [word, amount] if word in _WORDS:
                return await self._set(asked, word, amount)
            case _:
                return Answer(f"{no_choice(asked.words)}{_HOW}")

    async def _set(self, asked: Invocation, word: str, amount: str) -> Answer:
        scope = _WORDS[word]
        try:
            money = None if amount == _OFF else read_money(amount)
        except ValueError as error:
            fault = f"{inline_code(amount[:40])} is not an amount: {error}, or {_OFF}."
            return Answer(f"{fault} Nothing was changed.")
        now, by = self._clock.now(), asked.person
        await self._till.choose(scope, Limit(money, by.name))
        details = {"dollars": None if money is None else str(dollars_of(money))}
        changed = f"{_FOR[scope]} is {_bound(scope, money)}."
        return await self._shown(
            asked,
            changed if money is None else f"{changed} `/budget {word} {_OFF}` takes it away.",
            SetBudget(scope, money, by.name, now),
            AddAudit(now, asked.chat.id, by.id, "budget.set", scope.value, details),
        )

    async def _shown(self, asked: Invocation, first: str, *writes: SetBudget | AddAudit) -> Answer:
        person, now = asked.person, self._clock.now()
        budgets = await self._till.budgets()
        purses = await self._till.purses(Cause(CallKind.ANSWER, person=person.id))
        setters = {scope: limit.by for scope, limit in budgets.items() if person.is_owner}
        lines = [_line(purse, person, setters) for purse in purses]
        turn = budgets.get(Scope.TURN, Limit()).money
        if turn is not None and (lines or not first.startswith(_FOR[Scope.TURN])):
            lines.append(f"- Each message: at most {told(turn)}{_set_by(Scope.TURN, setters)}")
        parts = [first] if first else []
        if lines:
            parts.append("\n".join(["**Budgets**", *lines]))
        elif turn is None:
            parts.append("There is no budget.")
        until = next((p for p in purses), None)
        if until is not None:
            parts.append(f"A new day begins at {anew_at(until, now)}.")
            parts.extend(await self._uncounted(until, person))
        if not person.is_owner:
            return Answer("\n\n".join([*parts, "An owner can change budgets."]))
        if not lines and not first:
            parts.append(f"When a budget is used up, I stop. This is how to set one:\n\n{_SETS}")
        elif not first:
            parts.append("`/budget day 10` sets one in dollars, `/budget day off` takes it away.")
        return Answer("\n\n".join(parts), writes, buttons=_buttons(budgets))

    async def _uncounted(self, purse: Purse, person: Person) -> list[str]:
        """Returns a sentence about calls of today whose price nobody knows."""
        whose = Spender() if person.is_owner else Spender(person=person.id)
        bills = await self._ledger.bills([purse.since], By.MODEL, whose)
        unknown = sum(bill.unknown for bill in bills)
        if not unknown:
            return []
        calls = counted(unknown, "call")
        return [f"The price of {calls} of today is not known: not in these sums."]


def _line(purse: Purse, person: Person, setters: Mapping[Scope, str]) -> str:
    """Returns how much of a day's budget is used; members see no sums of everybody."""
    share = 100 * purse.spent // purse.limit if purse.limit else 100
    if purse.scope is Scope.DAY and not person.is_owner:
        return f"- {_USED[purse.scope]}: {share} % is used"
    used = f"{told(purse.spent)} of {told(purse.limit)} is used ({share} %)"
    return f"- {_USED[purse.scope]}: {used}{_set_by(purse.scope, setters)}"


def _set_by(scope: Scope, setters: Mapping[Scope, str]) -> str:
    """Names the owner whose command counts in place of the setting."""
    by = setters.get(scope, "")
    return f", set by {named(by)}" if by else ""


def _bound(scope: Scope, money: int | None) -> str:
    if money is None:
        return _OFF
    return f"{told(money)}{'' if scope is Scope.TURN else ' a day'} from now on"


def _buttons(budgets: Budgets) -> ButtonRows:
    """Returns a row for each scope, with three sums and one to take it away."""
    rows: list[tuple[Button, ...]] = []
    for name, offered in _OFFERED.items():
        now = budgets.get(_WORDS[name], Limit()).money
        title = name.title()
        sums = [(f"{title} ${dollars}", dollars, read_money(dollars)) for dollars in offered]
        row = [
            button
            for label, word, money in (*sums, (f"{title}: no budget", _OFF, None))
            for button in choice(label, "budget", name, word, now=money == now)
        ]
        rows.extend((tuple(row[:2]), tuple(row[2:])))
    return tuple(rows)
