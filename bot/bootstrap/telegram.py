"""The form of Telegram: opened, listened to, checked and listed like every channel."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from bot.bootstrap.channel_form import OpenChannel
from bot.bootstrap.door_form import Serving
from bot.bootstrap.http_serving import LateServers
from bot.bootstrap.telegram_opening import opened
from bot.bootstrap.telegram_trials import checks
from bot.doctor import Check, Finding
from bot.ports.clock import Clock
from bot.settings import Settings


class TelegramForm:
    """Telegram, for a bot that has a token; `serving` opens the port of its webhook."""

    title = "Telegram"

    def __init__(self, serving: Serving | None = None) -> None:
        self._serving = serving or LateServers().serving

    def missing(self, settings: Settings) -> str:
        return "TELEGRAM_BOT_TOKEN" if settings.telegram.token is None else ""

    def opened(self, settings: Settings, clock: Clock) -> AbstractAsyncContextManager[OpenChannel]:
        return opened(settings, clock, self._serving)

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        return checks(settings)
