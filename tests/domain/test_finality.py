"""Doubts about models that are not trusted: answers beside calls from habit, calls as text."""

from dataclasses import replace
from typing import Any

import pytest

from bot.domain.loop.verdict import LoopState, decide
from bot.domain.money.model import FinishReason
from bot.domain.tools.tool import Code, Effect, Status
from bot.domain.turn.finality import written_call
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import CallModel, Finish, Refuse, Run, RunTools
from bot.domain.turn.transcript import Body, NoteBody, ResultBody
from tests.domain.logs import call, reply, result
from tests.domain.test_verdict import state

TOOLS = frozenset({"read_file", "write_file"})
LONG = "It says: " + "a" * 200
LOOK = call("read_file", "c1", path="a")
AGAIN = call("read_file", "c2", path="a")
OTHER = call("read_file", "c3", path="b")


def looked(*bodies: Body, doubted: bool = True, **more: Any) -> LoopState:
    """A turn that has read a file once, and these entries after that."""
    before = (reply("I look.", LOOK), ResultBody(result(LOOK)))
    known = state(*before, *bodies, **more)
    return replace(known, doubted=TOOLS if doubted else None)


def refusals(step: object) -> list[Refuse]:
    assert isinstance(step, RunTools)
    return [refusal for _, refusal in step.close]


def test_a_long_text_beside_a_repeated_read_is_the_answer() -> None:
    said = reply(LONG, AGAIN)
    (refusal,) = refusals(decide(looked(said)))
    assert (refusal.status, refusal.code) == (Status.SKIPPED, Code.FINISHED)
    closed = ResultBody(result(AGAIN, Status.SKIPPED, "no", Code.FINISHED))
    step = decide(looked(said, closed))
    assert isinstance(step, Finish)
    assert step.stop_reason is StopReason.FINAL_ANSWER


@pytest.mark.parametrize(
    "undecided",
    [
        looked(reply(LONG, AGAIN), doubted=False),
        looked(reply("Short.", AGAIN)),
        looked(reply(LONG, OTHER)),
        looked(reply(LONG, AGAIN, OTHER)),
        looked(reply(LONG, AGAIN), gates={"c2": Run(Effect.WRITE)}),
    ],
    ids=["trusted", "short", "another read", "a new read beside it", "a change"],
)
def test_other_calls_beside_a_text_run(undecided: LoopState) -> None:
    step = decide(undecided)
    assert isinstance(step, RunTools)
    assert step.run


def test_a_read_that_failed_may_be_tried_again() -> None:
    before = (reply(LOOK), ResultBody(result(LOOK, Status.FAILED, "no", Code.ERROR)))
    step = decide(replace(state(*before, reply(LONG, AGAIN)), doubted=TOOLS))
    assert isinstance(step, RunTools)
    assert step.run == (AGAIN,)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "read_file", "arguments": {"path": "a"}}',
        '```json\n{"name": "read_file", "parameters": {}}\n```',
        '<tool_call>\n{"name": "read_file", "arguments": {}}\n</tool_call>',
        '[{"name": "read_file", "arguments": "{}"}]',
        '{"tool_calls": [{"function": {"name": "read_file", "arguments": ""}}]}',
        '{"tool": "read_file", "input": {"path": "a"}}',
        '{"action": "read_file", "action_input": null}',
    ],
)
def test_a_call_as_text_is_known(text: str) -> None:
    assert written_call(text, TOOLS) == "read_file"


@pytest.mark.parametrize(
    "text",
    [
        "read_file(path='a')",
        'Do this: {"name": "read_file", "arguments": {}}',
        '{"name": "read_file", "arguments": {}} as you wished',
        '{"name": "Ann", "arguments": ["for", "against"]}',
        '{"name": "read_file", "size": 3}',
        '{"arguments": {}}',
        "[]",
        "{}",
        "{" * 5_000,
        "[" * 900 + "]" * 900,
        '{"tool_calls":' * 900 + "1" + "}" * 900,
        "{}" + " " * 19_000 + "x",
        "{" + "}</" * 6_000,
        '{"name": "read_file", "arguments": "' + "x" * 30_000 + '"}',
        "",
    ],
)
def test_an_answer_that_holds_json_is_no_call(text: str) -> None:
    assert written_call(text, TOOLS) == ""


def test_a_call_as_text_never_runs_and_is_told_to_the_model() -> None:
    text = '{"name": "write_file", "arguments": {"path": "a", "content": "b"}}'
    step = decide(looked(reply(text)))
    assert isinstance(step, CallModel)
    assert step.written == "write_file"


def test_a_model_that_goes_on_writing_calls_is_taken_at_its_word() -> None:
    text = '{"name": "write_file", "arguments": {}}'
    told = NoteBody("nudge", "no")
    step = decide(looked(reply(text), told, reply(text), told, reply(text)))
    assert isinstance(step, Finish)
    assert step.stop_reason is StopReason.FINAL_ANSWER


def test_a_trusted_model_may_answer_with_json() -> None:
    step = decide(looked(reply('{"name": "read_file", "arguments": {}}'), doubted=False))
    assert isinstance(step, Finish)


def test_a_cut_reply_is_no_answer() -> None:
    step = decide(looked(reply(LONG, AGAIN, finish=FinishReason.LENGTH)))
    assert refusals(step)[0].code is Code.CUT
