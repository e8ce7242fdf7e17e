"""The one tree of faults; only faults are raised, the ends of turns are values (see outcome).

StewardError
├── FenceLost               another owner writes this chat now: stop at once
├── Conflict                the row is in another state than expected: read it again
├── StoreError
│   ├── StoreBusy           locked for too long: try again
│   ├── StoreUnwritable     read-only, full disk, broken file: an operator must act
│   ├── NoSuchChat          the chat was joined to another one: stop working on it
│   ├── StoreTooNew         written by a newer program: upgrade the program
│   └── StoreTooOld         written by an older program: the next start upgrades it
├── ModelError              refused by a provider, or failed on the way to it
│   ├── ModelOverloaded     429, 5xx, overloaded: wait `retry_after`, try again
│   ├── ModelUnreachable    network, time-out, cut stream: try again
│   ├── ModelDenied         key, permission, unknown model: an operator must act
│   ├── PromptTooLong       shorten the view, then try again
│   ├── SpoiltThinking      drop thinking by a stored cut, then try once more
│   ├── SpoiltThinking      drop the thinking with a stored cut, then try once more
│   └── RequestInvalid      never send this exact request again
│   ├── FloodWait           the platform asks for `retry_after` seconds
│   ├── ChannelUnreachable  network; `maybe_done` when the work may have happened
│   ├── ChannelUnreachable  network; `maybe_done` when it may have happened all the same
│   ├── ChatMoved           the chat has a new address; carries the platform's notice of it
│   ├── RecipientGone       blocked, deleted, never started: drop the message
│   ├── ContentRefused      the platform never accepts this content
│   └── FileWithheld        the platform does not hand the file out; its text says why
├── ToolFailure             a tool could not do its work; its text is for the model
│   └── OutcomeUnknown      the call may have happened; only a look at the world can tell
└── SettingError            a setting is unusable; its text is for the operator
"""

from bot.domain.message import RawUpdate


class StewardError(Exception):
    """The root of every fault that this program raises itself."""


class FenceLost(StewardError):
    """Another owner holds the chat; no part of the change was written."""


class Conflict(StewardError):
    """A row was not in the state that the change expects; nothing was written."""


class StoreError(StewardError):
    """The store could not do what was asked; nothing was written."""


class StoreBusy(StoreError):
    """The store stayed locked for the whole time-out."""


class StoreUnwritable(StoreError):
    """The store is read-only, full or damaged."""


class NoSuchChat(StoreError):
    """The chat with this number no longer exists."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of the program."""


class StoreTooOld(StoreError):
    """The store was written by an older version of the program and was opened only for reading."""


class ModelError(StewardError):
    """The model gave no reply."""


class ModelOverloaded(ModelError):
    """The provider is overloaded; `retry_after` is its wish in seconds, if it gave one."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelUnreachable(ModelError):
    """The provider was not reached or fell silent, or the stream was cut."""


class ModelDenied(ModelError):
    """The provider refuses the key, the account or the model name."""


class PromptTooLong(ModelError):
    """The request does not fit the model's window."""


class SpoiltThinking(ModelError):
    """A thinking block of the request no longer fits its prefix."""


class RequestInvalid(ModelError):
    """The provider refuses this request because of its form."""


class ChannelError(StewardError):
    """A platform could not do what it was asked to do."""


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


class ChatMoved(ChannelError):
    """The chat has a new address; `update` says so in the platform's own form."""

    def __init__(self, message: str, update: RawUpdate) -> None:
        super().__init__(message)
        self.update = update


class RecipientGone(ChannelError):
    """The chat can no longer be written to."""


class ContentRefused(ChannelError):
    """The platform refuses this content in every form we have."""


class FileWithheld(ChannelError):
    """The platform does not hand this file out; the text ends a sentence that names the file."""


class InvalidArguments(StewardError):
    """Arguments that do not fit the tool's schema; the text says which and why."""


class ToolFailure(StewardError):
    """A tool that could not do its work; the text is written for the model."""


class OutcomeUnknown(ToolFailure):
    """The call lost its answer; it may have happened completely, in part or not at all."""


class SettingError(StewardError):
    """A setting that cannot be used; the text names it in one sentence."""
