"""The web search that OpenAI runs itself: its items, and what they mean for us."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.domain.turn.transcript import ForeignPart

SEARCH_CALL = "web_search_call"
REASONING = "reasoning"
_ITEMS = frozenset({SEARCH_CALL, REASONING})
_SOURCE = "a web search by OpenAI"


def is_item(raw: Mapping[str, Any]) -> bool:
    """Returns True for what only the Responses API takes back."""
    return raw.get("type") in _ITEMS


def part(item: Mapping[str, Any], cited: Iterable[str] = ()) -> ForeignPart:
    """Returns a look at the web as it is kept: foreign, with the addresses that it saw."""
    if item.get("status") == "failed":
        return ForeignPart(item)  # nothing came
    action = _action(item)
    listed = action.get("sources")
    sources: Sequence[Any] = listed if isinstance(listed, list) else ()
    found = (one.get("url") for one in sources if isinstance(one, Mapping))
    addresses = (action.get("url"), *found, *cited)
    told = dict.fromkeys(str(one) for one in addresses if one)
    return ForeignPart(item, _SOURCE, "\n".join(told))


def count(item: Mapping[str, Any]) -> int:
    """Returns how many searches an item is charged as: each of its queries counts.

    Opening a page and looking through it cost nothing but tokens.
    """
    action = _action(item)
    if item.get("type") != SEARCH_CALL or action.get("type") in ("open_page", "find_in_page"):
        return 0
    queries = action.get("queries")
    return max(1, len(queries)) if isinstance(queries, list) else 1


def _action(item: Mapping[str, Any]) -> Mapping[str, Any]:
    action = item.get("action")
    return action if isinstance(action, Mapping) else {}
