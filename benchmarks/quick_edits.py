"""The program with growing messages that change five times as often as they do.

So the edits of a short turn outweigh whatever else the process does meanwhile. Each edit itself is
made as ever.
"""

from dataclasses import replace

from bot.__main__ import main
from bot.adapters.telegram.channel import TelegramChannel

EVERY = 1.0
"""Seconds between two edits."""


def start() -> None:
    TelegramChannel.growth = replace(TelegramChannel.growth, after=EVERY, every=EVERY)
    main()


if __name__ == "__main__":
    start()
