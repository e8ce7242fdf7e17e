"""Chats in this terminal: with a running program, or with one that it starts."""

from functools import partial
from pathlib import Path

from bot.adapters.loop_watch.loop_watch import LoopWatch
from bot.bootstrap import program
from bot.logs import Secrets
from bot.one_off.patience import first_that_opens
from bot.settings import Settings
from bot.visits.visiting import talked, working_in


async def chat(
    settings: Settings,
    secrets: Secrets,
    watch: LoopWatch,
    *,
    folder: Path | None = None,
    beside: str = "",
) -> int:
    """Chats until the person leaves; returns the exit code.

    A chat `beside` a platform needs a program that runs: two must not listen to one bot.
    """
    if beside:
        return await talked(settings.home, working_in(folder), beside) or 0
    return await first_that_opens(
        partial(talked, settings.home, working_in(folder)),
        partial(program.chat, settings, secrets, watch, folder=folder),
    )
