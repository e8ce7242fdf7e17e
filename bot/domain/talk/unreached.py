"""Says in plain words why a connection failed, whatever library reported it."""

import errno
import socket
import ssl
from collections.abc import Iterator

_MOST = 20
_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})
NOBODY = "nothing answers there"
"""The cause where no program listens."""

_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "its name cannot be looked up"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted here"),
    (ssl.SSLError, "no secure connection could be made"),
    (ConnectionRefusedError, NOBODY),
    (TimeoutError, "no answer in time"),
    (ConnectionError, "the connection was cut"),
)
_NAMES = (
    ("Timeout", "no answer in time"),
    ("ProtocolError", "the connection was cut"),
    ("ServerDisconnected", "the connection was cut"),
    ("PayloadError", "the connection was cut"),
    ("ReadError", "the connection was cut"),
    ("WriteError", "the connection was cut"),
)


def why_unreached(fault: BaseException) -> str:
    """Returns half a sentence about the nearest known cause of a fault.

    What the system said counts before the names of libraries: some call each failed connection a
    timeout.
    """
    causes = list(_causes(fault))
    found = (words(cause) for words in (_of_system, _of_library) for cause in causes)
    return next(filter(None, found), "the connection failed")


def _of_system(cause: BaseException) -> str:
    for kind, words in _KINDS:
        if isinstance(cause, kind):
            return words
    return "there is no network" if isinstance(cause, OSError) and cause.errno in _NO_WAY else ""


def _of_library(cause: BaseException) -> str:
    """Tells the cause by a name, in which the HTTP libraries agree."""
    name = type(cause).__name__
    return next((words for part, words in _NAMES if part in name), "")


def _causes(fault: BaseException) -> Iterator[BaseException]:
    """Yields the fault and what led to it, nearest first, with the members of groups."""
    waiting = [fault]
    for _ in range(_MOST):
        if not waiting:
            return
        cause = waiting.pop(0)
        yield cause
        members: tuple[BaseException, ...] = getattr(cause, "exceptions", ())
        waiting += members
        before = cause.__cause__ or cause.__context__
        if before is not None:
            waiting.append(before)
