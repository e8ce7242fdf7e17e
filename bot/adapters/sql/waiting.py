"""Waits for a transaction that has begun."""

import asyncio
from typing import TypeVar

T = TypeVar("T")


async def decided(transaction: asyncio.Future[T]) -> T:
    """Waits until a transaction has ended; raises a cancel only after that."""
    try:
        return await asyncio.shield(transaction)
    except asyncio.CancelledError:
        await asyncio.wait([transaction])
        raise
