"""The last word of a turn is never empty, and never says more or less than happened."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.money.model import FinishReason
from bot.domain.money.trouble import ModelTrouble, Trouble
from bot.domain.talk.message import FileRef
from bot.domain.tools.tool import Code, Status
from bot.domain.turn.outcome import Outcome, StopReason
from bot.domain.turn.progress import HINT, Progress
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import AskerBody, Body, Entry, IntentBody, ResultBody
from bot.flow.turn.outcome_words import note_of, outcome_of
from tests.domain.logs import call, log, logs, progress_of, reply, result
from tests.words import NO_TOOL_RAN, PERHAPS_DONE, TRY_AGAIN

ASKED = AskerBody("Hi", "Ann")
RAN = call("run_command", command="make")
OWN_WORDS = (
    StopReason.FINAL_ANSWER,
    StopReason.WAITING_FOR_USER,
    StopReason.PIPELINE_DEPTH,
    StopReason.PLAN_READY,
)


def ended(reason: StopReason, *bodies: Body, why: str = "so it was", cut: bool = False) -> Outcome:
    return outcome_of(progress(*bodies), Finish(reason, why), cut=cut)


def progress(*bodies: Body) -> Progress:
    return progress_of(log(ASKED, *bodies))


@given(logs(), st.sampled_from(StopReason), st.text(), st.booleans())
def test_every_ending_has_a_text(
    entries: list[Entry], reason: StopReason, why: str, cut: bool
) -> None:
    so_far = progress_of(entries)
    answered = so_far.reply is not None and so_far.reply.text
    # A plan may speak by its card alone.
    if reason not in (StopReason.FINAL_ANSWER, StopReason.PLAN_READY) or answered:
        told = outcome_of(so_far, Finish(reason, why), cut=cut).text.strip()
        assert told or reason is StopReason.PLAN_READY


def test_an_answer_is_delivered_as_it_was_given() -> None:
    assert ended(StopReason.FINAL_ANSWER, reply("Hello.")).text == "Hello."


def test_an_answer_cut_at_its_length_says_so() -> None:
    told = ended(StopReason.FINAL_ANSWER, reply("Hello", finish=FinishReason.LENGTH), cut=True)
    assert told.text.startswith("Hello\n\n(The answer was cut")


def test_a_question_stands_behind_the_words() -> None:
    asked = call("send_message")
    put = ResultBody(replace(result(asked), question="Which one?"))
    said = ended(StopReason.WAITING_FOR_USER, reply("I wonder.", asked), put)
    assert said.text == "I wonder.\n\nWhich one?"


def test_a_question_without_words_still_asks() -> None:
    asked = call("send_message")
    put = ResultBody(replace(result(asked), question=""))
    assert ended(StopReason.WAITING_FOR_USER, reply(asked), put).text


@pytest.mark.parametrize("reason", [r for r in StopReason if r not in OWN_WORDS])
def test_an_ending_without_an_answer_tells_what_the_tools_did(reason: StopReason) -> None:
    told = ended(reason, reply(RAN), ResultBody(result(RAN))).text
    assert "✓ Run `make`" in told


def test_a_failed_call_and_one_that_did_not_run_are_told_apart() -> None:
    other = call("write_file", "call_2", path="a.txt")
    failed = ResultBody(result(RAN, Status.FAILED, "no rule", Code.ERROR))
    skipped = ResultBody(replace(result(other, Status.SKIPPED), synthetic=True))
    told = ended(StopReason.USER_CANCELLED, reply(RAN, other), failed, skipped).text
    assert "✗ Run `make`" in told
    assert "write_file" not in told


def test_a_call_stopped_while_it_ran_is_named_as_unknown() -> None:
    told = ended(StopReason.USER_CANCELLED, reply(RAN), IntentBody(RAN.id)).text
    assert f"{PERHAPS_DONE}\n- ❓ Run `make`" in told
    closed = ResultBody(
        replace(result(RAN, Status.FAILED, "?", Code.OUTCOME_UNKNOWN), synthetic=True)
    )
    assert ended(StopReason.USER_CANCELLED, reply(RAN), IntentBody(RAN.id), closed).text == told


def test_words_beside_calls_are_not_delivered_as_an_answer() -> None:
    told = ended(StopReason.MAX_ROUNDS, reply("I look into it.", RAN), ResultBody(result(RAN)))
    assert "I look into it." not in told.text


def test_a_wrapped_up_answer_says_that_it_is_not_the_end() -> None:
    told = ended(StopReason.MAX_ROUNDS, reply("This much I know.")).text
    assert told.startswith("This much I know.")
    assert "go on" in told


@pytest.mark.parametrize("kind", Trouble)
@pytest.mark.parametrize("owner", [True, False])
def test_a_trouble_is_told_in_three_parts_and_without_the_words_of_a_library(
    kind: Trouble, owner: bool
) -> None:
    trouble = ModelTrouble(kind, "fake/one", "SOME_KEY", 3000.0)
    finish = Finish(StopReason.MODEL_FAILURE, "RemoteError {json}..", trouble=trouble)
    told = outcome_of(progress(), finish, cut=False, owner=owner).text
    happened, done, helps = told.split("\n\n")
    assert done == NO_TOOL_RAN
    for part in (happened, helps):
        assert part.endswith(".")
        assert not any(odd in part for odd in ("{", "..", "RemoteError"))
    assert ("SOME_KEY" in told) == (owner and kind is Trouble.KEY)
    assert ("owner" in told) <= (not owner)


def test_a_known_wait_is_told() -> None:
    trouble = ModelTrouble(Trouble.RATE, wait=3000.0)
    finish = Finish(StopReason.MODEL_FAILURE, "429", trouble=trouble)
    assert f"{TRY_AGAIN} in 50 minutes." in outcome_of(progress(), finish, cut=False).text


def test_the_text_before_a_cut_stays() -> None:
    trouble = ModelTrouble(Trouble.CONNECTION, streamed="The first line.\nThe second")
    finish = Finish(StopReason.MODEL_FAILURE, "cut", trouble=trouble)
    told = outcome_of(progress(), finish, cut=False).text
    assert "> The first line.\n> The second" in told


def test_the_error_that_came_again_and_again_is_quoted_without_the_advice() -> None:
    asked = [call("read_file", f"call_{n}", path="a.txt") for n in range(3)]
    failed = [
        body
        for one in asked
        for body in (
            reply(one),
            ResultBody(result(one, Status.FAILED, f"no such file{HINT}Look first.", Code.ERROR)),
        )
    ]
    told = ended(StopReason.TOOL_FAILURE_POLICY, *failed).text
    assert "failed 3 times with the same error:\n\n```\nno such file\n```" in told
    assert "Look first" not in told


def test_files_come_along_once() -> None:
    report = FileRef("r.pdf", "r.pdf")
    brought = ResultBody(replace(result(RAN), files=(report, report)))
    assert ended(StopReason.FINAL_ANSWER, reply(RAN), brought, reply("Here.")).files == (report,)


@pytest.mark.parametrize("reason", StopReason)
def test_the_model_reads_of_every_end_that_was_not_its_own(reason: StopReason) -> None:
    note = note_of(Outcome(reason, "…"), progress(reply(RAN), ResultBody(result(RAN))))
    told = reason in OWN_WORDS and reason is not StopReason.PLAN_READY
    assert (note is None) == told
    assert note is None or reason.value in note.text


def test_a_turn_out_of_rounds_needs_no_note_when_the_model_had_the_last_word() -> None:
    stopped = Outcome(StopReason.MAX_ROUNDS, "…")
    assert note_of(stopped, progress(reply("This much I know."))) is None
    assert note_of(stopped, progress(reply())) is not None
    assert note_of(stopped, progress(reply("So", RAN))) is not None
