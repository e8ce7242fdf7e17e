"""Writes values of the domain as JSON text and reads them back."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from bot.adapters.sql.faults import UNREADABLE
from bot.domain.assignments.errand import ErrandResult
from bot.domain.assignments.task import ApprovedCall, TaskLimits
from bot.domain.clock.when import Rule
from bot.domain.talk.chat import InUse
from bot.domain.talk.errors import StoreDamaged
from bot.domain.talk.message import Outbound, Piece
from bot.domain.talk.rights import Pace, Rights
from bot.domain.text.storable import storable
from bot.domain.tools.tool import Preview, RulePattern, Surroundings, ToolCall
from bot.domain.turn.mandate import Mandate
from bot.domain.turn.transcript import Body

T = TypeVar("T")


class Codec(Generic[T]):
    """Writes and reads values of one shape.

    Its rules are built at import: every start needs them, and the first message would wait.
    """

    def __init__(self, shape: Any) -> None:
        self._adapter: TypeAdapter[T] = TypeAdapter(shape)

    def dump(self, value: T) -> str:
        try:
            return self._adapter.dump_json(value).decode()
        except PydanticSerializationError:
            return self._mended(value)

    def load(self, text: str) -> T:
        """Reads a value; raises StoreDamaged for what is no JSON, since none was ever stored."""
        try:
            return self._adapter.validate_json(text)
        except ValidationError as fault:
            if fault.errors(include_input=False)[0]["type"] != "json_invalid":
                raise
        raise StoreDamaged(UNREADABLE)

    def _mended(self, value: T) -> str:
        """Replaces lone surrogates, which no database accepts, by U+FFFD."""
        spelled = json.dumps(self._adapter.dump_python(value), ensure_ascii=False)
        return storable(spelled)


BODY: Codec[Body] = Codec(Annotated[Body, Field(discriminator="kind")])
CALL: Codec[ToolCall] = Codec(ToolCall)
PREVIEW: Codec[Preview] = Codec(Preview)
RIGHTS: Codec[Rights] = Codec(Rights)
PACE: Codec[Pace] = Codec(Pace)
PATTERN: Codec[RulePattern] = Codec(Annotated[RulePattern, Field(discriminator="kind")])
SURROUNDINGS: Codec[Surroundings] = Codec(Surroundings)
IN_USE: Codec[InUse] = Codec(InUse)
ERRAND_RESULT: Codec[ErrandResult] = Codec(ErrandResult)
OUTBOUND: Codec[Outbound] = Codec(Outbound)
PIECES: Codec[tuple[Piece, ...]] = Codec(tuple[Piece, ...])
MANDATE: Codec[Mandate] = Codec(Mandate)
RULE: Codec[Rule] = Codec(Annotated[Rule, Field(discriminator="kind")])
APPROVED_CALLS: Codec[tuple[ApprovedCall, ...]] = Codec(tuple[ApprovedCall, ...])
TASK_LIMITS: Codec[TaskLimits] = Codec(TaskLimits)
NUMBERS: Codec[tuple[int, ...]] = Codec(tuple[int, ...])
WORDS: Codec[tuple[str, ...]] = Codec(tuple[str, ...])
DETAILS: Codec[Mapping[str, Any]] = Codec(Mapping[str, Any])
