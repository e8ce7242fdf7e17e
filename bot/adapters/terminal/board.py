"""The cards that are open on the screen, and the keys that press their buttons."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.domain.approval import Verb
from bot.domain.message import Button
from bot.domain.plan import PlanVerb, ReplaceVerb

_WISHES = frozenset(Verb) | frozenset(PlanVerb) | frozenset(ReplaceVerb)
_OTHERS = frozenset(string.ascii_lowercase) - _WISHES


@dataclass(frozen=True, slots=True)
class OpenCard:
    """One card that can be answered; `buttons` by the key that presses each."""

    number: int
    message_id: str
    title: str
    buttons: Mapping[str, Button]

    @property
    def takes_words(self) -> bool:
        """Tells if other text answers it: as the reason of a denial, or as the change of a plan."""
        return Verb.DENY in self.buttons or PlanVerb.CHANGE in self.buttons

    def hints(self) -> str:
        """Returns the keys of a card, as in `[y] Approve  [n] Deny`; later cards have a number."""
        number = "" if self.number == 1 else str(self.number)
        keys = (f"[{key}{number}] {button.label}" for key, button in self.buttons.items())
        return "  ".join(keys)


class Board:
    """Holds open cards by their number, which stays theirs until they are closed."""

    def __init__(self) -> None:
        self._cards: dict[str, OpenCard] = {}

    @property
    def newest(self) -> OpenCard | None:
        return next(reversed(self._cards.values()), None)

    def numbered(self, number: int) -> OpenCard | None:
        return next((card for card in self._cards.values() if card.number == number), None)

    def is_open(self, card: OpenCard) -> bool:
        return card.message_id in self._cards

    def __len__(self) -> int:
        return len(self._cards)

    def put(self, message_id: str, title: str, buttons: Sequence[Button]) -> OpenCard:
        """Opens a card, or gives an open one other buttons."""
        known = self._cards.get(message_id)
        highest = max((card.number for card in self._cards.values()), default=0)
        number = known.number if known else highest + 1
        card = OpenCard(number, message_id, title, _keys(buttons))
        self._cards[message_id] = card
        return card

    def close(self, message_id: str) -> OpenCard | None:
        return self._cards.pop(message_id, None)


def _keys(buttons: Sequence[Button]) -> dict[str, Button]:
    """Returns a letter for each button: the wish at the end of its data, as in `…:y`, if any.

    Any other button gets a free letter that stands for no wish, one of its label if possible.
    """
    keys: dict[str, Button] = {}
    for button in buttons:
        wish = button.data.rpartition(":")[2]
        others = (letter for letter in button.label.lower() + string.ascii_lowercase)
        letters = [wish] if wish in _WISHES else [o for o in others if o in _OTHERS]
        if key := next((letter for letter in letters if letter not in keys), None):
            keys[key] = button
    return keys
