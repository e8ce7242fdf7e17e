"""What the API refuses in the body of a request, in the words of the real services.

Faults of the schema come first, in the order of the fields, then what the conversation as a whole
has wrong. Rules yield lazily and only the first is read, so each may rely on those before it.
"""

import difflib
import re
from collections.abc import Iterator
from typing import Any

from tests.standins.chat_completions.limits import ModelLimits
from tests.standins.chat_completions.refusal import Refusal, bad
from tests.standins.messages_api.wire import Json, canonical, tokens

_ROLES = ("system", "assistant", "user", "function", "tool", "developer")
_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_LONGEST_ID = 40
_LONGEST_NAME = 64
_MOST = 128
_LONGEST_ARGUMENTS = 1_048_576
_KEYS = frozenset(
    {
        *("model", "messages", "stream", "stream_options", "tools", "tool_choice", "temperature"),
        *("max_tokens", "max_completion_tokens", "parallel_tool_calls", "stop", "top_p", "seed"),
        *("reasoning_effort", "response_format", "n", "user", "store", "metadata", "service_tier"),
        *("presence_penalty", "frequency_penalty", "logprobs", "prompt_cache_key", "verbosity"),
    }
)
_MESSAGE_KEYS = {
    "system": frozenset({"role", "content", "name"}),
    "developer": frozenset({"role", "content", "name"}),
    "user": frozenset({"role", "content", "name"}),
    "assistant": frozenset({"role", "content", "name", "tool_calls", "refusal", "audio"}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
    "function": frozenset({"role", "content", "name"}),
}
REASONING = frozenset({"reasoning", "reasoning_content", "reasoning_details", "extra_content"})
"""Fields of replies that servers send and OpenAI does not know."""

_CALL_KEYS = frozenset({"id", "type", "function"})


def first_refusal(body: Json, limits: ModelLimits, issued: "Issued") -> Refusal | None:
    """Return the first fault of a body, or None."""
    return next(_faults(body, limits, issued), None)


def spent_refusal(body: Json, limits: ModelLimits, thought: int) -> Refusal | None:
    """Return the refusal of a request whose whole output went into reasoning."""
    if not limits.reasoning or thought < _asked(body, limits.output):
        return None
    told = "Could not finish the message because max_tokens or model output limit was reached."
    return bad(f"{told} Please try again with higher max_tokens.")


def _asked(body: Json, otherwise: int) -> Any:
    return body.get("max_completion_tokens", body.get("max_tokens", otherwise))


class Issued:
    """The messages that were answered, for a server that wants its own fields back unchanged."""

    def __init__(self) -> None:
        self._by_call: dict[str, list[Json]] = {}
        self._by_words: dict[str, list[Json]] = {}

    def remember(self, message: Json) -> None:
        kept = {name: message[name] for name in REASONING & message.keys()}
        for call in message.get("tool_calls") or ():
            issued = {
                **kept,
                "extra": {k: v for k, v in call.items() if k not in _CALL_KEYS},
                "arguments": call["function"]["arguments"],
            }
            self._by_call.setdefault(call.get("id", ""), []).append(issued)
        if message.get("content"):
            self._by_words.setdefault(message["content"], []).append(kept)

    def alteration(self, message: Json) -> str | None:
        """Return the name of a field that differs from what was answered."""
        sent = {name: message[name] for name in REASONING & message.keys()}
        if not sent:
            return None
        calls = message.get("tool_calls") or ()
        known = [each for call in calls for each in self._by_call.get(call["id"], ())]
        # A call that we gave no id has come back with one that we do not know.
        nameless = self._by_call.get("", ()) if calls else ()
        said = self._by_words.get(message.get("content") or "", ())
        for kept in known or (*nameless, *said):
            if all(canonical(value) == canonical(kept.get(name)) for name, value in sent.items()):
                return None
        return sorted(sent)[0]

    def other_arguments(self, call: Json) -> bool:
        """Say whether the arguments of a call we made came back as another text."""
        known = self._by_call.get(call["id"], ())
        taken = {*(each["arguments"] for each in known), "{}"}
        return bool(known) and call["function"]["arguments"] not in taken


def _faults(body: Json, limits: ModelLimits, issued: Issued) -> Iterator[Refusal]:
    yield from _top_level(body, limits)
    yield from _tools(body)
    yield from _messages(body, limits, issued)
    yield from _conversation(body["messages"])
    yield from _window(body, limits)


def _top_level(body: Json, limits: ModelLimits) -> Iterator[Refusal]:
    yield from _unknown_keys(body)
    if not isinstance(body.get("messages"), list):
        told = "Missing required parameter: 'messages'."
        yield bad(told, "messages", "missing_required_parameter")
    if not body["messages"]:
        yield _empty_array("messages")
    if limits.reasoning:
        yield from _not_for_reasoning(body)
    asked = _asked(body, 1)
    if not isinstance(asked, int) or asked < 1 or asked > limits.output:
        told = f"max_tokens is too large: {asked}. This model supports at most {limits.output}"
        told += f" completion tokens, whereas you provided {asked}."
        yield bad(told, "max_tokens", "invalid_value")
    if body.get("stream_options") is not None and not body.get("stream"):
        told = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        yield bad(told, "stream_options")


def _unknown_keys(body: Json) -> Iterator[Refusal]:
    for key in body:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, sorted(_KEYS), 1)
            meant = f" Did you mean '{near[0]}'?" if near else ""
            yield bad(f"Unknown parameter: '{key}'.{meant}", key, "unknown_parameter")


