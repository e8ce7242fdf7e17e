"""Writes of changes of files that can be taken back."""

from typing import TypeAlias

from bot.domain.tools.file_change import FileChange
from bot.domain.value import frozen


@frozen
class SaveFileChange:
    """Inserts a change of a file (`expect` None) or moves it on.

    Conflict when its version is another one.
    """

    change: FileChange
    expect: int | None = None


@frozen
class DropFileChange:
    """Removes a change of a file with the content that it keeps."""

    id: str


FileWrite: TypeAlias = SaveFileChange | DropFileChange
