"""The cost of an errand, beside a turn that answers a message at once.

A message that sends errands out has two rounds, as one has that looks at the clock. What it takes
beyond that, divided by the errands, is the cost of one of them.
"""

from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Person
from tests.standins.messages_api import ReceivedRequest, Reply, calls, text, tool
from tests.standins.messages_api.wire import content_blocks

ERRANDS = 4
"""Errands of a message: as many as a turn may send out."""


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with stage(folder, _sending) as on:
        [person] = on.people(1)
        async with on.steward([person]) as process:
            costs: dict[str, list[float]] = {"at once": [], "clock": [], "errands": []}
            for _ in range(scale.around + 1):
                for words, known in costs.items():
                    known.append(await _cost(on, process, person, words))
    # The first one of each is a warm-up.
    alone, clock, errands = (median(known[1:]) for known in costs.values())
    each = (errands - clock) / ERRANDS
    yield Figure("A turn that answers at once: processor time", alone, "ms")
    yield Figure("An errand that answers at once, its result and its line", each, "ms")
    yield Figure("An errand costs beyond a turn", each - alone, "ms", aim="≤ 3 ms")


def _sending(request: ReceivedRequest) -> Reply:
    """Answers at once, after a look at the clock, or after ERRANDS errands."""
    blocks = content_blocks(request.body["messages"][-1]["content"])
    words = " ".join(block["text"] for block in blocks if block["type"] == "text")
    if "[Errand]" in words:
        return text("The part is done.")
    if any(block["type"] == "tool_result" for block in blocks):
        return text(f"{ANSWER}. That was all there was to do.")
    if "errands" in words:
        return calls(*(tool("delegate", {"task": f"Part {n}"}) for n in range(ERRANDS)))
    if "clock" in words:
        return calls(tool("current_time", {}))
    return text(f"{ANSWER}. That was all there was to do.")


async def _cost(on: Stage, process: MeasuredProcess, person: Person, words: str) -> float:
    await process.at_rest()
    before = process.cpu_ms()
    await on.turn(person, words)
    await process.at_rest()
    return process.cpu_ms() - before
