"""The command that takes an opinion about the last answer, and shows owners the counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from bot.domain.talk.feedback import Feedback, Opinion
from bot.domain.talk.person import AT_THE_MACHINE
from bot.domain.text.markdown import inline_code
from bot.flow.commanding.choices import choice, no_choice
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.commanding.wording import NO_ANSWER
from bot.flow.log.opinions import Opinions
from bot.ports.feedback import FeedbackRows

SHOWN = {Opinion.GOOD: "👍", Opinion.BAD: "👎"}
_NEWEST = 5_000
_MOST_LINES = 12
_HOW = "`/feedback good` or `/feedback bad` tells what you think of my last answer"
_THUMBS = ", as 👍 or 👎 on an answer does"
_EXPORT = "On the machine where I run, `steward feedback --json` prints every opinion."


class FeedbackCommands:
    def __init__(self, rows: FeedbackRows, opinions: Opinions) -> None:
        self._rows = rows
        self._opinions = opinions

    @property
    def table(self) -> Sequence[Command]:
        summary = "rate my last answer; `/feedback` alone shows owners how many were good or bad"
        usage = "[good|bad]"
        return (Command("feedback", summary, self.feedback, usage, chosen=True),)

    async def feedback(self, asked: Invocation) -> Answer:
        word = asked.words[0].lower() if asked.words else ""
        if word in set(Opinion):
            return await self._given(asked, Opinion(word))
        buttons = (tuple(choice(SHOWN[o], "feedback", o, now=False)[0] for o in Opinion),)
        typed = asked.message.address.channel == AT_THE_MACHINE
        how = f"{no_choice(asked.words)}{_HOW}{'' if typed else _THUMBS}."
        if not asked.person.is_owner:
            return Answer(how, buttons=buttons)
        newest = await self._rows.newest(_NEWEST)
        export = f"\n\n{_EXPORT}" if newest else ""
        return Answer(f"{how}\n\n{counts_of(newest)}{export}", buttons=buttons)

    async def _given(self, asked: Invocation, verdict: Opinion) -> Answer:
        turn = await self._rows.newest_answer(asked.chat.id)
        write = None if turn is None else await self._opinions.given(turn, asked.person, verdict)
        if write is None:
            return Answer(NO_ANSWER)
        return Answer(f"{SHOWN[verdict]} Noted for my last answer.", (write,))


def counts_of(rows: Sequence[Feedback]) -> str:
    """Returns the counts by model and by week, in Markdown."""
    if not rows:
        return "Nobody has given feedback yet."
    by_model = [(", ".join(one.models) or "no model", one.verdict) for one in rows]
    by_week = [(f"{_monday(one.at):%Y-%m-%d}", one.verdict) for one in rows]
    models = [f"- {inline_code(name)}: {told}" for name, told in _counted(by_model)]
    weeks = [f"- {name}: {told}" for name, told in sorted(_counted(by_week), reverse=True)]
    more = f"Of the newest {_NEWEST:,} opinions.\n\n" if len(rows) >= _NEWEST else ""
    listed = "\n".join(("**By model**", *models[:_MOST_LINES]))
    return f"{more}{listed}\n\n" + "\n".join(("**By week from**", *weeks[:_MOST_LINES]))


def _counted(told: Iterable[tuple[str, Opinion]]) -> list[tuple[str, str]]:
    """Returns each name with its counts, the one with the most opinions first."""
    counts = Counter(told)
    total: Counter[str] = Counter()
    for (name, _), count in counts.items():
        total[name] += count
    return [
        (name, " · ".join(f"{SHOWN[o]} {counts[name, o]:,}" for o in Opinion))
        for name, _ in total.most_common()
    ]


def _monday(at: datetime) -> datetime:
    return at - timedelta(days=at.weekday())
