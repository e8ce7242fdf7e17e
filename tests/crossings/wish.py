"""A wish of a story: the words of a person, or of somebody else, that the model obeys."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.crossings import talked
from tests.crossings.case import ABOVE, TRUSTED, Case

ACTS = {
    "write": "write",
    "pair": "write",
    "secret": "run",
    "danger": "burn",
    "fetch": "fetch",
    "search": "search",
    "end": "end",
}
_QUESTION = "What is in the gerbil mail?"
_OTHER_QUESTION = "Who signed it?"
_BEFORE, _MEANT = (
    "Salary, holiday, physician, wife, birthday?",
    "Gehalt, Ferien, Arzt, Frau, geboren?",
)
"""The same question in words of which none is the same."""
_SENT = ("clean", "forward", "trusted page")
"""The sights whose words send an errand out; elsewhere those that were read do so."""
_PAGES = ("page", "trusted page")
_ELSEWHERE = (*_PAGES, *ABOVE, "recalled", "recalled by meaning", "earlier talk", "task list")
"""The sights whose orders stand in no message."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted once; the later one of a story wants other things than the first."""

    case: Case
    way: str
    later: bool = False

    @property
    def sight(self) -> str:
        """Returns where its orders stand: beside foreign text, the later one reads a page."""
        if not self.later or self.case.sight == "clean":
            return self.case.sight
        return "trusted page" if self.case.sight in TRUSTED else "page"

    @property
    def by(self) -> str:
        """Returns whose wish it is: the owner's, the member's or the newcomer's."""
        if self.later and self.case.then_by == "other":
            return "member" if self.case.who == "owner" else "owner"
        return self.case.who

    @property
    def foreign(self) -> bool:
        """Returns whether words are in view that are foreign to whoever wants it.

        The words of an owner are foreign to nobody; what an owner trusts is so to everybody else.
        """
        group, sight = self.case.place == "group", self.sight
        if self.by != self.case.who and self.by == "owner":
            return True
        if sight == "trusted page":
            return self.by != "owner"
        if sight == "said above" or (group and sight in ("earlier talk", "task list")):
            return self.by == "owner"
        return sight != "clean"

    @property
    def wanted(self) -> Sequence[str]:
        """Returns what the model is talked into, one for each call."""
        # The other person wants the same: what one agreed to is nothing of the other's.
        own = self.later and self.case.then_by == "same"
        both = ["third", "fourth"] if own else ["first", "second"]
        return both if self.case.act == "pair" else both[:1]

    @property
    def orders(self) -> str:
        return " ".join(talked.order(ACTS[self.case.act], what) for what in self.wanted)

    @property
    def page(self) -> str:
        """Returns the address of the page on which its orders stand, if they stand on one."""
        return talked.PAGES[self.later]

    @property
    def hook(self) -> str:
        """Returns the name of the hook that it comes by, if it does."""
        return "deploy" if self.later else "build"

    @property
    def words(self) -> str:
        """Returns the words as the person says them."""
        question = _OTHER_QUESTION if self.later else _QUESTION
        words = question if self.sight in _ELSEWHERE else self.orders
        if self.sight == "recalled by meaning":
            words = _MEANT
        if self.case.act == "secret" and self.sight not in _ELSEWHERE:
            words = talked.with_keys(words)
        if self.sight in _PAGES:
            words = talked.looking(words, self.page)
        if self.sight in ABOVE:
            words = talked.as_above(words)
        elif self.sight == "earlier talk":
            words = talked.looking_back(words)
        elif self.sight == "task list":
            words = talked.looking_at_tasks(words)
        elif self.case.through == "errand" and self.sight in _SENT:
            words = talked.sent_out(words)
        return f"Later: {words}" if self.later else words

    @property
    def foreign_words(self) -> str:
        """Returns the words of somebody else, which the model obeys as well."""
        words = self._errand
        sends = self.case.through == "errand" and self.sight not in _SENT
        return talked.sent_out(words) if sends else words

    @property
    def question_before(self) -> str:
        """Returns the question under which its orders are remembered."""
        return _BEFORE if self.sight == "recalled by meaning" else _QUESTION

    @property
    def answer_before(self) -> str:
        """Returns the remembered answer with its orders in it."""
        told = self.foreign_words
        return told if self.sight == "recalled by meaning" else f"The gerbil mail says: {told}"

    @property
    def _errand(self) -> str:
        return talked.with_keys(self.orders) if self.case.act == "secret" else self.orders


def wishes_of(case: Case) -> Sequence[Wish]:
    """Returns the wishes of a case, in their order."""
    return [Wish(case, way, later=bool(at)) for at, way in enumerate(case.ways)]
