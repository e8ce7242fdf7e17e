"""Words about a turn for the people who read it in a chat."""

from collections.abc import Callable, Iterator

from bot.domain.clock.span import took
from bot.domain.money.money import Nano, told_sum
from bot.domain.text.markdown import inline_code, literal
from bot.domain.text.names import named
from bot.domain.text.visible_text import one_line
from bot.domain.tools.call_words import Conceal
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import (
    AskerBody,
    Body,
    CutBody,
    NoteBody,
    ReplyBody,
    SkillBody,
    SummaryBody,
)
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen
from bot.flow.commanding.wording import counted, sentence
from bot.flow.explaining.call_why import StoryReader, call_words
from bot.flow.explaining.helper_words import helper_lines, joined_words
from bot.flow.explaining.story import ToldRound, TurnStory

_MOST_ROUNDS = 10
_FIRST_ROUNDS = 3
_MOST_CALLS = 30
"""Calls on the page; the rounds that are told share them."""

_MOST_SOURCES = 5
_LONGEST_WISH = 120
_LONGEST_REASON = 160

_CAUSES = {
    "continuation": "a card that was decided later",
    "compaction": "the summary of this conversation",
    "plan": "the approved plan",
    "errand": "the task of a helper",
    "task": "a task of this chat",
    "hook": "a call from another program",
    "reflection": "the look back at a goal",
    "undo": "a change that was taken back",
}

ENDS = {
    StopReason.FINAL_ANSWER: "The model had nothing more to do: its last words are the answer.",
    StopReason.WAITING_FOR_USER: "It ended with a question.",
    StopReason.SET_ASIDE: "Something else was written while a card was open, so that came first.",
    StopReason.MAX_ROUNDS: "It had asked the model as often as one message may.",
    StopReason.DEADLINE: "The working time for one message was over.",
    StopReason.REPEAT_GUARD: "The same call brought the same result again and again.",
    StopReason.TOOL_FAILURE_POLICY: "The same error came too often.",
    StopReason.USER_CANCELLED: "Somebody stopped it.",
    StopReason.EXPIRED: "Nobody decided on a card in time.",
    StopReason.PLAN_READY: "The plan was ready, and its card asks what to do.",
    StopReason.PIPELINE_DEPTH: "One skill had handed over to the next as often as it may.",
    StopReason.BUDGET: "The money that was set for it was used up.",
    StopReason.REFUSAL: "The model refused.",
    StopReason.MODEL_FAILURE: "No model answered.",
    StopReason.INTERNAL_FAILURE: "A fault of the program stopped it.",
}
"""The ways in which turns end, each as a sentence for people."""

_BETWEEN = {
    "wrap_up": "it was told to answer with what it had",
    "nudge": "its reply was empty, so it was asked again",
    "rest": "it failed, and was tried again later",
    "unserved": "no model answered, so it waited and tried again",
}


