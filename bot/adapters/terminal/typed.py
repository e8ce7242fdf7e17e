"""Reads the meaning of a typed line, given the cards that are open."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from bot.adapters.terminal.board import Board, OpenCard
from bot.adapters.terminal.visible import visible
from bot.domain.consent.approval import Verb
from bot.domain.consent.assent import is_refusal
from bot.domain.value import frozen

KEY = re.compile(r"(?P<key>[a-z])(?P<number>\d{0,4})", re.IGNORECASE)
"""A line that presses a key of a card."""

_NUMBERED = re.compile(r"(?P<number>\d{1,4})[:)]\s*(?P<text>.+)", re.DOTALL)
_CHANGED = re.compile(r"c(?P<number>\d{0,4})\s*:\s*(?P<text>.+)", re.DOTALL | re.IGNORECASE)
_DENIED = re.compile(r"n(?P<number>\d{0,4})\s*[,:;–-]?\s+(?P<text>.+)", re.DOTALL | re.IGNORECASE)
_SIGN = re.compile(r"^[^\w]+")
"""The sign in front of a label."""

_CLOSED = "That card is closed; nothing was sent."
_GONE = "That button is gone, so “{key}” was not sent. Type it again to send it."
_SPENT = "That key is spent: it was {told}. Nothing was sent. Type {key} again to send it."
_UNKNOWN = (
    "No button here has the key {key}, so nothing was sent. /approvals and /goals show what waits "
    "from before. Type {key} again to send it."
)
_LATER = "A card came up while you were typing, so nothing was sent. Look at it. Its keys: {key}."


@frozen
class Said:
    """A message; `to` is the card it replies to, `remark` what is told beside it."""

    text: str
    to: OpenCard | None = None
    remark: str = ""


@frozen
class Pressed:
    card: OpenCard
    data: str


@frozen
class Misread:
    """A line that is not sent; the hint names lines that could have been meant."""

    hint: str


@frozen
class Left:
    """The person leaves."""


Typed: TypeAlias = Said | Pressed | Misread | Left
Begun: TypeAlias = tuple[OpenCard, ...]
"""The cards that were open when the person began to type.

