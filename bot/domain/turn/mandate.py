"""The mandate of a turn: the most that it may do, handed on to every turn that it starts."""

from collections.abc import Iterable

from bot.domain.money.money import Nano
from bot.domain.tools.run_place import Walls
from bot.domain.value import frozen, replace


@frozen
class Mandate:
    """The most that a turn may do.

    It is fixed when the turn is made. A turn that another one starts has the mandate of that one,
    or a narrower one. The rights, rules and trusted origins of its person count besides: they are
    looked up for each call, so that what an owner takes back ends at once.
    """

    tools: tuple[str, ...] | None = None
    """The names of the only tools that it may use; None for no bound of its own."""
    readonly: bool = False
    """True when it changes nothing and shows no card."""
    foreign: str | None = None
    """The foreign text beside which its words were written; None for words of a person.

    No rule counts in such a turn, and its words make no new address known.
    """
    money: Nano | None = None
    """The most that its own calls of models may cost; None for no bound of its own."""
    addresses: tuple[str, ...] = ()
    """The addresses in its words that were known before, where foreign text was in view."""
    walls: Walls = Walls.NONE
    """The walls that stood around commands when it began: lower ones void every kept approval."""

    def met(self, other: "Mandate") -> "Mandate":
        """Returns what both mandates allow the same words."""
        counting = _both(self.counting, other.counting)
        return Mandate(
            _both(self.tools, other.tools),
            self.readonly or other.readonly,
            self.foreign if self.foreign is not None else other.foreign,
            _least(self.money, other.money),
            self.addresses if counting is None else counting,
            min(self.walls, other.walls),
        )

    def narrowed(
        self,
        *,
        tools: Iterable[str] | None = None,
        readonly: bool = False,
        foreign: str | None = None,
        money: Nano | None = None,
        addresses: tuple[str, ...] | None = None,
    ) -> "Mandate":
        """Returns this mandate with further bounds; none of its own gets wider.

        `addresses` are those in new words that the model wrote beside foreign text.
        """
        only = None if tools is None else tuple(sorted(set(tools)))
        met = self.met(Mandate(only, readonly, foreign, money, self.counting or ()))
        return met if addresses is None else replace(met, addresses=addresses)

    def lent_to(self, wanted: "Mandate") -> "Mandate":
        """Returns the mandate of a turn with other words that one with this mandate starts.

        It is what both allow. If the new words were written beside foreign text, `wanted` says
        which addresses in them count: those that this turn may fetch, found on a page for example.
        """
        met = wanted.met(self)
        return met if wanted.foreign is None else replace(met, addresses=wanted.addresses)

    @property
    def counting(self) -> tuple[str, ...] | None:
        """Returns the only addresses in its words that count; None when all of them do."""
        return None if self.foreign is None else self.addresses

    def within(self, other: "Mandate") -> bool:
        """Returns True when this mandate allows nothing that the other one does not."""
        fewer = _fewer(self.tools, other.tools) and _fewer(self.counting, other.counting)
        marked = other.foreign is None or self.foreign is not None
        cheaper = other.money is None or (self.money is not None and self.money <= other.money)
        kept = self.walls <= other.walls and (self.readonly or not other.readonly)
        return fewer and marked and cheaper and kept

    def lends(self, tool: str) -> bool:
        """Returns True when a tool of this name may be used."""
        return self.tools is None or tool in self.tools


PERSONAL = Mandate()
"""The mandate of a turn that a person's own words or press begin, or a file of the operator."""


def _both(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if one is None or other is None:
        return one if other is None else other
    return tuple(sorted(set(one) & set(other)))


def _fewer(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> bool:
    return other is None or (one is not None and set(one) <= set(other))


def _least(one: Nano | None, other: Nano | None) -> Nano | None:
    return min((each for each in (one, other) if each is not None), default=None)
