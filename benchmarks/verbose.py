"""The cost of a tool call that is shown with its input and output, beside one that is not."""

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

WIDE = 8
"""Calls of a round that makes several side by side."""

_LINES = "".join(f"line {n} of a file that somebody reads\n" for n in range(400))


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with stage(folder, _reading) as on:
        [person] = on.people(1)
        async with on.steward([person]) as process:
            (folder / "data" / "workspace" / "note.txt").write_text(_LINES)
            costs: dict[tuple[str, str], list[float]] = {}
            for _ in range(scale.around + 1):
                for state in ("off", "on"):
                    await _switch(on, process, person, state)
                    for words in ("one", "many"):
                        known = costs.setdefault((state, words), [])
                        known.append(await _cost(on, process, person, words))
    # The first one of each is a warm-up.
    middle = {name: median(known[1:]) for name, known in costs.items()}
    one = middle["on", "one"] - middle["off", "one"]
    many = middle["on", "many"] - middle["off", "many"]
    yield Figure(
        "A turn with one call that is not shown: processor time", middle["off", "one"], "ms"
    )
    yield Figure("… its call shown, with the message about it", one, "ms", aim="≤ 3 ms")
    yield Figure(f"… each of {WIDE} calls of a round, shown in one message", many / WIDE, "ms")


def _reading(request: ReceivedRequest) -> Reply:
    """Reads a file, once or several times side by side, and answers."""
    blocks = content_blocks(request.body["messages"][-1]["content"])
    words = " ".join(block["text"] for block in blocks if block["type"] == "text")
    if any(block["type"] == "tool_result" for block in blocks):
        return text(f"{ANSWER}. That was all there was to do.")
    count = WIDE if "many" in words else 1
    return calls(*(tool("read_file", {"path": "note.txt", "offset": n + 1}) for n in range(count)))


async def _switch(on: Stage, process: MeasuredProcess, person: Person, state: str) -> None:
    on.bot_api.say(person, f"/verbose {state}")
    await process.at_rest()


async def _cost(on: Stage, process: MeasuredProcess, person: Person, words: str) -> float:
    await process.at_rest()
    before = process.cpu_ms()
    await on.turn(person, words)
    await process.at_rest()
    return process.cpu_ms() - before
