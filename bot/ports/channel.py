"""A platform on which people talk."""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeAlias

from bot.domain.talk.message import Address, Button, Inbound, Outbound, Piece, Press, Sign
from bot.domain.value import frozen
from bot.ports.sightings import Pace, Traces, unhurried


@frozen
class Growth:
    """The way in which a channel shows an answer that is being written in a message of its own.

    Groups always do; `private` chats only where no draft passes by itself. The message appears
    `after` so many seconds of work, and is changed `every` so many seconds.
    """

    private: bool = False
    after: float = 4.8
    every: float = 5.0
    named: bool = False
    """True where a growing message that is sent twice under one name is the same message."""


Overhear: TypeAlias = Callable[[Address, str], None]
"""Takes an answer that grows in a chat; no words say that one is being made."""

Links: TypeAlias = Collection[str] | None
"""The targets that words of a draft may hide; None when they may hide any."""


@frozen
class DraftPlace:
    """The message in which a draft is shown, on a platform that needs one."""

    message_id: str | None = None
    """The id of the message, once there is one."""
    reply_to: str | None = None
    button: Button | None = None
    once: str = ""
    """The name of the message, as in `send`."""


NEW_DRAFT = DraftPlace()
"""Nothing is shown yet."""


class Channel(Protocol):
    """Sends and reads messages on one platform; every fault is a ChannelError.

    `drafts` is true when `draft` shows something, `gated` when sending needs leave of the flood
    gate, `instant` when showing costs nothing, so that every small change may be shown.
    `growth` tells how an answer grows in a message where drafts need one. `locates` is true when
    people can send where they are. `folds_above` are the characters of an answer above which it
    comes as a file in any case; None where the chat alone decides.
    """

    name: str
    drafts: bool
    gated: bool
    instant: bool
    growth: Growth
    locates: bool
    folds_above: int | None

    def parse(self, body: str) -> Inbound:
        """Reads a stored raw update; never raises."""
        ...

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        """Returns the address of the thread that a message opens; None where it can open none.

        A send to such an address opens the thread if it is not there.
        """
        ...

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        """Returns the platform messages for a content, in order; at least one.

        `shown` are the pieces of it on the screen, so that an edit keeps their form.
        """
        ...

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        """Sends one piece and returns the platform's id of it.

        `once` names this very message. A platform that knows names of messages shows no second one
        when the answer to an earlier try was lost. Raises FormRefused where nothing was sent and
        other pieces say the same.
        """
        ...

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        """Returns the id of a message whose sending may have been done, and that shows this piece.

        Without a piece it is a message in which an answer grew. None where no such message stands,
        or where the platform cannot be asked. A question changes nothing, and the questions about
        one message are bounded; each waits for `pace`.
        """
        ...

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        """Makes a sent piece look like this one; None deletes it. No change is no fault.

        Raises FormRefused where nothing was changed and other pieces say the same.
        """
        ...

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        """Shows a temporary preview of an answer that is being written.

        If the platform needs a message for it, returns the id of that message; the caller passes
        the id with the next state, and deletes the message at the end. Raises FloodWait where there
        is no room for a draft now; nothing is shown then.
        """
        ...

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        """Shows a sign of life in the chat, or on a message in it."""
        ...

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        """Answers a press, with a private notice if there is a text.

        A refusal may interrupt the person; the answer to a press that did something passes by. A
        channel may leave out a text that the screen tells as well, unless it stands `alone`.
        """
        ...


class WrappedChannel:
    """A channel as whatever wraps it has it too: its qualities, and what asks no platform."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.name = channel.name
        self.drafts = channel.drafts
        self.gated = channel.gated
        self.instant = channel.instant
        self.growth = channel.growth
        self.locates = channel.locates
        self.folds_above = channel.folds_above

    def parse(self, body: str) -> Inbound:
        return self._channel.parse(body)

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        return self._channel.thread_at(address, message_id)

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        return self._channel.split(content, shown)
