"""Words about the helpers of an answer: what each did, how long it took, and what it cost."""

from collections.abc import Iterator

from bot.domain.clock.span import took
from bot.domain.money.money import told_sum
from bot.domain.text.markdown import literal
from bot.domain.text.visible_text import one_line
from bot.domain.turn.transcript import AskerBody
from bot.flow.commanding.wording import counted
from bot.flow.explaining.call_why import StoryReader, call_words
from bot.flow.explaining.story import Helper, TurnStory

_MOST_HELPERS = 5
_MOST_CALLS = 4
_LONGEST = 120


def helper_lines(story: TurnStory, reader: StoryReader) -> Iterator[str]:
    """Yields one block about all helpers of an answer, bounded; nothing when it had none."""
    if not story.helpers:
        return
    lines = ["**What its helpers did**"]
    for helper in story.helpers[:_MOST_HELPERS]:
        lines.extend(_lines(helper, reader))
    if (more := len(story.helpers) - _MOST_HELPERS) > 0:
        lines.append(f"- … and {counted(more, 'more helper')}")
    yield "\n".join(lines)


def _lines(helper: Helper, reader: StoryReader) -> Iterator[str]:
    title = literal(one_line(reader.conceal(helper.errand.title), _LONGEST))
    story = helper.story
    if story is None:
        yield f"- “{title}”"
        return
    calls = [call for one in story.rounds for call in one.calls]
    facts = (
        counted(len(story.rounds), "step"),
        counted(len(calls), "call"),
        f"{took(story.turn.worked_ms / 1000)} of work",
        told_sum([one.cost for one in helper.paid], estimated=helper.estimated),
    )
    yield f"- “{title}”: {', '.join(fact for fact in facts if fact)}"
    yield from (f"  - {call_words(call, reader)}" for call in calls[:_MOST_CALLS])
    if (more := len(calls) - _MOST_CALLS) > 0:
        yield f"  - … and {counted(more, 'more call')}"


def joined_words(message: AskerBody, reader: StoryReader) -> str:
    """Returns the words about a message that joined the running work."""
    wish = literal(one_line(reader.conceal(message.purpose), _LONGEST))
    return f"a message joined: “{wish}”" if wish else "a message joined"
