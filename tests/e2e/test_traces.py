"""Traces of the running program, as a collector reads them; nothing waits for the collector."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.e2e.steward import KEY, Steward
from tests.standins.bot_api import TOKEN
from tests.standins.collector import Collector, ReceivedSpan
from tests.standins.messages_api import calls, text, tool
from tests.standins.serving import serving
from tests.words import APPROVE

pytestmark = pytest.mark.flows_own("spans are told from what the store commits")

COLLECTOR_KEY = "collector-e2e-a-key-nobody-may-ever-see"
WISH, ANSWER = "Note the milk, xyzzy.", "Written, plugh."


@pytest.fixture
async def collector(steward: Steward) -> AsyncIterator[Collector]:
    made = Collector(key=COLLECTOR_KEY)
    async with at(steward, made):
        yield made


@asynccontextmanager
async def at(steward: Steward, made: Collector) -> AsyncIterator[None]:
    async with serving(made.app) as address:
        steward.settings["STEWARD_TRACES_URL"] = f"{address}/v1/traces"
        steward.settings["STEWARD_TRACES_KEY"] = COLLECTOR_KEY
        yield


async def noted(steward: Steward) -> None:
    """Has a turn with a call that only reads, one that a card allows, and an answer."""
    write = tool("write_file", {"path": "milk.md", "content": f"milk {COLLECTOR_KEY}"})
    steward.script(calls(tool("list_files", {})), calls(write), text(ANSWER))
    steward.say(WISH)
    steward.press(await steward.card(), APPROVE)
    await steward.sees(ANSWER)
    await steward.recorded()


async def test_a_turn_is_one_trace_with_its_rounds_calls_tools_card_and_delivery(
    steward: Steward, collector: Collector
) -> None:
    await steward.start(STEWARD_LOG="json")
    await noted(steward)
    # What still waits is sent at the end.
    await steward.stop()
    [turn] = collector.named("invoke_agent Steward")
    own = [span for span in collector.spans if span.trace == turn.trace]
    assert len({span.id for span in own}) == len(own)
    assert (turn.parent, turn.failed, collector.services) == ("", False, {"steward"})
    told = turn.values
    assert told["gen_ai.operation.name"] == "invoke_agent"
    assert told["steward.turn.stop_reason"] == "final_answer"
    assert (told["steward.turn.rounds"], told["steward.turn.calls"]) == (3, 2)
    rounds = sorted(collector.named("steward.round"), key=lambda one: one.began)
    assert [one.values["steward.round.number"] for one in rounds] == [1, 2, 3]
    assert {one.parent for one in rounds} == {turn.id}
    models = [span for span in own if span.values.get("gen_ai.operation.name") == "chat"]
    assert len(models) == 3
    assert all(span.client for span in models)
    assert {span.parent for span in models} == {one.id for one in rounds}
    for span in models:
        assert span.name == f"chat {span.values['gen_ai.request.model']}"
        assert span.values["gen_ai.provider.name"] == "anthropic"
        assert span.values["gen_ai.usage.input_tokens"] > 0
        assert span.values["gen_ai.usage.output_tokens"] > 0
        assert len(span.values["gen_ai.response.finish_reasons"]) == 1
    tools = {span.values["gen_ai.tool.name"]: span for span in own if "tool" in span.name}
    assert set(tools) == {"list_files", "write_file"}
    assert {span.values["gen_ai.tool.type"] for span in tools.values()} == {"function"}
    assert [tools[name].parent for name in ("list_files", "write_file")] == [
        rounds[0].id,
        rounds[1].id,
    ]
    [card] = collector.named("steward.card")
    assert (card.parent, card.values["steward.card.state"]) == (turn.id, "approved")
    deliveries = [span for span in own if span.name == "steward.delivery"]
    assert {span.values["steward.delivery.kind"] for span in deliveries} >= {"answer", "card"}
    assert all(inside(span, turn) for span in (*rounds, *models, *tools.values(), card))
    logged = [line for line in steward.output.splitlines() if "turn ended" in line]
    assert logged
    assert all(f'"trace_id": "{turn.trace}"' in line for line in logged)
    # Neither words nor inputs nor a key: nobody has asked for them.
    sent = b"".join(collector.raw)
    for word in ("xyzzy", "plugh", "milk.md", TOKEN, KEY, COLLECTOR_KEY, "Ann"):
        assert word.encode() not in sent, word


def inside(span: ReceivedSpan, turn: ReceivedSpan) -> bool:
    """A turn begins with its row, and its last change may be some milliseconds before its end."""
    slack = 50_000_000
    return turn.began - slack <= span.began <= span.ended <= turn.ended + slack


async def test_words_come_along_when_they_are_asked_for_and_keys_never(
    steward: Steward, collector: Collector
) -> None:
    await steward.start(STEWARD_TRACES_CONTENT="true")
    await noted(steward)
    await steward.stop()
    [turn] = collector.named("invoke_agent Steward")
    assert "xyzzy" in turn.values["gen_ai.input.messages"]
    assert "plugh" in turn.values["gen_ai.output.messages"]
    [write] = collector.named("execute_tool write_file")
    assert "milk.md" in write.values["gen_ai.tool.call.arguments"]
    assert "[secret]" in write.values["gen_ai.tool.call.arguments"]
    assert write.values["gen_ai.tool.call.result"]
    sent = b"".join(collector.raw)
    for key in (TOKEN, KEY, COLLECTOR_KEY):
        assert key.encode() not in sent


async def test_a_turn_that_is_killed_goes_on_in_the_same_trace(
    steward: Steward, collector: Collector
) -> None:
    await steward.start()
    write = tool("write_file", {"path": "milk.md", "content": "milk"})
    steward.script(calls(write), text(ANSWER))
    steward.say(WISH)
    card = await steward.card()
    await steward.recorded()
    await steward.restart()
    steward.press(card, APPROVE)
    await steward.sees(ANSWER)
    await steward.recorded()
    await steward.stop()
    [turn] = collector.named("invoke_agent Steward")
    [card_span] = collector.named("steward.card")
    [ran] = collector.named("execute_tool write_file")
    assert card_span.trace == ran.trace == turn.trace


@pytest.mark.parametrize("fault", ["refuses", "hangs", "away"])
async def test_a_collector_that_fails_holds_no_turn_and_fills_no_log(
    steward: Steward, fault: str
) -> None:
    made = Collector(refuses=503 if fault == "refuses" else 0, hangs=fault == "hangs")
    async with at(steward, made):
        if fault == "away":
            steward.settings["STEWARD_TRACES_URL"] = "http://127.0.0.1:9/v1/traces"
        await steward.start()
        for number in range(3):
            steward.script(text(f"Answer {number}."))
            steward.say("And?")
            await steward.sees(f"Answer {number}.")
        await steward.recorded()
        if fault != "away":
            await steward.eventually(lambda: made.calls)
        await steward.stop()
        assert "ERROR" not in steward.output
        assert steward.output.count("opentelemetry") == 0


async def test_the_doctor_tries_the_collector(steward: Steward, collector: Collector) -> None:
    _, told = await steward.printed_by("doctor")
    assert "takes traces." in told
    collector.key = "another"
    _, told = await steward.printed_by("doctor")
    assert "takes no traces" in told
