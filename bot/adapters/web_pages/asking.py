"""Asks for one page over a connection of ours, in a process with little time and memory."""

import json
import signal
import socket
from collections.abc import Mapping, Sequence

from bot.adapters.child_process import answer_of, environment_of
from bot.adapters.web_pages.address import WebAddress
from bot.adapters.web_pages.unpacking import NotUnpacked, TooLarge
from bot.domain.value import frozen

_CPU_SECONDS = 5
"""Seconds of processor time; an honest page of 5 MB takes a tenth of one."""

_PASSED_ON = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class Overworked(Exception):
    """The answer takes too much work to be read."""


class BrokenOff(Exception):
    """The answer is none, or ends before its end; the text says what is known about it."""


@frozen
class Told:
    """The answer of a server: its status, some headers, and the body of a status 200, unpacked."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def asked(
    connection: socket.socket, address: WebAddress, headers: Sequence[tuple[str, str]], most: int
) -> Told:
    """Returns the answer to a GET over the connection, which is closed then.

    Raises TooLarge, NotUnpacked, Overworked and BrokenOff.
    """
    wanted = {
        "socket": connection.fileno(),
        "secure": address.scheme == "https",
        "host": address.host,
        "target": address.target,
        "headers": headers,
        "most": most,
        "cpu_seconds": _CPU_SECONDS,
    }
    with connection:
        code, written = await answer_of(
            "bot.adapters.web_pages.child",
            asked=json.dumps(wanted).encode(),
            environment=environment_of({}, _PASSED_ON),
            descriptors=(connection.fileno(),),
        )
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Overworked
    if code != 0:
        raise BrokenOff("the answer broke off")
    line, _, body = written.partition(b"\n")
    match json.loads(line):
        case {"status": int(status), "headers": dict(told)}:
            return Told(status, {str(name): str(value) for name, value in told.items()}, body)
        case {"fault": "large"}:
            raise TooLarge
        case {"fault": "packed", "why": str(why)}:
            raise NotUnpacked(why)
        case {"fault": "certificate"}:
            raise BrokenOff("its certificate is not valid")
        case _:
            raise BrokenOff("the answer broke off")