def _not_for_reasoning(body: Json) -> Iterator[Refusal]:
    if "max_tokens" in body:
        told = "Unsupported parameter: 'max_tokens' is not supported with this model."
        told += " Use 'max_completion_tokens' instead."
        yield bad(told, "max_tokens", "unsupported_parameter")
    if body.get("temperature", 1) != 1:
        told = "Unsupported value: 'temperature' does not support that value with this model."
        told += " Only the default (1) value is supported."
        yield bad(told, "temperature", "unsupported_value")
    if "stop" in body:
        told = "Unsupported parameter: 'stop' is not supported with this model."
        yield bad(told, "stop", "unsupported_parameter")


def _tools(body: Json) -> Iterator[Refusal]:
    tools = body.get("tools")
    if tools is None:
        if body.get("tool_choice") is not None:
            told = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are"
            yield bad(f"{told} specified.", "tool_choice")
        return
    if not tools:
        yield _empty_array("tools")
    if len(tools) > _MOST:
        yield bad(_too_many("tools", len(tools)), "tools", "array_above_max_length")
    for place, tool in enumerate(tools):
        yield from _name(tool["function"].get("name"), f"tools[{place}].function.name")
        schema = tool["function"].get("parameters", {"type": "object"})
        if schema.get("type") != "object":
            name = tool["function"]["name"]
            told = f"Invalid schema for function '{name}': schema must be a JSON Schema of"
            kind = schema.get("type")
            told += f" 'type: \"object\"', got 'type: \"{kind}\"'."
            yield bad(told, f"tools[{place}].function.parameters", "invalid_function_parameters")
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        wanted = choice.get("function", {}).get("name")
        if wanted not in {tool["function"]["name"] for tool in tools}:
            told = (
                f"Invalid value for 'function_call': no function named '{wanted}' was specified in"
            )
            yield bad(f"{told} the 'functions' parameter.", "tool_choice")


def _name(name: Any, param: str) -> Iterator[Refusal]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        told = f"Invalid '{param}': string does not match pattern. Expected a string that matches"
        yield bad(f"{told} the pattern '^[a-zA-Z0-9_-]+$'.", param, "invalid_value")
    if len(name) > _LONGEST_NAME:
        yield _too_long(param, len(name), _LONGEST_NAME)


def _messages(body: Json, limits: ModelLimits, issued: Issued) -> Iterator[Refusal]:
    for place, message in enumerate(body["messages"]):
        at, role = f"messages[{place}]", message.get("role")
        if role not in _ROLES:
            known = ", ".join(f"'{each}'" for each in _ROLES[:-1])
            told = f"Invalid value: '{role}'. Supported values are: {known}, and 'developer'."
            yield bad(told, f"{at}.role", "invalid_value")
        taken = _MESSAGE_KEYS[role]
        if role == "assistant" and limits.keeps_reasoning:
            taken |= REASONING
            altered = issued.alteration(message)
            if altered:
                yield bad(f"Invalid '{at}.{altered}': it is not as it was answered.", at)
        for key in message.keys() - taken:
            yield bad(f"Unknown parameter: '{at}.{key}'.", f"{at}.{key}", "unknown_parameter")
        yield from _content(message, at, place)
        yield from _calls(message, at, limits, issued)
    yield from _unique_ids(body["messages"])


def _content(message: Json, at: str, place: int) -> Iterator[Refusal]:
    content: Any = message.get("content")
    if content is None:
        if message["role"] == "assistant" and (message.get("tool_calls") or message.get("refusal")):
            return
        told = "Invalid value for 'content': expected a string, got null."
        yield bad(told, f"messages.[{place}].content")
    if isinstance(content, str):
        return
    if not isinstance(content, list) or not content:
        told = f"Invalid type for '{at}.content': expected a string or an array."
        yield bad(told, f"{at}.content")
        return
    parts: list[Json] = content
    for number, part in enumerate(parts):
        kinds = ("text", "image_url") if message["role"] == "user" else ("text",)
        if part.get("type") not in kinds:
            told = f"Invalid value: '{part.get('type')}'. Supported values are: {kinds}."
            yield bad(told, f"{at}.content[{number}].type", "invalid_value")
        url = part["image_url"]["url"] if part["type"] == "image_url" else "data:"
        if not url.startswith(("data:", "http")):
            told = "Invalid image data. Expected a base64-encoded data URL with an image MIME type"
            yield bad(f"{told} (e.g. 'data:image/png;base64,aW1nIQ==').", at, "invalid_value")


