"""The Telegram channel: pieces, drafts, signs and answers to presses."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from telegram import (
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    MessageEntity,
    ReactionTypeEmoji,
    ReplyParameters,
)
from telegram.constants import ChatAction

from bot.adapters.telegram.addresses import CHANNEL, is_group
from bot.adapters.telegram.addressing import Own
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.cutting import LONGEST, MOST_SPANS, has_ink
from bot.adapters.telegram.faults import Upgraded
from bot.adapters.telegram.fields import clean
from bot.adapters.telegram.markdown import formatted
from bot.adapters.telegram.pieces import LONGEST_CAPTION, split_content
from bot.adapters.telegram.rich_text import RichText
from bot.adapters.telegram.updates import moved_update, parse_update
from bot.adapters.telegram.uploads import content_of, is_photo, upload_of
from bot.domain.errors import ChatMoved, ContentRefused
from bot.domain.message import Address, Inbound, Outbound, Piece, Press, Sign
from bot.ports.channel import Growth

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_REACTIONS = {Sign.QUEUED: "👀", Sign.WORKING: "✍", Sign.DONE: "👌"}
_NOT_THERE = "message to delete not found"
_DELETED = "message to react not found"
_LONGEST_NOTICE = 200
_LONGEST_HINT = 64
_SHORT = 2_000
"""Characters of a draft that is formatted at once."""

# One answer at a time is being written in a chat, so its draft needs no other number.
_DRAFT_ID = 1
_SAME = "message is not modified"
_A_FILE = "there is no text in the message to edit"
_LATE = ("query is too old", "query id is invalid")
T = TypeVar("T")
_Entities: TypeAlias = list[MessageEntity] | None


class TelegramChannel:
    """The Channel port on the Bot API; `gated` is off for a server without rates."""

    name = CHANNEL
    drafts = True
    instant = False
    growth = Growth()

    def __init__(self, api: TelegramApi, *, gated: bool = True) -> None:
        self._api = api
        self.gated = gated

    def parse(self, body: str) -> Inbound:
        return parse_update(body, Own(self._api.own_id, self._api.own_name))

    def split(self, content: Outbound) -> Sequence[Piece]:
        return split_content(content)

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        with _following(to):
            return await self._send(to, piece.body)

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        with _following(to):
            if piece is None:
                await self._delete(to, message_id)
            else:
                await self._edit(to, message_id, piece.body)

    async def _send(self, to: Address, body: Any) -> str:
        if "file" in body:
            return await self._send_file(to, body)
        return await _plain_if_refused(body, lambda entities: self._send_text(to, body, entities))

    async def _edit(self, to: Address, message_id: str, body: Any) -> None:
        if "file" in body:
            await self._edit_caption(to, message_id, body)
            return
        try:
            await _plain_if_refused(
                body, lambda entities: self._edit_text(to, message_id, body, entities)
            )
        except ContentRefused as refused:
            if _A_FILE not in str(refused).lower():
                raise
            caption = body["text"][:LONGEST_CAPTION]
            await self._edit_caption(to, message_id, {**body, "caption": caption})

    async def draft(
        self, to: Address, text: str, *, message_id: str | None = None, reply_to: str | None = None
    ) -> str | None:
        """Shows a draft in private; groups have none, so there it edits a silent message."""
        rich = await _draft_of(text)
        if not has_ink(rich.text):
            return message_id
        body = {"text": rich.text, "entities": rich.entities()[:MOST_SPANS]}
        if is_group(to):
            return await self._grow(to, body, message_id, reply_to)
        try:
            await _plain_if_refused(
                body, lambda entities: self._show_draft(to, rich.text, entities)
            )
        except ContentRefused:
            await self.sign(to, Sign.TYPING)
        return None

    async def _grow(
        self, to: Address, body: dict[str, Any], message_id: str | None, reply_to: str | None
    ) -> str:
        if message_id is not None:
            await self.edit(to, message_id, Piece(body))
            return message_id
        return await self.send(to, Piece({**body, "reply_to": reply_to, "silent": True}))

    async def _delete(self, to: Address, message_id: str) -> None:
        async with _no_fault(_NOT_THERE), self._api.calling() as bot:
            await bot.delete_message(to.chat, int(message_id))

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        async with _no_fault(_DELETED), self._api.calling() as bot:
            if sign is Sign.TYPING:
                await bot.send_chat_action(
                    to.chat, ChatAction.TYPING, message_thread_id=_thread(to)
                )
            elif message_id is not None:
                emoji = _REACTIONS.get(sign)
                reaction = (ReactionTypeEmoji(emoji),) if emoji is not None else ()
                await bot.set_message_reaction(to.chat, int(message_id), reaction)

    async def acknowledge(self, press: Press, text: str, *, refused: bool = False) -> None:
        """Answers a press: a refusal as an alert with its OK, anything else as a passing line."""
        notice = clean(text)[:_LONGEST_NOTICE]
        alert = True if refused and notice else None
        async with _no_fault(*_LATE), self._api.calling() as bot:
            await bot.answer_callback_query(press.handle, text=notice or None, show_alert=alert)

    async def _send_text(self, to: Address, body: Any, entities: _Entities) -> str:
        async with self._api.calling() as bot:
            message = await bot.send_message(
                to.chat,
                body["text"],
                entities=entities,
                reply_markup=_keyboard(body) or _asking(to, body),
                link_preview_options=_preview(body),
                reply_parameters=_reply(body),
                disable_notification=body.get("silent"),
                message_thread_id=_thread(to),
            )
            return str(message.message_id)

    async def _edit_text(
        self, to: Address, message_id: str, body: Any, entities: _Entities
    ) -> None:
        async with _no_fault(_SAME), self._api.calling() as bot:
            await bot.edit_message_text(
                body["text"],
                chat_id=to.chat,
                message_id=int(message_id),
                entities=entities,
                reply_markup=_keyboard(body),
                link_preview_options=_preview(body),
            )

    async def _show_draft(self, to: Address, text: str, entities: _Entities) -> None:
        async with self._api.calling() as bot:
            await bot.send_message_draft(
                int(to.chat), _DRAFT_ID, text, message_thread_id=_thread(to), entities=entities
            )

    async def _send_file(self, to: Address, body: Any) -> str:
        file = body["file"]
        if "text" in file:
            return await self._send_document(to, body, file["text"].encode())
        content = await asyncio.to_thread(content_of, Path(file["path"]))
        if "voice" in file:
            return await self._send_voice(to, body, content)
        if is_photo(content):
            # Too long, too flat, or no picture after all: the platform knows, and it can be a file.
            with suppress(ContentRefused):
                return await self._send_photo(to, body, content)
        return await self._send_document(to, body, content)

    async def _send_photo(self, to: Address, body: Any, content: bytes) -> str:
        async with self._api.calling(upload=True) as bot:
            message = await bot.send_photo(
                to.chat, upload_of(body["file"]["name"], content), **_frame(to, body)
            )
            return str(message.message_id)

    async def _send_voice(self, to: Address, body: Any, content: bytes) -> str:
        seconds = body["file"]["voice"] or None
        async with self._api.calling(upload=True) as bot:
            message = await bot.send_voice(
                to.chat,
                upload_of(body["file"]["name"], content),
                duration=seconds,
                **_frame(to, body),
            )
            return str(message.message_id)

    async def _send_document(self, to: Address, body: Any, content: bytes) -> str:
        async with self._api.calling(upload=True) as bot:
            message = await bot.send_document(
                to.chat,
                upload_of(body["file"]["name"], content),
                disable_content_type_detection=True,
                **_frame(to, body),
            )
            return str(message.message_id)

    async def _edit_caption(self, to: Address, message_id: str, body: Any) -> None:
        async with _no_fault(_SAME), self._api.calling() as bot:
            await bot.edit_message_caption(
                to.chat,
                int(message_id),
                caption=body.get("caption"),
                reply_markup=_keyboard(body),
            )


async def _plain_if_refused(body: Any, attempt: Callable[[_Entities], Awaitable[T]]) -> T:
    """Tries with formatting, and once more without it if the content is refused."""
    entities = [MessageEntity(**entity) for entity in body.get("entities", ())]
    if entities:
        try:
            return await attempt(entities)
        except ContentRefused:
            pass
    return await attempt(None)


@asynccontextmanager
async def _no_fault(*words: str) -> AsyncIterator[None]:
    """Takes a refusal in one of these words for success."""
    try:
        yield
    except ContentRefused as refused:
        if not any(part in str(refused).lower() for part in words):
            raise


@contextmanager
def _following(to: Address) -> Iterator[None]:
    """Tells of a group that became a supergroup as the group's own update would."""
    try:
        yield
    except Upgraded as upgraded:
        if upgraded.chat in (None, to.chat):
            raise
        raise ChatMoved(str(upgraded), moved_update(to.chat, upgraded.chat)) from None


