import asyncio

import pytest

from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.domain.talk.message import Address
from tests.patience import PATIENCE
from tests.standins.bot_api import BotApi


async def test_a_cancelled_call_ends_with_its_exchange(server: BotApi, api: TelegramApi) -> None:
    person = server.person()
    server.start(person)
    gate = server.hold("sendMessageDraft", after_work=True)
    to = Address("telegram", str(person.id))
    drafting = asyncio.create_task(TelegramChannel(api).draft(to, "so far"))
    await gate.arrived()
    drafting.cancel()
    await asyncio.sleep(0)
    assert not drafting.done()
    gate.release()
    with pytest.raises(asyncio.CancelledError):
        await drafting
    assert server.screen(person.id).draft == "so far"


async def test_a_call_that_never_ends_is_given_up_soon_after_its_cancel(
    server: BotApi, api: TelegramApi
) -> None:
    person = server.person()
    server.start(person)
    server.stall_next("sendMessageDraft")
    to = Address("telegram", str(person.id))
    drafting = asyncio.create_task(TelegramChannel(api).draft(to, "so far"))
    await server.wait_for(lambda: server.calls_of("sendMessageDraft"))
    drafting.cancel()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(asyncio.CancelledError):
            await drafting
