"""Has a channel split a content into its messages, in a thread when it is long.

The channel alone decides where to cut: see `cutting` in its adapter.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.talk.message import Block, Markdown, Outbound, Piece, Plain
from bot.ports.channel import Channel

_LOG = logging.getLogger(__name__)

SHORT = 2_000
"""Characters of a content that is split at once; a longer one is split in a thread.

The costliest Markdown of this length takes 30 ms.
"""

SECONDS = 10.0
"""Seconds that splitting may take before the text is shown as it is written."""


async def pieces_of(
    channel: Channel, content: Outbound, shown: Sequence[Piece] = (), seconds: float = SECONDS
) -> Sequence[Piece]:
    """Returns the platform messages of a content; plain ones where formatting takes too long."""
    if sum(len(block.text) for block in content.blocks) <= SHORT:
        return channel.split(content, shown)
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(channel.split, content, shown)
    except TimeoutError:
        _LOG.warning("a message is shown without formatting: it took over %g s", seconds)
        return await asyncio.to_thread(channel.split, replace(content, blocks=_plain(content)))


def _plain(content: Outbound) -> tuple[Block, ...]:
    return tuple(Plain(b.text) if isinstance(b, Markdown) else b for b in content.blocks)
