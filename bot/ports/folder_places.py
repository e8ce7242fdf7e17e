"""The workers that have the files of a folder, where machines share a database."""

from collections.abc import Mapping
from typing import Protocol


class FolderPlaces(Protocol):
    async def claim(self, folder: str, tag: str) -> str:
        """Returns the tag of the workers that have a folder; until somebody has it, this one."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """Returns how many folders each tag has."""
        ...
