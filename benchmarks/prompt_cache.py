"""The share of the model's input that comes from its cache, by the strict stand-in's account.

Thirty turns call a tool, and some recall what was said in an earlier conversation; half way the
talk is put together in a summary.
"""

from collections.abc import AsyncIterator
from dataclasses import astuple
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.scale import Scale
from benchmarks.scripted_model import two_rounds
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Person
from tests.standins.messages_api import ReceivedRequest, Reply, text
from tests.standins.messages_api.prompt_cache import Usage

_TURNS = 30
_SUMMARY = "- They asked for the time, and named things in the house."
_THINGS = ("teapot", "violin", "umbrella", "lantern", "ladder")
_MESSAGE = "Tell me the time, and mind what I wrote before{about}. "


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    turns = _TURNS if scale.talk >= 1_000 else _TURNS // 3
    async with stage(folder, _with_summary, strict=True) as on:
        [person] = on.people(1)
        async with on.steward([person]):
            for thing in _THINGS:
                await on.turn(person, f"The {thing} of Aunt Zelda stands below the {thing} shelf.")
            await _commanded(on, person, "/new")
            before = on.model.usage_totals
            for turn in range(turns):
                # Every third message recalls something.
                thing = _THINGS[turn // 3 % len(_THINGS)]
                about = f" about the {thing} of Aunt Zelda" if turn % 3 == 1 else ""
                await on.turn(person, _MESSAGE.format(about=about).ljust(2_000, "x"))
                if turn == turns // 2:
                    await _commanded(on, person, "/compact")
    if on.model.refusals:
        raise RuntimeError(f"the model refused a request: {on.model.refusals[0]}")
    if "[Memory]" not in str(on.model.requests[-1].body):
        raise RuntimeError("nothing was recalled")
    after = on.model.usage_totals
    spent = Usage(*(now - then for now, then in zip(astuple(after), astuple(before), strict=True)))
    name = f"Input from the cache: {turns} turns with a tool, recall and a summary, 2 kB messages"
    yield Figure(name, spent.cached_share * 100, "%", aim="≥ 92 %")


async def _commanded(on: Stage, person: Person, command: str) -> None:
    """Says a command and waits for its word."""
    since = len(on.bot_api.calls)
    on.bot_api.say(person, command)
    words = "fresh start" if command == "/new" else "summar"
    await on.bot_api.wait_for(
        lambda: any(words in str(call.params.get("text", "")) for call in on.bot_api.calls[since:]),
        30,
    )


def _with_summary(request: ReceivedRequest) -> Reply:
    """Answers in two rounds with a tool; only a request for a summary offers no tools."""
    return two_rounds(request) if request.body.get("tools") else text(_SUMMARY)
