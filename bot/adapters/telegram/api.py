"""Connects one bot with the Bot API: opened once, shared by channel, listener and account."""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Self
from urllib.parse import quote, urlencode

from telegram import Bot
from telegram.error import TelegramError

from bot.adapters.telegram.faults import translated, unreached
from bot.domain.talk.errors import ChannelError, ChannelUnreachable

if TYPE_CHECKING:
    import aiohttp

PUBLIC_URL = "https://api.telegram.org"
ALLOWED_UPDATES = (
    *("message", "edited_message", "callback_query", "my_chat_member"),
    "message_reaction",
)
"""The kinds of updates Telegram is asked for, polled or by webhook.

Reactions come only when they are named; in groups, only while the bot is an administrator.
"""

_SLACK_SECONDS = 1.0
_UPLOAD_SECONDS = 300.0
_GRACE_SECONDS = 1.0
_CONNECTIONS = 256


class TelegramApi:
    """Methods are at `url`/bot<token>/<method>; nothing is opened before `async with`.

    `own_name` is the bot's user name, known once its account was asked for. `trouble` is the kind
    of fault that keeps updates away, once the log has told it; empty while they come.
    """

    def __init__(self, token: str, url: str = PUBLIC_URL, send_seconds: float = 30.0) -> None:
        self._token = token
        self._url = url.rstrip("/")
        self._send_seconds = send_seconds
        self.own_name = ""
        self.trouble = ""
        forms = (re.escape(form) for form in (token, quote(token, safe="")) if form)
        self._written_token = re.compile("|".join(forms) or "(?!)", re.IGNORECASE)

    @property
    def own_id(self) -> str:
        """Returns the bot's own user id, which every token begins with."""
        return self._token.partition(":")[0]

    async def __aenter__(self) -> Self:
        _silence_logs_with_urls()
        # Its library takes a while to load, and only a run that serves Telegram needs it.
        from bot.adapters.telegram.transport import Transport

        self._sending = Transport(self._url, self._send_seconds, _CONNECTIONS, _GRACE_SECONDS)
        self._polling = Transport(self._url, self._send_seconds, 1)
        self._bot = Bot(
            self._token,
            base_url=f"{self._url}/bot",
            base_file_url=f"{self._url}/file/bot",
            request=self._sending,
            get_updates_request=self._polling,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._polling.shutdown()
        await self._sending.shutdown()

    @asynccontextmanager
    async def calling(self, *, upload: bool = False) -> AsyncIterator[Bot]:
        """Yields the bot for one call, bounded in time; faults are translated and show no token."""
        try:
            async with asyncio.timeout(_UPLOAD_SECONDS if upload else self._send_seconds):
                yield self._bot
        except TelegramError as error:
            raise self._scrubbed(translated(error)) from None
        except TimeoutError:
            raise ChannelUnreachable("Telegram did not answer in time", maybe_done=True) from None
        except (KeyError, TypeError, AttributeError) as error:
            # The library reads a result without checking that it is of the promised type.
            raise ChannelUnreachable(
                f"Telegram sent a result of another form ({type(error).__name__})", maybe_done=True
            ) from None

    async def updates(
        self, offset: int | None, wait: int, limit_seconds: float, most: int = 100
    ) -> bytes:
        """Returns one raw answer of getUpdates, which waits up to `wait` seconds for an update.

        Raises the library's own errors with their status, or TimeoutError; none of their texts
        may be shown before `scrub` has seen it.
        """
        query = {"timeout": wait, "limit": most, "allowed_updates": json.dumps(ALLOWED_UPDATES)}
        if offset is not None:
            query["offset"] = offset
        # The read's own limit comes first: a cancel could cost the pool its only connection.
        async with asyncio.timeout(limit_seconds + _SLACK_SECONDS):
            _, payload = await self._polling.do_request(
                f"{self._bot.base_url}/getUpdates?{urlencode(query)}",
                "POST",  # a GET would be sent once more, unseen, where the connection is cut
                read_timeout=limit_seconds,
            )
        return payload

    @asynccontextmanager
    async def downloading(self, path: str) -> AsyncIterator["aiohttp.ClientResponse"]:
        """Yields the answer for a file at a path of getFile; its bytes are still to come."""
        url = f"{self._url}/file/bot{self._token}/{quote(path)}"
        plain = {"Accept-Encoding": "identity"}
        try:
            async with self._sending.asking(
                url, "GET", self._send_seconds, headers=plain
            ) as response:
                yield response
        except TelegramError as error:
            raise ChannelUnreachable(unreached(error), maybe_done=False) from None

    def scrub(self, text: str) -> str:
        """Returns the text without the token, in any case and as a URL would write it."""
        return self._written_token.sub("<token>", text)

    def _scrubbed(self, fault: ChannelError) -> ChannelError:
        fault.args = tuple(self.scrub(a) if isinstance(a, str) else a for a in fault.args)
        return fault


def _silence_logs_with_urls() -> None:
    # The token stands in every URL, and these log URLs below WARNING.
    for name in ("aiohttp", "telegram"):
        logging.getLogger(name).setLevel(logging.WARNING)
