"""The Discord channel: sends pieces, growing answers, signs as reactions, answers to presses."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from bot.adapters.discord.addresses import CHANNEL, channel_in, is_server
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.components import components_of
from bot.adapters.discord.cutting import cut
from bot.adapters.discord.faults import Archived, NoVoice, Unknown, UnknownChannel
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.finding import SILENT, Hindsight
from bot.adapters.discord.formatting import markdown, plain
from bot.adapters.discord.messages import time_of
from bot.adapters.discord.pieces import LONG_ANSWER, shortened, split_content
from bot.adapters.discord.threads import holder_of, open_thread, thread_at, wake_thread
from bot.adapters.discord.updates import parse_event
from bot.adapters.discord.uploads import content_of, form_of, voice_form_of
from bot.domain.talk.errors import ChannelError, ContentRefused, FormRefused, RecipientGone
from bot.domain.talk.message import Address, Inbound, Outbound, Piece, Press, Sign
from bot.domain.text.names import brief_name
from bot.domain.text.storable import storable
from bot.ports.channel import NEW_DRAFT, DraftPlace, Growth, Links
from bot.ports.sightings import Pace, Traces, unhurried

_REACTIONS = {Sign.QUEUED: "👀", Sign.WORKING: "✍️", Sign.DONE: "👌"}
_MOST_REACTIONS = 10_000
_NOBODY: dict[str, Any] = {"parse": [], "replied_user": False}
"""Nobody is called by an answer, whatever stands in it."""

_NO_PREVIEW, _FOR_ONE = 1 << 2, 1 << 6
_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_TYPING = "/channels/{channel_id}/typing"
_REACTION = "/channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me"
_LONGEST_NONCE = 25
_UNTIL_ANSWERED = (0.1, 0.4, 1.0, 2.0)
"""Seconds between tries to tell words about a press whose own answer is still on its way."""

_GROWS = "grows-"


class DiscordChannel:
    """The Channel port on Discord's HTTP API; `gated` is off where no rates hold.

    `has_left` tells of a thread that somebody deleted: it is not opened again.
    """

    name = CHANNEL
    drafts = True
    instant = False
    growth = Growth(private=True, after=1.0, every=1.5, named=True)
    locates = False
    folds_above: int | None = LONG_ANSWER

    def __init__(
        self,
        api: DiscordApi,
        *,
        gated: bool = True,
        has_left: Callable[[Address], bool] = lambda place: False,
    ) -> None:
        self._api = api
        self._has_left = has_left
        self.gated = gated
        self._started = datetime.now(UTC)
        self._reactions: OrderedDict[str, Sign] = OrderedDict()

    def parse(self, body: str) -> Inbound:
        return parse_event(body, self._api.own_id)

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        return thread_at(address, message_id)

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        return split_content(content)

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        """Sends a piece; Discord shows no second message of the same name within minutes."""
        body = piece.body
        payload: dict[str, Any] = _shown(body) | {"flags": _flags(body)}
        if once:
            # The kind of a message can be told from its name.
            kind = _GROWS if body.get("grows") else ""
            name = (kind + hashlib.sha256(once.encode()).hexdigest())[:_LONGEST_NONCE]
            payload |= {"nonce": name, "enforce_nonce": True}
        answered = body.get("reply_to")
        if answered is not None and answered != to.thread:
            # The message answered may have been deleted meanwhile; the answer is owed all the same.
            payload["message_reference"] = {"message_id": answered, "fail_if_not_exists": False}
        channel = await self._channel(to)
        form = None
        if "file" in body:
            form, payload = await _with_file(payload, body["file"])
        try:
            sent = await self._posted(channel, payload, form)
        except UnknownChannel:
            if self._has_left(to) or not await open_thread(self._api, to):
                raise
            sent = await self._posted(channel, payload, form)
        except NoVoice:
            form, payload = await _with_file(payload, body["file"], voice=False)
            sent = await self._posted(channel, payload, form)
        except ContentRefused as refused:
            raise _other_form(refused, body) from None
        number = sent.id("id")
        if number is None:
            raise ContentRefused("Discord answered without the number of the message")
        if once and _is_earlier(sent, payload, body, has_file=form is not None):
            # It is the message of an earlier try, and the words have changed since.
            await self.edit(to, number, piece)
        return number

    async def _posted(
        self, channel: str, payload: dict[str, Any], form: list[dict[str, Any]] | None
    ) -> Fields:
        names = {"channel_id": channel}
        if form is None:
            return Fields(await self._api.call("POST", _MESSAGES, payload, names=names))
        try:
            return Fields(await self._api.call("POST", _MESSAGES, form=form, names=names))
        except UnknownChannel:
            raise
        except RecipientGone as refused:
            # A place may take words and no files.
            raise ContentRefused(str(refused)) from None

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        try:
            hindsight = Hindsight(self._api, to, await self._channel(to), traces)
            return await hindsight.found(None if piece is None else piece.body, pace)
        except (UnknownChannel, ContentRefused):
            # A thread that is not open yet holds nothing; sending says what else is wrong.
            return None

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        names = {"channel_id": await self._channel(to), "message_id": message_id}
        try:
            await self._edited(names, piece)
        except Archived:
            # Only a new message wakes a thread by itself.
            await wake_thread(self._api, to)
            await self._edited(names, piece)

    async def _edited(self, names: dict[str, str], piece: Piece | None) -> None:
        if piece is None:
            try:
                await self._api.call("DELETE", _MESSAGE, names=names)
            except Unknown:
                return
        elif "voice" not in piece.body.get("file", ()):
            # A voice message cannot be changed at all.
            await self._patch(names, piece.body)

    async def _patch(self, names: dict[str, str], body: Any) -> None:
        shown = _shown(body) | {"flags": _flags(body) & _NO_PREVIEW}
        if "anew" in body:
            form, shown = await _with_file(shown, body["file"])
            try:
                await self._api.call("PATCH", _MESSAGE, form=form, names=names)
            except Unknown:
                raise
            except (ContentRefused, RecipientGone) as refused:
                raise _other_form(refused, body) from None
            return
        if "file" in body and not shown["content"]:
            del shown["content"]
        await self._api.call("PATCH", _MESSAGE, shown, names=names)

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        """Shows an answer that grows in a message of its own, which makes no sound."""
        shown = shortened(await asyncio.to_thread(markdown, storable(text), links))
        if not shown.strip():
            return place.message_id
        below: dict[str, Any] = {}
        if place.button is not None:
            below = {"buttons": [[{"label": place.button.label, "data": place.button.data}]]}
        if place.message_id is not None:
            await self.edit(to, place.message_id, Piece({"text": shown} | below))
            return place.message_id
        body = {"text": shown, "reply_to": place.reply_to, "silent": True, "grows": True}
        return await self.send(to, Piece(body | below), once=place.once)

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        try:
            if sign is Sign.TYPING:
                names = {"channel_id": await self._channel(to)}
                await self._api.call("POST", _TYPING, names=names)
            elif message_id is not None:
                channel = await self._channel(holder_of(to, message_id))
                await self._react(channel, message_id, sign)
        except (Unknown, UnknownChannel):
            # A thread is opened by a message, not by a sign.
            return

    async def _react(self, channel: str, message: str, sign: Sign) -> None:
        """Shows one reaction in place of an earlier one."""
        for earlier in await self._earlier(channel, message):
            if earlier is not sign:
                await self._reaction("DELETE", channel, message, earlier)
        if sign in _REACTIONS:
            await self._reaction("PUT", channel, message, sign)
        self._reactions[message] = sign
        while len(self._reactions) > _MOST_REACTIONS:
            self._reactions.popitem(last=False)

    async def _earlier(self, channel: str, message: str) -> Sequence[Sign]:
        """Returns the bot's reactions on a message; on one from before the start Discord is asked.

        Taking back what may stand there would cost a call for each, and Discord takes few of them.
        """
        known = self._reactions.get(message)
        if known is not None:
            return (known,) if known in _REACTIONS else ()
        if time_of(message) >= self._started:
            return ()
        names = {"channel_id": channel, "message_id": message}
        told = Fields(await self._api.call("GET", _MESSAGE, names=names))
        own = [one.inner("emoji").text("name") for one in told.items("reactions") if one.flag("me")]
        return [sign for sign, emoji in _REACTIONS.items() if emoji in own]

    async def _reaction(self, method: str, channel: str, message: str, sign: Sign) -> None:
        names = {"channel_id": channel, "message_id": message, "emoji": _REACTIONS[sign]}
        try:
            await self._api.call(method, _REACTION, names=names)
        except Unknown:
            if method == "PUT":
                raise

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        """Tells the one who pressed what no card tells, a refusal for instance."""
        _, _, token = press.handle.partition(":")
        words = plain(storable(text)).strip()
        if not (refused or alone) or not words or not token:
            return
        body = {"content": cut(words)[0], "flags": _FOR_ONE, "allowed_mentions": _NOBODY}
        path = "/webhooks/{webhook_id}/{webhook_token}"
        names = {"webhook_id": await self._api.application(), "webhook_token": token}
        # Words that overtake the answer to the press itself are refused like those that come
        # later than a quarter of an hour after it.
        for pause in (*_UNTIL_ANSWERED, None):
            try:
                await self._api.call("POST", path, body, names=names)
            except Unknown:
                if pause is not None:
                    await asyncio.sleep(pause)
            else:
                return

    async def _channel(self, to: Address) -> str:
        return channel_in(to) if is_server(to) else await self._api.channel_of(to.chat)


def _shown(body: Any) -> dict[str, Any]:
    """Returns what people see of a message, as it is sent and as it is edited."""
    return {
        "content": body["text"],
        "components": components_of(body.get("buttons", ())),
        "allowed_mentions": _NOBODY,
    }


def _is_earlier(sent: Fields, payload: Any, body: Any, *, has_file: bool) -> bool:
    """Returns True when Discord shows the message of an earlier try, with other words or files."""
    changed = (sent.text("content") or "") != payload["content"].strip()
    if not has_file:
        return changed
    if "anew" not in body:
        return False
    size = len(str(body["file"]["text"]).encode())
    return changed or all(one.number("size") != size for one in sent.items("attachments"))


def _other_form(refused: ChannelError, body: Any) -> ChannelError:
    """Returns the fault of a message that has another form, else the refusal as it is."""
    if "instead" not in body:
        return refused
    return FormRefused(str(refused), tuple(Piece(other) for other in body["instead"]))


def _flags(body: Any) -> int:
    preview = 0 if body.get("previews") else _NO_PREVIEW
    return preview | (SILENT if body.get("silent") else 0)


async def _with_file(
    payload: dict[str, Any], file: Any, *, voice: bool = True
) -> tuple[list[dict[str, Any]] | None, dict[str, Any]]:
    """Returns the parts of a message with a file, or the words about a file that cannot be sent."""
    try:
        content = await asyncio.to_thread(content_of, file)
    except ContentRefused as refused:
        told = plain(f"📎 I could not send {brief_name(file['name'])}: {refused}.")
        words = "\n".join(part for part in (payload["content"], told) if part)
        return None, payload | {"content": cut(words)[0]}
    spoken = voice_form_of(payload, content) if voice and "voice" in file else None
    return spoken or form_of(payload, file["name"], content), payload
