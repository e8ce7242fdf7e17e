"""An error answer of the API: its status, its type and its envelope."""

from dataclasses import dataclass

from tests.standins.messages_api.wire import Json

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered; `retry_after` is in seconds."""

    status: int
    message: str
    retry_after: float | None = None

    @property
    def error_type(self) -> str:
        """The error type that belongs to the status."""
        return ERROR_TYPES.get(self.status, "api_error")

    def envelope(self, request_id: str) -> Json:
        """The body of the error answer."""
        error = {"type": self.error_type, "message": self.message}
        return {"type": "error", "error": error, "request_id": request_id}
