"""The last words of a turn that collected a plan."""

from dataclasses import replace

from bot.domain.tools.tool import SubmitPlan
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import Progress
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import AskerBody, Body, ResultBody
from bot.flow.plans.turn_end import last_words
from tests.domain.logs import call, log, progress_of, reply, result

READY = Finish(StopReason.PLAN_READY, "the plan is whole")


def progress(*bodies: Body) -> Progress:
    return progress_of(log(AskerBody("Hi", "Ann"), *bodies))


def test_a_plan_is_told_by_its_text_or_by_its_card_alone() -> None:
    assert last_words(progress(reply("The plan.")), READY) == "The plan."
    handed_in = call("submit_plan")
    put = ResultBody(replace(result(handed_in), submits=SubmitPlan("A plan", "It does it.")))
    assert last_words(progress(reply("I hand it in.", handed_in), put), READY) == ""


def test_a_remark_stands_behind_the_text_of_a_plan() -> None:
    remarked = replace(READY, remark="It ends here.")
    assert last_words(progress(reply("The plan.")), remarked) == "The plan.\n\n(It ends here.)"
