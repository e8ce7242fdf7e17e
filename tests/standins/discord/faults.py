"""What is refused and how, and what goes wrong when a test orders it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.standins.gate import Gate


class Refusal(Exception):
    """An answer of the API that is no success."""

    def __init__(
        self,
        status: int,
        code: int,
        text: str,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.body: dict[str, Any] = {"message": text, "code": code, **more}
        self.headers = dict(headers or {})


def bad_form(what: str) -> Refusal:
    return Refusal(400, 50035, f"Invalid Form Body: {what}")


@dataclass
class Fault:
    """What happens to the next call that fits: its answer is lost, or it is refused.

    `lost` drops the connection after the work, `dropped` before it. `banned` is what Discord's edge
    answers, without Via and without JSON; `limited` is a rate limit of the API itself, `refused`
    what it answers to content that it does not take. A call that is `held` waits at the gate.
    `about` tells of the body of a call whether it is meant.
    """

    method: str
    path: str
    how: Literal["lost", "dropped", "banned", "limited", "broken", "garbled", "refused", "held"]
    times: int = 1
    seconds: float = 0.05
    gate: Gate = field(default_factory=Gate)
    about: Callable[[Any], bool] = lambda _: True

    def fits(self, method: str, path: str, body: Any) -> bool:
        called = method == self.method and re.search(self.path, path) is not None
        return self.times > 0 and called and self.about(body)


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    body: Any
    status: int
    text: str = ""


@dataclass
class Faults:
    ordered: list[Fault] = field(default_factory=list[Fault])

    def order(self, fault: Fault) -> None:
        self.ordered.append(fault)

    def met(self, method: str, path: str, body: Any) -> Fault | None:
        for fault in self.ordered:
            if fault.fits(method, path, body):
                fault.times -= 1
                return fault
        return None

    @property
    def unused(self) -> int:
        return sum(fault.times for fault in self.ordered)
