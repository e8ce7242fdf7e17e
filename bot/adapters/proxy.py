"""Finds the proxy that the environment names, for clients that do not look there themselves."""

import warnings
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL


def proxy_for(url: str) -> tuple[str | None, aiohttp.BasicAuth | None]:
    """Returns the address of the proxy with its login; None for a host that is reached directly.

    `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` count, as in every other client of the
    program. A proxy of `ALL_PROXY` that does not speak HTTP is left out: the library knows none.
    """
    asked, proxies = URL(url), getproxies()
    named = proxies.get(asked.scheme) or _of_all(proxies.get("all", ""))
    if not named or proxy_bypass(asked.host or ""):
        return None, None
    proxy = URL(named if "://" in named else f"http://{named}")
    return str(proxy.with_user(None)), _login(proxy)


def _of_all(named: str) -> str:
    return "" if "://" in named and not named.startswith("http") else named


def _login(proxy: URL) -> aiohttp.BasicAuth | None:
    if not proxy.user:
        return None
    with warnings.catch_warnings():
        # The library of Discord takes a login in no other form.
        warnings.simplefilter("ignore", DeprecationWarning)
        return aiohttp.BasicAuth(proxy.user, proxy.password or "")