A line for one of them never answers another card that came up meanwhile.
"""


def read_typed(line: str, begun: Begun, board: Board) -> Typed | None:
    """Reads a line; returns None for an empty one."""
    text = line.strip()
    if not text:
        return None
    if text in ("/quit", "/exit"):
        return Left()
    key = KEY.fullmatch(text)
    letter, number = (key["key"].lower(), key["number"]) if key else (text, "")
    if (option := board.option_at(letter, number)) and _seen(option, begun):
        return Pressed(option, option.buttons[letter].data)
    asking = board.asking if board.asking and _seen(board.asking, begun) else None
    begun = tuple(card for card in begun if not card.passing)
    answers = asking and not text.startswith("/") and not (key and board)
    if answers or text.startswith("/") or not (begun or board):
        spent = _spent(text, board, key if not answers else None)
        return spent or Said(text, asking if answers else None)
    if key:
        return _press(key["key"].lower(), key["number"], begun, board)
    if (numbered := _NUMBERED.fullmatch(text)) and (
        card := board.numbered(int(numbered["number"]))
    ):
        return Said(numbered["text"], card) if _seen(card, begun) else _later(card, board)
    changed = _CHANGED.fullmatch(text)
    if worded := changed or _DENIED.fullmatch(text):
        cards = _cards(worded["number"], begun, board, below=changed is not None)
        return _reason(worded["text"], cards, text, board)
    return _message(text, board)


def _press(key: str, number: str, begun: Begun, board: Board) -> Typed:
    together = board.together
    if key == Verb.ALL and not number and together is not None:
        return Pressed(together, together.buttons[key].data) if begun else _later(together, board)
    if number:
        card = board.numbered(int(number))
        was_open = any(card.number == int(number) for card in begun)
        gone = _CLOSED if was_open else f"There is no open card {number}."
        return Misread(gone) if card is None else _pressed(key, card, begun, board)
    if len(board) > 1:
        having = [card for card in board if key in card.buttons]
        # One card had the key all the time, so the line cannot have been for another one.
        alone = len(having) == 1 and sum(key in card.buttons for card in begun) == 1
        return _pressed(key, having[0], begun, board) if alone else _asked_which(key, board)
    card = next(iter(board), None)
    return Misread(_CLOSED) if card is None else _pressed(key, card, begun, board)


def _pressed(key: str, card: OpenCard, begun: Begun, board: Board) -> Typed:
    if not _seen(card, begun):
        gone = begun and not any(board.is_open(one) for one in begun)
        return Misread(_CLOSED) if gone else _later(card, board)
    if key not in card.buttons and card.leads_on:
        return _spent(key, board) or Said(key)
    if key not in card.buttons:
        return Misread(f"This card has no key {key}. Its keys: {_choices(card, board)}.")
    return Pressed(card, card.buttons[key].data)


def _spent(typed: str, board: Board, key: re.Match[str] | None = None) -> Misread | None:
    """Answers a line that was the key of a button; typed again, it is words.

    The first letter alone of a talk is most likely the key of a button from an earlier one.
    """
    if board.take_gone(typed.lower()):
        return Misread(_GONE.format(key=typed))
    if told := board.take_spent(typed.lower()):
        return Misread(_SPENT.format(told=visible(told), key=typed))
    if key is not None and board.take_earlier(key["key"]):
        return Misread(_UNKNOWN.format(key=typed))
    return None


def _asked_which(key: str, board: Board) -> Misread:
    cards = [card for card in board if key in card.buttons]
    if not cards:
        firsts = (f"{board.key_of(card, _first(card))} for {board.told(card)}" for card in board)
        return Misread(f"No open card has a key {key}. Type {', '.join(firsts)}.")
    if len(cards) == 1:
        return Misread(f"Type {board.key_of(cards[0], key)} for {board.told(cards[0])}.")
    named = (f"{board.key_of(card, key)} {board.told(card)}" for card in cards)
    return Misread(f"Which one: {', '.join(named)}?")


def _message(text: str, board: Board) -> Said:
    """Returns words that answer no card; what the program makes of them is the same everywhere."""
    return Said(text, None, "" if is_refusal(text) else _stays(board))


def _reason(text: str, cards: list[OpenCard], whole: str, board: Board) -> Typed:
    """Reads words behind the key that denies; `cards` are those that they may be meant for."""
    if not cards:
        return _message(whole, board)
    if len(cards) > 1:
        named = ", ".join(f"{one.number} {board.told(one)}" for one in cards)
        hint = f"Begin with the key, as in “c{cards[0].number}: …”."
        back = "The ↑ key brings your words back."
        return Misread(f"Which card are your words for: {named}? {hint} {back}")
    return Said(text, cards[0])


def _stays(board: Board) -> str:
    cards = [card for card in board if not card.leads_on]
    if len(cards) > 1:
        return f"{len(cards)} cards stay open."
    card = next(iter(cards), None)
    return "" if card is None else f"The card stays open. Its keys: {_choices(card, board)}."


def _cards(number: str, begun: Begun, board: Board, *, below: bool = False) -> list[OpenCard]:
    """Returns the cards that words may answer: those that nothing was said below yet.

    A closed one counts if no other is open. With `below` the words can be meant for nothing else,
    so an answer below a card does not matter.
    """
    if number:
        card = board.numbered(int(number))
        return [card] if card is not None and _seen(card, begun) else []
    known = board if board else begun[-1:]
    return [
        card
        for card in known
        if card.takes_words and (below or not card.answered_since) and _seen(card, begun)
    ]


def _seen(card: OpenCard, begun: Iterable[OpenCard]) -> bool:
    return any(card.message_id == one.message_id for one in begun)


def _later(card: OpenCard, board: Board) -> Misread:
    return Misread(_LATER.format(key=_choices(card, board)))


def _first(card: OpenCard) -> str:
    """Returns the key that agrees to a card."""
    return Verb.APPROVE if Verb.APPROVE in card.buttons else next(iter(card.buttons))


def _choices(card: OpenCard, board: Board) -> str:
    """Returns the keys of a card, each with what it does: “y Approve, n Deny or s Stop”."""
    *others, last = (
        f"{board.key_of(card, key)} {_SIGN.sub('', visible(button.label))}"
        for key, button in card.buttons.items()
    )
    return f"{', '.join(others)} or {last}" if others else last
