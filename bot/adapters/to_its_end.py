"""Work that is carried to its end, whoever is cancelled meanwhile."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_its_end(work: asyncio.Future[T] | Coroutine[Any, Any, T]) -> T:
    """Lets the work end even if a cancel comes meanwhile; the cancel is raised afterwards."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
