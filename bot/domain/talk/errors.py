"""The one tree of faults; only faults are raised, the ends of turns are values (see outcome).

StewardError
├── FenceLost               another owner writes this chat now: stop at once
├── Conflict                the row is in another state than expected: read it again
│   └── Crowded             as many rows came in a time as may come: try again later
├── StoreError
│   ├── StoreUnavailable    nobody's work is at fault: the same can be done later
│   │   ├── StoreBusy       locked for too long: try again
│   │   ├── StoreAway       no connection, or a server that starts, stops or is a standby: wait
│   │   │   ├── StoreInDoubt  the connection broke at the commit: look before trying again
│   │   │   └── StoreRefused  user, password or name of the database is wrong: a setting
│   │   ├── StoreUnwritable full disk, no right to write: wait, an operator must act
│   │   │   └── CopyUnwritable  a copy of it has no room; its text names the folder
│   │   └── StoreDamaged    a page or a row cannot be read: tell the owners, and end
│   ├── StoreFault          the database refuses this statement: a fault of this program
│   ├── NoSuchChat          the chat was joined to another one: stop working on it
│   ├── StoreTooNew         written by a newer program: upgrade the program
│   ├── StoreOutgrown       written before the first release: an older program upgrades it first
│   └── StoreTooOld         written by an older program: the next start upgrades it
├── ModelError              refused by a provider, or failed on the way to it
│   ├── ModelOverloaded     429, 5xx, overloaded: wait `retry_after`, try again
│   ├── ModelUnreachable    network, time-out, cut stream: try again
│   ├── ModelDenied         key, permission, money: an operator must act
│   │   └── NoSuchModel     the key is good, and the provider has no model of this name
│   ├── PromptTooLong       shorten the view, then try again
│   ├── SpoiltThinking      drop the thinking with a stored cut, then try once more
│   ├── RequestInvalid      never send this exact request again
│   └── OverBudget          not sent, as a budget is used up; its text is for the person
├── ChannelError            refused by a platform, or failed on the way to it
│   ├── FloodWait           the platform asks for `retry_after` seconds
│   ├── ChannelUnreachable  network; `maybe_done` when the work may have happened
│   │   └── ChannelDenied   the platform does not accept the token: an operator must act
│   ├── ChatMoved           the chat has a new address; carries the platform's notice of it
│   ├── RecipientGone       blocked, deleted, never started: drop the message
│   ├── NobodyThere         nobody looks at the chat now: it is woken when somebody does
│   ├── ContentRefused      the platform never accepts this content
│   │   └── FormRefused     not in this form; carries the pieces of another one
│   ├── FileWithheld        the platform does not hand the file out; its text says why
│   └── ChannelFault        our own program of the channel failed: leave out what it showed
├── MeaningError            passages cannot be found by their meaning now: words alone
│   ├── EmbedderError       the embedder failed, or is not reached: try again later
│   │   ├── EmbedderDenied  its key, address or model is wrong: an operator must act
│   │   ├── OtherSize       its vectors have another size than before: index anew
│   │   └── EmbedderRefuses these texts get no vectors: never ask for them again
│   ├── VectorsAway         the index is not reached, in use or on a full disk: try again later
│   └── VectorsLost         the index is gone or broken: index anew
├── ToolFailure             a tool could not do its work; its text is for the model
│   └── OutcomeUnknown      the call may have happened; only a look at the world can tell
├── BackupBroken            a backup is cut off, changed or not ours: take another one
├── ProgramGone             the running program ended, and did not come back in time
└── SettingError            a setting is unusable; its text is for the operator
    ├── DriverMissing       the library for this kind of database is not installed
    └── FolderHeld          another process has the data folder
"""

import logging
from typing import ClassVar

from bot.domain.money.trouble import Trouble
from bot.domain.talk.message import Piece, RawUpdate


class StewardError(Exception):
    """The root of every fault that this program raises itself."""


class FenceLost(StewardError):
    """Another owner holds the chat; no part of the change was written."""


class Conflict(StewardError):
    """A row was not in the state that the change expects; nothing was written."""


class Crowded(Conflict):
    """As many rows came within `seconds` as may come; nothing was written."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(what)
        self.seconds = seconds


class StoreError(StewardError):
    """The store could not do what was asked; nothing was written, unless it is StoreInDoubt."""

    level: ClassVar[int] = logging.WARNING
    """The level at which whoever meets it logs it."""


class StoreUnavailable(StoreError):
    """The store cannot work now; what was asked of it is not at fault."""


class StoreBusy(StoreUnavailable):
    """The store stayed locked for the whole time-out."""


class StoreAway(StoreUnavailable):
    """The store is not reached, or it is starting, stopping or a standby."""


class StoreInDoubt(StoreAway):
    """The connection broke at the commit: the change was written as a whole, or not at all."""

    # The store itself has warned, once for all who meet it.
    level = logging.INFO


class StoreRefused(StoreAway):
    """The server knows no such database or user, or refuses the password."""


class StoreUnwritable(StoreUnavailable):
    """The store is on a full disk, or may not be written."""


class CopyUnwritable(StoreUnwritable):
    """A copy of the store cannot be written; the text names its folder."""


class StoreDamaged(StoreUnavailable):
    """The store has a page or a row that cannot be read."""


class StoreFault(StoreError):
    """The database refuses this statement, now and later: a fault of this program."""


class NoSuchChat(StoreError):
    """The chat with this number no longer exists."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of the program."""


