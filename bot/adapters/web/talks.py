"""The conversations of a person, as the pages ask for them."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from bot.adapters.web.mark import Mark
from bot.adapters.web.shown import ListedChat, OpenableTalk, ShownChat, ShownMessage
from bot.domain.talk.message import Address, FileRef, Outbound, RawUpdate
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways
from bot.ports.records import RowKey
from bot.ports.view_page import SeenNow


@frozen
class Seen:
    """A message as it is now; `shown` is made when it is needed."""

    id: int
    said: bool
    """True for a row of the inbox."""
    version: int
    """Its version; of words that were said, a number made of those that wait for their turn."""
    newest: int = 0
    """The row of its newest words, which may be a change of it."""
    gone: bool = False
    """True when it must leave the page."""
    settles: bool = False
    """True when it ends what grows in the chat: an answer, a card."""
    past: bool = False
    """True for one further up than the newest ones: a page may not have it."""


@frozen
class Looked:
    """The messages of a chat that were looked at for a page."""

    versions: Mapping[int, int]
    asking: frozenset[int]
    """Cards and plans among them that are looked at again however old they are."""
    past: frozenset[int]
    """Those of these that are no new messages any more."""


@frozen
class Part:
    """A part of a conversation, oldest first."""

    messages: Sequence[ShownMessage]
    before: str
    """Names the part before it; empty where there is none."""
    mark: Mark


Erased: TypeAlias = Literal["", "words", "all"]
"""The words erased of those that a page may show: none, some, or all of its conversation."""


@frozen
class Stands:
    """A message that stands in a chat, for a press or an answer to it."""

    message_id: str
    """The id that the platform knows it by; empty when it is not there yet."""
    content: Outbound


class Talk(Protocol):
    """One conversation of a person."""

    @property
    def key(self) -> str: ...

    @property
    def address(self) -> Address: ...

    @property
    def number(self) -> int:
        """Returns the number of the chat in the store."""
        ...

    async def told(self) -> ShownChat: ...

    async def in_view(self) -> SeenNow:
        """Returns what the model has in view now, and the rules that count."""
        ...

    async def openable(self) -> Sequence[OpenableTalk]:
        """Returns the newest conversations of the chat, the one that goes on first.

        A chat has several after a branch, and after a new beginning.
        """
        ...

    async def answering(self) -> bool:
        """Returns True while an answer is made in the conversation, or waits to be."""
        ...

    async def line(self) -> int:
        """Returns the line of the record that a page begins with."""
        ...

    async def erased(self, line: int) -> Erased:
        """Returns what was erased since a line of the record."""
        ...

    async def part(self, before: str = "") -> Part:
        """Returns the newest part, or the one before another."""
        ...

    async def news(self, mark: Mark) -> tuple[Sequence[Seen], Looked]:
        """Returns what a page with this mark lacks, in order, and the messages looked at."""
        ...

    async def message(self, seen: Seen) -> ShownMessage | None:
        """Returns a message for this person; None when it is gone by now."""
        ...

    async def stands(self, message: str) -> Stands | None:
        """Returns a message by the name of its element, as in `o97`."""
        ...

    async def own_id(self, message: str) -> str:
        """Returns the id of what the person wrote by the name of its element, as in `i41`."""
        ...


class Talks(Protocol):
    """The conversations of people."""

    async def listed(self, person: Person, current: str = "") -> Sequence[ListedChat]:
        """Returns the newest conversations of a person; of many not all."""
        ...

    async def part(
        self, person: Person, place: ListPlace[RowKey] | None
    ) -> tuple[Sequence[ListedChat], Ways[RowKey]]:
        """Returns a part of the list of all conversations, with the ways to the others."""
        ...

    async def of(self, person: Person, key: str) -> Talk | None:
        """Returns a conversation of this person; None for a foreign one."""
        ...

    async def keys(self, person: Person) -> Mapping[int, str]:
        """Returns the keys of the person's own conversations, by the numbers of their chats."""
        ...

    async def begin(self, person: Person) -> str:
        """Returns the key of a conversation in which nothing was said yet."""
        ...

    async def file(
        self, person: Person, id: int, number: int, *, sent: bool = False
    ) -> FileRef | None:
        """Returns a file of a message that this person sees, or of one that they `sent`."""
        ...

    async def accept(self, update: RawUpdate) -> None:
        """Stores what a person said or pressed; raises StoreError when it cannot."""
        ...
