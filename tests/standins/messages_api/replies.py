"""Scripted replies: what the model says, how it ends, and how its delivery goes wrong."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tests.standins.messages_api.refusal import ERROR_TYPES, Refusal
from tests.standins.messages_api.wire import Json


class Gate:
    """Holds a reply until the test releases it, and tells the test that it is held.

    Arrival, release and abandonment are latched: a gate serves one moment of one reply.
    """

    def __init__(self) -> None:
        self._arrived = asyncio.Event()
        self._released = asyncio.Event()
        self._abandoned = asyncio.Event()

    async def arrived(self) -> None:
        """Wait until a reply stands at the gate."""
        await self._arrived.wait()

    async def abandoned(self) -> None:
        """Wait until the client has gone away from the gate."""
        await self._abandoned.wait()

    def release(self) -> None:
        """Let the reply go on."""
        self._released.set()

    async def hold(self) -> None:
        """Stand at the gate until it is released."""
        self._arrived.set()
        try:
            await self._released.wait()
        except asyncio.CancelledError:
            self._abandoned.set()
            raise


@dataclass(frozen=True, slots=True)
class Text:
    """A text block."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block; redacted, its text stays with the API."""

    text: str
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A tool_use block; `pieces` are the streamed parts of its argument text, legal JSON or not."""

    name: str
    pieces: tuple[str, ...]
    id: str | None = None

    @property
    def arguments(self) -> str:
        """The argument text as a whole."""
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class RawBlock:
    """A block of any type, streamed whole in its content_block_start."""

    block: Json


ReplyBlock = Text | Thinking | Call | RawBlock


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event."""

    name: str
    data: Json


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the scripted model; the methods return altered copies.

    Positions (`after`) count the reply's own events: message_start is 1. `None` is before the
    first byte of the HTTP answer.
    """

    blocks: tuple[ReplyBlock, ...] = ()
    stop_reason: str | None = None
    stop_sequence: str | None = None
    refusal_category: str | None = None
    pieces: int = 1
    pause: float = 0.0
    gates: tuple[tuple[int | None, Gate], ...] = ()
    inserted: tuple[tuple[int, Event], ...] = ()
    error: tuple[int, Event] | None = None
    drop: bool = False
    drop_after: int | None = None
    refusal: Refusal | None = None

    def __add__(self, other: "Reply") -> "Reply":
        """Join the blocks of two replies, of which only one may differ in anything else."""
        if self == Reply(self.blocks):
            return replace(other, blocks=self.blocks + other.blocks)
        if other == Reply(other.blocks):
            return replace(self, blocks=self.blocks + other.blocks)
        raise ValueError("only one of two joined replies can say how it is delivered")

    def stopping(
        self, reason: str, *, sequence: str | None = None, category: str | None = None
    ) -> "Reply":
        """End with this stop reason, whatever the blocks are."""
        return replace(self, stop_reason=reason, stop_sequence=sequence, refusal_category=category)

    def in_pieces(self, count: int, *, pause: float = 0.0) -> "Reply":
        """Stream each text in so many deltas, with a pause (seconds) before each event."""
        return replace(self, pieces=count, pause=pause)

    def held(self, gate: Gate, *, after: int | None = None) -> "Reply":
        """Wait at the gate before the first byte, or after so many events."""
        return replace(self, gates=(*self.gates, (after, gate)))

    def dropped(self, *, after: int | None = None) -> "Reply":
        """Reset the connection before the first byte, or after so many events."""
        return replace(self, drop=True, drop_after=after)

    def failing(
        self, *, after: int, kind: str = "overloaded_error", message: str = "Overloaded"
    ) -> "Reply":
        """Send an error event after so many events and end the stream."""
        body = {"type": "error", "error": {"type": kind, "message": message}}
        return replace(self, error=(after, Event("error", body)))

    def with_event(self, name: str, data: Mapping[str, object], *, after: int) -> "Reply":
        """Insert an event of any name after so many of the reply's own."""
        event = Event(name, {"type": name, **data})
        return replace(self, inserted=(*self.inserted, (after, event)))

    def with_ping(self, *, after: int = 1) -> "Reply":
        """Insert a ping after so many events."""
        return self.with_event("ping", {}, after=after)


def text(words: str) -> Reply:
    """Say something; blank and empty texts are sent as they are."""
    return Reply((Text(words),))


def thinking(words: str, *, redacted: bool = False) -> Reply:
    """Think; join it with what follows: `thinking("…") + text("…")`."""
    return Reply((Thinking(words, redacted),))


def tool(
    name: str,
    arguments: Mapping[str, object] | None = None,
    *,
    id: str | None = None,
    pieces: Sequence[str] | None = None,
) -> Call:
    """Describe a call: by its arguments, or by the raw pieces of their JSON text.

    With neither, no argument delta is sent, which means `{}`. Without an id, a fresh one is made.
    """
    if pieces is None:
        pieces = () if arguments is None else ("", json.dumps(arguments))
    return Call(name, tuple(pieces), id)


def calls(*called: Call) -> Reply:
    """Call tools, all in one reply."""
    return Reply(called)


def raw_block(block: Mapping[str, object]) -> Reply:
    """Answer with a block of any type, known or not."""
    return Reply((RawBlock(dict(block)),))


def search(query: str, *found: Mapping[str, str], id: str = "srvtoolu_1") -> Reply:
    """Let the API search by itself; each thing found needs at least a `url`."""
    called = {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": query}}
    hits = [
        {
            "type": "web_search_result",
            "title": "",
            "page_age": None,
            "encrypted_content": f"Eq+{number}/x==",
            **hit,
        }
        for number, hit in enumerate(found)
    ]
    result = {"type": "web_search_tool_result", "tool_use_id": id, "content": hits}
    return raw_block(called) + raw_block(result)


def empty() -> Reply:
    """Answer with no content at all."""
    return Reply()


def failure(status: int, message: str | None = None, *, retry_after: float | None = None) -> Reply:
    """Answer with an HTTP error in the API's envelope; `retry_after` is in seconds."""
    words = message or ERROR_TYPES.get(status, "error").replace("_", " ").capitalize()
    return Reply(refusal=Refusal(status, words, retry_after))


def dropped() -> Reply:
    """Reset the connection without a byte of answer."""
    return Reply().dropped()


def silence() -> Reply:
    """Never answer; the request is held until the client leaves or the server closes."""
    return Reply().held(Gate())
