"""The command that tells what calls have cost, as a table and as a chart."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from bot.domain.change import Show
from bot.domain.change.erasing import BILL
from bot.domain.clock.zones import Zones
from bot.domain.talk.message import Outbound, OutboundKind
from bot.domain.talk.person import AT_THE_MACHINE
from bot.domain.text.markdown import inline_code
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.commanding.wording import counted
from bot.flow.money.periods import Period, Span, period_of
from bot.flow.money.subjects import Subjects
from bot.flow.money.usage_words import cost_of, notes, rows_of, series_of, table, whole_of
from bot.ports.charts import Chart, Charts
from bot.ports.clock import Clock
from bot.ports.ledger import By, Ledger, Spender

_USAGE = f"[{'|'.join(Span)}] [{'|'.join(By)}]"


class UsageCommands:
    """Tells people of their own calls, owners of all calls, and groups of those of the group."""

    def __init__(
        self, ledger: Ledger, subjects: Subjects, zones: Zones, clock: Clock, charts: Charts | None
    ) -> None:
        self._ledger = ledger
        self._subjects = subjects
        self._zones = zones
        self._clock = clock
        self._charts = charts

    @property
    def table(self) -> Sequence[Command]:
        return (Command("usage", "tokens and money, with a chart", self.usage, _USAGE),)

    async def usage(self, asked: Invocation) -> Answer:
        span, by = Span.WEEK, By.MODEL
        for word in (word.lower() for word in asked.words):
            if word in set(Span):
                span = Span(word)
            elif word in set(By):
                by = By(word)
            else:
                told = f"I do not know {inline_code(word[:40])}."
                return Answer(f"{told} Usage: `/usage {_USAGE}`")
        period = period_of(span, self._clock.now(), self._zones.of(asked.person))
        return await self._told(asked, period, by)

    async def _told(self, asked: Invocation, period: Period, by: By) -> Answer:
        whose, where = _whose(asked)
        head = f"**{BILL}{where}, {period.name}**"
        bills = await self._ledger.bills(period.begins, by, whose)
        if not bills:
            return Answer(f"{head}\n\nNo model was called, so it cost nothing.")
        label = await self._subjects.named(by, {bill.of for bill in bills}, asked.person)
        rows = rows_of(bills, label)
        whole = whole_of(rows)
        since = f"{period.begins[0].astimezone(ZoneInfo(period.zone)):%d %b %H:%M}"
        sum = f"{cost_of(whole)} in {counted(whole.calls, 'call')} since {since} ({period.zone})."
        lines = [head, f"```\n{table(rows)}\n```", " ".join((sum, *notes(whole)))]
        money = whole.cost > 0
        series = series_of(rows, len(period.begins), money=money)
        chart = Chart(f"{BILL}{where}, by {by.value}", period.names, series, money)
        return Answer("\n\n".join(lines), await self._picture(asked, chart))

    async def _picture(self, asked: Invocation, chart: Chart) -> tuple[Show, ...]:
        """Returns the message with the picture; none in a terminal, and none that failed."""
        if self._charts is None or asked.chat.address.channel == AT_THE_MACHINE:
            return ()
        key = f"usage:{asked.row}"
        file = await self._charts.draw(key, chart)
        if file is None:
            return ()
        return (Show(key, asked.chat.id, Outbound(OutboundKind.NOTICE, (), files=(file,))),)


def _whose(asked: Invocation) -> tuple[Spender, str]:
    if not asked.chat.private:
        return Spender(chat=asked.chat.id), "this group"
    if asked.person.is_owner:
        return Spender(), "all chats"
    return Spender(person=asked.person.id), "your messages"
