"""Fetches files that people send from the Bot API."""

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from bot.adapters.telegram.api import TelegramApi
from bot.domain.talk.errors import ChannelUnreachable, ContentRefused, FileWithheld
from bot.domain.talk.message import Attachment

if TYPE_CHECKING:
    import aiohttp

MOST_BYTES = 20 * 1024 * 1024
"""The size in bytes of the largest file that the Bot API hands out."""

_SECONDS = 60.0
_TOO_BIG = "too big"


class TelegramFiles:
    """The port `Files`; a file of a self-hosted server comes from that server's address."""

    def __init__(self, api: TelegramApi) -> None:
        self._api = api

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        bound = min(most, MOST_BYTES)
        if not attachment.handle:
            raise FileWithheld("has no file that could be fetched")
        if (attachment.size or 0) > bound:
            raise _too_big(bound)
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._download(await self._path(attachment), bound)
        except TimeoutError:
            raise ChannelUnreachable("the file did not come in time", maybe_done=False) from None

    async def _path(self, attachment: Attachment) -> str:
        """Returns the path of the file below the server's address for files."""
        try:
            async with self._api.calling() as bot:
                told = await bot.get_file(attachment.handle)
                address, root = told.file_path or "", f"{bot.base_file_url}/"
        except ContentRefused as refused:
            if _TOO_BIG in str(refused).lower():
                raise _too_big(MOST_BYTES) from None
            raise FileWithheld("is not kept by Telegram any more") from None
        path = address.removeprefix(root)
        if path == address or path.startswith("/"):
            raise FileWithheld("lies on a Bot API server in local mode, which sends no files")
        return path

    async def _download(self, path: str, bound: int) -> bytes:
        async with self._api.downloading(path) as response:
            _check(response)
            content = bytearray()
            async for chunk in response.content.iter_any():
                content += chunk
                if len(content) > bound:
                    raise _too_big(bound)
        return bytes(content)


def _check(response: "aiohttp.ClientResponse") -> None:
    if response.status == HTTPStatus.NOT_FOUND:
        raise FileWithheld("is not kept by Telegram any more")
    if response.status != HTTPStatus.OK:
        raise ChannelUnreachable(f"Telegram answered {response.status}", maybe_done=False)


def _too_big(bound: int) -> FileWithheld:
    return FileWithheld(
        f"is larger than the {bound // 1_000_000} MB that a bot can fetch from Telegram"
    )
