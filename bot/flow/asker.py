"""From a stored update to what the model reads of a person's message."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.domain.chat import Chat
from bot.domain.message import InboundMessage
from bot.domain.person import Person
from bot.domain.transcript import AskerBody
from bot.flow.context import moment
from bot.flow.enclosures import Enclosed, Enclosures
from bot.flow.overhearing import Heard
from bot.ports.channel import Channel
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow
from bot.ports.people import People

_TALK = "the talk of the group"


@dataclass(frozen=True, slots=True)
class Asked:
    """A message with the person who wrote it, ready to open a turn or to steer one.

    `enclosed` is what came along with it, once that has been read.
    """

    message: InboundMessage
    person: Person
    timezone: str
    now: datetime
    enclosed: Enclosed = field(default_factory=Enclosed)
    heard: Heard | None = None

    def body(self, *, steering: bool = False) -> AskerBody:
        return AskerBody(
            text=asked_text(self.message, self.enclosed),
            speaker=self.person.name,
            account="" if self.message.private else self.message.sender.key,
            group=self.message.title,
            heard=self.heard.text if self.heard is not None else "",
            context=moment(self.now, self.timezone),
            images=self.enclosed.pictures,
            untrusted=self.message.untrusted or (_TALK if self.heard is not None else None),
            message_id=self.message.message_id,
            steering=steering,
        )


class Asker:
    """Reads waiting messages; who has lost the right to ask is not read."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        people: People,
        enclosures: Enclosures,
        clock: Clock,
    ) -> None:
        self._channels = channels
        self._people = people
        self._enclosures = enclosures
        self._clock = clock

    async def read(self, row: InboundRow, chat: Chat) -> Asked | None:
        channel = self._channels.get(row.channel)
        inbound = channel.parse(row.body) if channel is not None else None
        if not isinstance(inbound, InboundMessage):
            return None
        person = await self._people.by_sender(inbound.sender)
        if person is None:
            return None
        return Asked(inbound, person, chat.timezone or "UTC", self._clock.now())

    async def opened(self, asked: Asked, chat: Chat) -> Asked:
        """The same with its attachments read, which can take a while: look at the row again."""
        enclosed = await self._enclosures.open(asked.message, chat.id)
        return replace(asked, enclosed=enclosed, now=self._clock.now())


def asked_text(message: InboundMessage, enclosed: Enclosed) -> str:
    """The sender's words, with what they quote or forward set apart as data."""
    parts: list[str] = []
    if message.quote is not None:
        quoted = message.quote
        parts.append(f"<quote author={quoted.author!r}>\n{quoted.text}\n</quote>")
    if message.forwarded_from is not None:
        source = message.forwarded_from
        parts.append(f"<forwarded from={source!r}>\n{message.text}\n</forwarded>")
    elif message.text.strip():
        parts.append(message.text)
    return "\n\n".join((*parts, *enclosed.words)) or "[an empty message]"
