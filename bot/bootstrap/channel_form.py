"""The one form by which every channel is served: opened, listened to, greeted and checked."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from bot.bootstrap.named_rules import NamedRules
from bot.bootstrap.opening import Running
from bot.bootstrap.question_record import QuestionRecord
from bot.bootstrap.shared_chats import SharedChats
from bot.doctor import Check, Finding
from bot.domain.talk.message import Address, Presence, Press, RawUpdate
from bot.domain.talk.person import Sender
from bot.domain.value import frozen
from bot.flow.commands.menus import Menus
from bot.flow.world import at_once
from bot.ports.attachments import Files
from bot.ports.channel import Channel, Overhear
from bot.ports.clock import Clock
from bot.ports.duties import Duty
from bot.ports.groups import Groups
from bot.ports.outbox import OutboxRow
from bot.settings import Settings

Accept: TypeAlias = Callable[[Sequence[RawUpdate]], Awaitable[None]]
"""Stores updates for good, or raises a StoreError; the platform is told only after it returns."""


@frozen
class Host:
    """The application as its channels see it."""

    commands: Sequence[tuple[str, str]]
    """The name and the description of every command, in the order of the menu."""
    usages: Mapping[str, str]
    """The words that may follow a command, by its name."""
    model_in: Callable[[Address], Awaitable[str]]
    """Returns the model that answers in a private chat, as `provider/name`."""
    menus: Menus
    """The commands by role and kind of chat."""
    owners: Callable[[], Awaitable[Sequence[str]]]
    """Returns the accounts of owners, as `channel:number`."""
    owned: Callable[[], Awaitable[bool]]
    """Tells whether somebody on a platform owns the assistant."""
    pairing_code: Callable[[], Awaitable[str]]
    """Returns the code that makes the first person who sends `/start <code>` the owner.

    Every channel gets the same code, which is good for 15 minutes.
    """
    admit_owner: Callable[[Sender], Awaitable[None]]
    """Makes a person an owner, because the channel itself vouches for them."""
    open_cards: Callable[[Address], Awaitable[Sequence[OutboxRow]]]
    """Returns the messages of a private chat that show an open card, or ask for words."""
    owner_names: Callable[[], Awaitable[Sequence[str]]]
    """Returns the names of all owners, one at the terminal among them."""
    chats_of: Callable[[str], Awaitable[Sequence[Address]]]
    """Returns the addresses of a channel's chats, the newest first, at most 200."""
    lost: Callable[[str], Awaitable[Mapping[Address, Presence]]]
    """Returns the places of a channel that the bot has left, or where it may not write."""
    heard_until: Callable[[str], Awaitable[datetime | None]]
    """Returns the time at which the newest update of a channel came in."""
    reached: Callable[[str, datetime], Awaitable[str]]
    """Returns the position up to which a stream of updates is stored.

    It is empty where none was stored since the given time.
    """
    waiting_in: Callable[[Address], Awaitable[Sequence[RawUpdate]]]
    """Returns the messages of a chat that wait for their turn, at most 50."""
    present_words: Callable[[Press], Awaitable[str]]
    """Returns the words that a button changes, if the person may; empty where it changes none."""
    model: str
    """The model that chats begin with, as `provider/name`."""
    warm_up: Callable[[], Awaitable[None]]
    """Loads what the first answer needs and the first poll does not."""
    serves: Sequence[str]
    """The names of the channels of this run."""
    record_of: Callable[[Address], QuestionRecord]
    """Returns the record of a question that is asked at an address."""
    rules_at: Callable[[frozenset[str], Address, Sender], NamedRules]
    """Returns the rules that a person can name for a question at an address.

    The first argument are the endings of documents, which rules for folders are about.
    """
    wake: Callable[[Address], Awaitable[None]]
    """Has everything delivered that is owed to a private chat, since somebody looks at it again."""
    shared_chats: SharedChats
    """Finds the private chat of a platform that a terminal may show."""
    deliver_owed: Callable[[], Awaitable[None]]
    """Tries to deliver everything that is owed to anybody."""
    running: Running
    """The whole of it, for the page, which shows all."""


Listen: TypeAlias = Callable[[Accept], Coroutine[Any, Any, None]]
"""Hands over updates until cancelled. If it returns, the person left and the run ends."""

Opener: TypeAlias = Callable[[Host], Coroutine[Any, Any, None]]


def always() -> bool:
    """Stands for a channel that nobody has to reach."""
    return True


async def nothing(host: Host) -> None:
    """Stands for an opener that a channel does not need."""


@frozen
class OpenChannel:
    """One channel that is open, and all that serving it needs."""

    channel: Channel

    listen: Listen

    files: Files | None = None
    """Fetches files that people send; None where a channel has no files."""
    groups: Groups | None = None
    """Tells who owns a group and who is in it; None where a channel has no groups."""
    reached: Callable[[], bool] = always
    """Tells if the last poll went well, or the gateway is connected."""
    ready: Callable[[], Coroutine[Any, Any, None]] = at_once
    """Returns once stored updates can be read; until then no update is routed."""
    prepare: Opener = nothing
    """Runs before the channel is listened to; the channel waits for it."""
    greet: Opener = nothing
    """Runs beside the first poll: the menu, the pairing link, loading what is heavy."""
    duty: Duty = Duty.RECEIVE
    """The duty of the processes that listen to it."""
    alone: bool = False
    """True where one process at a time may listen."""
    overhear: Overhear | None = None
    """Is told what grows in the chats of the other channels."""


class ChannelForm(Protocol):
    """A platform that people can reach Steward on."""

    @property
    def title(self) -> str:
        """The name of the platform that people know."""
        ...

    def missing(self, settings: Settings) -> str:
        """Returns the name of the setting that is missing; empty if the channel is set up."""
        ...

    def opened(self, settings: Settings, clock: Clock) -> AbstractAsyncContextManager[OpenChannel]:
        """Opens the channel for one run and closes it at its end."""
        ...

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        """Returns the checks that `steward doctor` runs on this channel."""
        ...
