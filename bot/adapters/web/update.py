"""Writes raw updates of the page when a person says or presses something, and reads them later."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

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
from bot.domain.talk.session import PAGE
from bot.domain.text.storable import storable
from bot.domain.value import frozen

ON_THE_PAGE = "on the page"


@frozen
class Uploaded:
    """A file that a person gave to the page, as it was kept."""

    handle: str
    name: str
    size: int
    picture: bool

    @property
    def kind(self) -> str:
        return "photo" if self.picture else "document"


@frozen
class Writing:
    """Writes the updates of one person in one chat.

    `once` is the name that the browser gave to what it sends: what comes again under the same name
    is known already.
    """

    account: str
    """The account of the page, as in `web:5`."""
    name: str
    chat: Address
    session: str
    once: str
    at: datetime

    @property
    def key(self) -> str:
        """Returns the key of the update, which is the same for what comes again."""
        return f"{self.account}/{self.once}"

    def message(
        self,
        text: str,
        files: Sequence[Uploaded] = (),
        *,
        reply_to: str = "",
        cited: str = "",
        asked: str = "",
        edits: str = "",
        as_guest: bool = False,
    ) -> RawUpdate:
        """Writes a message; `edits` is the id of an own message that it replaces."""
        return self._update(
            type="message",
            text=text,
            files=[[one.handle, one.name, one.size, one.kind] for one in files],
            reply_to=reply_to,
            cited=cited,
            asked=asked,
            edits=edits,
            as_guest=as_guest,
        )

    def press(self, data: str, message_id: str) -> RawUpdate:
        return self._update(type="press", data=data, message_id=message_id)

    def _update(self, **content: Any) -> RawUpdate:
        who = {"name": self.name, "chat": self.chat.key, "session": self.session}
        body = {**content, **who, "id": self.key, "at": self.at.isoformat()}
        return RawUpdate(self.key, json.dumps(body))


def read_page_update(body: str) -> Inbound:
    """Reads an update; an update that is not ours is Unreadable."""
    try:
        update = json.loads(body)
        match update["type"]:
            case "message":
                return _message(update)
            case "press":
                data, card = _text(update["data"]), _text(update["message_id"])
                session = _text(update["session"])
                handle = f"{session}/{_text(update['id'])}"
                return Press(_address(update), _sender(update), data, handle, card or None)
            case other:
                return Unreadable(f"an update of unknown type {str(other)[:40]!r}")
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        return Unreadable(f"{type(error).__name__}: {str(error)[:200]}")


def session_of(press: Press) -> str:
    """Returns the session in which a button was pressed."""
    return press.handle.partition("/")[0]


def _message(update: Mapping[str, Any]) -> InboundMessage:
    address, card = _address(update), _text(update["reply_to"])
    apart = address.channel != PAGE
    quote = None
    cited, asked = _text(update["cited"]), _text(update["asked"])
    if card or asked:
        # A card that its platform does not show yet has no message there.
        quote = Quote(cited, "Steward", True, card or None, asked=asked)
    edits = _text(update["edits"])
    return InboundMessage(
        address,
        _sender(update),
        "" if apart else edits or _text(update["id"]),
        _text(update["text"]),
        datetime.fromisoformat(update["at"]),
        quote=quote,
        attachments=tuple(_file(one) for one in update["files"]),
        edited=bool(edits) and not apart,
        posted=not apart,
        elsewhere=ON_THE_PAGE if apart else "",
        # Updates from before an upgrade have no such field.
        as_guest=bool(update.get("as_guest")),
    )


def _file(told: Sequence[Any]) -> Attachment:
    handle, name, size, sort = told
    picture = _text(sort) == "photo"
    whole = int(size)
    kind = "photo" if picture else "document"
    return Attachment(kind, _text(name), whole, _text(handle), kept_by=PAGE)


def _sender(update: Mapping[str, Any]) -> Sender:
    """Returns who signed in, wherever they write: a card may stand in the chat of somebody else."""
    channel, _, number = _text(update["id"]).partition("/")[0].partition(":")
    if channel != PAGE or not number:
        raise ValueError("an account of the page was expected")
    return Sender(channel, number, _text(update["name"]))


def _address(update: Mapping[str, Any]) -> Address:
    return Address.from_key(_text(update["chat"]))


def _text(value: Any) -> str:
    """Returns a string without lone surrogates, which no store and no model takes."""
    if not isinstance(value, str):
        raise TypeError("a text was expected")
    return storable(value)
