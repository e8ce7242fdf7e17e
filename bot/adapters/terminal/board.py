"""The cards that are open on the screen, and the keys that press their buttons."""

import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count, takewhile

from bot.domain.consent.approval import Verb
from bot.domain.plans.plan import PlanVerb, ReplaceVerb
from bot.domain.talk.message import Button
from bot.domain.text.visible_text import clipped
from bot.domain.value import frozen, replace

_WISHES = frozenset(Verb) | frozenset(PlanVerb) | frozenset(ReplaceVerb)
_WORDED = frozenset({Verb.DENY, PlanVerb.CHANGE})
_LETTERS = frozenset(string.ascii_lowercase)
_LONGEST_NAME = 40
_ANSWERS = frozenset({Verb.APPROVE, Verb.DENY})
"""Letters that answer a question by themselves, whatever button they once pressed."""

_SIGN = re.compile(r"^[^\w“`(\[]+")
"""The signs in front of a title."""

_ANY = re.compile(r"\w+ (an? \w+\?|this \w+)")
"""A title that says only the kind of thing, such as `Run this command`."""

_WAITING = re.compile(r"“[^”]+”(?= waits)")
"""The part of a title that names the message which a card is about."""

_LONE = re.compile(r"(?<![\w'’])[a-z](?!\w)", re.IGNORECASE)
"""A letter that stands alone, as in “A or B?”."""

_SIZE = re.compile(r" \([^()]*\)$")


@frozen
class OpenCard:
    """One card that can be answered; `buttons` by the key that presses each."""

    number: int
    message_id: str
    title: str
    buttons: Mapping[str, Button]
    name: str = ""
    """The thing that it asks about, in a few words."""
    answered_since: bool = False
    """True once an answer was shown below it: the talk went on, and words are for that."""
    leads_on: bool = False
    """True for the buttons below an answer: a message goes on without them."""
    passing: bool = False
    """True for buttons below news: nobody waits for them, and the next message ends their keys."""
    lines: tuple[str, ...] = ()
    """The lines of its text."""

    @property
    def takes_words(self) -> bool:
        """Tells if words can answer it: as the reason of a denial, or as the change of a plan."""
        return any(_wish(button) in _WORDED for button in self.buttons.values())

    @property
    def of_round(self) -> bool:
        """Tells if more cards belong to it, which one key approves together."""
        return Verb.ALL in self.buttons


