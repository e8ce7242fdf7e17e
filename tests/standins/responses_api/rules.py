"""What the Responses API refuses, with its words as public reports quote them.

Pairs of calls and outputs, ids that were never stored, reasoning that nothing follows, what is
sealed for models that do not reason, names, unknown parameters. The forms of items and parameters
are those of the SDK's `types/responses`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from tests.standins.chat_completions.refusal import Refusal, bad
from tests.standins.messages_api.wire import Json, canonical

SEALED = "reasoning.encrypted_content"
SOURCES = "web_search_call.action.sources"
_REASONING = {"gpt-5.1": True, "gpt-4.1": False}
"""The models, and whether they reason."""

_KEYS = {
    *("model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls"),
    *("max_output_tokens", "max_tool_calls", "include", "store", "stream", "reasoning"),
    *("text", "truncation", "temperature", "top_p", "metadata", "user"),
}
_ITEM_KEYS = {
    "message": {"type", "id", "role", "content", "status"},
    "function_call": {"type", "id", "call_id", "name", "arguments", "status"},
    "function_call_output": {"type", "id", "call_id", "output", "status"},
    "reasoning": {"type", "id", "summary", "encrypted_content", "content", "status"},
    "web_search_call": {"type", "id", "action", "status"},
}
_CONTENT = {
    "user": ("input_text", "input_image", "input_file"),
    "assistant": ("output_text", "refusal"),
    "system": ("input_text",),
    "developer": ("input_text",),
}
_LEAST_OUTPUT = 16
_LONGEST_CALL_ID = 64


class Issued:
    """The sealed reasoning that was given out; anything else cannot be opened."""

    def __init__(self) -> None:
        self._sealed: set[str] = set()

    def remember(self, output: Iterable[Json]) -> None:
        self._sealed |= {i["encrypted_content"] for i in output if i.get("encrypted_content")}

    def opens(self, item: Json) -> bool:
        return item["encrypted_content"] in self._sealed


def first_refusal(body: Json, issued: Issued) -> Refusal | None:
    return next(_faults(body, issued), None)


def _faults(body: Json, issued: Issued) -> Iterator[Refusal]:
    yield from _top_level(body)
    yield from _tools(body)
    for place, item in enumerate(body["input"]):
        yield from _item(item, f"input[{place}]", issued, stored=body.get("store", True))
    yield from _pairs(body["input"])


def _top_level(body: Json) -> Iterator[Refusal]:
    for key in set(body) - _KEYS:
        yield bad(f"Unknown parameter: '{key}'.", key, "unknown_parameter")
    if body.get("model") not in _REASONING:
        told = f"The requested model '{body.get('model')}' does not exist."
        yield Refusal(400, told, "model", "model_not_found")
    if not body.get("input"):
        told = 'One of "input" or "previous_response_id" or \'prompt\' must be provided.'
        yield bad(told, "input", "missing_required_parameter")
    most = body.get("max_output_tokens", _LEAST_OUTPUT)
    if most < _LEAST_OUTPUT:
        told = "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16,"
        yield bad(f"{told} but got {most} instead.", "max_output_tokens")
    for wanted in body.get("include") or ():
        if wanted not in (SEALED, SOURCES):
            yield bad(f"Invalid value: '{wanted}'.", "include", "invalid_value")
    if SEALED in (body.get("include") or ()) and not _REASONING[body["model"]]:
        yield bad("Encrypted content is not supported with this model.", "include")


def _tools(body: Json) -> Iterator[Refusal]:
    names: list[str] = []
    tools: list[Json] = body.get("tools") or []
    for place, tool in enumerate(tools):
        at = f"tools[{place}]"
        if tool.get("type") == "web_search":
            for key in set(tool) - {"type", "filters", "user_location", "search_context_size"}:
                yield bad(f"Unknown parameter: '{at}.{key}'.", f"{at}.{key}", "unknown_parameter")
            continue
        if tool.get("type") != "function":
            yield bad(f"Invalid value: '{tool.get('type')}'.", f"{at}.type", "invalid_value")
        if "name" not in tool:
            told = f"Missing required parameter: '{at}.name'."
            yield bad(told, f"{at}.name", "missing_required_parameter")
        for key in set(tool) - {"type", "name", "description", "parameters", "strict"}:
            yield bad(f"Unknown parameter: '{at}.{key}'.", f"{at}.{key}", "unknown_parameter")
        if tool.get("strict", True):
            # Left out, it counts as true, and then every property must be required.
            told = f"Invalid schema for function '{tool['name']}': 'required' is required to be"
            yield bad(f"{told} supplied and to be an array", f"{at}.parameters")
        if tool["name"] in names:
            yield bad(f"Duplicate tool name: '{tool['name']}'.", at)
        names.append(tool["name"])
    if not body.get("tools") and body.get("tool_choice") not in (None, "none", "auto"):
        yield bad("Tool choice must be none without tools.", "tool_choice")


def _item(item: Json, at: str, issued: Issued, *, stored: bool) -> Iterator[Refusal]:
    kind = item.get("type", "message")
    if kind not in _ITEM_KEYS:
        yield bad(f"Invalid value: '{kind}'.", f"{at}.type", "invalid_value")
    for key in set(item) - _ITEM_KEYS[kind]:
        yield bad(f"Unknown parameter: '{at}.{key}'.", f"{at}.{key}", "unknown_parameter")
    if "id" in item and not stored:
        told = f"Item with id '{item['id']}' not found. Items are not persisted when `store` is"
        yield Refusal(404, f"{told} set to false. Try again with `store` set to true.", "input")
    if kind == "message":
        yield from _content(item, at)
    if kind in ("function_call", "function_call_output"):
        yield from _call_id(item.get("call_id"), f"{at}.call_id")
        field = "arguments" if kind == "function_call" else "output"
        if not isinstance(item.get(field), str):
            yield bad(f"Invalid type for '{at}.{field}'.", f"{at}.{field}", "invalid_type")
    if kind == "reasoning":
        if "summary" not in item:
            told = f"Missing required parameter: '{at}.summary'."
            yield bad(told, f"{at}.summary", "missing_required_parameter")
        if not item.get("encrypted_content") or not issued.opens(item):
            told = "The encrypted content could not be verified. Reason: Encrypted content could"
            yield bad(f"{told} not be decrypted or parsed.", None, "invalid_encrypted_content")


def _content(item: Json, at: str) -> Iterator[Refusal]:
    role: Any = item.get("role")
    if role not in _CONTENT:
        yield bad(f"Invalid value: '{role}'.", f"{at}.role", "invalid_value")
    if not item.get("content"):
        told = f"Missing required parameter: '{at}.content'."
        yield bad(told, f"{at}.content", "missing_required_parameter")
    for place, part in enumerate(item["content"]):
        if part.get("type") not in _CONTENT[role]:
            told = f"Invalid value: '{part.get('type')}'. Supported values are: {_CONTENT[role]}."
            yield bad(told, f"{at}.content[{place}].type", "invalid_value")


def _call_id(id: Any, param: str) -> Iterator[Refusal]:
    if not isinstance(id, str) or not id:
        yield bad(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")
    if len(id) > _LONGEST_CALL_ID:
        told = f"Invalid '{param}': string too long. Expected a string with maximum length 64, but"
        yield bad(f"{told} got a string with length {len(id)} instead.", param)


def _pairs(items: list[Json]) -> Iterator[Refusal]:
    called = [i["call_id"] for i in items if i.get("type") == "function_call"]
    answered = [i["call_id"] for i in items if i.get("type") == "function_call_output"]
    for id in called:
        if id not in answered:
            yield bad(f"No tool output found for function call {id}.", "input")
        if called.count(id) > 1:
            yield bad(f"Duplicate item found with call_id {id}.", "input")
    for id in answered:
        if id not in called:
            told = f"No tool call found for function call output with call_id {id}."
            yield bad(told, "input")
    for item, following in zip(items, [*items[1:], {}], strict=True):
        said = following.get("role") == "assistant" or following.get("type") in (
            "function_call",
            "web_search_call",
            "reasoning",
        )
        if item.get("type") == "reasoning" and not said:
            told = "Item of type 'reasoning' was provided without its required following item:"
            yield bad(f"{told} {canonical(item)[:40]}", "input")
