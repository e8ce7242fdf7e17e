"""The form of Telegram: opened, listened to, checked and listed like every channel."""

import asyncio
import secrets
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import NoReturn, Protocol

from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.addresses import is_group
from bot.adapters.telegram.api import PUBLIC_URL, TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.telegram.files import TelegramFiles
from bot.adapters.telegram.groups import TelegramGroups
from bot.adapters.telegram.listener import TelegramListener
from bot.bootstrap.channel_form import Accept, Host, OpenChannel
from bot.bootstrap.door_form import Serving
from bot.bootstrap.first_lines import pairing_lines, served_line
from bot.bootstrap.http_serving import LateServers
from bot.doctor import NETWORK, Check, Complaint, Finding
from bot.domain.talk.errors import (
    ChannelDenied,
    ChannelError,
    ChannelUnreachable,
    FloodWait,
    SettingError,
)
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.ports.clock import Clock
from bot.settings import Settings, WebhookAccess
from bot.shipped import command


class Listener(Protocol):
    """Receives updates, by polls or by calls of a webhook."""

    async def listen(self, accept: Accept) -> NoReturn: ...


class TelegramForm:
    """Telegram, for a bot that has a token; `serving` opens the port of its webhook."""

    title = "Telegram"

    def __init__(self, serving: Serving | None = None) -> None:
        self._serving = serving or LateServers().serving

    def missing(self, settings: Settings) -> str:
        return "TELEGRAM_BOT_TOKEN" if settings.telegram.token is None else ""

    @asynccontextmanager
    async def opened(self, settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
        async with telegram_api(settings) as api:
            account = TelegramAccount(api)
            channel = TelegramChannel(
                api, gated=settings.send_rates is not None, rich=settings.telegram.rich
            )
            yield OpenChannel(
                GatedChannel(channel, FloodGate(settings.send_rates, clock, is_group)),
                _listener(settings, api, clock, self._serving).listen,
                TelegramFiles(api),
                TelegramGroups(api),
                ready=partial(account.introduced, clock),
                greet=partial(_greet, account, clock),
            )

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        if settings.telegram.token is None:
            return (
                Finding(
                    "telegram",
                    "warn",
                    "There is no token, so only the terminal is served.",
                    f"Run `{command('setup')}`, or set TELEGRAM_BOT_TOKEN.",
                ),
            )
        webhook = settings.telegram.webhook
        updates = Check("updates", partial(_probe_updates, settings), _mend_updates(webhook))
        return (
            Check(
                "telegram",
                partial(_probe_token, settings),
                "Look at TELEGRAM_BOT_TOKEN.",
                then=(updates,),
            ),
        )


def _listener(settings: Settings, api: TelegramApi, clock: Clock, serving: Serving) -> Listener:
    webhook = settings.telegram.webhook
    if webhook is None:
        return TelegramListener(api, clock)
    # Only a run with a webhook loads the HTTP server.
    from bot.adapters.telegram.webhook import TelegramWebhook, WebhookDoor  # noqa: PLC0415

    secret = webhook.secret.get_secret_value() if webhook.secret else secrets.token_urlsafe(32)

    def opened(door: WebhookDoor, port: int) -> AbstractAsyncContextManager[int]:
        return serving(door, door.path, port, "STEWARD_WEBHOOK_PORT")

    return TelegramWebhook(api, clock, webhook.url, secret, webhook.port, opened)


async def _greet(account: TelegramAccount, clock: Clock, host: Host) -> None:
    """Says as whom the bot is served, once Telegram told its name, and offers the pairing link."""
    await account.introduced(clock)
    # The first poll is under way by now. The menu takes several calls, and a first message may
    # come before they are over.
    await asyncio.gather(host.warm_up(), _introduce(account, host))


async def _introduce(account: TelegramAccount, host: Host) -> None:
    names = await host.owner_names()
    _tell(served_line(account.handle, host.model, names))
    if not await host.owned():
        _tell(pairing_lines(account.pairing_link(await host.pairing_code()), names))
    await _set_menus(account, host)


async def _set_menus(account: TelegramAccount, host: Host) -> None:
    keys = [key.partition(":") for key in await host.owners()]
    mine = [number for channel, _, number in keys if channel == TelegramChannel.name]
    await account.set_menus(host.menus.private, host.menus.groups, host.menus.owners, mine)


def _tell(text: str) -> None:
    # Not to the log: anyone who reads the pairing link in time becomes the owner.
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def telegram_api(settings: Settings) -> TelegramApi:
    """Returns the connection to Telegram; nothing is opened yet."""
    token = settings.telegram.token
    if token is None:
        raise SettingError("TELEGRAM_BOT_TOKEN is not set")
    return TelegramApi(token.get_secret_value(), settings.telegram.api_url, settings.send_seconds)


async def try_token(settings: Settings) -> str:
    """Returns the bot's name, as in @steward_bot, when Telegram accepts the token."""
    url = settings.telegram.api_url
    elsewhere = "" if url == PUBLIC_URL else f" Look at TELEGRAM_API_URL too: {url}."
    try:
        async with telegram_api(settings) as api:
            return f"@{await TelegramAccount(api).check()}"
    except ChannelDenied:
        told = "Telegram does not accept the bot token."
        mend = f"Copy it again from @BotFather, then run `{command('setup')}`.{elsewhere}"
        raise Complaint(told, mend) from None
    except FloodWait as wait:
        told = f"Telegram asks for a pause of {wait.retry_after:g} s."
        raise Complaint(told, "Wait that long, then try again.", fleeting=True) from None
    except ChannelUnreachable as fault:
        told = f"{fault} ({url})."
        raise Complaint(told, f"{NETWORK}{elsewhere}", fleeting=True) from None
    except ChannelError as fault:
        told = f"Telegram refuses the question for the bot's name: {fault}."
        raise Complaint(told, f"Look at TELEGRAM_BOT_TOKEN.{elsewhere}") from None


async def _probe_token(settings: Settings) -> str:
    return f"The token is good: it belongs to {await try_token(settings)}."


async def _probe_updates(settings: Settings) -> str:
    webhook = settings.telegram.webhook
    async with telegram_api(settings) as api:
        return await TelegramAccount(api).check_webhook(webhook.url if webhook else "")


def _mend_updates(webhook: WebhookAccess | None) -> str:
    if webhook is None:
        return "Set TELEGRAM_WEBHOOK_URL, or let the next start delete that webhook."
    return (
        f"Check that TELEGRAM_WEBHOOK_URL leads over a proxy to 127.0.0.1:{webhook.port}, then "
        "start Steward, which sets the webhook."
    )
