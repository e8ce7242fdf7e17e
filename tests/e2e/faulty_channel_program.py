"""The program with a fault in all that its channels show beside messages."""

from typing import Any

from bot.__main__ import main
from bot.adapters.discord.channel import DiscordChannel
from bot.adapters.telegram.channel import TelegramChannel


async def _fails(*_: Any, **__: Any) -> Any:
    raise KeyError("nobody foresaw this")


if __name__ == "__main__":
    for channel in (TelegramChannel, DiscordChannel):
        for name in ("sign", "draft", "acknowledge"):
            setattr(channel, name, _fails)
    main()
