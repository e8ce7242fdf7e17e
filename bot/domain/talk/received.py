"""Files that people sent, as they are kept in the workspace of their chat."""

from datetime import datetime

from bot.domain.value import frozen

INBOX = "inbox"
"""The folder of a workspace for the files that people sent to its chats."""


@frozen
class ReceivedFile:
    """A file that somebody sent, with the place where it is kept."""

    chat: int
    """The chat that it was sent to."""
    key: str
    """The message that it came with and the platform's name of the file; unique in the chat."""
    folder: str
    """The workspace, as a whole path."""
    path: str
    """The place below the workspace."""
    size: int
    """The length in bytes."""
    digest: str
    """The SHA-256 of its content, in hexadecimal digits."""
    kept_at: datetime
    """The time at which it was kept, or last sent or quoted again."""
    swept: bool = False
    """True when it is not kept any more; its digest still tells copies of it."""
    id: int = 0
    """Numbers the file in the store, which gives the number."""
