"""Reads a request: the person's newest words, and what the demo has done about them."""

from collections.abc import Iterator, Sequence

from bot.adapters.demo_model.sketch import CallMade, Round
from bot.adapters.demo_model.sketches import QUESTION
from bot.domain.plans.plan import APPROVED_NOTE, COLLECTING_NOTE
from bot.domain.skills.skill_words import MARK
from bot.domain.turn.transcript import CallPart, TextPart
from bot.domain.turn.view import ModelRequest, ResultPart, ViewMessage
from bot.domain.value import frozen

_LATE = "[Late result]"
_NOW = "\n\n<now>"


@frozen
class Standpoint:
    """The place in the conversation that a request stands for."""

    said: str
    """The newest words, without what is true only now."""
    rounds: tuple[Round, ...]
    """The demo's replies since these words."""
    collecting: bool
    """True when a plan is being collected."""
    asked: bool
    """True when the words follow the demo's own question."""

    @property
    def late(self) -> bool:
        return self.said.startswith(_LATE)

    @property
    def plan(self) -> str:
        """Returns the note that tells the demo to carry out a plan; else nothing."""
        return self.said if self.said.startswith(APPROVED_NOTE) else ""


def standpoint_of(request: ModelRequest) -> Standpoint:
    """Finds the newest words, and what came after them."""
    messages = request.messages
    spoken = [n for n, message in enumerate(messages) if _said(message)]
    if len(spoken) > 1 and not request.calls_allowed and _results(messages[spoken[-1]]):
        # Words behind results, when nothing more may be called, are the program's own.
        spoken.pop()
    if not spoken:
        return Standpoint("", (), collecting=False, asked=False)
    at = spoken[-1]
    texts = _said(messages[at])
    collecting = any(text.startswith(COLLECTING_NOTE) for text in texts)
    said, rounds = texts[-1].partition(_NOW)[0], tuple(_rounds(messages, at))
    return Standpoint(said, rounds, collecting=collecting, asked=_asks(messages, at))


def _said(message: ViewMessage) -> list[str]:
    """Returns the texts of a message that are no instructions of a skill."""
    if message.role != "user":
        return []
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    return [text for text in texts if not text.startswith(MARK)]


def _results(message: ViewMessage) -> dict[str, ResultPart]:
    return {part.call_id: part for part in message.parts if isinstance(part, ResultPart)}


def _rounds(messages: Sequence[ViewMessage], start: int) -> Iterator[Round]:
    """Yields the calls of each reply behind the words, with their results."""
    for n in range(start + 1, len(messages)):
        if messages[n].role != "assistant":
            continue
        results = _results(messages[n + 1]) if n + 1 < len(messages) else {}
        calls = [part.call for part in messages[n].parts if isinstance(part, CallPart)]
        found = ((call, results[call.id]) for call in calls if call.id in results)
        yield tuple(
            CallMade(call.name, call.arguments_text, result.text, result.is_error)
            for call, result in found
        )


def _asks(messages: Sequence[ViewMessage], at: int) -> bool:
    """Returns true when the reply before the words holds the demo's question."""
    if at < 1 or messages[at - 1].role != "assistant":
        return False
    calls = [part.call for part in messages[at - 1].parts if isinstance(part, CallPart)]
    return any((call.arguments or {}).get("message") == QUESTION for call in calls)