def _calls(message: Json, at: str, limits: ModelLimits, issued: Issued) -> Iterator[Refusal]:
    calls: Any = message.get("tool_calls")
    if calls is None:
        return
    if not calls:
        yield _empty_array(f"{at}.tool_calls")
    if len(calls) > _MOST:
        yield bad(_too_many(f"{at}.tool_calls", len(calls)), f"{at}.tool_calls")
    for number, call in enumerate(calls):
        here = f"{at}.tool_calls[{number}]"
        if call.get("type") != "function":
            told = f"Missing required parameter: '{here}.type'."
            yield bad(told, f"{here}.type", "missing_required_parameter")
        taken = _CALL_KEYS | ({"extra_content"} if limits.keeps_reasoning else set())
        for key in call.keys() - taken:
            yield bad(f"Unknown parameter: '{here}.{key}'.", f"{here}.{key}", "unknown_parameter")
        yield from _call_id(call.get("id"), f"{here}.id")
        yield from _name(call["function"].get("name"), f"{here}.function.name")
        yield from _arguments(call, here, issued)


def _arguments(call: Json, here: str, issued: Issued) -> Iterator[Refusal]:
    arguments, param = call["function"].get("arguments"), f"{here}.function.arguments"
    if not isinstance(arguments, str):
        told = f"Invalid type for '{param}': expected a string, but got an object instead."
        yield bad(told, param, "invalid_type")
    if len(arguments) > _LONGEST_ARGUMENTS:
        yield _too_long(param, len(arguments), _LONGEST_ARGUMENTS)
    if issued.other_arguments(call):
        yield bad(f"Invalid '{param}': not as they were written.", here)


def _empty_array(param: str) -> Refusal:
    told = f"Invalid '{param}': empty array. Expected an array with minimum length 1, but got an"
    return bad(f"{told} empty array instead.", param, "empty_array")


def _call_id(call_id: Any, param: str) -> Iterator[Refusal]:
    if not isinstance(call_id, str) or not call_id:
        yield bad(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")
    if len(call_id) > _LONGEST_ID:
        yield _too_long(param, len(call_id), _LONGEST_ID)


def _unique_ids(messages: list[Json]) -> Iterator[Refusal]:
    seen: set[str] = set()
    for place, message in enumerate(messages):
        for call in message.get("tool_calls") or ():
            if call["id"] in seen:
                told = f"Duplicate value for 'tool_call_id' of {call['id']} in message[{place}]"
                yield bad(told, f"messages.[{place}].tool_calls")
            seen.add(call["id"])


def _conversation(messages: list[Json]) -> Iterator[Refusal]:
    """Each call is answered once, right after its message; no answer stands alone."""
    open_ids: list[str] = []
    asked: set[str] = set()
    end: Json = {"role": "end"}
    for place, message in enumerate([*messages, end]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in asked:
                told = "Invalid parameter: messages with role 'tool' must be a response to a"
                told += " preceeding message with 'tool_calls'."
                yield bad(told, f"messages.[{place}].role")
            if message["tool_call_id"] not in open_ids:
                told = f"Duplicate value for 'tool_call_id' of {message['tool_call_id']} in"
                yield bad(f"{told} message[{place}]", f"messages.[{place}].tool_call_id")
            open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            told = "An assistant message with 'tool_calls' must be followed by tool messages"
            told += " responding to each 'tool_call_id'. The following tool_call_ids did not have"
            told += f" response messages: {', '.join(open_ids)}"
            yield bad(told, f"messages.[{place}].role")
        open_ids = [call["id"] for call in message.get("tool_calls") or ()]
        asked = set(open_ids)


def _window(body: Json, limits: ModelLimits) -> Iterator[Refusal]:
    asked = tokens(len(canonical([body["messages"], body.get("tools")]).encode()))
    if asked > limits.window:
        told = f"This model's maximum context length is {limits.window} tokens. However, your"
        told += f" messages resulted in {asked} tokens. Please reduce the length of the messages."
        yield bad(told, "messages", "context_length_exceeded")


def _too_many(what: str, count: int) -> str:
    told = f"Invalid '{what}': array too long. Expected an array with maximum length {_MOST}, but"
    return f"{told} got an array with length {count} instead."


def _too_long(param: str, length: int, most: int) -> Refusal:
    told = f"Invalid '{param}': string too long. Expected a string with maximum length {most}, but"
    told += f" got a string with length {length} instead."
    return bad(told, param, "string_above_max_length")
