"""Which keys each content block takes, and of what type its values are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.standins.messages_api.wire import Json

_ID = re.compile(r"^[a-zA-Z0-9_-]+\Z")


@dataclass(frozen=True, slots=True)
class Shape:
    """The required keys (with the type each value has) and the optional keys of an object."""

    required: dict[str, type | tuple[type, ...]]
    optional: frozenset[str] = frozenset()

    def faults(self, value: Json, path: str) -> Iterator[str]:
        """Yield what is wrong with an object: its fields in order, then its unknown keys."""
        for key, expected in self.required.items():
            if key not in value:
                yield f"{path}.{key}: Field required"
            elif not isinstance(value[key], expected):
                yield f"{path}.{key}: Input should be {_expectation(expected)}"
        for key in value:
            if key not in self.required and key not in self.optional:
                yield f"{path}.{key}: Extra inputs are not permitted"


_MARKABLE = frozenset({"cache_control"})
BLOCK_SHAPES = {
    "text": Shape({"type": str, "text": str}, _MARKABLE | {"citations"}),
    "image": Shape({"type": str, "source": dict}, _MARKABLE | {"transformations"}),
    "document": Shape({"type": str, "source": dict}, _MARKABLE | {"citations", "context", "title"}),
    "thinking": Shape({"type": str, "thinking": str, "signature": str}),
    "redacted_thinking": Shape({"type": str, "data": str}),
    "tool_use": Shape(
        {"type": str, "id": str, "name": str, "input": dict},
        _MARKABLE | {"caller", "toolset_name"},
    ),
    "tool_result": Shape(
        {"type": str, "tool_use_id": str}, _MARKABLE | {"content", "is_error", "toolset_name"}
    ),
}
_ID_KEYS = {"tool_use": "id", "tool_result": "tool_use_id"}


def block_faults(block: Any, path: str) -> Iterator[str]:
    """Yield the schema faults of one content block of a known type."""
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        yield f"{path}.type: Field required"
        return
    kind: str = block["type"]
    if kind not in BLOCK_SHAPES:
        tags = ", ".join(f"'{name}'" for name in BLOCK_SHAPES)
        yield (
            f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected "
            f"tags: {tags}"
        )
        return
    yield from BLOCK_SHAPES[kind].faults(block, f"{path}.{kind}")
    key = _ID_KEYS.get(kind)
    if key and not _ID.match(block[key]):
        yield f"{path}.{kind}.{key}: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if kind == "tool_result":
        yield from _result_content_faults(block.get("content", ""), f"{path}.tool_result.content")


def _result_content_faults(content: Any, path: str) -> Iterator[str]:
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield f"{path}: Input should be a valid array"
        return
    for index, block in enumerate(content):
        if isinstance(block, dict) and block.get("type") in {"tool_use", "tool_result", "thinking"}:
            yield (
                f"{path}.{index}: Input tag '{block['type']}' found using 'type' does not match "
                "any of the expected tags: 'text', 'image', 'document'"
            )
        yield from block_faults(block, f"{path}.{index}")


def _expectation(expected: type | tuple[type, ...]) -> str:
    names = {str: "a valid string", dict: "an object", list: "a valid array"}
    return names[expected if isinstance(expected, type) else expected[0]]
