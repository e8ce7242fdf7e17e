"""Reads answers of the Bot API; refusals carry their status and the server's own words."""

import json
from typing import Any

from telegram.error import NetworkError, TelegramError

from bot.adapters.telegram.fields import Fields


class Refused(TelegramError):
    """The server answered and did not do it; `status` is the HTTP one.

    `description` has the server's own words: the library changes their case in `message`, and
    with it that of a token among them. `migrate_to` is the supergroup a group became.
    """

    def __init__(
        self,
        status: int,
        description: str,
        retry_after: float | None = None,
        migrate_to: str | None = None,
    ) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.retry_after = retry_after
        self.migrate_to = migrate_to


class UnreadableAnswer(TelegramError):
    """The server reports success in an answer that cannot be read."""


class NeverSent(NetworkError):
    """The request did not reach the server, so nothing was done there."""


class NoUrl(NeverSent):
    """The address and the token make no URL."""


def decoded(payload: bytes) -> Any:
    """Returns the JSON value of an answer, or None. Absurdly long integers stay text."""
    text = payload.decode("utf-8", "replace")
    for read_integer in (int, _integer_or_text):
        try:
            return json.loads(text, parse_int=read_integer)
        except json.JSONDecodeError:
            return None
        except (ValueError, RecursionError):
            continue
    return None


def _integer_or_text(digits: str) -> int | str:
    return int(digits) if len(digits) <= 20 else digits


def refusal(status: int, payload: bytes) -> Refused:
    """Reads an error answer, whatever it is: JSON, a proxy's page or nothing."""
    answer = decoded(payload)
    if not isinstance(answer, dict):
        return Refused(status, f"HTTP status {status}")
    description = answer.get("description")
    told = Fields(answer.get("parameters"))
    wait = told.decimal("retry_after")
    return Refused(
        status,
        description if isinstance(description, str) else f"HTTP status {status}",
        float(wait) if wait is not None and 0 <= wait < 1e9 else None,
        told.id("migrate_to_chat_id"),
    )
