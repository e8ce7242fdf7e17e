"""Inline keyboards: what a button may hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.standins.bot_api.link import wrong_link
from tests.standins.bot_api.refusal import bad_request

MAX_DATA_BYTES = 64
MAX_BUTTONS = 100
MAX_HINT = 64
_OTHER_MARKUPS = ("keyboard", "remove_keyboard", "force_reply")


@dataclass(frozen=True)
class Button:
    text: str
    data: str | None = None
    url: str | None = None

    def to_json(self) -> dict[str, Any]:
        parts = {"text": self.text, "callback_data": self.data, "url": self.url}
        return {name: value for name, value in parts.items() if value is not None}


Keyboard = tuple[tuple[Button, ...], ...]


def parse_keyboard(markup: object) -> Keyboard:
    """The rows of an inline keyboard; markups of another kind show no buttons."""
    if markup is None:
        return ()
    if not isinstance(markup, Mapping):
        raise bad_request("object expected as reply markup")
    if any(name in markup for name in _OTHER_MARKUPS):
        return ()
    rows = markup.get("inline_keyboard", [])
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array')
    keyboard = tuple(tuple(_parse_button(button) for button in row) for row in rows if row)
    if sum(map(len, keyboard)) > MAX_BUTTONS:
        raise bad_request("REPLY_MARKUP_TOO_LONG")
    return keyboard


def parse_forced_reply(markup: object) -> str:
    """The hint in the field of a reply that a message opens; empty for any other markup."""
    if not isinstance(markup, Mapping) or "force_reply" not in markup:
        return ""
    if markup["force_reply"] is not True:
        raise bad_request('field "force_reply" must be True')
    hint = markup.get("input_field_placeholder", "Reply")
    if not isinstance(hint, str) or not 1 <= len(hint) <= MAX_HINT:
        raise bad_request("can't parse force reply: the placeholder must have 1-64 characters")
    return hint


def _parse_button(button: object) -> Button:
    if not isinstance(button, Mapping):
        raise bad_request("can't parse inline keyboard button: expected an Object")
    text = button.get("text")
    if not isinstance(text, str):
        raise bad_request(
            'can\'t parse inline keyboard button: Field "text" must be of type String'
        )
    if not text.strip():
        raise bad_request("BUTTON_TEXT_INVALID")
    if isinstance(data := button.get("callback_data"), str):
        if not 1 <= len(data.encode("utf-8", "surrogatepass")) <= MAX_DATA_BYTES:
            raise bad_request("BUTTON_DATA_INVALID")
        return Button(text, data=data)
    if isinstance(url := button.get("url"), str):
        if wrong := wrong_link(url):
            raise bad_request(f"inline keyboard button URL '{url}' is invalid: {wrong}")
        return Button(text, url=url)
    raise bad_request(
        "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
    )


def keyboard_json(keyboard: Keyboard) -> dict[str, Any]:
    return {"inline_keyboard": [[button.to_json() for button in row] for row in keyboard]}
