"""The calls of a round as steps: run, asked about, refused, or given to a helper."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from bot.domain.clock.folded_time import Stretch
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.money.model import Usage
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line
from bot.domain.tools.tool import Code, ToolResult
from bot.flow.explaining.story import Helper, ToldCall
from bot.flow.inspection.steps import Step

_LONGEST = 120
_UNRUN = "Did not run"


def call_steps(
    calls: Sequence[ToldCall], at: datetime, helpers: Mapping[str, Helper], now: datetime
) -> Iterator[Step]:
    """Yields the steps of the calls of a reply that came at this time."""
    for told in calls:
        helper = helpers.get(told.call.id)
        if helper is not None:
            yield _helper(helper, now)
        elif told.card is not None:
            yield from _asked(told, told.card, now)
        else:
            yield _alone(told, at)


def title_of(told: ToldCall) -> str:
    """Returns what a call does, on one line; code in it ends where the line is cut, too."""
    card = told.card
    title = card.preview.title if card else told.call.subject
    line = one_line(title, _LONGEST)
    return f"{line}`" if line.count("`") % 2 and not title.count("`") % 2 else line


def _alone(told: ToldCall, at: datetime) -> Step:
    result, title = told.result, title_of(told)
    if result is None or (result.synthetic and result.code is not Code.OUTCOME_UNKNOWN):
        return Step("cross", 1, f"{title}: {_UNRUN.lower()}")
    outside = result.untrusted is not None
    return Step("doc", 1, title, _ran(told, result, at), "tool", outside=outside)


def _ran(told: ToldCall, result: ToolResult, at: datetime) -> Stretch | None:
    """Returns the time of a run: its end is stored, and its length or its beginning."""
    if told.ended is None:
        return None
    lasted = timedelta(milliseconds=result.duration_ms)
    return Stretch(max(told.began or at, told.ended - lasted), told.ended)


def _asked(told: ToldCall, card: Approval, now: datetime) -> Iterator[Step]:
    yield Step("lock", 1, f"Card: {title_of(told)}")
    shown, end = card.shown_at or card.created_at, card.decided_at or now
    who = plain_name(card.decider_name) if card.decider_name else "a person"
    name = f"Waits for {who}" if card.state is ApprovalState.OPEN else f"Waited for {who}"
    yield Step("person", 2, name, Stretch(shown, max(end, shown)), "person")
    result = told.result
    if result is None:
        return
    if result.synthetic and result.code is not Code.OUTCOME_UNKNOWN:
        yield Step("cross", 2, _UNRUN)
    else:
        ran = "Ran once" if result.code is not Code.OUTCOME_UNKNOWN else "Ran, its end is unknown"
        outside = result.untrusted is not None
        yield Step("check", 2, ran, _ran(told, result, end), "tool", outside=outside)


def _helper(helper: Helper, now: datetime) -> Step:
    errand = helper.errand
    time = Stretch(errand.created_at, max(errand.ended_at or now, errand.created_at))
    usage = sum((one.usage for one in helper.paid), Usage()) if helper.paid else None
    costs = [one.cost for one in helper.paid if one.cost is not None]
    result = errand.result
    outside = result is not None and result.untrusted is not None
    return Step(
        "fork",
        1,
        f"Helper: {one_line(errand.title, _LONGEST)}",
        time,
        "tool",
        usage,
        sum(costs) if costs else None,
        helper.estimated,
        outside=outside,
        turn=errand.id,
    )