class Board:
    """Holds open cards by their number, which stays theirs until they are closed.

    Options stand beside the cards: they have letters of their own, and no card needs a number
    because of them.
    """

    def __init__(self) -> None:
        self._cards: dict[str, OpenCard] = {}
        self._options: dict[str, OpenCard] = {}
        self.asking: OpenCard | None = None
        """The newest message that asks for words, until something is said."""
        self._gone: set[str] = set()
        self._spent: dict[str, str] = {}
        self._untold = True
        self._named: set[str] = set()
        self._together: OpenCard | None = None
        self._letters: dict[tuple[str, str], str] = {}
        """The key that each button had when it was last shown."""

    @property
    def cards(self) -> tuple[OpenCard, ...]:
        """Returns the open cards, the oldest first."""
        return tuple(self._cards.values())

    @property
    def shown(self) -> tuple[OpenCard, ...]:
        """Returns the open cards, the options, and the message that asks for words."""
        asking = () if self.asking is None else (self.asking,)
        return (*self.cards, *self._options.values(), *asking)

    @property
    def together(self) -> OpenCard | None:
        """Returns the card whose key approves a round, while any card is open; it may be closed."""
        return self._together if self._cards else None

    def known(self, message_id: str) -> OpenCard | None:
        return self._cards.get(message_id) or self._options.get(message_id)

    def option_at(self, key: str, number: str) -> OpenCard | None:
        """Returns the option with this key, as it is typed."""
        for option in self._options.values():
            if key in option.buttons and self.key_of(option, key) == key + number:
                return option
        return None

    def numbered(self, number: int) -> OpenCard | None:
        return next((card for card in self._cards.values() if card.number == number), None)

    def is_open(self, card: OpenCard) -> bool:
        return card.message_id in self._cards

    def __len__(self) -> int:
        return len(self._cards)

    def __iter__(self) -> Iterator[OpenCard]:
        return iter(self.cards)

    def key_of(self, card: OpenCard, key: str) -> str:
        """Returns what a person types to press a key: with a number if several cards are open."""
        if card.passing:
            return key if card.number == 1 or key.isdecimal() else f"{key}{card.number}"
        alone = len(self._cards) <= 1 and card.number == 1 and not card.of_round
        return key if alone or key == Verb.ALL else f"{key}{card.number}"

    def told(self, card: OpenCard) -> str:
        """Returns the name of a card, with what tells it from others of that name."""
        alike = [one for one in self if one.name == card.name and one.number != card.number]
        if not alike:
            return card.name
        others = {line.strip() for one in alike for line in one.lines[1:]}
        own = (line.strip() for line in card.lines[1:])
        detail = next((line for line in own if line not in others), "")
        return f"{card.name} ({clipped(detail, _LONGEST_NAME)})" if detail else card.name

    def put(
        self,
        message_id: str,
        lines: Sequence[str],
        buttons: Sequence[Button],
        *,
        leads_on: bool = False,
    ) -> OpenCard:
        """Opens a card with the lines of its text, or gives an open one other buttons.

        A card that is shown a second time takes the place of the first.
        """
        known = self._cards.get(message_id) or self._taken_over(lines, buttons)
        highest = max((card.number for card in self._cards.values()), default=0)
        number = known.number if known else highest + 1
        title = lines[0].strip() if lines else ""
        free = _LETTERS if leads_on else _LETTERS - _WISHES
        keys, name = self._lettered(buttons, free), name_of(lines)
        # The letter of an option must never come to press a card, nor the other way round.
        self._options = {
            n: o for n, o in self._options.items() if not keys.keys() & o.buttons.keys()
        }
        card = OpenCard(
            number, message_id, title, keys, name, leads_on=leads_on, lines=tuple(lines)
        )
        self._cards[message_id] = card
        if card.of_round:
            self._together = card
        return card

    def _taken_over(self, lines: Sequence[str], buttons: Sequence[Button]) -> OpenCard | None:
        """Removes and returns the open card with the same text and buttons."""
        same = tuple(lines), tuple(buttons)
        old = next((c for c in self if (c.lines, tuple(c.buttons.values())) == same), None)
        return self._cards.pop(old.message_id) if old is not None else None

    def option(
        self, message_id: str, lines: Sequence[str], buttons: Sequence[Button]
    ) -> OpenCard | None:
        """Keeps an option with keys that no card has; None when every letter is taken."""
        taken = {key for card in self for key in card.buttons}
        known = self._options.get(message_id)
        others = [one for one in self._options.values() if one is not known]
        keys = self._lettered(
            buttons, _LETTERS - taken, {key for one in others for key in one.buttons}
        )
        if len(keys) < len(buttons):
            return None
        clash = {one.number for one in others if keys.keys() & one.buttons.keys()}
        number = known.number if known else next(n for n in count(1) if n not in clash)
        title = lines[0].strip() if lines else ""
        card = OpenCard(
            number, message_id, title, keys, name_of(lines), leads_on=True, passing=True
        )
        self._options[message_id] = card
        return card

    def _lettered(
        self,
        buttons: Sequence[Button],
        free: frozenset[str],
        numbered: Collection[str] | None = None,
    ) -> dict[str, Button]:
        """Returns the buttons by their keys, and notes those for when the buttons come back."""
        keys = _keys(buttons, free, self._letters, numbered)
        self._letters |= {_identity(button): key for key, button in keys.items()}
        return keys

    def ask(self, message_id: str, lines: Sequence[str]) -> None:
        """Lets the next words answer a message that asks for them."""
        self._untold = False
        title = lines[0].strip() if lines else ""
        self.asking = OpenCard(0, message_id, title, {}, passing=True)

    def go_on(self) -> None:
        """Ends options and questions, and forgets the keys of closed cards: something was said."""
        for option in self._options.values():
            for key, button in option.buttons.items():
                if key not in _ANSWERS:
                    self._spent[self.key_of(option, key)] = f"{button.label} of “{option.name}”"
        self._options.clear()
        self.asking = None
        self._gone.clear()

    def take_gone(self, typed: str) -> bool:
        """Tells if a line is the key of a card that closed just now; the next time it is not."""
        was_there = typed in self._gone
        self._gone.discard(typed)
        self._untold = self._untold and not was_there
        return was_there

    def take_spent(self, typed: str) -> str:
        """Returns the button that a key had until something was said; the next time it is empty."""
        told = self._spent.pop(typed, "")
        self._untold = self._untold and not told
        return told

    def take_earlier(self, letter: str) -> bool:
        """Tells if a letter may be the key of a button from an earlier talk; it is told once.

        A letter that an answer named as a word is meant for that answer.
        """
        letter = letter.lower()
        if not self._untold or letter in _ANSWERS or letter in self._named:
            return False
        self._untold = False
        return True

    def note_answer(self, text: str = "") -> None:
        """Notes that the talk went on below the cards.

        A number may answer what was said, so the numbers of older lists are keys no more.
        """
        self._spent = {key: told for key, told in self._spent.items() if not key.isdecimal()}
        self._named = {found.lower() for found in _LONE.findall(text)}
        for message_id, card in self._cards.items():
            self._cards[message_id] = replace(card, answered_since=True)

    def drop(self, message_id: str) -> None:
        """Forgets a card that is news from now on; its keys mean nothing else meanwhile."""
        self._cards.pop(message_id, None)

    def close(self, message_id: str) -> OpenCard | None:
        closed = self.known(message_id)
        if closed is None:
            return None
        self._gone |= {*closed.buttons, *(self.key_of(closed, key) for key in closed.buttons)}
        self._cards.pop(message_id, None)
        self._options.pop(message_id, None)
        if not self._cards:
            self._together = None
        return closed


