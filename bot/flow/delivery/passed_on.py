"""Signs of life that the process which delivers shows for the one that has the turn."""

import json
from collections.abc import Mapping
from typing import Any

from bot.domain.talk.errors import (
    ChannelError,
    ChannelFault,
    ChannelUnreachable,
    ContentRefused,
    FloodWait,
    RecipientGone,
)
from bot.domain.talk.message import Address, Button, Piece, Press, Sign
from bot.domain.talk.session import PAGE
from bot.domain.text.tail import tail_of
from bot.flow.delivery.office import DeliveryOffice
from bot.flow.delivery.pages_elsewhere import (
    MOST_BESIDE,
    PagesElsewhere,
    in_words,
    size_of,
    told_of,
)
from bot.ports.bell import MOST_ASKED
from bot.ports.channel import NEW_DRAFT, Channel, DraftPlace, Links, Overhear, WrappedChannel
from bot.ports.sightings import Pace, Traces, unhurried

_MOST_LINKS = 2_000
"""Bytes of a draft's links."""

_MOST_WORDS = 500
"""Characters of a fault."""


class PassedOnChannel(WrappedChannel):
    """A channel whose drafts and signs are shown by the process that delivers.

    So its flood gate counts those of every process. It answers with what the platform said, and no
    answer is as one that the network lost. The rest of the channel is as it is.
    """

    def __init__(self, channel: Channel, office: DeliveryOffice, pages: PagesElsewhere) -> None:
        super().__init__(channel)
        self._office = office
        self._pages = pages

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        self._pages.show(to, text)
        if not self._office.leaves(to.channel):
            return await self._channel.draft(to, text, links, place)
        return await self._asked(to, _draft_asked(text, links, place))

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        if sign is Sign.TYPING:
            self._pages.show(to, "")
        if self._office.leaves(to.channel):
            await self._asked(to, {"sign": sign, "on": message_id})
        else:
            await self._channel.sign(to, sign, message_id)

    async def _asked(self, to: Address, asked: Mapping[str, Any]) -> str | None:
        question = in_words({"to": told_of(to), **asked})
        try:
            answer = json.loads(await self._office.ask(to.channel, question))
        except TimeoutError:
            told = "no process that delivers has answered"
            raise ChannelUnreachable(told, maybe_done=True) from None
        if "shown" in answer:
            return answer["shown"]
        raise _fault_of(answer)

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        return await self._channel.send(to, piece, once=once)

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        return await self._channel.find(to, piece, traces, pace=pace)

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        await self._channel.edit(to, message_id, piece)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        await self._channel.acknowledge(press, text, refused=refused, alone=alone)


class ShownForOthers:
    """Shows what other processes ask for, on the channels of this one.

    `overhear` shows on the page what grows in a chat, its own ones included.
    """

    def __init__(self, channels: Mapping[str, Channel], overhear: Overhear) -> None:
        self._channels = channels
        self._overhear = overhear

    async def answer(self, question: str) -> str:
        asked = json.loads(question)
        to = Address(*asked["to"])
        if (text := _overheard(to, asked)) is not None:
            self._overhear(to, text)
            return in_words({"shown": None})
        channel = self._channels.get(to.channel)
        if channel is None:
            return in_words({"fault": f"{to.channel} is not served where messages are delivered"})
        try:
            shown = await self._show(channel, to, asked)
        except ChannelError as fault:
            return in_words(_told(fault))
        return in_words({"shown": shown})

    async def _show(self, channel: Channel, to: Address, asked: Mapping[str, Any]) -> str | None:
        if "sign" in asked:
            await channel.sign(to, Sign(asked["sign"]), asked["on"])
            return None
        message_id, reply_to, button, once = asked["place"]
        below = Button(*button) if button is not None else None
        place = DraftPlace(message_id, reply_to, below, once)
        return await channel.draft(to, asked["draft"], asked["links"], place)


def _overheard(to: Address, asked: Mapping[str, Any]) -> str | None:
    """Returns the words that grow, if it is for pages; None for what a channel shows."""
    if to.channel != PAGE:
        return asked.get("grows")
    typing = asked.get("sign") == Sign.TYPING
    return "" if typing else asked.get("grows", asked.get("draft"))


def _draft_asked(text: str, links: Links, place: DraftPlace) -> Mapping[str, Any]:
    """Returns a draft that fits into a question; of a long one its end, as chats show it."""
    if links is not None:
        links = [link for link in links if link in text]
        if size_of(links) > _MOST_LINKS:
            links = []
    button = place.button
    return {
        "draft": tail_of(text, MOST_ASKED - MOST_BESIDE - size_of(links), size_of),
        "links": links,
        "place": [
            place.message_id,
            place.reply_to,
            [button.label, button.data, button.asks] if button is not None else None,
            place.once,
        ],
    }


def _told(fault: ChannelError) -> Mapping[str, Any]:
    words = str(fault)[:_MOST_WORDS]
    match fault:
        case FloodWait():
            return {"wait": fault.retry_after}
        case ChannelUnreachable():
            return {"unreachable": words, "done": fault.maybe_done}
        case ContentRefused():
            return {"refused": words}
        case RecipientGone():
            return {"gone": words}
        case _:
            return {"fault": words}


def _fault_of(told: Mapping[str, Any]) -> ChannelError:
    match told:
        case {"wait": float(seconds) | int(seconds)}:
            return FloodWait(seconds)
        case {"unreachable": str(words), "done": bool(done)}:
            return ChannelUnreachable(words, maybe_done=done)
        case {"refused": str(words)}:
            return ContentRefused(words)
        case {"gone": str(words)}:
            return RecipientGone(words)
        case _:
            return ChannelFault(str(told))
