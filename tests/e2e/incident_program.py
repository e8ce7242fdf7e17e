"""The program with two faults of its own: on a signal its loop computes, or its next turn fails."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from typing import Any

from bot.adapters.anthropic.model import AnthropicModel
from bot.cli import CommandRun
from tests.e2e.held_program import compute
from tests.e2e.wrapped_program import run_within

_reply = AnthropicModel.reply
_planted: list[str] = []


async def _failing(self: Any, request: Any) -> AsyncGenerator[Any]:
    if _planted:
        raise KeyError(_planted.pop())
    async for event in _reply(self, request):
        yield event


async def _with_faults(work: CommandRun) -> int:
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, compute)
    loop.add_signal_handler(signal.SIGUSR2, _planted.append, "a planted fault")
    return await work


if __name__ == "__main__":
    AnthropicModel.reply = _failing
    run_within(_with_faults)
