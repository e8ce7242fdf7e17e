"""Consents to start tool servers."""

from dataclasses import replace
from datetime import timedelta

from bot.domain.change import AllowServer
from bot.domain.server import ServerConsent
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit

TIME = ServerConsent("a" * 64, "time", "uvx mcp-server-time", NOW)


async def test_no_server_is_let_in_at_first(store: StorePorts) -> None:
    assert await store.consents.given() == frozenset()


async def test_a_server_is_let_in_once_and_stays(store: StorePorts) -> None:
    other = replace(TIME, identity="b" * 64, server="git")
    await commit(store, AllowServer(TIME), AllowServer(other))
    await commit(store, AllowServer(replace(TIME, given_at=NOW + timedelta(days=1))))
    assert await store.consents.given() == {"a" * 64, "b" * 64}
