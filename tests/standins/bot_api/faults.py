"""Faults a test orders for the next calls of a method."""

from collections import defaultdict, deque
from dataclasses import dataclass

from tests.standins.gate import Gate

BAD_GATEWAY_PAGE = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n"
    "<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n"
)


@dataclass(frozen=True)
class Refuse:
    """Answer with an error; nothing is done."""

    status: int
    description: str
    retry_after: int | None = None


@dataclass(frozen=True)
class DropRequest:
    """Close the connection; nothing is done."""


@dataclass(frozen=True)
class DropAnswer:
    """Do the work, then close the connection without an answer."""


@dataclass(frozen=True)
class AnswerRaw:
    """Answer with these bytes, after the work or in place of it."""

    status: int
    body: str
    content_type: str = "application/json"
    after_work: bool = False


@dataclass(frozen=True)
class Stall:
    """Take the call and never answer; nothing is done."""


Fault = Refuse | DropRequest | DropAnswer | AnswerRaw | Stall | Gate


class Faults:
    """Ordered faults per method, each used once, in the order they were given."""

    def __init__(self) -> None:
        self._ordered: dict[str, deque[Fault]] = defaultdict(deque[Fault])

    def order(self, method: str, fault: Fault, times: int = 1) -> None:
        self._ordered[method.lower()].extend([fault] * times)

    def take(self, method: str) -> Fault | None:
        ordered = self._ordered[method.lower()]
        return ordered.popleft() if ordered else None

    @property
    def unused(self) -> int:
        """Faults ordered that no call has met."""
        return sum(map(len, self._ordered.values()))
