"""Request bodies to try the stand-in with."""

from tests.standins.messages_api.wire import Json

SONNET = "claude-sonnet-5-5"
OLDER = "claude-sonnet-4-5"
TOOL = {"name": "look", "description": "Look.", "input_schema": {"type": "object"}}
MARK = {"cache_control": {"type": "ephemeral"}}
ADAPTIVE = {"type": "adaptive"}
PREFILL = (
    "This model does not support assistant message prefill. The conversation must end with a "
    "user message."
)


def user(content: str | list[Json]) -> Json:
    """A message of the user."""
    return {"role": "user", "content": content}


def assistant(content: str | list[Json]) -> Json:
    """A message of the assistant."""
    return {"role": "assistant", "content": content}


def use(call_id: str = "toolu_1", **changes: object) -> Json:
    """A tool_use block."""
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {}, **changes}


def result(call_id: str = "toolu_1", content: str | list[Json] = "seen") -> Json:
    """A tool_result block."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def words(said: str, **changes: object) -> Json:
    """A text block."""
    return {"type": "text", "text": said, **changes}


def request(*messages: Json, **changes: object) -> Json:
    """A request of these messages, or of a greeting."""
    return {
        "model": SONNET,
        "max_tokens": 1000,
        "messages": list(messages) or [user("Hello")],
        **changes,
    }


def loop(*messages: Json, **changes: object) -> Json:
    """A request that offers the tool."""
    return request(*messages, tools=[TOOL], **changes)


def without(body: Json, key: str) -> Json:
    """The body without one of its fields."""
    return {name: value for name, value in body.items() if name != key}


TURN = (user("Look"), assistant([use()]), user([result()]))
