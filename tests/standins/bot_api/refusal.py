"""The refusals of the Bot API, in the words of the real service."""

import math


class Refusal(Exception):
    """A call answered with `ok: false`; the description carries its HTTP class as a prefix."""

    def __init__(self, status: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.parameters = parameters

    def to_json(self) -> dict[str, object]:
        answer: dict[str, object] = {
            "ok": False,
            "error_code": self.status,
            "description": self.description,
        }
        if self.parameters:
            answer["parameters"] = self.parameters
        return answer


def bad_request(reason: str) -> Refusal:
    return Refusal(400, f"Bad Request: {reason}")


def forbidden(reason: str) -> Refusal:
    return Refusal(403, f"Forbidden: {reason}")


def conflict(reason: str) -> Refusal:
    return Refusal(409, f"Conflict: {reason}")


def too_many_requests(wait: float) -> Refusal:
    """Wait: seconds until the next call is free; told rounded up, at least one."""
    retry_after = max(1, math.ceil(wait - 0.001))
    return Refusal(429, f"Too Many Requests: retry after {retry_after}", retry_after=retry_after)


def upgraded(supergroup: int) -> Refusal:
    words = "Bad Request: group chat was upgraded to a supergroup chat"
    return Refusal(400, words, migrate_to_chat_id=supergroup)


def unauthorized() -> Refusal:
    return Refusal(401, "Unauthorized")


def not_found() -> Refusal:
    return Refusal(404, "Not Found")