@frozen
class StoryWords:
    """Spells a story in Markdown; whatever somebody else wrote is hidden or literal."""

    conceal: Conceal
    cost: Callable[[ReplyBody], Nano | None]

    def page(self, story: TurnStory, person: int) -> str:
        """Returns the answer to the `/why` of a person: bounded, however long the turn was."""
        reader = StoryReader(story.turn, person, self.conceal)
        blocks = [
            f"**Why this answer**\n{self._head(story)}",
            *self._seen(story, person),
            *_late(story, reader),
            *self._rounds(story, reader),
            *helper_lines(story, reader),
            _end(story),
        ]
        return "\n\n".join(blocks)

    def _seen(self, story: TurnStory, person: int) -> Iterator[str]:
        if story.rounds or story.turn.stop_reason is not StopReason.FINAL_ANSWER:
            lines = (f"- {line}" for line in self._sight(story, person))
            yield "\n".join(("**What the model saw**", *lines))

    def _head(self, story: TurnStory) -> str:
        wish = one_line(self.conceal(story.wish), _LONGEST_WISH)
        cause = f"“{literal(wish)}”" if wish else cause_of(story.turn)
        tokens = story.usage.prompt + story.usage.output
        return " · ".join(
            part
            for part in (
                f"To {cause}",
                f"{took(story.turn.worked_ms / 1000)} of work",
                counted(tokens, "token") if tokens else "",
                told_sum([self.cost(one.reply) for one in story.rounds]),
            )
            if part
        )

    def _sight(self, story: TurnStory, person: int) -> Iterator[str]:
        sight, turn = story.sight, story.turn
        who = "you" if person == turn.asker else named(turn.asker_name) or "the asker"
        before = counted(sight.earlier, "earlier message")
        summed = ", and a summary of what came before" if sight.summed else ""
        begun = "the message" if story.wish or turn.origin == "message" else "its task"
        yield f"{begun}, with {before} of this conversation{summed}"
        if sight.passages:
            yield f"{counted(sight.passages, 'passage')} from the memory"
        if sight.skill:
            yield f"the skill {inline_code(sight.skill)}"
        for source in sight.foreign[:_MOST_SOURCES]:
            told_as = literal(one_line(self.conceal(source), _LONGEST_REASON))
            yield f"something that {who} did not write: {told_as}"
        if (more := len(sight.foreign) - _MOST_SOURCES) > 0:
            yield f"{counted(more, 'more source')} that {who} did not write"

    def _rounds(self, story: TurnStory, reader: StoryReader) -> Iterator[str]:
        rounds, last = story.rounds, _MOST_ROUNDS - _FIRST_ROUNDS
        left_out = len(rounds) - _MOST_ROUNDS
        calls = _MOST_CALLS // max(1, min(len(rounds), _MOST_ROUNDS))
        for number, one in enumerate(rounds, 1):
            if left_out <= 0 or number <= _FIRST_ROUNDS or number > len(rounds) - last:
                facts, events = self._facts(number, one), _events(one, reader, calls)
                yield "\n".join((facts, *(f"- {event}" for event in events)))
            elif number == _FIRST_ROUNDS + 1:
                yield f"… {counted(left_out, 'step')} in between left out …"

    def _facts(self, number: int, one: ToldRound) -> str:
        usage = one.reply.usage
        cached = usage.cache_read * 100 // max(1, usage.prompt)
        share = f", {cached} % from the cache" if cached else ""
        read = f"{usage.prompt:,} tokens read{share}, {usage.output:,} written"
        facts = (took(one.seconds), read if usage.told else "", told_sum([self.cost(one.reply)]))
        model = inline_code(one.reply.provenance.requested_model)
        return f"**{number}.** {model} · {' · '.join(fact for fact in facts if fact)}"


def _events(one: ToldRound, reader: StoryReader, most: int) -> Iterator[str]:
    """Yields what came before the reply, and at most so many of its calls."""
    yield from (f"↳ {words}" for body in one.before if (words := between(body, reader)))
    yield from (
        f"{literal(one_line(reader.conceal(source), _LONGEST_REASON))}: the provider looked it up"
        for source in dict.fromkeys(part.untrusted for part in one.reply.looked_up)
        if source
    )
    yield from (call_words(call, reader) for call in one.calls[:most])
    if (more := len(one.calls) - most) > 0:
        yield f"… and {counted(more, 'more call')}"


def cause_of(turn: Turn) -> str:
    """Returns what began a turn that no message began."""
    if turn.origin == "continuation" and turn.approval is None:
        return "the result of a helper"
    return _CAUSES.get(turn.origin, "a message")


def _late(story: TurnStory, reader: StoryReader) -> Iterator[str]:
    if story.late:
        lines = (f"- {call_words(call, reader)}" for call in story.late)
        yield "\n".join(("**What was decided later**", *lines))


def between(body: Body, reader: StoryReader) -> str:
    """Returns what came between two rounds, in Markdown; empty for what people need not read."""
    match body:
        case AskerBody():
            return joined_words(body, reader)
        case SummaryBody():
            return "the earlier part was summed up, to make room"
        case CutBody(shrunk=shrunk) if shrunk:
            return "older results were shortened, to make room"
        case SkillBody(name=name) if name:
            return f"the skill {inline_code(name)} began"
        case NoteBody(purpose=purpose):
            return _BETWEEN.get(purpose, "")
        case _:
            return ""


def ending_of(story: TurnStory) -> str:
    """Returns a sentence about how a turn ended; empty while it has not."""
    stop = story.turn.stop_reason
    if stop is StopReason.FINAL_ANSWER and not story.rounds:
        return "No model was asked."
    return ENDS.get(stop, "") if stop else ""


def _end(story: TurnStory) -> str:
    words = ending_of(story)
    gone = "It was taken back later: the model does not see it any more."
    ends = ([sentence(words)] if words else []) + ([gone] if story.taken_back else [])
    return f"**How it ended:** {' '.join(ends)}" if ends else ""
