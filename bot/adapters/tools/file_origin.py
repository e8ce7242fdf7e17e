"""Names the chats whose files lie below a workspace: their words are foreign there."""

from collections.abc import Iterable, Sequence

from bot.domain.tool import clipped
from bot.domain.visible_text import shown_name

_CHATS = "chats"
"""The folder of the workspace that holds the folders of all other chats."""

_LONGEST = 60


def origin_of(paths: Iterable[Sequence[str]]) -> str | None:
    """Returns the source of the first path in another chat's folder; None when there is none."""
    for names in paths:
        steps = [name for name in names if name != "."]
        # A file system may take CHATS for the same folder.
        if len(steps) > 1 and steps[0].casefold() == _CHATS:
            return f"a file of another chat ({clipped(shown_name(steps[1]), _LONGEST)})"
    return None
