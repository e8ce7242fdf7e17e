"""The one tree of faults; endings are values (see outcome), only faults are raised.

StewardError
├── FenceLost               another owner writes this chat now: let go at once
├── Conflict                a compare-and-set found another state: look again
├── StoreError
│   ├── StoreBusy           locked for too long: try again
│   ├── StoreUnwritable     read-only, full disk, broken file: an operator must act
│   ├── NoSuchChat          joined to another one meanwhile: let go of it
│   ├── StoreTooNew         written by a newer program: upgrade the program
│   └── StoreTooOld         written by an older program: the next start upgrades it
├── ModelError              what a provider or the way to it refused
│   ├── ModelOverloaded     429, 5xx, overloaded: wait `retry_after`, try again
│   ├── ModelUnreachable    network, time-out, cut stream: try again
│   ├── ModelDenied         key, permission, unknown model: an operator must act
│   ├── PromptTooLong       shorten the view, then try again
│   ├── SpoiltThinking      drop thinking by a stored cut, then try once more
│   └── RequestInvalid      these bytes are never sent again
├── ChannelError
│   ├── FloodWait           the platform asks for `retry_after` seconds
│   ├── ChannelUnreachable  network; `maybe_done` when the work may have happened
│   ├── ChatMoved           the chat lives elsewhere now; carries the platform's word of it
│   ├── RecipientGone       blocked, deleted, never started: give up on the message
│   ├── ContentRefused      this content will never be accepted
│   └── FileWithheld        a file that cannot be had; its text says why
├── InvalidArguments        a tool call whose arguments do not fit its schema
├── ToolFailure             a tool that could not do its work; its text is for the model
│   └── OutcomeUnknown      it may have happened: nobody can tell without looking
└── SettingError            a setting that cannot be used; its text is for the operator
"""

from bot.domain.message import RawUpdate


class StewardError(Exception):
    """Root of every fault this program raises itself."""


class FenceLost(StewardError):
    """Another owner holds the chat; nothing of the change was written."""


class Conflict(StewardError):
    """A row was not in the state the change expects; nothing was written."""


class StoreError(StewardError):
    """The store could not do what was asked; nothing was written."""


class StoreBusy(StoreError):
    """The store stayed locked for the whole time-out."""


class StoreUnwritable(StoreError):
    """The store is read-only, full or damaged."""


class NoSuchChat(StoreError):
    """There is no chat of this number any more."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of the program."""


class StoreTooOld(StoreError):
    """The store was written by an older version of the program, and was to be looked at only."""


class ModelError(StewardError):
    """A model call that gave no reply."""


class ModelOverloaded(ModelError):
    """The provider has no room now; `retry_after` is its wish in seconds, if it told one."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelUnreachable(ModelError):
    """The provider was not reached, fell silent, or the stream was cut."""


class ModelDenied(ModelError):
    """The key, the account or the model name is refused."""


class PromptTooLong(ModelError):
    """The request does not fit the model's window."""


class SpoiltThinking(ModelError):
    """A thinking block of the request no longer fits its prefix."""


class RequestInvalid(ModelError):
    """The provider refuses this request for its form."""


class ChannelError(StewardError):
    """A platform did not do what was asked."""


class FloodWait(ChannelError):
    """The platform wants silence for `retry_after` seconds; nothing was done."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"asked to wait {retry_after:g} s")
        self.retry_after = retry_after


class ChannelUnreachable(ChannelError):
    """The platform did not answer; `maybe_done` tells whether the request had been sent."""

    def __init__(self, message: str, *, maybe_done: bool) -> None:
        super().__init__(message)
        self.maybe_done = maybe_done


class ChatMoved(ChannelError):
    """The chat has another address now, which `update` tells as the platform's own would."""

    def __init__(self, message: str, update: RawUpdate) -> None:
        super().__init__(message)
        self.update = update


class RecipientGone(ChannelError):
    """The chat cannot be written to any more."""


class ContentRefused(ChannelError):
    """The platform will not take this content in any form we have."""


class FileWithheld(ChannelError):
    """The platform does not hand this file out; the text ends a sentence that names it."""


class InvalidArguments(StewardError):
    """Arguments that do not fit the tool's schema; the text says which and why."""


class ToolFailure(StewardError):
    """A tool that could not do its work; the text is written for the model."""


class OutcomeUnknown(ToolFailure):
    """A call that was cut off from its answer; it may have happened, wholly, in part or not."""


class SettingError(StewardError):
    """A setting that cannot be used; the text names it in one sentence."""
