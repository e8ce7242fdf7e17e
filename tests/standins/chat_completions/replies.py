"""Scripted replies: what the model says, how it ends, and how its delivery goes wrong."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.standins.chat_completions.refusal import Refusal
from tests.standins.messages_api.replies import Gate

_STATUS_WORDS = {
    401: "Incorrect API key provided: sk-***. You can find your API key at the account page.",
    429: "Rate limit reached for requests",
    500: "The server had an error while processing your request. Sorry about that!",
    503: "The engine is currently overloaded, please try again later",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call; `pieces` are the streamed parts of its argument text, legal JSON or not."""

    name: str
    pieces: tuple[str, ...]
    id: str | None = None
    extra: tuple[tuple[str, Any], ...] = ()

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the scripted model; the methods return altered copies.

    Positions (`after`) count the events of the stream from 1. `None` is before the first byte.
    """

    words: str = ""
    reasoning: tuple[tuple[str, Any], ...] = ()
    called: tuple[Call, ...] = ()
    finishes: tuple[str, ...] = ()
    pieces: int = 1
    pause: float = 0.0
    thought: int = 0
    """Tokens of reasoning that nobody is shown."""
    usage: Mapping[str, Any] | None = None
    without_usage: bool = False
    without_end: bool = False
    gates: tuple[tuple[int | None, Gate], ...] = ()
    inserted: tuple[tuple[int, str], ...] = ()
    raw: tuple[str, ...] | None = None
    body: tuple[str, str] | None = None
    drop: bool = False
    drop_after: int | None = None
    refusal: Refusal | None = None

    def __add__(self, other: "Reply") -> "Reply":
        """Join reasoning, words and calls; the right one says how it is delivered."""
        return replace(
            other,
            words=self.words + other.words,
            reasoning=self.reasoning + other.reasoning,
            called=self.called + other.called,
        )

    def finishing(self, *reasons: str) -> "Reply":
        """End with this reason, or with several, each in an event of its own."""
        return replace(self, finishes=reasons)

    def in_pieces(self, count: int, *, pause: float = 0.0) -> "Reply":
        """Stream the words in so many deltas, with a pause (seconds) before each event."""
        return replace(self, pieces=count, pause=pause)

    def thought_for(self, tokens: int) -> "Reply":
        """Reason unseen for so many tokens, which a reasoning model takes from its output."""
        return replace(self, thought=tokens)

    def counting(self, **usage: Any) -> "Reply":
        """Tell this usage instead of the counted one."""
        return replace(self, usage=usage)

    def uncounted(self) -> "Reply":
        """Tell no usage, whatever was asked."""
        return replace(self, without_usage=True)

    def unfinished(self) -> "Reply":
        """End the stream without a finish reason and without its last event."""
        return replace(self, without_end=True)

    def held(self, gate: Gate, *, after: int | None = None) -> "Reply":
        """Wait at the gate before the first byte, or after so many events."""
        return replace(self, gates=(*self.gates, (after, gate)))

    def dropped(self, *, after: int | None = None) -> "Reply":
        """Reset the connection before the first byte, or after so many events."""
        return replace(self, drop=True, drop_after=after)

    def with_event(self, data: str | Mapping[str, Any], *, after: int) -> "Reply":
        """Insert an event after so many, as JSON or as it is."""
        text = data if isinstance(data, str) else json.dumps(data)
        return replace(self, inserted=(*self.inserted, (after, text)))


def text(words: str) -> Reply:
    """Say something."""
    return Reply(words)


def thinking(words: str, *, field: str = "reasoning_content") -> Reply:
    """Reason; join it with what follows: `thinking("…") + text("…")`."""
    return Reply(reasoning=((field, words),))


def tool(
    name: str,
    arguments: Mapping[str, object] | None = None,
    *,
    id: str | None = None,
    pieces: Sequence[str] | None = None,
    **extra: Any,
) -> Call:
    """Describe a call: by its arguments, or by the raw pieces of their JSON text.

    Without an id a fresh one is made; with an empty one the call has none.
    """
    if pieces is None:
        pieces = ("", json.dumps(arguments or {}))
    return Call(name, tuple(pieces), id, tuple(extra.items()))


def calls(*called: Call) -> Reply:
    """Call tools, all in one reply."""
    return Reply(called=called)


def empty() -> Reply:
    """Answer with no content at all."""
    return Reply()


def raw_events(*data: str) -> Reply:
    """Send exactly these events, and nothing that is not among them."""
    return Reply(raw=data)


def page(content_type: str, body: str) -> Reply:
    """Answer 200 with a body of any type."""
    return Reply(body=(content_type, body))


def failure(
    status: int,
    message: str | None = None,
    *,
    code: str | None = None,
    retry_after: float | None = None,
) -> Reply:
    """Answer with an HTTP error in the API's envelope; `retry_after` is in seconds."""
    words = message if message is not None else _STATUS_WORDS.get(status, "Bad request")
    return Reply(refusal=Refusal(status, words, None, code, retry_after))


def dropped() -> Reply:
    """Reset the connection without a byte of answer."""
    return Reply().dropped()


def silence() -> Reply:
    """Never answer; the request is held until the client leaves or the server closes."""
    return Reply().held(Gate())
