"""What a server says of its tools and answers to calls, in no library's words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool as its server lists it; the hints are the server's word and nothing more.

    One with a `fault` was listed against the protocol: of that, only its name is known.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    reads: bool = False
    destroys: bool = False
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call came to; `text` tells of every part, the pictures are beside it."""

    text: str
    pictures: tuple[Picture, ...] = ()
    failed: bool = False


class ServerGone(Exception):
    """The connection ended; `sent` when a call was under way that may have happened."""

    def __init__(self, why: str, *, sent: bool = False) -> None:
        super().__init__(why)
        self.sent = sent


class ServerLate(ServerGone):
    """It was not ready in its time; trying again would take as long."""


class ServerBarred(ServerGone):
    """It was ended for good: it may not be started any more."""


class ServerUnheard(ServerGone):
    """The connection ended before the call reached the server: it may be made anew."""


class ServerRefused(Exception):
    """The server answered a call with an error; it is alive."""
