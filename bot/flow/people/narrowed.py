"""Tells owners once, after an update, that people whom they had let in may now only talk."""

from collections.abc import Iterator, Mapping
from itertools import islice

from bot.domain.change import Change, SaveTerms, Show
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.talk.person import Person
from bot.domain.talk.reach import Level
from bot.domain.text.names import brief_name
from bot.domain.value import frozen, replace
from bot.flow.people.levels import TOLD, level_buttons
from bot.ports.journal import Journal
from bot.ports.members import Members
from bot.ports.people import People

MOST_NAMED = 10
MOST_WITH_BUTTONS = 5

_TOLD = (
    "👥 This update changes what people may do whom you let in. Before, they approved their own "
    "changes and commands. Now they may only talk, and I ask you before I change anything for "
    "them. This concerns {names}.\n\n"
    "To let somebody do more, press a button below. Or type it, as in /rights {account} approve "
    "changes, or /rights {account} approve commands. /people lists everybody."
)


@frozen
class Narrowed:
    """Finds members of an older program, which knew no levels, and gives them the lowest.

    The message and the levels are one transaction, so owners are told exactly once.
    """

    _people: People
    _members: Members
    _journal: Journal

    async def tell(self) -> None:
        """Tells every owner who has written to the bot; with none of them, a later start does."""
        while (found := await self._found()) and (homes := await self._members.owner_chats()):
            shows = [show for home in homes for show in _told(found, home)]
            levels = [_settled(person) for person in found.values()]
            try:
                await self._journal.commit(Change((*levels, *shows), durable=True))
            except Conflict:
                # Another process has told owners, or somebody has got other rights meanwhile.
                continue

    async def _found(self) -> Mapping[str, Person]:
        """Returns each person of before by one of their accounts."""
        known = [(key, one) for key, one in await self._people.accounts() if not one.is_owner]
        of_before = {one.id: (key, one) for key, one in known if one.rights.approves is None}
        return dict(of_before.values())


def _settled(person: Person) -> SaveTerms:
    rights = replace(person.rights, approves=Level.TALK)
    return SaveTerms(person.id, rights, person.pace, expect=person.rights)


def _told(found: Mapping[str, Person], home: int) -> Iterator[Show]:
    """Returns the message about all of them, which stays, and one with buttons for each of some."""
    names = [brief_name(person.name) for person in found.values()]
    more = len(names) - MOST_NAMED
    parts = [*names[:MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])]
    named = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    text = _TOLD.format(names=named, account=next(iter(found)))
    yield Show(f"narrowed:{home}", home, Outbound(OutboundKind.NOTICE, (Plain(text),)))
    for account, person in islice(found.items(), MOST_WITH_BUTTONS):
        one = Plain(f"{brief_name(person.name)}: {TOLD[Level.TALK]}")
        buttons = level_buttons(account, Level.TALK)
        offer = Outbound(OutboundKind.OPTION, (one,), buttons, silent=True)
        yield Show(f"narrowed:{home}:{person.id}", home, offer)
