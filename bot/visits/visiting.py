"""Talks to a running program by the door of its home; loads nothing of the program itself."""

import asyncio
import base64
import sys
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from bot.adapters.home_door.caller import Caller, called
from bot.adapters.home_door.frames import CHUNK
from bot.adapters.system_clock import SystemClock
from bot.adapters.terminal.echo import unechoed
from bot.adapters.terminal.question import Question, Wish
from bot.adapters.terminal.terminal import Terminal, account
from bot.adapters.terminal.update import name_of, question_in
from bot.domain.talk.errors import SettingError
from bot.shipped.version import running_version
from bot.visits.answer import code_of, printed

Place: TypeAlias = Mapping[str, str]
"""Says where a visitor is, and if it knows already that this is the folder to work in."""

_NONE_RUNS = (
    "Steward is not running, so there is no chat to show. Start it with `steward run`, or start "
    "its service, then try again. `steward chat` alone needs no running Steward."
)
_LOOKS, _EVERY = 10, 0.03
"""Looks at the record of an answer that has just come, and the seconds between two."""


def hello(role: str, place: Place) -> dict[str, Any]:
    """Returns what a visitor says of itself."""
    user, name = account()
    return {"role": role, "user": user, "name": name, "version": running_version(), **place}


def standing_in(folder: Path) -> Place:
    """Returns the place of a visitor that leaves it to the program if this is a project."""
    return {"standing": str(folder.resolve())}


def working_in(folder: Path | None) -> Place:
    """Returns the place of a visitor that works in this folder; None for the workspace."""
    return {"project": "" if folder is None else str(folder)}


async def asked(home: Path, wish: Wish, place: Place, *, as_json: bool) -> int | None:
    """Asks the running program; returns the exit code, or None where none runs."""
    name = name_of(question_in(None))
    caller = await called(home, {**hello("ask", place), "chat": name, "yes_to": wish.yes_to})
    if caller is None:
        return None
    question = Question(wish, SystemClock(), caller.address)
    caller.send_along(_piped(wish))
    try:
        report = await _beside(
            caller.attend(question.channel, question.say), _held(question, caller)
        )
    finally:
        caller.close()
    printed(question, report, as_json=as_json)
    return code_of(question, report)


def _piped(wish: Wish) -> list[dict[str, str]]:
    """Returns the piped text in frames."""
    parts = range(0, len(wish.piped), CHUNK)
    chunks = (wish.piped[start : start + CHUNK] for start in parts)
    return [{"do": "piped", "data": base64.b64encode(chunk).decode()} for chunk in chunks]


async def _held(question: Question, caller: Caller) -> dict[str, Any]:
    async def over() -> bool:
        for _ in range(_LOOKS if question.answer else 1):
            if await caller.ask("over"):
                return True
            # What was just shown is recorded in a moment.
            await asyncio.sleep(_EVERY)
        return False

    async def covered(data: str) -> bool:
        return bool(await caller.ask("covered", data=data))

    await question.hold(caller.accept, over, covered)
    await question.finish()
    report = await caller.ask("report")
    await caller.leave()
    return report


async def talked(home: Path, place: Place, beside: str = "") -> int | None:
    """Chats with the running program until the person leaves; None where none runs.

    Shown `beside` a platform, as in `telegram` or `telegram:ann`, it is a private chat there.
    """
    caller = await called(home, {**hello("chat", place), "with": beside})
    if caller is None and beside:
        raise SettingError(_NONE_RUNS)
    if caller is None:
        return None
    with unechoed(sys.stdin):
        terminal = Terminal(SystemClock(), home / "chat_history", caller.address, visits=True)
        async with terminal:
            await terminal.greet(caller.welcome)
            try:
                await _beside(
                    caller.attend(terminal.channel, terminal.say),
                    terminal.converse(caller.accept),
                )
            finally:
                caller.close()
    return 0


async def _beside(attending: Coroutine[Any, Any, None], work: Coroutine[Any, Any, Any]) -> Any:
    """Returns what the work returns; ends it with the fault of what runs beside it."""
    beside, working = asyncio.create_task(attending), asyncio.create_task(work)
    try:
        await asyncio.wait((beside, working), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            # It ends alone by a fault, or because the work has left.
            await beside
        return await working
    finally:
        for task in (working, beside):
            task.cancel()
        await asyncio.gather(beside, working, return_exceptions=True)
