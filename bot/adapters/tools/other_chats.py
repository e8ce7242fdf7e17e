"""The folders of other chats below a workspace: their words are foreign there."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from bot.domain.text.visible_text import clipped, shown_name
from bot.ports.tool import Place

_CHATS = "chats"
"""The folder of the workspace that holds the folders of all other chats."""

_LONGEST = 60


class OtherChats:
    """Knows the folders in which other chats work, as they are seen from a workspace above.

    `shared` are the paths of folders that several chats share, from the same workspace.
    """

    def __init__(self, shared: Iterable[str] = ()) -> None:
        steps = (PurePosixPath(path.casefold()).parts for path in shared)
        self._folders: tuple[tuple[str, ...], ...] = (
            (_CHATS,),
            *(parts for parts in steps if parts),
        )
        self._named = re.compile("|".join(re.escape(parts[-1]) for parts in self._folders))

    def seen_from(self, place: Place) -> "OtherChats":
        """Returns the folders as they are seen from a place; a project has none of them."""
        return _NOBODY if place.project else self

    def origin_of(self, paths: Iterable[Sequence[str]]) -> str | None:
        """Returns the source of the first path in such a folder; None when there is none."""
        for names in paths:
            steps = [name for name in names if name != "."]
            # A file system may take CHATS for the same folder.
            known = tuple(step.casefold() for step in steps)
            for folder in self._folders:
                if len(known) > len(folder) and known[: len(folder)] == folder:
                    last = steps[1] if folder == (_CHATS,) else steps[len(folder) - 1]
                    return f"a file of another chat ({clipped(shown_name(last), _LONGEST)})"
        return None

    def named_in(self, command: str) -> bool:
        """Returns True when a command line holds the name of such a folder."""
        return self._named.search(command.casefold()) is not None

    def below(self, workspace: Path) -> tuple[Path, ...]:
        """Returns the folders of other chats that lie in a workspace; blocks."""
        found = (workspace.joinpath(*parts) for parts in self._folders)
        return tuple(folder for folder in found if folder.is_dir() and not folder.is_symlink())


class _NoOtherChats(OtherChats):
    """Knows no folder at all."""

    def __init__(self) -> None:
        self._folders = ()
        self._named = re.compile(r"(?!)")


_NOBODY = _NoOtherChats()
