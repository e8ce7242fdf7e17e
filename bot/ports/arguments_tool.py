"""A tool whose arguments are a pydantic model, which checks them and describes them to models."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, Generic, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from bot.domain.talk.errors import InvalidArguments
from bot.domain.tools.deeds import deed_of
from bot.domain.tools.house import HOUSE
from bot.domain.tools.tool import (
    Effect,
    ExactRule,
    Preview,
    Replay,
    ToolOutput,
    ToolSpec,
    canonical,
)
from bot.ports.tool import Place, Seen

MAX_TEXT = 1_000_000
"""Bytes of UTF-8 in one text argument."""


class Arguments(BaseModel):
    """The base of every argument list: refuses unknown names, and converts no wrong type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _plain_text(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("nul", "holds a NUL character")
    try:
        large = len(text) > MAX_TEXT or len(text.encode()) > MAX_TEXT
    except UnicodeEncodeError:
        raise PydanticCustomError("unicode", "is not valid Unicode") from None
    if large:
        raise PydanticCustomError("size", "is longer than 1 MB")
    return text


Text = Annotated[str, AfterValidator(_plain_text)]
"""A text without NUL and of at most MAX_TEXT bytes."""

A = TypeVar("A", bound=Arguments)


class ArgumentsTool(ABC, Generic[A]):
    """Turns the mapping that a model sent into arguments of type `A` before all other work."""

    name: ClassVar[str]
    """The name of its entry among the tools of the house."""
    summary: ClassVar[str]
    """Tells people what the tool does, in a few words."""
    description: str
    """Tells the model what the tool does, and when to use it."""
    takes: type[A]
    """The arguments."""
    effect: ClassVar[Effect] = Effect.READ
    replay: ClassVar[Replay] = Replay.SAFE

    @property
    def spec(self) -> ToolSpec:
        return self._spec

    @cached_property
    def _spec(self) -> ToolSpec:
        name, schema = HOUSE[self.name].name, schema_of(self.takes)
        spec = ToolSpec(name, self.description, schema, self.effect, self.replay)
        return self.completed(replace(spec, summary=self.summary))

    def completed(self, spec: ToolSpec) -> ToolSpec:
        """Returns the description of the tool with the properties that few tools have."""
        return spec

    def check(self, arguments: Mapping[str, Any]) -> None:
        self._read(arguments)

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        return await self.foresee(self._read(arguments), place, ExactRule(canonical(arguments)))

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: Seen) -> ToolOutput:
        return await self.perform(self._read(arguments), place, seen)

    async def foresee(self, arguments: A, place: Place, exact: ExactRule) -> Preview:
        """Returns the preview of a call; `exact` is the rule for exactly this call."""
        del exact
        deed = deed_of(self.name, arguments.model_dump(exclude_none=True))
        return Preview(deed, deed, self.spec.effect, reach=place.reach(self.spec.reach))

    @abstractmethod
    async def perform(self, arguments: A, place: Place, seen: Seen) -> ToolOutput:
        """Carries out the call; raises ToolFailure."""

    def _read(self, arguments: Mapping[str, Any]) -> A:
        try:
            return self.takes.model_validate(dict(arguments))
        except ValidationError as invalid:
            known = ", ".join(self.takes.model_fields) or "none"
            lines = [_fault(detail, known) for detail in invalid.errors(include_url=False)]
            raise InvalidArguments("\n".join(lines)) from None


def schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    """Returns the JSON schema of an argument list, flat and reduced to the needs of a model."""
    # The caller may change what it gets.
    return deepcopy(_schema_of(arguments))


@cache
def _schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    flat = {
        "type": "object",
        "properties": {name: _flat_property(value) for name, value in properties.items()},
        "additionalProperties": False,
    }
    return flat | ({"required": schema["required"]} if "required" in schema else {})


def _flat_property(schema: dict[str, Any]) -> dict[str, Any]:
    choices = cast("list[dict[str, Any]]", schema.pop("anyOf", []))
    merged = dict(schema)
    for choice in choices:
        if choice.get("type") != "null":
            merged |= choice
    merged.pop("title", None)
    if merged.get("default", ...) is None:
        del merged["default"]
    return merged


_WANTED = {
    "int_type": "an integer",
    "int_from_float": "an integer",
    "string_type": "a text",
    "bool_type": "true or false",
}


def _fault(detail: ErrorDetails, known: str) -> str:
    name = ".".join(str(part) for part in detail["loc"]) or "arguments"
    kind, value = detail["type"], detail.get("input")
    if kind == "missing":
        return f"{name}: is missing"
    if kind == "extra_forbidden":
        return f"{name}: is not an argument of this tool (it takes: {known})"
    if kind in ("too_short", "string_too_short"):
        return f"{name}: is empty"
    if kind in ("too_long", "string_too_long"):
        return f"{name}: is longer than {detail.get('ctx', {}).get('max_length')} characters"
    if kind in _WANTED:
        return f"{name}: must be {_WANTED[kind]}, not {_shape(value)}"
    message = detail["msg"]
    return f"{name}: {message[0].lower()}{message[1:]}"


def _shape(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {value:g}" if abs(value) < 1e15 else "a huge number"
        case str():
            return f"the text {value[:40]!r}"
        case list():
            return "a list"
        case _:
            return "an object"
