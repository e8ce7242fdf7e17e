"""Reads single settings as people write them; each raises ValueError with half a sentence."""

import re
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from bot.domain.talk.limits import Rate, SendRates
from bot.ports.duties import Duty

_ACCOUNT = re.compile(r"[a-z]+:-?\d+")
_CHAT = re.compile(r"[a-z]+:-?\d+(/\d+)?")
_SHARED = re.compile(r"\.|[\w-][\w .-]*(/[\w-][\w .-]*)*")
_TAG = re.compile(r"[\w-]{1,40}")
_TOKEN = re.compile(r"\d+:[A-Za-z0-9_-]+")
_DISCORD_TOKEN = re.compile(r"[A-Za-z0-9_=-]{16,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{16,}")
_WEB_HOST = re.compile(r"([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[1-9]\d{0,4})?")
_WEBHOOK_SECRET = re.compile(r"[A-Za-z0-9_-]{16,256}")
_RATE = re.compile(r"(\d+)(?:/(s|min|h))?")
_UNIT_SECONDS = {None: 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}
_LARGEST_BURST = 100
_DATABASES = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


def accounts(text: str) -> tuple[str, ...]:
    """Reads `telegram:42,discord:7`: numeric ids alone, since names can change hands."""
    keys = [key.strip() for key in text.split(",") if key.strip()]
    for key in keys:
        if not _ACCOUNT.fullmatch(key):
            raise ValueError(f"“{key}” should be a channel and a numeric id, as in telegram:42")
    return tuple(dict.fromkeys(keys))


def roles(text: str) -> tuple[str, ...]:
    """Reads `receive,work`: the roles of a process; `all` has no more to say."""
    named = [one.strip().lower() for one in text.split(",") if one.strip()]
    for one in named:
        if one not in (*Duty, "all"):
            raise ValueError(f"“{one}” should be one of {', '.join(Duty)}, or all")
    return () if "all" in named else tuple(one for one in Duty if one in named)


def tags(text: str) -> tuple[str, ...]:
    """Reads `garage,attic`: words of letters, digits, `-` and `_`."""
    named = tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))
    for one in named:
        if not _TAG.fullmatch(one):
            raise ValueError(f"“{one}” should be a word of up to 40 letters, digits, - and _")
    return named


def shared_folders(text: str) -> tuple[tuple[str, str], ...]:
    """Reads `telegram:-1001=team,telegram:43=team`: a chat once, and a folder of the workspace."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        chat, _, folder = (word.strip() for word in part.partition("="))
        if not _CHAT.fullmatch(chat) or chat in found:
            raise ValueError("it should name each chat once, as in telegram:-1001=team")
        if not _SHARED.fullmatch(folder) or folder.split("/")[0] == "chats":
            raise ValueError(f"“{folder}” should be a folder below the workspace, outside of chats")
        found[chat] = folder
    return tuple(found.items())


def web_hosts(text: str) -> tuple[str, ...]:
    """Reads `example.org,127.0.0.1:8080,[::1]:8080`: hosts, some with a port."""
    found = [host.strip().lower().removesuffix(".") for host in text.split(",") if host.strip()]
    for host in found:
        if not _WEB_HOST.fullmatch(host):
            raise ValueError(f"“{host}” should be a host or host:port, as in example.org")
    return tuple(dict.fromkeys(found))


def send_rates(text: str) -> SendRates | None:
    """Reads `chat=1,group=20/min,all=30,burst=3`; `off` is no bound.

    A missing part keeps its default.
    """
    if text.strip().lower() == "off":
        return None
    wishes: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, wish = (word.strip() for word in part.partition("="))
        if name not in ("chat", "group", "all", "burst") or name in wishes:
            raise ValueError(
                "it should name chat, group, all and burst once each, as in chat=1,group=20/min"
            )
        wishes[name] = wish
    burst = wishes.pop("burst", None)
    rates = replace(SendRates(), **{name: _rate(wish) for name, wish in wishes.items()})
    return rates if burst is None else replace(rates, burst=_burst(burst))


def _burst(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _LARGEST_BURST:
        raise ValueError(f"burst should be a number from 1 to {_LARGEST_BURST}, not “{text}”")
    return int(text)


def _rate(text: str) -> Rate | None:
    if text == "off":
        return None
    match = _RATE.fullmatch(text)
    if match is None or int(match[1]) == 0:
        raise ValueError(f"“{text}” should be a number of messages, as in 30, 20/min or off")
    return Rate(int(match[1]), _UNIT_SECONDS[match[2]])


def embed_model(text: str) -> str:
    """Reads the name of an embedder; `local` in any case means Chroma's own."""
    if not text or not text.isprintable() or " " in text:
        raise ValueError("it should be the name of a model, or local")
    return "local" if text.lower() == "local" else text


