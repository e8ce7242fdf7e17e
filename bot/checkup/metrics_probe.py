"""Looks at the port for operators: who has it, and what the running program says there."""

import asyncio
from collections.abc import Sequence
from functools import partial

import httpx

from bot.adapters.home_door.caller import called
from bot.bootstrap.metrics import SETTING
from bot.bootstrap.page import is_taken
from bot.doctor import Check, Complaint
from bot.domain.talk.errors import StewardError
from bot.settings import Settings
from bot.visits.visiting import hello, working_in

_SECONDS = 5.0
_ABOUT = "See docs/incidents.md."


def metrics_checks(settings: Settings) -> Sequence[Check]:
    """Returns the check of the port; none when it is off."""
    if settings.metrics_listen is None:
        return ()
    return (Check("metrics", partial(_probe, settings, settings.metrics_listen), _ABOUT, "warn"),)


async def _probe(settings: Settings, port: int) -> str:
    """Returns what the program says there; raises Complaint."""
    if not await asyncio.to_thread(is_taken, port):
        if await _runs(settings):
            told = f"Steward runs, and has not opened port {port}: it was set later, or is busy."
            raise Complaint(told, "Restart Steward, and look at its log.", "warn")
        return f"A start opens it; port {port} of 127.0.0.1 is free."
    alive, ready = await _answer(port, "healthz"), await _answer(port, "readyz")
    if alive != (200, "alive"):
        told = f"Port {port} of 127.0.0.1 is used by another program."
        raise Complaint(told, f"Change {SETTING}, or end that program.", "warn")
    if ready is None or ready[0] != 200:
        told = f"The running Steward is not ready: {ready[1] if ready else 'it does not answer'}."
        raise Complaint(told, _ABOUT)
    return f"The running Steward is ready; its numbers are on port {port} of 127.0.0.1."


async def _runs(settings: Settings) -> bool:
    try:
        caller = await called(settings.home, hello("look", working_in(None)))
    except (StewardError, OSError):
        return False
    if caller is None:
        return False
    caller.close()
    return True


async def _answer(port: int, path: str) -> tuple[int, str] | None:
    """Returns the status and the words of an answer; None where there is none."""
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=_SECONDS) as client:
            answer = await client.get(f"http://127.0.0.1:{port}/{path}")
    except httpx.HTTPError:
        return None
    return answer.status_code, answer.text.strip()
