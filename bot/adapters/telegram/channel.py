"""The Telegram channel: pieces, drafts, signs and answers to presses."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from telegram import MessageEntity, ReactionTypeEmoji, ReplyParameters
from telegram.constants import ChatAction

from bot.adapters.telegram.addresses import CHANNEL, GENERAL, is_group
from bot.adapters.telegram.addressing import Own
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.cutting import LONGEST, MOST_SPANS, has_ink
from bot.adapters.telegram.faults import NoSuchMethod, Upgraded
from bot.adapters.telegram.finding import Search
from bot.adapters.telegram.framing import (
    asking,
    file_frame,
    keyboard,
    numbered,
    preview,
    reply_mark,
    rich_frame,
    thread,
)
from bot.adapters.telegram.markdown import formatted
from bot.adapters.telegram.pieces import LONGEST_CAPTION, split_content
from bot.adapters.telegram.rich.drafts import RichDrafts
from bot.adapters.telegram.rich.sending import RichSending
from bot.adapters.telegram.rich_text import RichText
from bot.adapters.telegram.sends import Sends
from bot.adapters.telegram.updates import moved_update, parse_update
from bot.adapters.telegram.uploads import content_of, is_photo, upload_of
from bot.domain.talk.errors import (
    ChannelUnreachable,
    ChatMoved,
    ContentRefused,
    FloodWait,
    FormRefused,
)
from bot.domain.talk.message import Address, Button, Inbound, Outbound, Piece, Press, Sign
from bot.domain.text.storable import storable
from bot.ports.channel import NEW_DRAFT, DraftPlace, Growth, Links
from bot.ports.sightings import Pace, Sighting, Traces, unhurried

_LOG = logging.getLogger(__name__)

_REACTIONS = {Sign.QUEUED: "👀", Sign.WORKING: "✍", Sign.DONE: "👌"}
_NOT_THERE = "message to delete not found"
_DELETED = "message to react not found"
_LONGEST_NOTICE = 200
_SHORT = 2_000
"""Characters of a draft that is formatted at once."""

# One answer at a time is being written in a chat, so its draft needs no other number.
_DRAFT_ID = 1
_SAME = "message is not modified"
_PROBE = "⋯"
_A_FILE = "there is no text in the message to edit"
_LATE = ("query is too old", "query id is invalid")
T = TypeVar("T")
_Entities: TypeAlias = list[MessageEntity] | None


def _unknown() -> None:
    """Stands for the end of numbers that may still be given out."""


class TelegramChannel:
    """The Channel port on the Bot API; `gated` is off for a server without rates.

    Without `rich` no message is a rich one, whatever the server has.
    """

    name = CHANNEL
    drafts = True
    instant = False
    growth = Growth()
    locates = True
    folds_above: int | None = None

    def __init__(self, api: TelegramApi, *, gated: bool = True, rich: bool = True) -> None:
        self._api = api
        self._rich = RichSending(api, wanted=rich)
        self._drafts = RichDrafts(self._rich)
        self.gated = gated
        self._started = datetime.now(UTC)
        self._sends = Sends()
        self._searching = asyncio.Lock()
        self._reached: dict[tuple[str, datetime], int] = {}
        """The number at which the newest search was cut off."""

    def parse(self, body: str) -> Inbound:
        return parse_update(body, Own(self._api.own_id, self._api.own_name))

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        return None

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        keep = any("rich" in piece.body for piece in shown)
        return split_content(content, rich=self._rich.usable and (keep or not shown), keep=keep)

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        self._drafts.over(to)
        with _following(to):
            return await self._send(to, piece.body)

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        """Asks about the numbers that the message may have, until one is a message of the bot.

        What is found shows this piece from then on. In a group a growing message may stand above
        it, so there the last one counts, and those above it are deleted.
        """
        if piece is None and not is_group(to):
            return None
        try:
            with _following(to):
                found = await self._standing(to, traces, pace)
                if not found or piece is None:
                    return found[0] if found else None
                async with pace():
                    await self._match(to, found[-1], piece.body)
                await self._cleared(to, found[:-1], pace)
        except (ContentRefused, NoSuchMethod) as refused:
            if isinstance(refused, FormRefused):
                raise
            _LOG.info("Telegram cannot be asked about a message: %s", refused)
            return None
        return found[-1]

    async def _standing(self, to: Address, traces: Traces, pace: Pace) -> list[str]:
        """Returns numbers of messages that nobody knows; outside groups at most one.

        One search at a time goes on, and as soon as something was sent the others are short.
        """
        until = traces.until or self._started
        end = partial(self._sends.first, to, until) if traces.since < until else _unknown
        begin = self._reached.pop((to.chat, traces.since), 0)
        # A crowd leaves ten thousand traces.
        search = await asyncio.to_thread(
            Search, self._api, to, traces, end, datetime.now(UTC), begin
        )
        found: list[str] = []
        try:
            async with self._searching, aclosing(search.found(pace)) as numbers:
                async for number in numbers:
                    known = await self._sends.made(to, number) or await traces.is_known(str(number))
                    if not known:
                        found.append(str(number))
                    if found and not is_group(to):
                        break
        except (FloodWait, ChannelUnreachable):
            if not found:
                # The next try goes on from here, or a long search would never end.
                self._reached = {(to.chat, traces.since): search.reached}
            raise
        if not _has_topics(to, traces):
            return found
        return [number for number in found if await self._topic_of(to, number, pace) == to.thread]

    async def _topic_of(self, to: Address, number: str, pace: Pace) -> str | None:
        """Returns the topic of a message in a group; a silent reply tells it, and goes at once."""
        async with pace(), self._api.calling() as bot:
            told = await bot.send_message(
                to.chat,
                _PROBE,
                reply_parameters=ReplyParameters(
                    numbered(number), allow_sending_without_reply=False
                ),
                disable_notification=True,
            )
        await self._cleared(to, (str(told.message_id),), pace)
        topic = told.message_thread_id if told.is_topic_message else None
        return None if topic in (None, GENERAL) else str(topic)

    async def _cleared(self, to: Address, above: Sequence[str], pace: Pace) -> None:
        for number in above:
            async with pace():
                with suppress(ContentRefused):
                    await self._delete(to, number)

    async def _match(self, to: Address, message_id: str, body: Any) -> None:
        """Makes a message of the same kind show a body; raises ContentRefused for another kind."""
        if "file" in body or "rich" in body:
            await self._edit(to, message_id, body)
        else:
            await _plain_if_refused(
                body, lambda entities: self._edit_text(to, message_id, body, entities)
            )

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        with _following(to):
            if piece is None:
                await self._delete(to, message_id)
            else:
                await self._edit(to, message_id, piece.body)

    async def _send(self, to: Address, body: Any) -> str:
        with self._sends.sending(to) as note:
            note(number := await self._sent(to, body))
        return number

    async def _sent(self, to: Address, body: Any) -> str:
        if "file" in body:
            return await self._send_file(to, body)
        if "rich" in body:
            return await self._rich.send(body, rich_frame(to, body))
        return await _plain_if_refused(body, lambda entities: self._send_text(to, body, entities))

    async def _edit(self, to: Address, message_id: str, body: Any) -> None:
        if "file" in body:
            await self._edit_caption(to, message_id, body)
            return
        if "rich" in body:
            await self._rich.edit(to.chat, message_id, body, keyboard(body))
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
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        """Shows a draft in private; groups have none, so there it edits a silent message."""
        html = await self._drafts.html(to, text, links)
        if html is not None:
            try:
                return await self._show_rich(to, html, place)
            except FormRefused:
                self._drafts.refused(to)
        rich = await _draft_of(text, links)
        if not has_ink(rich.text):
            return place.message_id
        body = {"text": rich.text, "entities": rich.entities()[:MOST_SPANS]}
        if is_group(to):
            return await self._grow(to, body | _below(place.button), place)
        try:
            await _plain_if_refused(
                body, lambda entities: self._show_draft(to, rich.text, entities)
            )
        except ContentRefused:
            await self.sign(to, Sign.TYPING)
        return None

    async def _show_rich(self, to: Address, html: str, place: DraftPlace) -> str | None:
        if is_group(to):
            return await self._grow(to, {"rich": html, **_below(place.button)}, place)
        frame = {"chat_id": numbered(to.chat), "message_thread_id": thread(to)}
        await self._rich.draft(html, {**frame, "draft_id": _DRAFT_ID})
        return None

    async def _grow(self, to: Address, body: dict[str, Any], place: DraftPlace) -> str:
        if place.message_id is not None:
            await self.edit(to, place.message_id, Piece(body))
            return place.message_id
        with _following(to):
            return await self._send(to, {**body, "reply_to": place.reply_to, "silent": True})

    async def _delete(self, to: Address, message_id: str) -> None:
        async with _no_fault(_NOT_THERE), self._api.calling() as bot:
            await bot.delete_message(to.chat, numbered(message_id))

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        async with _no_fault(_DELETED), self._api.calling() as bot:
            if sign is Sign.TYPING:
                await bot.send_chat_action(to.chat, ChatAction.TYPING, message_thread_id=thread(to))
            elif message_id is not None:
                emoji = _REACTIONS.get(sign)
                reaction = (ReactionTypeEmoji(emoji),) if emoji is not None else ()
                await bot.set_message_reaction(to.chat, numbered(message_id), reaction)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        """Answers a press: a refusal as an alert with its OK, anything else as a passing line."""
        notice = storable(text)[:_LONGEST_NOTICE]
        alert = True if refused and notice else None
        async with _no_fault(*_LATE), self._api.calling() as bot:
            await bot.answer_callback_query(press.handle, text=notice or None, show_alert=alert)

    async def _send_text(self, to: Address, body: Any, entities: _Entities) -> str:
        async with self._api.calling() as bot:
            message = await bot.send_message(
                to.chat,
                body["text"],
                entities=entities,
                reply_markup=keyboard(body) or asking(to, body),
                link_preview_options=preview(body),
                reply_parameters=reply_mark(body),
                disable_notification=body.get("silent"),
                message_thread_id=thread(to),
            )
            return str(message.message_id)

    async def _edit_text(
        self, to: Address, message_id: str, body: Any, entities: _Entities
    ) -> None:
        async with _no_fault(_SAME), self._api.calling() as bot:
            await bot.edit_message_text(
                body["text"],
                chat_id=to.chat,
                message_id=numbered(message_id),
                entities=entities,
                reply_markup=keyboard(body),
                link_preview_options=preview(body),
            )

    async def _show_draft(self, to: Address, text: str, entities: _Entities) -> None:
        async with self._api.calling() as bot:
            await bot.send_message_draft(
                numbered(to.chat), _DRAFT_ID, text, message_thread_id=thread(to), entities=entities
            )

    async def _send_file(self, to: Address, body: Any) -> str:
        file = body["file"]
        if "text" in file:
            content = file["text"].encode()
        else:
            content = await asyncio.to_thread(content_of, Path(file["path"]))
            if "voice" in file:
                seconds = file["voice"] or None
                return await self._uploaded("send_voice", to, body, content, duration=seconds)
            if is_photo(content):
                # Too long, too flat, or no picture after all: the platform knows, and it can be a
                # file.
                with suppress(ContentRefused):
                    return await self._uploaded("send_photo", to, body, content)
        as_it_is = {"disable_content_type_detection": True}
        return await self._uploaded("send_document", to, body, content, **as_it_is)

    async def _uploaded(
        self, method: str, to: Address, body: Any, content: bytes, **more: Any
    ) -> str:
        """Sends a file by this method of the API; returns the id of its message."""
        async with self._api.calling(upload=True) as bot:
            file = upload_of(body["file"]["name"], content)
            message = await getattr(bot, method)(to.chat, file, **more, **file_frame(to, body))
            return str(message.message_id)

    async def _edit_caption(self, to: Address, message_id: str, body: Any) -> None:
        async with _no_fault(_SAME), self._api.calling() as bot:
            await bot.edit_message_caption(
                to.chat,
                numbered(message_id),
                caption=body.get("caption"),
                reply_markup=keyboard(body),
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


def _has_topics(to: Address, traces: Traces) -> bool:
    """Tells of a group whose messages belong to several topics; their numbers do not tell which."""
    threads = {to.thread, *(one.address.thread for one in traces.seen if _is_beside(one, to))}
    return len(threads) > 1


def _is_beside(seen: Sighting, to: Address) -> bool:
    return (seen.address.channel, seen.address.chat) == (to.channel, to.chat)


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


async def _draft_of(text: str, links: Collection[str] | None) -> RichText:
    """Formats a draft; a long one in a thread, for the event loop must not wait for it."""
    if len(text) <= _SHORT:
        return _tail(formatted(storable(text), links))
    return _tail(await asyncio.to_thread(formatted, storable(text), links))


def _tail(rich: RichText) -> RichText:
    size = len(rich.text)
    if size <= LONGEST:
        return rich
    return RichText("…") + rich.part(size - LONGEST + 1, size)


def _below(button: Button | None) -> dict[str, Any]:
    """Returns the part of a body that puts a button below it."""
    if button is None:
        return {}
    return {"buttons": [[{"label": button.label, "data": button.data}]]}
