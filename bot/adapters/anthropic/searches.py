"""The web search that the Messages API runs itself: its blocks, and what they mean for us."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from bot.domain.turn.transcript import ForeignPart, TextPart
from bot.domain.turn.view import ViewMessage, ViewPart

SEARCH_TYPE = "web_search_20250305"

_CALL = "server_tool_use"
_RESULT = "_tool_result"
"""The end of the type of each block that holds what the API looked up."""

_SOURCE = "a web search by Claude"


def part(raw: Mapping[str, Any]) -> ForeignPart:
    """Returns a block as it is kept: what was found is foreign, and its addresses are readable."""
    content = raw.get("content")
    if not _is_result(raw) or (isinstance(content, Mapping) and "error_code" in content):
        return ForeignPart(raw)  # a search that failed tells a code, and nobody's words
    found = cast("list[object]", content) if isinstance(content, list) else []
    maps = [cast("Mapping[str, Any]", one) for one in found if isinstance(one, Mapping)]
    addresses = (str(one.get("url") or "") for one in maps)
    return ForeignPart(raw, _SOURCE, "\n".join(filter(None, addresses)))


def count(usage: Mapping[str, Any] | None) -> int | None:
    """Returns the number of searches that a usage tells; None when it tells none."""
    told = (usage or {}).get(_CALL)
    number = cast("Mapping[str, Any]", told).get("web_search_requests") if _is_map(told) else None
    return number if isinstance(number, int) else None


def is_call(block: Mapping[str, Any]) -> bool:
    return block.get("type") == _CALL


def answered(blocks: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Returns the ids of the searches whose results are among these blocks."""
    return frozenset(str(block.get("tool_use_id")) for block in blocks if _is_result(block))


def holds_any(message: ViewMessage) -> bool:
    return any(isinstance(one, ForeignPart) for one in message.parts)


def looked_up(message: ViewMessage, *, searches: bool, last: bool) -> ViewMessage:
    """Returns a message with searches as the API takes it.

    A search without its result is refused, but at the very end, where a paused reply goes on. A
    request that offers no search holds none of earlier ones, and no quotations of them.
    """
    raws = [one.raw for one in message.parts if isinstance(one, ForeignPart)]
    known = answered(raws)

    def kept(one: ViewPart) -> bool:
        if not isinstance(one, ForeignPart):
            return True
        of_a_search = is_call(one.raw) or _is_result(one.raw)
        if not searches:
            return not of_a_search
        return last or not is_call(one.raw) or one.raw.get("id") in known

    parts = tuple(filter(kept, message.parts))
    if not searches:
        parts = tuple(_unquoted(one) for one in parts)
    return message if parts == message.parts else replace(message, parts=parts)


def _unquoted(one: ViewPart) -> ViewPart:
    quoted = isinstance(one, TextPart) and one.raw is not None and one.raw.get("citations")
    return TextPart(one.text) if isinstance(one, TextPart) and quoted else one


def _is_result(block: Mapping[str, Any]) -> bool:
    kind = block.get("type")
    return isinstance(kind, str) and kind != "tool_result" and kind.endswith(_RESULT)


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping)
