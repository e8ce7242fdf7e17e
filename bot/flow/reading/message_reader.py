"""Turns a stored update into the message that the model reads."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.clock.zones import Zones, moment
from bot.domain.talk.bundle import LONGEST_WISH, Bundle, Seam, continued
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import InboundMessage
from bot.domain.talk.person import Person
from bot.domain.talk.web_address import links_in
from bot.domain.text.visible_text import clipped
from bot.domain.tools.call_words import CALLS
from bot.domain.turn.transcript import AskerBody
from bot.domain.value import field, frozen, replace
from bot.flow.reading.attachment_words import Enclosed
from bot.flow.reading.attachments import Enclosures
from bot.flow.reading.overhearing import Heard
from bot.flow.reading.row_reader import RowReader
from bot.flow.signs.life_signs import Lives, Signs
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow
from bot.ports.outbox import Outbox
from bot.ports.people import People

_TALK = "the talk of the group"
_CALLED = "what tools told"


@frozen
class Asked:
    """A message with the person who wrote it, ready to open a turn or to steer one.

    `enclosed` holds its attachments once they have been read. `notes` are remarks of the program
    about it. `after` is the end of an earlier fragment, when this one continues it.
    """

    bundle: Bundle
    person: Person
    timezone: str
    now: datetime
    enclosed: Enclosed = field(default_factory=Enclosed)
    heard: Heard | None = None
    notes: tuple[str, ...] = ()
    after: Seam | None = None

    @property
    def enclosing(self) -> bool:
        """Returns True when there are attachments to fetch and read."""
        return bool(self.bundle.attachments or any(q.attachments for q in self.bundle.quotes))

    @property
    def words(self) -> str:
        """Returns the person's own words, typed or said."""
        return "\n".join(filter(None, (self.bundle.words, *self.enclosed.said)))

    def body(self, *, steering: bool = False) -> AskerBody:
        message = self.bundle.first
        return AskerBody(
            text=asked_text(self.bundle, self.enclosed, self.notes),
            speaker=self.person.name,
            account="" if message.private else message.sender.key,
            group=message.title,
            heard=self.heard.text if self.heard is not None else "",
            moment=moment(self.now, self.timezone),
            images=self.enclosed.pictures,
            untrusted=self.bundle.untrusted or (_TALK if self.heard is not None else None),
            message_id=message.message_id,
            steering=steering,
            seam=continued(self.after, self.bundle.seam),
            person=self.person.id,
            language=message.language,
            governs=self.person.is_owner,
            spoken=bool(self.enclosed.said),
            wish=self.bundle.wish or clipped(" ".join(self.enclosed.said), LONGEST_WISH),
            own=self.bundle.own_addresses,
            only=self._counting,
        )

    @property
    def _counting(self) -> tuple[str, ...] | None:
        """Returns the only addresses that count where a message of ours comes back, else None.

        The model may have composed those in it; one that somebody wrote is known anyway.
        """
        messages = self.bundle.messages
        theirs = tuple(map(_without_us, messages))
        if theirs == messages:
            return None
        return links_in(asked_text(replace(self.bundle, messages=theirs), self.enclosed))


@frozen
class MessageReader:
    """Reads waiting messages, except those of people who may not ask any more."""

    _rows: RowReader
    _people: People
    _enclosures: Enclosures
    _lives: Lives
    _clock: Clock
    _zones: Zones
    _outbox: Outbox

    async def read(
        self, row: InboundRow, chat: Chat, senders: Mapping[int, Person] | None = None
    ) -> Asked | None:
        message = self._rows.message(row)
        if message is None:
            return None
        # The person as of now, not of the routing: rights may have changed since.
        person = None if row.person is None else (senders or {}).get(row.person)
        person = person or await self._people.by_sender(message.sender)
        if person is None:
            return None
        message = await self.quoting(message, chat)
        return Asked(Bundle((message,)), person, self._zones.of(person, chat), self._clock.now())

    async def quoting(self, message: InboundMessage, chat: Chat) -> InboundMessage:
        """Returns the message; what it quotes of tool calls is nobody's own words."""
        quote = message.quote
        if quote is None or not quote.own or quote.message_id is None:
            return message
        key = await self._outbox.key_of(chat.id, quote.message_id)
        if key is None or not key.startswith(CALLS):
            return message
        return replace(message, quote=replace(quote, own=False, author=_CALLED))

    async def opened(self, asked: Asked, chat: Chat) -> Asked:
        """Returns the message with its attachments read.

        Reading takes time: check afterwards that the rows still stand.
        """
        async with self.signed(asked):
            enclosed = await self._enclosures.open(asked.bundle, chat, asked.person.id)
        return replace(asked, enclosed=enclosed, now=self._clock.now())

    def signed(self, asked: Asked) -> Signs:
        """Shows typing while the block runs."""
        return self._lives.before(asked.bundle.first.address)


def _without_us(message: InboundMessage) -> InboundMessage:
    """Returns the message without words that may be ours: a quote, or a forward."""
    quote = None if _quotes_us(message) else message.quote
    return replace(message, quote=quote, text="" if message.echoes else message.text)


def _quotes_us(message: InboundMessage) -> bool:
    """Returns True for a quote of a message of ours, and not of the sender's own."""
    quote = message.quote
    if quote is None or quote.author == _CALLED:
        return quote is not None
    return quote.own and quote.account != message.sender.key


def asked_text(bundle: Bundle, enclosed: Enclosed, notes: Sequence[str] = ()) -> str:
    """Returns the sender's words, with quoted and forwarded text marked as data."""
    parts = (*notes, *bundle.as_read, *enclosed.words)
    return "\n\n".join(parts) or "[an empty message]"
