"""Opens Telegram for one run."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.addresses import is_group
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.telegram.files import TelegramFiles
from bot.adapters.telegram.groups import TelegramGroups
from bot.adapters.telegram.listener import TelegramListener
from bot.bootstrap.channel_form import Host, OpenChannel
from bot.bootstrap.door_form import Serving
from bot.bootstrap.first_lines import pairing_lines, served_line, show
from bot.bootstrap.telegram_trials import telegram_api
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.ports.clock import Clock
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.adapters.telegram.webhook import TelegramWebhook


@asynccontextmanager
async def opened(settings: Settings, clock: Clock, serving: Serving) -> AsyncGenerator[OpenChannel]:
    async with telegram_api(settings) as api:
        account = TelegramAccount(api)
        channel = TelegramChannel(
            api, gated=settings.send_rates is not None, rich=settings.telegram.rich
        )
        listener = _listener(settings, api, clock, serving)
        yield OpenChannel(
            GatedChannel(channel, FloodGate(settings.send_rates, clock, is_group)),
            listener.listen,
            TelegramFiles(api),
            TelegramGroups(api),
            reached=lambda: listener.reached,
            ready=partial(account.introduced, clock),
            prepare=partial(_prepare, listener),
            greet=partial(_greet, account, clock),
            alone=settings.telegram.webhook is None,
        )


def _listener(
    settings: Settings, api: TelegramApi, clock: Clock, serving: Serving
) -> "TelegramListener | TelegramWebhook":
    """Returns what receives updates, by polls or by calls of a webhook."""
    webhook = settings.telegram.webhook
    if webhook is None:
        return TelegramListener(api, clock)
    # Only a run with a webhook loads the HTTP server.
    from bot.adapters.telegram.webhook import TelegramWebhook, WebhookDoor

    secret = webhook.secret.get_secret_value() if webhook.secret else secrets.token_urlsafe(32)

    def opened(door: WebhookDoor, port: int) -> AbstractAsyncContextManager[int]:
        return serving(door, door.path, port, "STEWARD_WEBHOOK_PORT")

    return TelegramWebhook(api, clock, webhook.url, secret, webhook.port, opened)


async def _prepare(listener: "TelegramListener | TelegramWebhook", host: Host) -> None:
    if isinstance(listener, TelegramListener):
        listener.stored_up_to = host.reached


async def _greet(account: TelegramAccount, clock: Clock, host: Host) -> None:
    """Says as whom the bot is served, once Telegram told its name, and offers the pairing link."""
    await account.introduced(clock)
    # The first poll is under way by now. The menu takes several calls, and a first message may
    # come before they are over.
    await asyncio.gather(host.warm_up(), _introduce(account, clock, host))


async def _introduce(account: TelegramAccount, clock: Clock, host: Host) -> None:
    names = await host.owner_names()
    show(served_line(account.handle, host.model, names))
    if not await host.owned():
        show(pairing_lines(account.pairing_link(await host.pairing_code()), names))
    await _set_menus(account, clock, host)


async def _set_menus(account: TelegramAccount, clock: Clock, host: Host) -> None:
    keys = [key.partition(":") for key in await host.owners()]
    mine = [number for channel, _, number in keys if channel == TelegramChannel.name]
    menus = host.menus
    await account.set_menus(clock, menus.private, menus.groups, menus.owners, mine)
