"""A server's tools and answers as plain values, without a type of any library."""

import re
from collections.abc import Mapping
from typing import Any

from bot.domain.text.names import brief_name
from bot.domain.value import frozen

_PLAIN = re.compile(r"[A-Za-z0-9_][\w./:-]{0,59}", re.ASCII)


@frozen
class RemoteTool:
    """A tool as its server lists it; the hints are only a claim of the server.

    A tool with a `fault` broke the protocol: only its name is known.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    reads: bool = False
    destroys: bool = False
    fault: str = ""

    @property
    def shown(self) -> str:
        """The name for people: as it is if it is one plain word, else in quotation marks."""
        return self.name if _PLAIN.fullmatch(self.name) else brief_name(self.name)


@frozen
class Attached:
    """A picture, a sound or a file of an answer, under its own name or a bare number."""

    media_type: str
    data: bytes
    name: str


@frozen
class ServerAnswer:
    """The answer to a call: `text` mentions every part, and the files stand beside it."""

    text: str
    files: tuple[Attached, ...] = ()
    failed: bool = False


class ServerGone(Exception):
    """The connection ended; with `sent`, a call was under way and may have had its effect."""

    def __init__(self, why: str, *, sent: bool = False) -> None:
        super().__init__(why)
        self.sent = sent


class ServerLate(ServerGone):
    """The server was not ready in time; another try would take as long."""


class ServerBarred(ServerGone):
    """The server was ended for good and must not be started again."""


class ServerUnheard(ServerGone):
    """The connection ended before the call reached the server, so the call can be repeated."""


class ServerRefused(Exception):
    """The server answered a call with an error; it is alive."""
