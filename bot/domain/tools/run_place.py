"""Words for the place of a command, which kept approvals are compared by.

A card or a rule keeps the words of the version that wrote it. Other words for the same place must
not void it, so whoever changes the words of a place adds the former ones here.
"""

from enum import IntEnum

BARE = "runs on this machine with your permissions (no sandbox)"
"""The place of a command without a sandbox."""

_FORMER = {"in the workspace, NOT sandboxed, with all rights of the bot": BARE}
"""Words of earlier versions for a place, with those of today."""


def in_todays_words(place: str) -> str:
    """Returns a text that begins with the words for a place as this version would write it."""
    for former, today in _FORMER.items():
        if place.startswith(former):
            return today + place.removeprefix(former)
    return place


class Walls(IntEnum):
    """The walls around commands, the highest ones first."""

    CLOSED = 1
    """A sandbox without network."""
    NETWORK = 2
    """A sandbox with network."""
    NONE = 3
    """No sandbox, or none that is known."""


NETWORKS = {Walls.CLOSED: "no network", Walls.NETWORK: "with network"}
"""The last words of a place inside a sandbox."""


def walls_of(place: str) -> Walls:
    """Returns the walls that the words for a place tell of; closed ones where nothing is run."""
    if not place:
        return Walls.CLOSED
    return next((walls for walls, told in NETWORKS.items() if place.endswith(told)), Walls.NONE)
