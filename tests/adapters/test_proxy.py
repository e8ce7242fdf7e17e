"""The proxy of the environment, as every client of the program finds it."""

import pytest

from bot.adapters.proxy import proxy_for

API = "https://discord.com/api/v10"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_without_one_a_host_is_reached_directly() -> None:
    assert proxy_for(API) == (None, None)


@pytest.mark.parametrize("named", ["http://away.example:3128", "away.example:3128"])
def test_it_is_taken_from_the_environment(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", named)
    assert proxy_for(API) == ("http://away.example:3128", None)
    monkeypatch.setenv("NO_PROXY", "localhost,discord.com")
    assert proxy_for(API) == (None, None)


def test_one_for_all_counts_where_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://away.example:1080")
    assert proxy_for(API) == (None, None)
    monkeypatch.setenv("ALL_PROXY", "http://away.example:3128")
    assert proxy_for(API) == ("http://away.example:3128", None)
    monkeypatch.setenv("HTTPS_PROXY", "http://near.example:3128")
    assert proxy_for(API) == ("http://near.example:3128", None)


def test_its_login_does_not_stay_in_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://ann:secret%21@away.example:3128")
    address, login = proxy_for(API)
    assert address == "http://away.example:3128"
    assert login is not None
    assert (login.login, login.password) == ("ann", "secret!")
