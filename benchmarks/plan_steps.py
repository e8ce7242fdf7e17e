"""The cost of a step of an approved plan, beside the same change under a standing rule.

The card is written once a second at most, and these steps are quicker, so its edits cost little.
"""

import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Person, ShownMessage
from tests.standins.messages_api import Call, ReceivedRequest, Reply, calls, text, tool
from tests.standins.messages_api.wire import content_blocks

STEPS = 10
"""Changes of a turn, one in each round: fewer than the rounds of an ordinary turn."""

_WROTE = re.compile(r"Wrote .* to notes/(\d+)\.md")


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with stage(folder, _writing) as on:
        [person] = on.people(1)
        async with on.steward([person]) as process:
            await _allow(on, person)
            ruled, planned = list[float](), list[float]()
            for _ in range(scale.around + 1):
                ruled.append(await _ruled(on, process, person))
                planned.append(await _planned(on, process, person))
    # The first one of each is a warm-up.
    without, with_plan = median(ruled[1:]) / STEPS, median(planned[1:]) / STEPS
    added = with_plan - without
    yield Figure("A round with a change a rule allows: processor time", without, "ms")
    yield Figure("… that is a step of a plan, its card and its press", with_plan, "ms")
    yield Figure("A plan step adds to a round", added, "ms", aim="≤ 3 ms")


def _writing(request: ReceivedRequest) -> Reply:
    """Plans or makes STEPS changes, one after another; the first wish asks for a single one."""
    blocks = content_blocks(request.body["messages"][-1]["content"])
    results = [b for b in blocks if b["type"] == "tool_result"]
    words = " ".join(b["text"] for b in blocks if b["type"] == "text")
    if "[Plan mode]" in words:
        handed_in = tool("submit_plan", {"title": "Notes", "summary": "Ten of them."})
        return calls(*(_write(n) for n in range(1, STEPS + 1)), handed_in)
    if "[Plan approved]" in words or "ten notes" in words:
        return calls(_write(1))
    if not results:
        return calls(_write(STEPS))
    wrote = _WROTE.search(str(results[-1]["content"]))
    done = int(wrote[1]) if wrote is not None else STEPS
    return calls(_write(done + 1)) if done < STEPS else text(f"{ANSWER}. All is written.")


def _write(number: int) -> Call:
    return tool("write_file", {"path": f"notes/{number}.md", "content": "A line.\n"})


async def _allow(on: Stage, person: Person) -> None:
    """Makes a rule for the folder of the notes."""
    on.bot_api.say(person, "one note")
    since = await _pressed(on, person, "Always")
    await on.answers(1, since)
    before = len(_shown(on, person))
    on.bot_api.say(person, "/rules widen 1 1")
    await on.bot_api.wait_for(lambda: len(_shown(on, person)) > before, seconds=60)


async def _ruled(on: Stage, process: MeasuredProcess, person: Person) -> float:
    """Returns the processor time of a turn whose changes a rule allows."""
    await process.at_rest()
    before, since = process.cpu_ms(), len(on.bot_api.calls)
    on.bot_api.say(person, f"ten notes at {time.time()}")
    await on.answers(1, since)
    await process.at_rest()
    return process.cpu_ms() - before


async def _planned(on: Stage, process: MeasuredProcess, person: Person) -> float:
    """Returns the processor time of the press and of the turn that executes the plan."""
    on.bot_api.say(person, f"/plan notes at {time.time()}")
    await on.bot_api.wait_for(lambda: _card(on, person, "Approve"), seconds=60)
    await process.at_rest()
    before = process.cpu_ms()
    await on.answers(1, await _pressed(on, person, "Approve"))
    await process.at_rest()
    return process.cpu_ms() - before


async def _pressed(on: Stage, person: Person, label: str) -> int:
    """Presses a button of the open card; returns the number of calls made before."""
    await on.bot_api.wait_for(lambda: _card(on, person, label), seconds=60)
    since, card = len(on.bot_api.calls), _card(on, person, label)
    assert card is not None
    on.bot_api.press(person, card, next(la for la in card.labels if label in la))
    return since


def _card(on: Stage, person: Person, label: str) -> ShownMessage | None:
    """Returns the message with such a button, whatever the words around it are."""
    shown = _shown(on, person)
    return next((one for one in shown if any(label in la for la in one.labels)), None)


def _shown(on: Stage, person: Person) -> list[ShownMessage]:
    return on.bot_api.screen(person.id).from_bot
