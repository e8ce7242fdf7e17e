"""The arguments of the tools about tasks."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from bot.adapters.tools.arguments_tool import Arguments, Text
from bot.domain.assignments.task import MOST_WHAT
from bot.domain.clock.when_words import LONGEST_WHEN


def _a_day(text: str) -> str:
    try:
        datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise PydanticCustomError("day", "is not a day, as in 2027-01-31") from None
    return text


Day = Annotated[str, AfterValidator(_a_day)]
When = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=LONGEST_WHEN,
        description="As in: in 20m; tomorrow 8:00; at 2027-01-05 09:00; every 2h; every weekday "
        "09:00; every month on the last day; cron 0 9 * * 1-5. In the person's time zone.",
    ),
]
What = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=MOST_WHAT,
        description="What each run shall do, whole: a run knows nothing else of this talk.",
    ),
]


def _a_call(call: dict[str, Any]) -> dict[str, Any]:
    whole = set(call) == {"tool", "arguments"} and isinstance(call["tool"], str)
    if not whole or not isinstance(call["arguments"], dict):
        raise PydanticCustomError("call", "must have a tool and its arguments, and nothing else")
    return call


_CALL_SCHEMA = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["tool", "arguments"],
}
Call = Annotated[dict[str, Any], AfterValidator(_a_call), WithJsonSchema(_CALL_SCHEMA)]


class Options(Arguments):
    """The options of a task beside its words and times."""

    conversation: Annotated[
        Literal["own", "chat"] | None,
        Field(description="own: each run starts afresh; chat: runs see the talk of the chat."),
    ] = None
    allowed: Annotated[
        Literal["ask", "readonly"] | None,
        Field(description="readonly: runs may change nothing; ask: changes ask by cards."),
    ] = None
    overlap: Annotated[
        Literal["skip", "queue", "replace"] | None,
        Field(description="If an earlier run is still at work."),
    ] = None
    calls: Annotated[
        list[Call] | None,
        Field(max_length=10, description="Exact calls that runs may make without a card."),
    ] = None
    calls_until: Annotated[
        Day | None, Field(description="The day on which their approval ends; for calls alone.")
    ] = None
    runs_a_day: Annotated[int | None, Field(ge=1, le=1_440)] = None
    rounds_a_day: Annotated[int | None, Field(ge=1, le=10_000)] = None
    dollars_a_day: Annotated[float | None, Field(gt=0, lt=1_000)] = None
    deliver: Annotated[
        Literal["here", "private"] | None,
        Field(description="private: answer in the person's private chat instead."),
    ] = None


class ScheduleArguments(Options):
    when: When
    what: What


class UpdateArguments(Options):
    task: Annotated[Text, Field(min_length=1, max_length=20, description="The id of a task.")]
    when: When | None = None
    what: What | None = None
    state: Literal["active", "paused"] | None = None


class CancelArguments(Arguments):
    task: Annotated[Text, Field(min_length=1, max_length=20, description="The id of a task.")]


class NoArguments(Arguments):
    pass


def brief(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a schema without descriptions: those of another tool count."""
    known = schema["properties"].items()
    short = {
        name: {key: value for key, value in field.items() if key != "description"}
        for name, field in known
    }
    return {**schema, "properties": short}
