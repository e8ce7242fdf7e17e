"""Fetches files that people send on Discord."""

import asyncio
from http import HTTPStatus

import aiohttp

from bot.adapters.certificates import certificates
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.domain.talk.errors import ChannelUnreachable, ContentRefused, FileWithheld, RecipientGone
from bot.domain.talk.message import Attachment

_SECONDS = 60.0
_CHUNK = 64 * 1024
_GONE = "is not kept by Discord any more"


class DiscordFiles:
    """The port `Files`; each file is asked for anew, because its address ends after a day."""

    def __init__(self, api: DiscordApi) -> None:
        self._api = api

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        if (attachment.size or 0) > most:
            raise _too_big(most)
        try:
            async with asyncio.timeout(_SECONDS):
                return await _downloaded(await self._address(attachment), most)
        except TimeoutError:
            raise ChannelUnreachable("the file did not come in time", maybe_done=False) from None

    async def _address(self, attachment: Attachment) -> str:
        channel, _, rest = attachment.handle.partition("/")
        number, _, file = rest.partition("/")
        path = "/channels/{channel_id}/messages/{message_id}"
        try:
            names = {"channel_id": channel, "message_id": number}
            told = await self._api.call("GET", path, names=names)
        except (ContentRefused, RecipientGone):
            raise FileWithheld(_GONE) from None
        message = Fields(told)
        forwards = [one.inner("message") for one in message.items("message_snapshots")]
        for holder in (message, *forwards):
            for one in holder.items("attachments"):
                if one.id("id") == file and (url := one.text("url")):
                    return url
        raise FileWithheld(_GONE)


async def _downloaded(url: str, most: int) -> bytes:
    connector = aiohttp.TCPConnector(ssl=certificates())
    try:
        async with (
            aiohttp.ClientSession(connector=connector, trust_env=True) as session,
            session.get(url, headers={"Accept-Encoding": "identity"}) as response,
        ):
            if response.status in (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN):
                raise FileWithheld(_GONE)
            if response.status != HTTPStatus.OK:
                told = f"Discord answered {response.status}"
                raise ChannelUnreachable(told, maybe_done=False)
            content = bytearray()
            async for chunk in response.content.iter_chunked(_CHUNK):
                content += chunk
                if len(content) > most:
                    raise _too_big(most)
    except aiohttp.ClientError as error:
        told = f"the file did not come ({type(error).__name__})"
        raise ChannelUnreachable(told, maybe_done=False) from None
    return bytes(content)


def _too_big(most: int) -> FileWithheld:
    return FileWithheld(f"is larger than the {most // 1_000_000} MB that I fetch")
