"""The bot's own account: who it is, and the menu of commands it shows."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from bot.adapters.telegram.api import TelegramApi
from bot.domain.errors import ChannelError

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Identity:
    """The bot's user id, and the user name that pairing links are made of."""

    user_id: str
    username: str


class TelegramAccount:
    def __init__(self, api: TelegramApi) -> None:
        self._api = api

    async def identity(self) -> Identity:
        """Asks who the bot is; raises ChannelError, with a plain word for a bad token."""
        async with self._api.calling() as bot:
            me = await bot.get_me()
        return Identity(str(me.id), me.username or "")

    async def check(self) -> str:
        """The bot's user name, as proof that the token works; raises ChannelError."""
        return (await self.identity()).username

    async def set_menu(self, commands: Sequence[tuple[str, str]]) -> None:
        """Shows these (name, description) pairs as the menu; a failure is logged only."""
        try:
            async with self._api.calling() as bot:
                await bot.set_my_commands(commands)
        except ChannelError as fault:
            _log.warning("the menu of commands was not set: %s", fault)
