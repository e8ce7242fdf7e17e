"""The words about budgets, for people."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.clock.span import span
from bot.domain.money.budget import Purse, Scope
from bot.domain.money.money import Nano, told
from bot.domain.text.markdown import inline_code

_WHICH = {
    Scope.DAY: "today's budget of {limit} for everybody",
    Scope.PERSON: "your budget of {limit} a day",
    Scope.TURN: "the budget of {limit} for one message",
}
_SET = {
    Scope.DAY: "/budget day <dollars>",
    Scope.PERSON: "/budget person <dollars>",
    Scope.TURN: "/budget message <dollars>",
}

NO_PRICE = "nobody told me what it costs, so no budget can be kept"
"""The reason, in half a sentence, why a call without a known price is not made."""


def which(purse: Purse) -> str:
    """Names a budget: `your budget of $2.00 a day`."""
    return _WHICH[purse.scope].format(limit=told(purse.limit))


def refusal(purse: Purse, least: Nano, now: datetime, *, owner: bool) -> str:
    """Returns why a call is not made, when the budget ends, and who can raise it."""
    gone = f"I stopped: {told(purse.spent)} of {which(purse)} is used."
    if purse.left:
        needed = f"The next step costs at least {told(least)}, and {told(purse.left)} is left."
        gone = f"{gone} {needed}"
    anew = "" if purse.until is None else f"This budget starts anew at {anew_at(purse, now)}."
    how = f"Raise it with {inline_code(_SET[purse.scope])}" if owner else "An owner can raise it"
    if purse.scope is Scope.TURN:
        return f"{gone} “Go on” spends as much again. {how}{_for_more(owner=owner)}."
    return f"{gone} {anew} {how}; then “Go on” continues."


def _for_more(*, owner: bool) -> str:
    return "" if owner else " with /budget"


def anew_at(purse: Purse, now: datetime) -> str:
    """Returns when a budget starts anew: `00:00 (Europe/Lisbon), in 5 h 3 min`."""
    until = purse.until or now
    left = span((until - now).total_seconds())
    return f"{until.astimezone(ZoneInfo(purse.zone)):%H:%M} ({purse.zone}), in {left}"


def unpriced(model: str, *, owner: bool) -> str:
    """Returns why a model without a known price is not called while there is a budget."""
    gone = f"I stopped: nobody told me what {inline_code(model)} costs, so I cannot keep a budget."
    if owner:
        table = inline_code(f'[models."{model}"]')
        cure = f"State its price in steward.toml, under {table}"
        return f"{gone} {cure}; 0 if it is free. Or choose another model with /model."
    return f"{gone} Choose another model with /model, or ask an owner to state its price."


def warning(purse: Purse, now: datetime) -> str:
    """Returns the notice that most of a budget is used."""
    share = purse.spent * 100 // purse.limit if purse.limit else 100
    gone = f"💰 {told(purse.spent)} of {which(purse)} is used: {share} %."
    if purse.until is None:
        return gone
    return f"{gone} It starts anew at {anew_at(purse, now)}. /budget shows more."
