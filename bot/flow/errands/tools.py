"""The tool that gives a task to a turn of its own."""

from typing import Annotated

from pydantic import Field

from bot.domain.assignments.errand import DELEGATE, errand_id
from bot.domain.talk.errors import ToolFailure
from bot.domain.tools.tool import Status, ToolOutput
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.errands import Errands
from bot.ports.tool import Place, Seen


class DelegateArguments(Arguments):
    task: Annotated[
        Text,
        Field(
            min_length=1,
            max_length=20_000,
            description="The whole task, with everything it needs to know and what to return.",
        ),
    ]
    tools: Annotated[
        list[Annotated[Text, Field(min_length=1, max_length=200)]] | None,
        Field(max_length=200, description="Names of the only tools it may use; default: yours."),
    ] = None
    skill: Annotated[
        Text | None, Field(min_length=1, max_length=200, description="A skill it begins with.")
    ] = None
    budget: Annotated[
        float | int | None,
        Field(
            gt=0,
            lt=1_000_000,
            description="US dollars: once its model calls cost so much, it ends.",
        ),
    ] = None
    model: Annotated[
        Text | None,
        Field(min_length=1, max_length=200, description="fast, balanced, deep, or a model."),
    ] = None


class Delegate(ArgumentsTool[DelegateArguments]):
    """Brings the answer of an errand; the loop runs it once the errand is done."""

    name = DELEGATE
    summary = "work on several tasks side by side"
    description = (
        "Give a task to a helper with a conversation of its own, and get its answer as the result. "
        "The helpers of one reply work side by side. A helper knows nothing of this conversation. "
        "Use it for large tasks that do not depend on each other."
    )
    takes = DelegateArguments

    def __init__(self, errands: Errands) -> None:
        self._errands = errands

    async def perform(self, arguments: DelegateArguments, place: Place, seen: Seen) -> ToolOutput:
        errand = await self._errands.get(errand_id(place.turn, place.call_id))
        if errand is None or errand.result is None:
            raise ToolFailure("the errand has no result")
        result = errand.result
        failed = result.status is not Status.SUCCESS
        return ToolOutput(
            result.text,
            untrusted=result.untrusted,
            lent=result.lent,
            files=result.files,
            failed=failed,
        )
