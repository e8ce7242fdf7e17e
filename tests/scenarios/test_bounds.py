"""Bounds of a turn: its time, its results' sizes, its repetitions, and room for its words."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from bot.domain.talk.errors import ModelDenied, ModelError, PromptTooLong
from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import Code, Status, ToolOutput
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.view import ModelReply
from bot.ports.tool import Place
from tests.fakes.clock import pass_in_the_loop
from tests.fakes.model import call, calls, nothing, says
from tests.scenarios.stage import Stage, stage
from tests.scenarios.tools import ScenarioTool, looking, tool, writing
from tests.words import GO_ON, TOO_LONG


async def test_a_turn_whose_time_is_over_closes_its_calls_and_says_so() -> None:
    gate = asyncio.Event()
    slow, write = tool("slow", gate=gate), writing()
    script = calls(call("a", "slow"), call("b", "write", {"what": "x"}))
    limits = Limits(turn_seconds=100)
    async with stage(script, tools=[slow, write], limits=limits) as scene:
        await scene.say("go")
        await slow.started.wait()
        await scene.clock.advance(101)
        gate.set()
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.DEADLINE
        ran, closed = scene.results
        assert (ran.status, ran.synthetic) == (Status.SUCCESS, False)
        assert (closed.status, closed.code, closed.synthetic) == (Status.SKIPPED, Code.LIMIT, True)
        assert (write.ran, scene.labels) == ([], [GO_ON])
        assert "time" in scene.texts[-1]
        scene.assert_whole()


async def test_reads_side_by_side_use_up_the_round_s_time_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate, held = asyncio.Event(), asyncio.Event()
    reads = [tool(name, gate=gate) for name in ("one", "two", "three")]
    write = writing(gate=held)
    wanted = [call(read.spec.name, read.spec.name) for read in reads]
    script = calls(*wanted, call("w", "write", {"what": "x"})), says("Done.")
    async with stage(*script, tools=[*reads, write]) as scene:
        await scene.say("go")
        for read in reads:
            await read.started.wait()
        await scene.clock.advance(50)
        gate.set()
        await scene.press("Approve")
        await write.started.wait()
        await pass_in_the_loop(30, monkeypatch)
        held.set()
        await scene.settled()
        assert [r.duration_ms for r in scene.results] == [50_000, 50_000, 50_000, 0]
        assert scene.results[-1].status is Status.SUCCESS


@pytest.mark.parametrize("letter", ["x", "é"])
async def test_a_result_as_long_as_its_bound_is_whole_and_one_byte_more_is_cut(
    letter: str,
) -> None:
    whole = letter * (1_000 // len(letter.encode()))
    texts = {"fits": whole, "over": whole + "y"}
    look = telling(texts)
    script = calls(call("a", "tell", {"what": "fits"}), call("b", "tell", {"what": "over"}))
    limits = Limits(result_bytes=1_000)
    async with stage(script, says("Seen."), tools=[look], limits=limits) as scene:
        await scene.say("go")
        await scene.settled()
        fits, over = scene.results
        assert (fits.text, fits.truncated, fits.artifact) == (whole, False, None)
        assert over.truncated
        assert over.text.startswith(letter * 100)
        assert over.text.endswith("y")
        assert len(over.text.encode()) <= 1_000
        assert over.artifact is not None
        assert await scene.store.ledger.artifact(1, over.artifact) == texts["over"]


async def test_results_of_one_round_share_its_bytes_and_each_has_a_little() -> None:
    look = telling({"long": "x" * 3_000})
    wanted = [call(f"c{n}", "tell", {"what": "long"}) for n in range(4)]
    script = calls(*wanted), calls(call("d", "tell", {"what": "long"})), says("Seen.")
    limits = Limits(result_bytes=2_000, round_bytes=3_500)
    async with stage(*script, tools=[look], limits=limits) as scene:
        await scene.say("go")
        await scene.settled()
        sizes = [len(r.text.encode()) for r in scene.results]
        for size, bound in zip(sizes, (2_000, 1_500, 500, 500, 2_000), strict=True):
            assert bound - 10 <= size <= bound
        kept = [await _whole(scene, r.artifact) for r in scene.results]
        assert kept == ["x" * 3_000] * 5


async def _whole(scene: Stage, artifact: str | None) -> str | None:
    return await scene.store.ledger.artifact(1, artifact) if artifact is not None else None


async def test_a_fault_without_words_is_told_by_its_name() -> None:
    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        raise ZeroDivisionError

    script = calls(call("a", "odd")), says("It broke.")
    async with stage(*script, tools=[tool("odd", act=act)]) as scene:
        await scene.say("go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        (result,) = scene.results
        assert (result.status, result.code) == (Status.FAILED, Code.ERROR)
        assert result.text == "ZeroDivisionError"


NO_SUMMARY = [pytest.param(nothing(), id="empty"), pytest.param(ModelDenied("no"), id="fails")]


@pytest.mark.parametrize("summary", NO_SUMMARY)
async def test_without_a_summary_a_digest_makes_the_room(summary: ModelReply | ModelError) -> None:
    script = says("one"), PromptTooLong("too long"), summary, says("two")
    async with stage(*script) as scene:
        await scene.say("first " * 50)
        await scene.settled()
        await scene.say("second")
        turn = await scene.settled(2)
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        assert scene.texts == ["one", "two"]
        sent = str(scene.model.requests[-1].messages)
        assert "Earlier messages of the person" in sent
        assert "first " * 30 not in sent


@pytest.mark.parametrize("summary", NO_SUMMARY)
async def test_too_long_even_with_a_digest_ends_in_plain_words(
    summary: ModelReply | ModelError,
) -> None:
    script = says("one"), PromptTooLong("too long"), summary, PromptTooLong("too long")
    async with stage(*script) as scene:
        await scene.say("first " * 50)
        await scene.settled()
        await scene.say("second")
        turn = await scene.settled(2)
        assert turn.stop_reason is StopReason.MODEL_FAILURE
        assert TOO_LONG in scene.texts[-1]


def _in_turn(rounds: int) -> list[ModelReply]:
    return [calls(call(f"c{n}", "look", {"at": "ab"[n % 2]})) for n in range(rounds)]


async def test_two_calls_in_turn_are_asked_about_like_one_that_repeats() -> None:
    look = looking()
    async with stage(*_in_turn(5), tools=[look]) as scene:
        await scene.say("go")
        await scene.parked()
        assert [ran["at"] for ran in look.ran] == ["a", "b", "a", "b"]
        await scene.press("Stop")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.REPEAT_GUARD
        assert len(look.ran) == 4
        scene.assert_whole()


async def test_two_calls_in_turn_without_the_guard_end_with_the_rounds() -> None:
    look = looking()
    limits = Limits(soft_rounds=6, repeat_calls=99)
    script = *_in_turn(6), says("It is always the same.")
    async with stage(*script, tools=[look], limits=limits) as scene:
        await scene.say("go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.MAX_ROUNDS
        assert len(look.ran) == 6
        assert scene.texts[-1].startswith("It is always the same.")


def telling(texts: Mapping[str, str]) -> ScenarioTool:
    return tool("tell", act=lambda arguments, _: ToolOutput(texts[arguments["what"]]))
