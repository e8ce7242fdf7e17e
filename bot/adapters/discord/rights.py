"""Rights of the bot in a server, and in a channel that gives or takes some of them."""

from collections.abc import Sequence

from bot.adapters.discord.fields import Fields

OPEN_THREADS = 1 << 35
_ADMINISTRATOR = 1 << 3
_MANAGE_SERVER = 1 << 5
_EVERY = (1 << 53) - 1

NEEDED = {
    "see channels": 1 << 10,
    "send messages": 1 << 11,
    "send messages in threads": 1 << 38,
    "create public threads": OPEN_THREADS,
    "attach files": 1 << 15,
    "read the message history": 1 << 16,
    "add reactions": 1 << 6,
}
"""The least rights with which everything works in a server."""


def manages(role: Fields) -> bool:
    """Returns True for a role that runs its server: an administrator's, or one that manages it."""
    return bool(_bits(role, "permissions") & (_ADMINISTRATOR | _MANAGE_SERVER))


def rights_of(server: Fields) -> int:
    """Returns what the bot may do in a server, as Discord tells it; an administrator everything."""
    rights = _bits(server, "permissions")
    return _EVERY if rights & _ADMINISTRATOR else rights


def rights_in(channel: Fields, rights: int, own: Sequence[str]) -> int:
    """Returns what is left of the server's rights in a channel.

    `own` are the numbers whose rules hold for the bot: the server, then its roles, then itself.
    Those of all roles count together, and what one gives counts more than what another takes.
    """
    if rights == _EVERY:
        return rights
    rules = {one.id("id"): one for one in channel.items("permission_overwrites")}
    for numbers in (own[:1], own[1:-1], own[-1:]):
        found = [rules[number] for number in numbers if number in rules]
        taken = given = 0
        for rule in found:
            taken, given = taken | _bits(rule, "deny"), given | _bits(rule, "allow")
        rights = rights & ~taken | given
    return rights


def _bits(told: Fields, name: str) -> int:
    word = told.text(name) or ""
    return int(word) if word.isascii() and word.isdigit() else 0
