"""Waiting for a transaction that has begun."""

import asyncio
from typing import TypeVar

T = TypeVar("T")


async def decided(transaction: asyncio.Future[T]) -> T:
    """Waits for a transaction to its end: a cancel is passed on only after it."""
    try:
        return await asyncio.shield(transaction)
    except asyncio.CancelledError:
        await asyncio.wait([transaction])
        raise
