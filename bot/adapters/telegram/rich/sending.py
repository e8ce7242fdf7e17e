"""Sends, edits and drafts rich messages, where the server has them."""

import logging
from collections.abc import Mapping
from typing import Any, cast

from telegram import InlineKeyboardMarkup

from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.faults import NoSuchMethod
from bot.domain.talk.errors import ChannelUnreachable, ContentRefused, FormRefused
from bot.domain.talk.message import Piece

_LOG = logging.getLogger(__name__)
_SAME = "message is not modified"
_NO_MESSAGE = ("message to edit not found", "message can't be edited", "message_id_invalid")
"""Refusals of an edit that any other form would meet too."""


class RichSending:
    """Learns from the first try whether the server has rich messages, and keeps that for a run."""

    def __init__(self, api: TelegramApi, *, wanted: bool = True) -> None:
        self._api = api
        self.usable = wanted
        """False once the server turned out not to have them, or where nobody wants them."""

    async def send(self, body: Mapping[str, Any], frame: Mapping[str, Any]) -> str:
        """Sends a rich message and returns its id; raises FormRefused where nothing was sent."""
        sent = await self._called(body, "sendRichMessage", {**frame, **_content(body["rich"])})
        number = sent.get("message_id") if isinstance(sent, dict) else None
        if not isinstance(number, int):
            raise ChannelUnreachable("Telegram sent a result of another form", maybe_done=True)
        return str(number)

    async def edit(
        self, chat: str, message_id: str, body: Mapping[str, Any], keys: InlineKeyboardMarkup | None
    ) -> None:
        """Makes a message this rich message; raises FormRefused where nothing was changed."""
        if not self.usable:
            raise _other_form("the server has no rich messages", body)
        try:
            async with self._api.calling() as bot:
                # The library asks for a text, and leaves out what is None.
                await bot.edit_message_text(
                    cast("str", None),
                    chat_id=chat,
                    message_id=int(message_id),
                    reply_markup=keys,
                    api_kwargs=_content(body["rich"]),
                )
        except ContentRefused as refused:
            told = str(refused).lower()
            if _SAME in told:
                return
            if any(words in told for words in _NO_MESSAGE):
                raise
            raise _other_form(str(refused), body) from None

    async def draft(self, html: str, frame: Mapping[str, Any]) -> None:
        """Shows a draft of a rich message; raises FormRefused where it cannot be shown."""
        await self._called({}, "sendRichMessageDraft", {**frame, **_content(html)})

    async def _called(self, body: Mapping[str, Any], method: str, fields: Mapping[str, Any]) -> Any:
        if not self.usable:
            raise _other_form("the server has no rich messages", body)
        try:
            async with self._api.calling() as bot:
                return await bot.do_api_request(method, api_kwargs=dict(fields))
        except NoSuchMethod:
            self.usable = False
            _LOG.info("The server has no rich messages, so answers keep to the older form.")
            raise _other_form("the server has no rich messages", body) from None
        except ContentRefused as refused:
            raise _other_form(str(refused), body) from None


def _content(html: str) -> dict[str, Any]:
    return {"rich_message": {"html": html}}


def _other_form(why: str, body: Mapping[str, Any]) -> FormRefused:
    return FormRefused(why, tuple(Piece(other) for other in body.get("instead", ())))
