"""Consents to start tool servers."""

from dataclasses import replace
from datetime import timedelta

from bot.domain.change import AllowServer, DropConsent
from bot.domain.tools.server import ServerConsent
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit

TIME = ServerConsent("a" * 64, "time", "uvx mcp-server-time", NOW)
GIT = ServerConsent("b" * 64, "git", "uvx mcp-server-git", NOW + timedelta(hours=1))
LATER = replace(TIME, identity="c" * 64, line="uvx time --utc", given_at=NOW + timedelta(days=1))


async def test_no_server_is_let_in_at_first(store: StorePorts) -> None:
    assert list(await store.consents.given()) == []


async def test_a_server_is_let_in_once_and_stays(store: StorePorts) -> None:
    await commit(store, AllowServer(LATER), AllowServer(TIME), AllowServer(GIT))
    await commit(store, AllowServer(replace(TIME, given_at=NOW + timedelta(days=2))))
    assert list(await store.consents.given()) == [GIT, TIME, LATER]


async def test_a_consent_is_taken_back_alone_and_may_be_given_anew(store: StorePorts) -> None:
    await commit(store, AllowServer(TIME), AllowServer(LATER))
    await commit(store, DropConsent(TIME.identity), DropConsent(GIT.identity))
    assert list(await store.consents.given()) == [LATER]
    await commit(store, DropConsent(TIME.identity), AllowServer(replace(TIME, given_at=NOW)))
    assert list(await store.consents.given()) == [TIME, LATER]
