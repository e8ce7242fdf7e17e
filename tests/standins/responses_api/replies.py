"""Scripted replies: the items of a response, how it ends, and how its delivery goes wrong."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.standins.chat_completions.refusal import Refusal
from tests.standins.messages_api.replies import Gate

_WORDS = {
    401: "Incorrect API key provided: sk-***. You can find your API key at the account page.",
    429: "Rate limit reached for requests",
    500: "The server had an error while processing your request. Sorry about that!",
}
_PIECE = 8
"""Characters of a delta."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One response of the scripted model; two of them are joined with `+`."""

    items: tuple[Mapping[str, Any], ...] = ()
    status: str = "completed"
    why: str = ""
    """The reason of an incomplete response, or the code of a failed one."""
    refusal: Refusal | None = None
    raw: tuple[str, ...] | None = None
    drop_after: int | None = None
    """Events after which the connection is reset."""
    gate: Gate | None = None
    """Holds the reply before its last event."""

    def __add__(self, other: "Reply") -> "Reply":
        return replace(other, items=self.items + other.items)

    def held(self, gate: Gate) -> "Reply":
        """Wait at the gate before the last event, when everything but the end is said."""
        return replace(self, gate=gate)

    def dropped(self, *, after: int) -> "Reply":
        """Reset the connection after so many events."""
        return replace(self, drop_after=after)


def says(words: str, *cited: str) -> Reply:
    """Say something, with citations of these addresses."""
    marks = [
        {"type": "url_citation", "url": url, "title": "A page", "start_index": 0, "end_index": 1}
        for url in cited
    ]
    part = {"type": "output_text", "text": words, "annotations": marks, "logprobs": []}
    return _item("message", "msg", role="assistant", content=[part])


def refusing(words: str) -> Reply:
    """Refuse in words."""
    part = {"type": "refusal", "refusal": words}
    return _item("message", "msg", role="assistant", content=[part])


def call(name: str, arguments: Mapping[str, object] | str, id: str = "call_1") -> Reply:
    """Call a function."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return _item("function_call", "fc", call_id=id, name=name, arguments=written)


def reasoning(sealed: str = "gAAAA-sealed") -> Reply:
    """Reason; only a request that asks for it gets what is sealed."""
    return _item("reasoning", "rs", summary=[], encrypted_content=sealed)


def look(*queries: str, sources: tuple[str, ...] = (), opened: str = "") -> Reply:
    """Search the web, or open a page of it."""
    action: dict[str, Any] = {"type": "open_page", "url": opened}
    if not opened:
        found = [{"type": "url", "url": url} for url in sources]
        action = {"type": "search", "query": queries[0], "queries": queries, "sources": found}
    return _item("web_search_call", "ws", action=action)


def cut(reply: Reply, why: str = "max_output_tokens") -> Reply:
    """Stop in the middle of the last item."""
    last = {**reply.items[-1], "status": "incomplete"}
    return replace(reply, items=(*reply.items[:-1], last), status="incomplete", why=why)


def failed(code: str) -> Reply:
    """Fail in the middle of the stream."""
    return Reply(status="failed", why=code)


def failure(status: int, message: str = "", *, code: str | None = None) -> Reply:
    """Answer with an HTTP error in the API's envelope."""
    return Reply(refusal=Refusal(status, message or _WORDS[status], None, code))


def raw_events(*data: str) -> Reply:
    """Send exactly these events."""
    return Reply(raw=data)


def pieces(words: str) -> list[str]:
    return [words[start : start + _PIECE] for start in range(0, len(words), _PIECE)]


def _item(kind: str, prefix: str, **fields: Any) -> Reply:
    # The id is made when it is sent; reasoning alone has no status.
    status = {} if kind == "reasoning" else {"status": "completed"}
    return Reply(({"type": kind, "id": prefix, **status, **fields},))
