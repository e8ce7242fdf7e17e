"""The names of people in old lines: of those with access, and of those who had it."""

from collections.abc import Iterable

from bot.domain.text.names import plain_name
from bot.ports.people import People

_GONE = "{name} (no access now)"
_ERASED = "a person whose name is erased"


async def names_of(people: People, others: Iterable[int | None]) -> dict[int, str]:
    """Returns the names of all people with access, and of these others, by their numbers."""
    names = {person.id: person.name for _, person in await people.accounts()}
    for id in sorted({one for one in others if one is not None} - names.keys()):
        # Their row stays for the record.
        former = await people.get(id)
        known = former is not None and former.name
        names[id] = _GONE.format(name=plain_name(known)) if known else _ERASED
    return names
