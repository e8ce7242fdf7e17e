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
from bot.domain.text.tail import tail_of
from bot.flow.delivery.office import DeliveryOffice
from bot.ports.bell import MOST_ASKED
from bot.ports.channel import NEW_DRAFT, Channel, DraftPlace, Links, WrappedChannel
from bot.ports.sightings import Pace, Traces, unhurried

_MOST_LINKS = 2_000
_MOST_BESIDE = 500
"""Bytes of a draft's links, and of all else beside its text."""

_MOST_WORDS = 500
"""Characters of a fault."""


class PassedOnChannel(WrappedChannel):
    """A channel whose drafts and signs are shown by the process that delivers.

    So its flood gate counts those of every process. It answers with what the platform said, and no
    answer is as one that the network lost. The rest of the channel is as it is.
    """

    def __init__(self, channel: Channel, office: DeliveryOffice) -> None:
        super().__init__(channel)
        self._office = office

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        if not self._office.leaves(to.channel):
            return await self._channel.draft(to, text, links, place)
        return await self._asked(to, _draft_asked(text, links, place))

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        if self._office.leaves(to.channel):
            await self._asked(to, {"sign": sign, "on": message_id})
        else:
            await self._channel.sign(to, sign, message_id)

    async def _asked(self, to: Address, asked: Mapping[str, Any]) -> str | None:
        question = _words({"to": [to.channel, to.chat, to.thread], **asked})
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
    """Shows what other processes ask for, on the channels of this one."""

    def __init__(self, channels: Mapping[str, Channel]) -> None:
        self._channels = channels

    async def answer(self, question: str) -> str:
        asked = json.loads(question)
        to = Address(*asked["to"])
        channel = self._channels.get(to.channel)
        if channel is None:
            return _words({"fault": f"{to.channel} is not served where messages are delivered"})
        try:
            shown = await self._show(channel, to, asked)
        except ChannelError as fault:
            return _words(_told(fault))
        return _words({"shown": shown})

    async def _show(self, channel: Channel, to: Address, asked: Mapping[str, Any]) -> str | None:
        if "sign" in asked:
            await channel.sign(to, Sign(asked["sign"]), asked["on"])
            return None
        message_id, reply_to, button, once = asked["place"]
        below = Button(*button) if button is not None else None
        place = DraftPlace(message_id, reply_to, below, once)
        return await channel.draft(to, asked["draft"], asked["links"], place)


def _draft_asked(text: str, links: Links, place: DraftPlace) -> Mapping[str, Any]:
    """Returns a draft that fits into a question; of a long one its end, as chats show it."""
    if links is not None:
        links = [link for link in links if link in text]
        if _size(links) > _MOST_LINKS:
            links = []
    button = place.button
    return {
        "draft": tail_of(text, MOST_ASKED - _MOST_BESIDE - _size(links), _size),
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


def _words(told: object) -> str:
    # A half of a character, which no database takes, is replaced.
    return json.dumps(told, ensure_ascii=False).encode(errors="replace").decode()


def _size(told: object) -> int:
    return len(_words(told).encode())
