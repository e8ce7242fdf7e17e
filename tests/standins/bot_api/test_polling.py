"""Updates: confirming, waiting, conflicts, malformed ones."""

import asyncio

import httpx
import pytest
import telegram
from telegram.error import Conflict

from tests.patience import PATIENCE
from tests.standins.bot_api import BotApi, Person
from tests.standins.bot_api.asking import result


class TestPolling:
    async def test_updates_come_again_until_an_offset_confirms_them_for_good(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.say(ann, "one")
        api.say(ann, "two")
        first, second = await bot.get_updates()
        assert [u.update_id for u in await bot.get_updates()] == [first.update_id, second.update_id]
        assert len(await bot.get_updates(offset=second.update_id)) == 1
        assert [u.update_id for u in await bot.get_updates(offset=0)] == [second.update_id]
        assert second.message is not None
        assert second.message.text == "two"

    async def test_a_negative_offset_forgets_all_but_the_last(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        for text in ("one", "two", "three"):
            api.say(ann, text)
        (last,) = await bot.get_updates(offset=-1)
        assert last.message is not None
        assert last.message.text == "three"
        assert len(await bot.get_updates()) == 1

    async def test_a_long_poll_is_answered_as_soon_as_an_update_comes(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        poll = asyncio.create_task(bot.get_updates(timeout=30))
        await api.wait_for(lambda: api.updates.polling)
        api.say(ann, "hello")
        (update,) = await asyncio.wait_for(poll, PATIENCE)
        assert update.message is not None
        assert update.message.text == "hello"

    async def test_the_limit_bounds_a_batch(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        for _ in range(3):
            api.say(ann, "x")
        assert len(await bot.get_updates(limit=2)) == 2

    async def test_kinds_not_asked_for_never_come(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        message = api.say(ann, "one")
        api.react(ann, message, "👍")
        assert [u.effective_message is not None for u in await bot.get_updates()] == [True]
        await bot.get_updates(allowed_updates=["message_reaction"])
        api.say(ann, "two")
        api.react(ann, message, "🔥")
        assert (await bot.get_updates())[-1].message_reaction is not None
        assert len(api.updates.pending) == 2

    async def test_a_second_poll_ends_the_first_with_a_conflict(
        self, api: BotApi, bot: telegram.Bot, raw: httpx.AsyncClient
    ) -> None:
        first = asyncio.create_task(bot.get_updates(timeout=30))
        await api.wait_for(lambda: api.updates.polling)
        await raw.post("getUpdates")
        with pytest.raises(Conflict, match="other getUpdates request"):
            await first

    async def test_a_poll_left_by_its_client_is_forgotten(
        self, api: BotApi, raw: httpx.AsyncClient
    ) -> None:
        poll = asyncio.create_task(raw.post("getUpdates", json={"timeout": 30}))
        await api.wait_for(lambda: api.updates.polling)
        poll.cancel()
        await api.wait_for(lambda: not api.updates.polling)

    async def test_polling_conflicts_with_a_webhook(self, bot: telegram.Bot) -> None:
        await bot.set_webhook("https://example.org/hook")
        assert (await bot.get_webhook_info()).url == "https://example.org/hook"
        with pytest.raises(Conflict, match="webhook is active"):
            await bot.get_updates()
        await bot.delete_webhook(drop_pending_updates=True)
        assert await bot.get_updates() == ()

    async def test_raw_updates_may_be_malformed_leave_gaps_and_come_again(
        self, api: BotApi, raw: httpx.AsyncClient
    ) -> None:
        api.push_update({"message": {"text": "no id, \ud800"}})
        api.push_update("not an update")
        api.push_update({"update_id": 500_100})
        batch = await result(raw, "getUpdates")
        assert batch[0] == {"update_id": 500_001, "message": {"text": "no id, \ud800"}}
        assert batch[1:] == ["not an update", {"update_id": 500_100}]
        api.push_update({"update_id": 500_100}, again=True)
        assert await result(raw, "getUpdates", offset=500_101) == [{"update_id": 500_100}]
        assert await result(raw, "getUpdates", offset=500_101) == []
