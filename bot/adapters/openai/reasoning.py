"""Gathers the reasoning of a reply in the fields it came in, to be sent back byte for byte."""

from collections.abc import Mapping
from typing import Any

_TEXTS = ("reasoning_content", "reasoning")
_DETAILS = "reasoning_details"
_OTHERS = ("extra_content",)
_GROWING = ("text", "summary")


class Reasoning:
    """Joins the pieces of a stream: texts end to end, details by their kind and index."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._details: list[dict[str, Any]] = []
        self._others: dict[str, Any] = {}

    def grow(self, delta: Mapping[str, Any]) -> None:
        for name in _TEXTS:
            piece = delta.get(name)
            if isinstance(piece, str) and piece:
                self._texts.setdefault(name, []).append(piece)
        for detail in delta.get(_DETAILS) or ():
            if isinstance(detail, Mapping):
                self._detail(dict(detail))
        for name in _OTHERS:
            if delta.get(name) is not None:
                self._others[name] = delta[name]

    def raw(self) -> dict[str, Any]:
        """Returns the fields of the whole reply; empty when the model showed no reasoning."""
        found: dict[str, Any] = {name: "".join(texts) for name, texts in self._texts.items()}
        if self._details:
            found[_DETAILS] = self._details
        return found | self._others

    def _detail(self, detail: dict[str, Any]) -> None:
        """Adds a detail, or a piece of the last one: the same kind and index, with more text."""
        last = self._details[-1] if self._details else None
        same = last is not None and detail.get("index") is not None
        if last is None or not same or _place(last) != _place(detail):
            self._details.append(detail)
            return
        for name, value in detail.items():
            if name in _GROWING and isinstance(value, str):
                last[name] = (last.get(name) or "") + value
            elif value is not None:
                last[name] = value


def _place(detail: Mapping[str, Any]) -> tuple[object, object]:
    return detail.get("type"), detail.get("index")
