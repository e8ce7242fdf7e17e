"""Asks Telegram about the bot's own account, and sets its menu of commands."""

import asyncio
import logging
from collections.abc import Sequence
from typing import TypeAlias

from telegram import (
    BotCommandScope,
    BotCommandScopeAllGroupChats,
    BotCommandScopeChat,
    BotCommandScopeDefault,
)

from bot.adapters.telegram.api import TelegramApi
from bot.domain.talk.errors import ChannelError, ChannelUnreachable
from bot.domain.value import frozen
from bot.ports.clock import Clock

_log = logging.getLogger(__name__)
_LONGEST_PAUSE = 30.0
_TELLING_PAUSE = 2.0
_MOST_OWNERS = 20
_MENU_PAUSES = (1.0, 5.0, 30.0)

Menu: TypeAlias = Sequence[tuple[str, str]]
"""The name and the description of each command."""


@frozen
class Identity:
    """The bot's user id, and the user name that pairing links are made of."""

    user_id: str
    username: str


class TelegramAccount:
    def __init__(self, api: TelegramApi) -> None:
        self._api = api
        self._asking = asyncio.Lock()

    async def identity(self) -> Identity:
        """Asks for the bot's id and name; raises ChannelError, which names a bad token as such."""
        async with self._api.calling() as bot:
            me = await bot.get_me()
        self._api.own_name = me.username or ""
        return Identity(str(me.id), self._api.own_name)

    async def introduced(self, clock: Clock) -> None:
        """Returns once the bot's user name is known, by which groups call it."""
        pause, told = 1.0, False
        async with self._asking:
            while not self._api.own_name:
                try:
                    await self.identity()
                except ChannelError as fault:
                    # As a rule the polls meet the same trouble, and one line about it is enough.
                    if pause > _TELLING_PAUSE and not told and not self._api.trouble:
                        _log.warning("Updates wait until Telegram tells the bot's name: %s", fault)
                        told = True
                    await clock.sleep(pause)
                    pause = min(pause * 2, _LONGEST_PAUSE)

    async def check(self) -> str:
        """Returns the bot's user name, as proof that the token works; raises ChannelError."""
        return (await self.identity()).username

    @property
    def handle(self) -> str:
        """The bot's name as people write it, once it is introduced."""
        return f"@{self._api.own_name}"

    def pairing_link(self, code: str) -> str:
        """Returns the link that opens the bot with `/start <code>`."""
        return f"https://t.me/{self._api.own_name}?start={code}"

    async def check_webhook(self, wanted: str) -> str:
        """Returns a sentence about how updates arrive; `wanted` is empty for polling.

        Raises a ChannelError that says why they do not.
        """
        async with self._api.calling() as bot:
            info = await bot.get_webhook_info()
        waiting = f"{info.pending_update_count} updates wait"
        if info.url != wanted:
            return _other_webhook(info.url, wanted, waiting)
        failed = info.last_error_date
        told = f"Telegram could not deliver at {failed:%Y-%m-%d %H:%M} UTC" if failed else ""
        if failed and info.pending_update_count:
            raise ChannelError(f"{told}: {info.last_error_message}; {waiting}.")
        state = f"Telegram calls {wanted}" if wanted else "Updates are polled"
        return f"{state}; {waiting}." + (f" {told}, and did later." if failed else "")

    async def set_menus(
        self, clock: Clock, private: Menu, groups: Menu, owners: Menu, owner_ids: Sequence[str]
    ) -> None:
        """Shows these menus in private chats, in groups, and in the private chats of owners.

        A failure is logged only: an owner who never opened a chat with the bot has no menu.
        """
        await self._set_menu(clock, private, BotCommandScopeDefault())
        await self._set_menu(clock, groups, BotCommandScopeAllGroupChats())
        for owner in owner_ids[:_MOST_OWNERS]:
            await self._set_menu(clock, owners, BotCommandScopeChat(int(owner)))

    async def _set_menu(self, clock: Clock, commands: Menu, scope: BotCommandScope) -> None:
        """Tries again where no answer came: else the menu would be missing until the next start."""
        for pause in (*_MENU_PAUSES, None):
            try:
                async with self._api.calling() as bot:
                    await bot.set_my_commands(commands, scope=scope)
            except ChannelError as fault:
                if pause is not None and isinstance(fault, ChannelUnreachable):
                    await clock.sleep(pause)
                    continue
                _log.warning("A menu of commands was not set: %s", fault)
            return


def _other_webhook(found: str, wanted: str, waiting: str) -> str:
    if not found:
        return f"The webhook is not set yet: the next run sets it; {waiting}."
    if not wanted:
        return f"Telegram calls {found}: the next run deletes that webhook and polls; {waiting}."
    raise ChannelError(
        f"Telegram calls {found}, which another setting or program asked for; {waiting}."
    )
