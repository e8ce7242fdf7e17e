"""Calls that are cancelled, at whatever moment, leave no connection behind."""

import asyncio

import psutil

from bot.adapters.anthropic.model import AnthropicModel
from tests.adapters.anthropic.talk import KEY, access, asking, reply_to
from tests.standins.messages_api import MessagesApi, text
from tests.standins.serving import serving

_STEPS = 20
"""Turns of the event loop: more than a whole call takes here."""

_ROUNDS = 12


def connections_to(url: str) -> int:
    """Sockets of this process that are connected to the server."""
    port = int(url.rpartition(":")[2])
    sockets = psutil.Process().net_connections("tcp")
    return sum(1 for socket in sockets if socket.raddr and socket.raddr.port == port)


async def test_calls_cancelled_at_every_step_keep_no_connection() -> None:
    answer = text("one, two, three").in_pieces(4)
    api = MessagesApi(respond=lambda _: answer, api_key=KEY, strict=False)
    ended = 0
    async with (
        serving(api.app) as url,
        AnthropicModel(access(url)) as model,
    ):
        await model.warm()
        for step in [*range(_STEPS)] * _ROUNDS:
            call = asyncio.create_task(reply_to(model, asking(model)))
            for _ in range(step):
                await asyncio.sleep(0)
            call.cancel()
            [outcome] = await asyncio.gather(call, return_exceptions=True)
            ended += not isinstance(outcome, asyncio.CancelledError)
        assert 0 < ended < _STEPS * _ROUNDS, "some were cancelled in time and some were not"
        assert connections_to(url) <= 1
        _, reply = await reply_to(model, asking(model))
        assert reply.parts
