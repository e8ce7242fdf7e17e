"""Serves Telegram."""

import logging
import secrets
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import NoReturn, Protocol

from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.addresses import is_group
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.telegram.files import TelegramFiles
from bot.adapters.telegram.groups import TelegramGroups
from bot.adapters.telegram.listener import TelegramListener
from bot.bootstrap.channel_form import Accept, Host, OpenChannel
from bot.doctor import Check, Finding
from bot.domain.errors import ChannelError, SettingError
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.ports.clock import Clock
from bot.settings import Settings, WebhookAccess

_LOG = logging.getLogger(__name__)


class Listener(Protocol):
    """Receives updates, by polls or by calls of a webhook."""

    async def listen(self, accept: Accept) -> NoReturn: ...


class TelegramForm:
    """Telegram, for a bot that has a token."""

    title = "Telegram"

    def missing(self, settings: Settings) -> str:
        return "TELEGRAM_BOT_TOKEN" if settings.telegram.token is None else ""

    @asynccontextmanager
    async def opened(self, settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
        async with _api(settings) as api:
            account = TelegramAccount(api)
            channel = TelegramChannel(api, gated=settings.send_rates is not None)
            yield OpenChannel(
                GatedChannel(channel, FloodGate(settings.send_rates, clock, is_group)),
                _listener(settings, api, clock).listen,
                TelegramFiles(api),
                TelegramGroups(api),
                ready=partial(account.introduced, clock),
                greet=partial(_greet, account),
            )

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        if settings.telegram.token is None:
            return (
                Finding(
                    "telegram",
                    "warn",
                    "There is no token: only the terminal is served.",
                    "Ask the BotFather for a bot and set TELEGRAM_BOT_TOKEN.",
                ),
            )
        webhook = settings.telegram.webhook
        updates = Check("updates", partial(_probe_updates, settings), _mend_updates(webhook))
        return (
            Check(
                "telegram",
                partial(_probe_token, settings),
                "Look at TELEGRAM_BOT_TOKEN and TELEGRAM_API_URL.",
                then=(updates,),
            ),
        )


def _api(settings: Settings) -> TelegramApi:
    token = settings.telegram.token
    if token is None:
        raise SettingError("TELEGRAM_BOT_TOKEN is not set")
    return TelegramApi(token.get_secret_value(), settings.telegram.api_url, settings.send_seconds)


def _listener(settings: Settings, api: TelegramApi, clock: Clock) -> Listener:
    webhook = settings.telegram.webhook
    if webhook is None:
        return TelegramListener(api, clock)
    # Only a run with a webhook loads the HTTP server.
    from bot.adapters.telegram.webhook import TelegramWebhook  # noqa: PLC0415

    secret = webhook.secret.get_secret_value() if webhook.secret else secrets.token_urlsafe(32)
    return TelegramWebhook(api, clock, webhook.url, secret, webhook.port)


async def _greet(account: TelegramAccount, host: Host) -> None:
    await account.set_menu(host.commands)
    if not await host.owned():
        await _offer_pairing(account, host)
    await host.warm_up()


async def _offer_pairing(account: TelegramAccount, host: Host) -> None:
    """Prints the link that makes its first visitor the owner."""
    try:
        identity = await account.identity()
    except ChannelError as fault:
        _LOG.warning("no pairing link: %s", fault)
        return
    link = f"https://t.me/{identity.username}?start={await host.pairing_code()}"
    # Not to the log: anyone who reads the link in time becomes the owner.
    sys.stdout.write(f"Nobody owns this assistant yet. Open within 15 minutes: {link}\n")
    sys.stdout.flush()


async def _probe_token(settings: Settings) -> str:
    async with _api(settings) as api:
        name = await TelegramAccount(api).check()
    return f"The token is good: it belongs to @{name}."


async def _probe_updates(settings: Settings) -> str:
    webhook = settings.telegram.webhook
    async with _api(settings) as api:
        return await TelegramAccount(api).check_webhook(webhook.url if webhook else "")


def _mend_updates(webhook: WebhookAccess | None) -> str:
    if webhook is None:
        return "Look at TELEGRAM_WEBHOOK_URL, which is not set."
    return (
        f"See that TELEGRAM_WEBHOOK_URL leads over a proxy to 127.0.0.1:{webhook.port}, and start "
        "Steward, which sets the webhook."
    )