def _frame(to: Address, body: Any) -> dict[str, Any]:
    """Returns everything that stands around a file in its message."""
    return {
        "caption": body.get("caption"),
        "reply_markup": _keyboard(body),
        "reply_parameters": _reply(body),
        "disable_notification": body.get("silent"),
        "message_thread_id": _thread(to),
    }


def _keyboard(body: Any) -> InlineKeyboardMarkup | None:
    rows = body.get("buttons")
    if not rows:
        return None
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(b["label"], callback_data=b["data"]) for b in row] for row in rows]
    )


def _asking(to: Address, body: Any) -> ForceReply | None:
    """Opens a reply for the words that a message asks for; not in a group, where all would see."""
    if "asks" not in body or is_group(to):
        return None
    return ForceReply(input_field_placeholder=body["asks"][:_LONGEST_HINT])


def _reply(body: Any) -> ReplyParameters | None:
    reply_to = body.get("reply_to")
    if reply_to is None:
        return None
    # The message answered may have been deleted meanwhile; the answer is owed all the same.
    return ReplyParameters(int(reply_to), allow_sending_without_reply=True)


def _preview(body: Any) -> LinkPreviewOptions | None:
    return None if body.get("previews") else _NO_PREVIEW


def _thread(to: Address) -> int | None:
    return None if to.thread is None else int(to.thread)


async def _draft_of(text: str) -> RichText:
    """Formats a draft; a long one in a thread, for the event loop must not wait for it."""
    if len(text) <= _SHORT:
        return _tail(formatted(clean(text)))
    return _tail(await asyncio.to_thread(formatted, clean(text)))


def _tail(rich: RichText) -> RichText:
    size = len(rich.text)
    if size <= LONGEST:
        return rich
    return RichText("…") + rich.part(size - LONGEST + 1, size)
