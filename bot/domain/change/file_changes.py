"""Writes of changes of files that can be taken back."""

from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.tools.file_change import FileChange


@dataclass(frozen=True, slots=True)
class SaveFileChange:
    """Inserts a change of a file (`expect` None) or moves it on.

    Conflict when its version is another one.
    """

    change: FileChange
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class DropFileChange:
    """Removes a change of a file with the content that it keeps."""

    id: str


FileWrite: TypeAlias = SaveFileChange | DropFileChange