class StoreOutgrown(StoreError):
    """The store was written by a version that this one cannot upgrade from."""


class StoreTooOld(StoreError):
    """The store was written by an older version of the program and was opened only for reading."""


class ModelError(StewardError):
    """The model gave no reply; `streamed` is the text that had come before the fault."""

    trouble = Trouble.OTHER
    streamed = ""


class ModelOverloaded(ModelError):
    """The provider is overloaded; `retry_after` is its wish in seconds, if it gave one."""

    def __init__(
        self, message: str, retry_after: float | None = None, trouble: Trouble = Trouble.OVERLOADED
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.trouble = trouble


class ModelUnreachable(ModelError):
    """The provider was not reached or fell silent, or the stream was cut."""

    trouble = Trouble.CONNECTION


class ModelDenied(ModelError):
    """The provider refuses the key, the account or the model name; an owner changes `setting`."""

    def __init__(
        self, message: str, trouble: Trouble = Trouble.PERMISSION, setting: str = ""
    ) -> None:
        super().__init__(message)
        self.trouble = trouble
        self.setting = setting


class NoSuchModel(ModelDenied):
    """The provider has no model of this name for this key."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Trouble.MODEL)


class PromptTooLong(ModelError):
    """The request does not fit the model's window."""

    trouble = Trouble.TOO_LONG


class SpoiltThinking(ModelError):
    """A thinking block of the request no longer fits its prefix."""

    trouble = Trouble.FORM


class RequestInvalid(ModelError):
    """The provider refuses this request because of its form."""

    trouble = Trouble.FORM


class OverBudget(ModelError):
    """The call was not made, because it would have passed a budget; its text is for the person.

    `reason` is the same as half a sentence, for a call that is no part of a turn.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or message


class ChannelError(StewardError):
    """A platform could not do what it was asked to do.

    `maybe_done` is true when it may have done it nevertheless.
    """

    maybe_done = False


class FloodWait(ChannelError):
    """The platform asks for a pause of `retry_after` seconds; nothing was done."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"asked to wait {retry_after:g} s")
        self.retry_after = retry_after


class ChannelUnreachable(ChannelError):
    """The platform did not answer; `maybe_done` is true when the request had already been sent."""

    def __init__(self, message: str, *, maybe_done: bool) -> None:
        super().__init__(message)
        self.maybe_done = maybe_done


class ChannelDenied(ChannelUnreachable):
    """The platform does not accept the token; nothing was done."""

    def __init__(self, message: str) -> None:
        super().__init__(message, maybe_done=False)


class ChatMoved(ChannelError):
    """The chat has a new address; `update` says so in the platform's own form."""

    def __init__(self, message: str, update: RawUpdate) -> None:
        super().__init__(message)
        self.update = update


class RecipientGone(ChannelError):
    """The chat can no longer be written to."""


class NobodyThere(ChannelError):
    """Nobody looks at the chat now; nothing was done, and whoever looks again wakes it."""


class ContentRefused(ChannelError):
    """The platform refuses this content in every form we have."""


class FormRefused(ContentRefused):
    """The platform refuses this piece, and takes its words as the pieces of `instead`."""

    def __init__(self, message: str, instead: tuple[Piece, ...]) -> None:
        super().__init__(message)
        self.instead = instead


class ChannelFault(ChannelError):
    """Our own program of a channel failed in a way that nobody foresaw."""

    maybe_done = True


class FileWithheld(ChannelError):
    """The platform does not hand this file out; the text ends a sentence that names the file."""


class InvalidArguments(StewardError):
    """Arguments that do not fit the tool's schema; the text says which and why."""


class MeaningError(StewardError):
    """Passages cannot be found by their meaning now."""


class EmbedderError(MeaningError):
    """The embedder gave no vectors that can be used.

    With `paid` the service did its work all the same, and wants its money for it.
    """

    def __init__(self, text: str, *, paid: bool = False) -> None:
        super().__init__(text)
        self.paid = paid


class EmbedderUnpaid(EmbedderError):
    """The embedder was not called, because a budget does not allow it."""


class EmbedderDenied(EmbedderError):
    """The embedder refuses its key, its address or the name of its model."""


class OtherSize(EmbedderError):
    """The vectors have another size than those of the index."""


class EmbedderRefuses(EmbedderError):
    """The embedder gives no usable vectors for these texts; others may be fine."""


class VectorsAway(MeaningError):
    """The index of meaning cannot be used now; it may be sound."""


class VectorsLost(MeaningError):
    """The index of meaning is gone or broken."""


class ToolFailure(StewardError):
    """A tool that could not do its work; the text is written for the model.

    `untrusted` is the foreign source of a text that the tool did not write itself.
    """

    def __init__(self, message: str, untrusted: str | None = None) -> None:
        super().__init__(message)
        self.untrusted = untrusted


class OutcomeUnknown(ToolFailure):
    """The call lost its answer; it may have happened completely, in part or not at all."""


class BackupBroken(StewardError):
    """A backup that cannot be believed; the text says why."""


class ProgramGone(StewardError):
    """The running program ended while it was talked to, and did not come back in time."""


class SettingError(StewardError):
    """A setting that cannot be used; the text names it in one sentence."""


class DriverMissing(SettingError):
    """The library for a kind of database is not installed; `install` is the command for it."""

    def __init__(self, kind: str, install: str) -> None:
        super().__init__(f"{kind} needs its driver: run `{install}`")
        self.install = install


class FolderHeld(SettingError):
    """Another process has the data folder; it can be talked to if it has a door."""
