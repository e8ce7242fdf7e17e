"""A process with locks at a server, in a network of its own that is taken down under it.

Prints a line for each thing that the server has noticed.
"""

import asyncio
import subprocess
import sys
import time

from sqlalchemy import NullPool, create_engine, text

from bot.adapters.sql.store import ServingProcess, open_store
from tests.e2e.own_server import own_server

_HELD = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND pid <> pg_backend_pid()"
)
_RING = text("SELECT pg_notify('steward', 'nobody ring 1')")


def _network(state: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


async def _at_work() -> None:
    await asyncio.Event().wait()


async def _lost() -> None:
    with own_server() as server:
        engine = create_engine(
            server.without_network, poolclass=NullPool, isolation_level="AUTOCOMMIT"
        )
        with engine.connect() as looking:
            async with open_store(server.url, serving=ServingProcess()) as store:
                post = asyncio.create_task(store.posts.keep("poll", _at_work))
                assert store.owned_chats is not None
                assert await store.owned_chats.take(1)
                # Its post, its chat and its own number, by two connections.
                while looking.execute(_HELD).scalar_one() < 3:
                    await asyncio.sleep(0.05)
                sys.stdout.write("held\n")
                _network("down")
                lost = time.monotonic()
                # From now on what the server sends is not confirmed.
                looking.execute(_RING)
                while looking.execute(_HELD).scalar_one():
                    await asyncio.sleep(0.1)
                sys.stdout.write(f"free after {time.monotonic() - lost:.1f} s\n")
                _network("up")
                post.cancel()


if __name__ == "__main__":
    _network("up")
    asyncio.run(_lost())
