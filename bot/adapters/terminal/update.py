"""Writes raw updates of the terminal when a line is typed, and reads them later."""

import json
import os
from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_to_bytes
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

_QUESTION = "ask-"
_WITH = "with"
"""Names the private chat of a platform that an update belongs to; the program alone writes it."""

_AT = "@"
"""Stands between the name of a terminal's chat and the folder that it is about."""


def address_in(folder: Path | None, chat: str = ADDRESS.chat) -> Address:
    """Returns the address of a terminal's chat about a folder; None is the workspace."""
    if folder is None:
        return Address(NAME, chat)
    return Address(NAME, f"{chat}{_AT}{quote(os.fsencode(folder), safe='')}")


def free_address_in(folder: Path | None, taken: Collection[Address]) -> Address:
    """Returns the first address about a folder that no other terminal has now."""
    number = 1
    while (address := address_in(folder, _name(number))) in taken:
        number += 1
    return address


def _name(number: int) -> str:
    return ADDRESS.chat if number == 1 else f"{ADDRESS.chat}-{number}"


def name_of(address: Address) -> str:
    """Returns the name of a terminal's chat without the folder that it is about."""
    return address.chat.partition(_AT)[0]


def question_in(folder: Path | None) -> Address:
    """Returns the address of a new question, which nothing was said in before."""
    return address_in(folder, f"{_QUESTION}{uuid4().hex[:12]}")


def is_question(address: Address) -> bool:
    """Returns True for the address of a question of `steward ask`."""
    return address.channel == NAME and address.chat.startswith(_QUESTION)


def folder_of(address: Address) -> Path | None:
    """Returns the folder that a terminal's chat is about; None for the workspace."""
    _, at, folder = address.chat.partition(_AT)
    if address.channel != NAME or not at:
        return None
    return Path(os.fsdecode(unquote_to_bytes(folder)))


def shared(update: RawUpdate, chat: Address, name: str) -> RawUpdate:
    """Returns the update as one of the private chat of a platform, by its person of this name."""
    body = {**json.loads(update.body), _WITH: chat.key, "name": name}
    return RawUpdate(update.key, json.dumps(body))


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
        sender = _sender(update)
        match update["type"]:
            case "message":
                return _message(update, sender)
            case "press":
                data, card = _text(update["data"]), _text(update["message_id"])
                return Press(_address(update), sender, data, _text(update["id"]), card)
            case other:
                return Unreadable(f"an update of unknown type {str(other)[:40]!r}")
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        return Unreadable(f"{type(error).__name__}: {str(error)[:200]}")


def _message(update: Any, sender: Sender) -> InboundMessage:
    card = update.get("reply_to")
    quote = Quote(_text(update["cited"]), "Steward", True, _text(card)) if card else None
    piped, address = update.get("piped", 0), _address(update)
    apart = address.channel != NAME
    return InboundMessage(
        address,
        sender,
        "" if apart else _text(update["id"]),
        _text(update["text"]),
        datetime.fromisoformat(update["at"]),
        quote=quote,
        attachments=(Attachment("document", PIPED, int(piped), address.chat),) if piped else (),
        posted=not apart,
        elsewhere="in the terminal" if apart else "",
    )


def _sender(update: Any) -> Sender:
    """Returns the account; a private chat of a platform has the number of its person there."""
    name, address = _text(update["name"]), _address(update)
    if address.channel != NAME:
        return Sender(address.channel, address.chat, name)
    return Sender(NAME, _text(update["user"]), name)


def _address(update: Any) -> Address:
    if _WITH in update:
        return Address.from_key(_text(update[_WITH]))
    return Address(NAME, _text(update.get("chat", ADDRESS.chat)))


def _text(value: Any) -> str:
    """Returns a string without lone surrogates, which no store and no model takes."""
    if not isinstance(value, str):
        raise TypeError("a text was expected")
    return storable(value)
