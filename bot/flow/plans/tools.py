"""The tool that hands in a plan."""

from typing import Annotated

from pydantic import Field

from bot.domain.tools.house import SUBMIT_PLAN
from bot.domain.tools.tool import SubmitPlan, ToolOutput
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.tool import Place, Seen


class SubmitPlanArguments(Arguments):
    title: Annotated[Text, Field(min_length=1, max_length=100, description="A few words.")]
    summary: Annotated[
        Text, Field(max_length=2_000, description="What the steps achieve, in a sentence or two.")
    ]


class SubmitPlanTool(ArgumentsTool[SubmitPlanArguments]):
    """Ends the collecting of a plan, which is then shown to the person."""

    name = SUBMIT_PLAN
    summary = "show you a plan"
    description = (
        "In plan mode only: hand in the plan once every step of it is recorded. It is shown to the "
        "person, who approves, changes or cancels it; your turn ends."
    )
    takes = SubmitPlanArguments

    async def perform(self, arguments: SubmitPlanArguments, place: Place, seen: Seen) -> ToolOutput:
        handed_in = SubmitPlan(arguments.title.strip(), arguments.summary.strip())
        return ToolOutput("The plan is shown to the person.", after=handed_in)
