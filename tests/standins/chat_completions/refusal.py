"""An error answer of the API: status, words, the parameter it is about, and a code."""

from dataclasses import dataclass
from typing import Any

_TYPES = {
    401: "invalid_request_error",
    403: "permission_error",
    404: "invalid_request_error",
    429: "requests",
    500: "server_error",
    503: "service_unavailable_error",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered; `retry_after` is in seconds."""

    status: int
    message: str
    param: str | None = None
    code: str | None = None
    retry_after: float | None = None

    @property
    def envelope(self) -> dict[str, Any]:
        kind = _TYPES.get(self.status, "invalid_request_error")
        error = {
            "message": self.message,
            "type": kind,
            "param": self.param,
            "code": self.code,
        }
        return {"error": error}


def bad(message: str, param: str | None = None, code: str | None = None) -> Refusal:
    return Refusal(400, message, param, code)
