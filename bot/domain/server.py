"""Tool servers: programs and addresses that lend their tools, as someone declared them."""

import hashlib
import json
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.tool import ToolSpec
from bot.domain.variable import spellings

NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
LONGEST_NAME = 32
_LONGEST_TOOL = 64
_BETWEEN = "__"
_MARK = 8
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
_STROKES = re.compile(r"_{2,}")


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """A tool server speaking the Model Context Protocol.

    `command` is a program with its arguments, started in `folder` with `env`; without one the
    server is at `url`, asked with `headers`. Only a `trusted` server is believed when it
    says that a tool merely reads. `skill` names the skill that brought the server along; the
    operator's own have none. Before it is `allowed` nothing of it is started. `told_env` is
    what owners are shown of `env`, with placeholders for secret values. `secrets` are values that
    no prompt and no log may hold. An `idle_seconds` of 0 is for ever. `tools` names the tools that
    are offered (None: all), `reads` those that the operator knows to read only. A server with a
    `fault` was declared in a way that nobody can use: it is only shown.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    folder: str = "/"
    trusted: bool = False
    start_seconds: float = 30.0
    call_seconds: float = 60.0
    idle_seconds: float = 1800.0
    skill: str = ""
    allowed: bool = True
    told_env: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    tools: tuple[str, ...] | None = None
    reads: tuple[str, ...] = ()
    fault: str = ""

    @property
    def identity(self) -> str:
        """What consent is bound to: what is started where, and with which variables.

        A value that is no secret counts as well: it may name a program that is loaded along.
        """
        env, headers = ([name for name, _ in pairs] for pairs in (self.env, self.headers))
        start = [self.name, self.command, self.url, self.folder]
        told = [*start, sorted(env), sorted(headers), self.told_env]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    @property
    def line(self) -> str:
        """The command line or the address, as a person reads it."""
        return shlex.join(self.command) if self.command else self.url


@dataclass(frozen=True, slots=True)
class ServerConsent:
    """An owner's word that a server may be started: bound to its `identity`, shown by its `line`.

    The word itself, with who gave it, is the decision of a card.
    """

    identity: str
    server: str
    line: str
    given_at: datetime


@dataclass(frozen=True, slots=True)
class ServerStanding:
    """How a server stands: its state in a few words, and what of its tools is not offered.

    A `fault` is the reason why it lends no tools.
    """

    spec: ServerSpec
    state: str
    tools: tuple[ToolSpec, ...] = ()
    left_out: tuple[str, ...] = ()
    fault: str = ""


def is_server_name(text: str) -> bool:
    """Small letters, digits and single strokes, so that no two servers' tools can share a name."""
    return len(text) <= LONGEST_NAME and NAME.fullmatch(text) is not None


def tools_prefix(server: str) -> str:
    """`<server>__`, which names of its tools begin with and those of no other server.

    A skill may name a server more freely than the settings: what is too long for the tools' own
    names to fit behind it, or could be taken for more of the `__`, is cut and marked.
    """
    if len(server) <= LONGEST_NAME and _BETWEEN not in server and not server.endswith("_"):
        return f"{server}{_BETWEEN}"
    mark = hashlib.sha256(server.encode()).hexdigest()[:_MARK]
    head = _STROKES.sub("_", server)[: LONGEST_NAME - _MARK - 1].rstrip("_")
    return f"{head}-{mark}{_BETWEEN}"


def tool_name(server: str, tool: str) -> str:
    """`<server>__<tool>`, legal for every provider; an altered name ends with its own mark."""
    clean = _ILLEGAL.sub("_", tool)
    whole = f"{tools_prefix(server)}{clean}"
    if clean == tool and tool and len(whole) <= _LONGEST_TOOL:
        return whole
    mark = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{whole[: _LONGEST_TOOL - _MARK - 1]}_{mark}"


def is_servers_tool(name: str) -> bool:
    """Whether a tool belongs to a server; no tool of the house has such a name."""
    return _BETWEEN in name


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text with these values masked, also as JSON writes them; very short ones are left."""
    long_enough = (secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)
    found = {spelling for secret in long_enough for spelling in spellings(secret)}
    for spelling in sorted(found, key=len, reverse=True):
        text = text.replace(spelling, "[secret]")
    return text


_SHORTEST_SECRET = 6