def name_of(lines: Sequence[str]) -> str:
    """Returns what a card is about in a few words, from the lines of its text."""
    title = lines[0].strip() if lines else ""
    if (anything := _ANY.search(title)) and len(lines) > 1:
        title = _SIZE.sub("", lines[1].strip())
        if " this " in anything[0]:
            # A command reads like a sentence, and needs quotation marks within one.
            return f"“{clipped(title, _LONGEST_NAME)}”"
    if waiting := _WAITING.search(title):
        return clipped(waiting[0], _LONGEST_NAME)
    name = _SIGN.sub("", title).partition(" · ")[0].strip()
    return clipped(name.removesuffix("?") or title, _LONGEST_NAME)


def _wish(button: Button) -> str:
    """Returns the word at the end of a button's data, which is a letter on a card."""
    return button.data.rpartition(":")[2]


def _identity(button: Button) -> tuple[str, str]:
    """Returns what makes a button the same one: what it does, and its words without signs."""
    return button.data, _SIGN.sub("", button.label)


def _keys(
    buttons: Sequence[Button],
    free: frozenset[str],
    had: Mapping[tuple[str, str], str],
    numbered: Collection[str] | None = None,
) -> dict[str, Button]:
    """Returns a letter for each button: the wish at the end of its data, as in `…:y`, if any.

    Any other button keeps the letter that it `had`. A new one gets one of the free letters, one of
    its label if possible. Unless `numbered` is None, a button whose label is a number has that as
    its key; the numbers in it are taken.
    """
    alike = _alike([_SIGN.sub("", button.label) for button in buttons])
    stay = {had[one] for one in map(_identity, buttons) if one in had}
    keys: dict[str, Button] = {}
    for button in buttons:
        wish = _wish(button)
        label = _SIGN.sub("", button.label).lower()
        # What all labels begin with tells nothing: of claude-opus the `o` does.
        own = label[alike:] + label if len(buttons) > 1 else label
        others = [o for o in own + string.ascii_lowercase if o in free - stay]
        kept = had.get(_identity(button), "")
        letters = [wish] if wish in _WISHES else [*(kept if kept in free else ""), *others]
        if numbered is not None and button.label.isdecimal() and button.label not in numbered:
            letters = [button.label, *letters]
        if key := next((letter for letter in letters if letter not in keys), None):
            keys[key] = button
    return keys


def _alike(labels: Sequence[str]) -> int:
    """Returns the number of letters with which all labels begin."""
    letters = zip(*labels, strict=False)
    return sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, letters))