def service_url(text: str) -> str:
    """Reads an http(s) address without query or fragment; drops a slash at its end."""
    parts = _split(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("it should begin with http:// or https://, as https://host:port/path")
    return text.rstrip("/")


def webhook_url(text: str) -> str:
    """Reads a public https address, and returns it unchanged for Telegram."""
    parts = _split(text)
    plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    if parts.scheme != "https" or not parts.hostname or not plain or not text.isascii():
        raise ValueError("it should be an address like https://bot.example.org/telegram")
    return text


def page_url(text: str) -> str:
    """Reads an https address without a path; plain http only for this machine itself."""
    parts = _split(text)
    plain = not (parts.query or parts.fragment or "@" in parts.netloc or parts.path.strip("/"))
    here = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost")
    safe = parts.scheme == "https" or here
    if not (safe and plain and parts.hostname) or not text.isascii():
        raise ValueError("it should be an address like https://steward.example.org")
    return text.rstrip("/").lower()


def addresses(text: str) -> tuple[str, ...]:
    """Reads IP addresses between commas."""
    try:
        return tuple(str(ip_address(one.strip())) for one in text.split(",") if one.strip())
    except ValueError as error:
        raise ValueError("it should be addresses like 127.0.0.1, 10.0.0.2") from error


def webhook_secret(text: str) -> str:
    if not _WEBHOOK_SECRET.fullmatch(text):
        raise ValueError("it should be 16 to 256 letters, digits, - or _")
    return text


def database_url(text: str) -> str:
    """Returns an address of SQLite or PostgreSQL with the driver this program uses."""
    scheme, mark, rest = text.partition("://")
    if not mark or scheme not in _DATABASES or not rest.strip("/"):
        raise ValueError(
            "it should be sqlite+aiosqlite:///path/of/file.db or postgresql://user@host/name"
        )
    driver = _DATABASES[scheme]
    if driver.startswith("postgresql"):
        rest = _hosts_apart(rest)
        _split(f"{driver}://{rest}")
    return f"{driver}://{rest}"


def _hosts_apart(rest: str) -> str:
    """Moves several servers, named as `one:5432,two:5432`, to where the driver looks for them."""
    place, slash, name = rest.partition("/")
    user, at, servers = place.rpartition("@")
    if "," not in servers:
        return rest
    named = "&".join(f"host={server}" for server in servers.split(","))
    return f"{user}{at}{slash}{name}{'&' if '?' in name else '?'}{named}"


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError as error:
        raise ValueError(f"it is no address ({error})") from error
    if any(letter.isspace() or not letter.isprintable() for letter in url):
        raise ValueError("it holds white space or control characters")
    return parts


def password_of(url: str) -> str | None:
    return urlsplit(url).password


def without_password(url: str) -> str:
    """Returns the address with its password masked."""
    parts = urlsplit(url)
    if parts.password is None:
        return url
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}:***@{host}"))


def folder(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("it holds a NUL character")
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError("it begins with the home of a user this machine does not know") from error


def key(text: str) -> str:
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("it holds white space or characters that no key has")
    return text


def bot_token(text: str) -> str:
    if not _TOKEN.fullmatch(text):
        raise ValueError("it should look like 123456:ABC-def, as the BotFather gave it")
    return text


def discord_token(text: str) -> str:
    if not _DISCORD_TOKEN.fullmatch(text):
        raise ValueError("it should be three words with dots between, as Discord shows it once")
    return text


def masked(secret: str) -> str:
    """Returns enough of a long secret to tell two apart, and no part of a short one."""
    return f"…{secret[-4:]}" if len(secret) >= 24 else "set"


def joined(value: Any) -> Any:
    """Joins a list of a TOML file with commas, as the other places write it."""
    return ",".join(str(part) for part in value) if isinstance(value, list) else value
