"""Rules for tool definitions and the tool choice."""

import re
from collections.abc import Iterator
from typing import Any

from tests.standins.messages_api.rules.shapes import Shape
from tests.standins.messages_api.wire import Json

_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}\Z")
_TOOL = Shape(
    {"name": str, "input_schema": dict},
    frozenset(
        {
            "type",
            "description",
            "cache_control",
            "strict",
            "input_examples",
            "defer_loading",
            "allowed_callers",
            "eager_input_streaming",
        }
    ),
)
_SEARCH = "web_search_20250305"
_SEARCH_TOOL = Shape(
    {"type": str, "name": str},
    frozenset({"max_uses", "allowed_domains", "blocked_domains", "user_location", "cache_control"}),
)
_CHOICES = {
    "auto": Shape({"type": str}, frozenset({"disable_parallel_tool_use"})),
    "any": Shape({"type": str}, frozenset({"disable_parallel_tool_use"})),
    "tool": Shape({"type": str, "name": str}, frozenset({"disable_parallel_tool_use"})),
    "none": Shape({"type": str}),
}


def tool_choice_faults(choice: Any) -> Iterator[str]:
    """Yield the schema faults of `tool_choice`."""
    kind = choice.get("type") if isinstance(choice, dict) else None
    if kind not in _CHOICES:
        yield (
            f"tool_choice: Input tag '{kind}' found using 'type' does not match any of the "
            "expected tags: 'auto', 'any', 'tool', 'none'"
        )
        return
    yield from _CHOICES[kind].faults(choice, f"tool_choice.{kind}")


def tool_faults(tools: Any) -> Iterator[str]:
    """Yield the schema faults of `tools`; of those the API runs itself, only the search's."""
    if not isinstance(tools, list):
        yield "tools: Input should be a valid array"
        return
    for index, tool in enumerate(tools):
        if not isinstance(tool, dict):
            yield f"tools.{index}: Input should be an object"
        if tool.get("type") in {None, "custom"}:
            yield from _custom_tool_faults(tool, f"tools.{index}.custom")
        if tool.get("type") == _SEARCH:
            yield from _search_faults(tool, f"tools.{index}.{_SEARCH}")


def _search_faults(tool: Json, path: str) -> Iterator[str]:
    yield from _SEARCH_TOOL.faults(tool, path)
    if tool["name"] != "web_search":
        yield f"{path}.name: Input should be 'web_search'"
    uses = tool.get("max_uses", 1)
    if not isinstance(uses, int) or uses < 1:
        yield f"{path}.max_uses: Input should be greater than 0"
    if tool.get("allowed_domains") and tool.get("blocked_domains"):
        yield f"{path}: Only one of allowed_domains or blocked_domains can be specified"


def _custom_tool_faults(tool: Json, path: str) -> Iterator[str]:
    yield from _TOOL.faults(tool, path)
    if not _NAME.match(tool["name"]):
        yield f"{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    schema: Json = tool["input_schema"]
    if "type" not in schema:
        yield f"{path}.input_schema.type: Field required"
    elif schema["type"] != "object":
        yield f"{path}.input_schema.type: Input should be 'object'"
    if schema.keys() & {"oneOf", "allOf", "anyOf"}:
        yield (
            f"{path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the "
            "top level"
        )


def tool_agreement_faults(body: Json) -> Iterator[str]:
    """Yield where tools, tool choice and thinking do not go together."""
    names = [tool["name"] for tool in body.get("tools") or []]
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."
    choice: Json | None = body.get("tool_choice")
    if choice is None:
        return
    if not names:
        yield "tool_choice may only be specified while providing tools."
    if choice["type"] == "tool" and choice["name"] not in names:
        yield f"Tool '{choice['name']}' not found in provided tools"
    thinks = (body.get("thinking") or {}).get("type") in {"enabled", "adaptive"}
    if thinks and choice["type"] in {"any", "tool"}:
        yield "Thinking may not be enabled when tool_choice forces tool use."
