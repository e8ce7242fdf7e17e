"""Asks Telegram to call us with updates, and checks now and then that it still does."""

import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import NoReturn
from urllib.parse import urlsplit

from telegram import WebhookInfo

from bot.adapters.platforms.outage import Outage
from bot.adapters.telegram.api import ALLOWED_UPDATES, TelegramApi
from bot.adapters.telegram.faults import NEW_TOKEN
from bot.adapters.telegram.silence import UNREACHED, Silence
from bot.adapters.telegram.webhook_door import Accept, WebhookDoor
from bot.domain.talk.errors import ChannelDenied, ChannelError, ChannelUnreachable, FloodWait
from bot.ports.clock import Clock

LOOK_SECONDS = 300.0
"""Seconds between two looks at the webhook on the platform's side."""

_CONNECTIONS = 20
_log = logging.getLogger(__name__)


class TelegramWebhook:
    """The webhook at `url`; behind its proxy we listen on `port` of 127.0.0.1.

    `secret` is what Telegram shows with every call. `serving` opens the door at its path on a port.
    """

    def __init__(
        self,
        api: TelegramApi,
        clock: Clock,
        url: str,
        secret: str,
        port: int,
        serving: Callable[[WebhookDoor, int], AbstractAsyncContextManager[int]],
    ) -> None:
        self._api = api
        self._clock = clock
        self._url = url
        self._secret = secret
        self._port = port
        self._serving = serving
        self._silence = Silence(api, clock)
        self._stands = False
        self._last_error: datetime | None = None

    @property
    def reached(self) -> bool:
        return self._silence.reached

    async def listen(self, accept: Accept) -> NoReturn:
        """Runs until cancelled. `accept` keeps updates for good, or raises a StoreError.

        Only then is a call answered with 200, so an update may come again but is never lost.
        Raises SettingError when the port cannot be had.
        """
        door = WebhookDoor(urlsplit(self._url).path or "/", self._secret, accept)
        async with self._serving(door, self._port) as port:
            _log.info("calls of the webhook are awaited on 127.0.0.1:%d", port)
            while True:
                try:
                    if self._stands:
                        await self._look()
                        # Calls that were on their way when the secret changed have ended.
                        door.tells_strangers = True
                    else:
                        await self._set()
                except FloodWait as wait:
                    await self._silence.wait_out(
                        Outage("Telegram asks for a pause", wait.retry_after)
                    )
                except ChannelDenied as fault:
                    await self._silence.wait_out(Outage(str(fault), helps=NEW_TOKEN))
                except ChannelUnreachable as fault:
                    await self._silence.wait_out(Outage(str(fault), kind=UNREACHED))
                except ChannelError as fault:
                    told = f"Telegram may not call the webhook: {fault}"
                    await self._silence.wait_out(Outage(told))
                else:
                    self._silence.over()
                    await self._clock.sleep(LOOK_SECONDS)

    async def _set(self) -> None:
        """Sets the webhook, even if it is set: its secret may be of another program."""
        async with self._api.calling() as bot:
            await bot.set_webhook(
                self._url,
                max_connections=_CONNECTIONS,
                allowed_updates=ALLOWED_UPDATES,
                secret_token=self._secret,
                drop_pending_updates=False,
            )
        self._stands = True

    async def _look(self) -> None:
        async with self._api.calling() as bot:
            info = await bot.get_webhook_info()
        self._tell_error(info)
        if info.url != self._url:
            _log.warning("Another program moved or deleted the webhook. I set it again.")
            self._stands = False
            await self._set()

    def _tell_error(self, info: WebhookInfo) -> None:
        """Tells the platform's last failure to reach us, if it is a new one."""
        if info.last_error_date is None or info.last_error_date == self._last_error:
            return
        self._last_error = info.last_error_date
        _log.warning(
            "Telegram could not deliver: %s; %d updates wait",
            info.last_error_message,
            info.pending_update_count,
        )
