"""Tool servers: programs and addresses that lend their tools, as someone declared them."""

import hashlib
import json
import re
import shlex
from collections.abc import Iterable
from datetime import datetime

from bot.domain.tools.tool import ToolSpec
from bot.domain.tools.variable import spellings
from bot.domain.value import field, frozen

NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
LONGEST_NAME = 32
_LONGEST_TOOL = 64
_BETWEEN = "__"
_MARK = 8
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
_STROKES = re.compile(r"_{2,}")


@frozen
class ServerSpec:
    """A tool server that speaks the Model Context Protocol."""

    name: str
    """The name in the settings or in the skill."""
    command: tuple[str, ...] = ()
    """A program with its arguments, started in `folder` with `env`."""
    url: str = ""
    """The address of a server without a command, asked with `headers`."""
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Variables of the program, by name."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Headers of each request to the address, by name."""
    folder: str = "/"
    """The folder in which the program starts."""
    trusted: bool = False
    """True when the server is believed that a tool merely reads."""
    start_seconds: float = 30.0
    """Seconds that the server may take to start."""
    call_seconds: float = 60.0
    """Seconds that one call may take."""
    idle_seconds: float = 1800.0
    """Seconds without use after which the server is ended; 0 means never."""
    skill: str = ""
    """The skill that brought the server along; empty for the operator's own."""
    allowed: bool = True
    """False until an owner consents; before that, nothing of it is started."""
    told_env: tuple[tuple[str, str], ...] = ()
    """The part of `env` that owners see, with placeholders for secret values."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values that no prompt and no log may hold."""
    tools: tuple[str, ...] | None = None
    """The tools that are offered; None means all."""
    reads: tuple[str, ...] = ()
    """Tools that the operator knows to read only."""
    fault: str = ""
    """The reason why nobody can use the server as it was declared; it is only shown then."""

    @property
    def identity(self) -> str:
        """Returns the digest that consent is bound to: of the start, its folder and its variables.

        The values of variables that are not secret count too: one may name a program to load.
        """
        env, headers = ([name for name, _ in pairs] for pairs in (self.env, self.headers))
        start = [self.name, self.command, self.url, self.folder]
        told = [*start, sorted(env), sorted(headers), self.told_env]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    @property
    def line(self) -> str:
        """Returns the command line or the address, as a person reads it."""
        return shlex.join(self.command) if self.command else self.url


@frozen
class ServerConsent:
    """An owner's consent that a server may be started: bound to `identity`, shown by `line`.

    The decision of a card records the consent itself and the owner who gave it.
    """

    identity: str
    server: str
    line: str
    given_at: datetime


@frozen
class ServerCondition:
    """The state of a server in a few words, its tools, and the tools that are not offered.

    A `fault` is the reason why it lends no tools.
    """

    spec: ServerSpec
    state: str
    tools: tuple[ToolSpec, ...] = ()
    left_out: tuple[str, ...] = ()
    fault: str = ""
    unused: float | None = None
    """Seconds since its last call or start; None before its first one in this run."""


def is_server_name(text: str) -> bool:
    """Returns true for small letters, digits and single strokes, which keep tool names apart."""
    return len(text) <= LONGEST_NAME and NAME.fullmatch(text) is not None


def tools_prefix(server: str) -> str:
    """Returns `<server>__`, the beginning of this server's tool names and of no other's.

    A skill may name a server more freely than the settings. A name that is too long for tool names,
    or that could be confused with the `__`, is cut and marked.
    """
    if len(server) <= LONGEST_NAME and _BETWEEN not in server and not server.endswith("_"):
        return f"{server}{_BETWEEN}"
    mark = hashlib.sha256(server.encode()).hexdigest()[:_MARK]
    head = _STROKES.sub("_", server)[: LONGEST_NAME - _MARK - 1].rstrip("_")
    return f"{head}-{mark}{_BETWEEN}"


def is_lent(tool: str) -> bool:
    """Returns true for the name of a server's tool, which no other tool has."""
    return _BETWEEN in tool


def tool_name(server: str, tool: str) -> str:
    """Returns `<server>__<tool>`, legal for every provider; an altered name ends with a mark."""
    clean = _ILLEGAL.sub("_", tool)
    whole = f"{tools_prefix(server)}{clean}"
    if clean == tool and tool and len(whole) <= _LONGEST_TOOL:
        return whole
    mark = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{whole[: _LONGEST_TOOL - _MARK - 1]}_{mark}"


def is_servers_tool(name: str) -> bool:
    """Returns true when a tool belongs to a server; no tool of the program has such a name."""
    return _BETWEEN in name


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Returns the text with these values masked, also as JSON writes them; very short ones stay."""
    long_enough = (secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)
    found = {spelling for secret in long_enough for spelling in spellings(secret)}
    for spelling in sorted(found, key=len, reverse=True):
        text = text.replace(spelling, "[secret]")
    return text


_SHORTEST_SECRET = 6
