"""Writes raw updates of the terminal when a line is typed, and reads them later."""

import json
from datetime import datetime
from typing import Any
from uuid import uuid4

from bot.domain.talk.message import (
    Address,
    Attachment,
    Inbound,
    InboundMessage,
    Press,
    Quote,
    RawUpdate,
    Unreadable,
)
from bot.domain.talk.person import Sender
from bot.domain.text.storable import storable
from bot.domain.value import frozen

NAME = "terminal"
ADDRESS = Address(NAME, "local")
PIPED = "piped.txt"
"""The name under which the text of a pipe is shown."""


@frozen
class Writer:
    """Writes the updates of one person; `user` is the account, `name` what people read."""

    user: str
    name: str
    chat: str = ADDRESS.chat

    def message(
        self,
        text: str,
        at: datetime,
        reply_to: str | None = None,
        cited: str = "",
        *,
        piped: int = 0,
    ) -> RawUpdate:
        """Writes a message; `piped` is the number of bytes that were piped in beside it."""
        return self._update(
            type="message", text=text, at=at, reply_to=reply_to, cited=cited, piped=piped
        )

    def press(self, data: str, at: datetime, message_id: str) -> RawUpdate:
        return self._update(type="press", data=data, at=at, message_id=message_id)

    def _update(self, *, at: datetime, **content: Any) -> RawUpdate:
        key = uuid4().hex
        who = {"user": self.user, "name": self.name, "chat": self.chat}
        body = {**content, **who, "id": key, "at": at.isoformat()}
        return RawUpdate(key, json.dumps(body))


def read_update(body: str) -> Inbound:
    """Reads an update; an update that is not ours is Unreadable."""
    try:
        update = json.loads(body)
        sender = Sender(NAME, _text(update["user"]), _text(update["name"]))
        match update["type"]:
            case "message":
                return _message(update, sender)
            case "press":
                data, card = _text(update["data"]), _text(update["message_id"])
                return Press(_address(update), sender, data, _text(update["id"]), card)
            case other:
                return Unreadable(f"an update of unknown type {str(other)[:40]!r}")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return Unreadable(f"{type(error).__name__}: {str(error)[:200]}")


def _message(update: Any, sender: Sender) -> InboundMessage:
    card = update.get("reply_to")
    quote = Quote(_text(update["cited"]), "Steward", True, _text(card)) if card else None
    piped = update.get("piped", 0)
    return InboundMessage(
        _address(update),
        sender,
        _text(update["id"]),
        _text(update["text"]),
        datetime.fromisoformat(update["at"]),
        quote=quote,
        attachments=(Attachment("document", PIPED, int(piped), "piped"),) if piped else (),
    )


def _address(update: Any) -> Address:
    return Address(NAME, _text(update.get("chat", ADDRESS.chat)))


def _text(value: Any) -> str:
    """Returns a string without lone surrogates, which no store and no model takes."""
    if not isinstance(value, str):
        raise TypeError("a text was expected")
    return storable(value)
