"""Steward on Telegram."""

import asyncio
import logging
import secrets
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import NoReturn, Protocol

from bot.adapters.system_clock import SystemClock
from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.addresses import CHANNEL, is_group
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.telegram.files import TelegramFiles
from bot.adapters.telegram.groups import TelegramGroups
from bot.adapters.telegram.listener import TelegramListener
from bot.adapters.tools.hardening import harden
from bot.bootstrap.opening import Channels, Running, opened
from bot.bootstrap.parts import Hide
from bot.domain.errors import ChannelError, SettingError
from bot.domain.message import RawUpdate
from bot.domain.person import AT_THE_MACHINE
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.ports.clock import Clock
from bot.settings import Settings

_LOG = logging.getLogger(__name__)


class Listener(Protocol):
    """A way updates come: each is accepted before the platform is told that it arrived."""

    async def listen(
        self, accept: Callable[[Sequence[RawUpdate]], Awaitable[None]]
    ) -> NoReturn: ...


async def serve(settings: Settings, hide: Hide = lambda *_: None) -> int:
    """Serves every channel that has a token, until cancelled."""
    token = settings.telegram.token
    if token is None:
        raise SettingError("TELEGRAM_BOT_TOKEN is not set")
    harden()
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        api = TelegramApi(
            token.get_secret_value(), settings.telegram.api_url, settings.send_seconds
        )
        await stack.enter_async_context(api)
        account = TelegramAccount(api)
        channels = _channels(settings, api, account, clock)
        running = await stack.enter_async_context(opened(settings, channels, hide))
        listener = _listener(settings, api, clock)
        accept = partial(running.application.parts.intake.accept, CHANNEL)
        async with asyncio.TaskGroup() as group:
            group.create_task(listener.listen(accept), name="telegram updates")
            group.create_task(running.application.run(), name="application")
            group.create_task(_greet(running, account), name="greeting")
    return 0


def _channels(
    settings: Settings, api: TelegramApi, account: TelegramAccount, clock: Clock
) -> Channels:
    channel = TelegramChannel(api, gated=settings.send_rates is not None)
    gate = FloodGate(settings.send_rates, clock, is_group)
    return Channels(
        {channel.name: GatedChannel(channel, gate)},
        {channel.name: TelegramFiles(api)},
        {channel.name: TelegramGroups(api)},
        partial(account.introduced, clock),
    )


def _listener(settings: Settings, api: TelegramApi, clock: Clock) -> Listener:
    webhook = settings.telegram.webhook
    if webhook is None:
        return TelegramListener(api, clock)
    # Its HTTP server is loaded only by those who want one.
    from bot.adapters.telegram.webhook import TelegramWebhook  # noqa: PLC0415

    secret = webhook.secret.get_secret_value() if webhook.secret else secrets.token_urlsafe(32)
    return TelegramWebhook(api, clock, webhook.url, secret, webhook.port)


async def _greet(running: Running, account: TelegramAccount) -> None:
    """What may come after the first poll: the menu, the pairing link, the SDK."""
    commands = [(c.name, c.summary) for c in running.application.parts.commands]
    await account.set_menu(commands)
    await _offer_pairing(running, account)
    if running.anthropic is not None:
        await running.anthropic.warm()


async def _offer_pairing(running: Running, account: TelegramAccount) -> None:
    """Prints the link that makes its first visitor the owner; it goes past the log."""
    accounts = await running.store.people.accounts()
    if any(p.is_owner and not key.startswith(f"{AT_THE_MACHINE}:") for key, p in accounts):
        return
    try:
        identity = await account.identity()
    except ChannelError as fault:
        _LOG.warning("no pairing link: %s", fault)
        return
    code = await running.application.parts.doorway.pairing_code()
    link = f"https://t.me/{identity.username}?start={code}"
    # Not to the log: whoever reads the link within its time becomes the owner.
    sys.stdout.write(f"Nobody owns this assistant yet. Open within 15 minutes: {link}\n")
    sys.stdout.flush()
