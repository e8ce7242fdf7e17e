"""Asks Telegram for the owner and the members of a group; no answer is kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from telegram import Bot, ChatMember, ChatMemberRestricted
from telegram.constants import ChatMemberStatus

from bot.adapters.telegram.api import TelegramApi
from bot.domain.talk.errors import ChannelUnreachable, ContentRefused, RecipientGone
from bot.domain.talk.message import Address
from bot.domain.talk.person import Sender

_RUNNING = (ChatMemberStatus.OWNER, ChatMemberStatus.ADMINISTRATOR)
_ABSENT = (ChatMemberStatus.LEFT, ChatMemberStatus.BANNED)
_PATIENCE_SECONDS = 5.0
"""Short, because a command waits for the answer, and the chat's updates behind it wait, too."""


class TelegramGroups:
    def __init__(self, api: TelegramApi, patience: float = _PATIENCE_SECONDS) -> None:
        self._api = api
        self._patience = patience

    async def owned_by(self, group: Address, sender: Sender) -> bool:
        member = await self._member(group, sender)
        return member.status == ChatMemberStatus.OWNER and str(member.user.id) == sender.user_id

    async def run_by(self, group: Address, sender: Sender) -> bool:
        member = await self._member(group, sender)
        return member.status in _RUNNING and str(member.user.id) == sender.user_id

    async def may_open_threads(self, group: Address) -> bool:
        return False

    async def leave(self, group: Address) -> None:
        try:
            async with self._calling() as bot:
                await bot.leave_chat(group.chat)
        except (ContentRefused, RecipientGone):
            # Telegram refuses so when the bot is there no longer.
            return

    async def includes(self, group: Address, sender: Sender) -> bool:
        try:
            member = await self._member(group, sender)
        except (ContentRefused, RecipientGone):
            # Telegram refuses so when the person was never there.
            return False
        if isinstance(member, ChatMemberRestricted):
            return member.is_member
        return member.status not in _ABSENT

    async def _member(self, group: Address, sender: Sender) -> ChatMember:
        async with self._calling() as bot:
            return await bot.get_chat_member(group.chat, int(sender.user_id))

    @asynccontextmanager
    async def _calling(self) -> AsyncIterator[Bot]:
        try:
            async with asyncio.timeout(self._patience), self._api.calling() as bot:
                yield bot
        except TimeoutError:
            raise ChannelUnreachable("Telegram did not answer in time", maybe_done=False) from None
