"""Tries the token of a bot on Telegram, and the way in which its updates come."""

from collections.abc import Sequence
from functools import partial

from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.api import PUBLIC_URL, TelegramApi
from bot.doctor import NETWORK, Check, Complaint, Finding
from bot.domain.talk.errors import (
    ChannelDenied,
    ChannelError,
    ChannelUnreachable,
    FloodWait,
    SettingError,
)
from bot.settings import Settings, WebhookAccess
from bot.shipped import command


def checks(settings: Settings) -> Sequence[Check | Finding]:
    if settings.telegram.token is None:
        return (
            Finding(
                "telegram",
                "warn",
                "There is no token, so Telegram is not served.",
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
