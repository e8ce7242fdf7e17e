"""The reach of a call, and how far the approval of a person goes."""

from enum import StrEnum


class Reach(StrEnum):
    """The most that a call can touch, from the least to the most."""

    TALK = "talk"
    """The asker's own talk: what they could do by a command, without any card."""
    FOLDER = "folder"
    """A file in the folder that belongs to the chat alone."""
    COMMAND = "command"
    """Whatever a command can do there, in a sandbox without network and secrets."""
    BEYOND = "beyond"
    """Anything else: the machine, the network, servers, folders that chats share."""


class Level(StrEnum):
    """The calls of their own that a member may approve; the others are an owner's to approve."""

    TALK = "talk"
    CHANGES = "changes"
    COMMANDS = "commands"


_ORDER = tuple(Reach)
_FARTHEST = {Level.TALK: Reach.TALK, Level.CHANGES: Reach.FOLDER, Level.COMMANDS: Reach.COMMAND}


def reaches(approval: Reach, call: Reach) -> bool:
    """Returns true when an approval that goes so far covers a call that reaches so far."""
    return _ORDER.index(call) <= _ORDER.index(approval)


def farthest(level: Level) -> Reach:
    """Returns how far the approvals of somebody at this level go."""
    return _FARTHEST[level]
