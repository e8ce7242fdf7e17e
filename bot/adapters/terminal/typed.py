"""Reads the meaning of a typed line, given the cards that are open."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from bot.adapters.terminal.board import Board, OpenCard
from bot.domain.approval import Verb
from bot.domain.plan import PlanVerb

_KEY = re.compile(r"(?P<key>[a-z])(?P<number>\d{0,4})", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<number>\d{1,4})[:)]\s*(?P<text>.+)", re.DOTALL)
_ASSENT = frozenset({"yes", "ok", "okay", "sure", "approve", "approved"})


@dataclass(frozen=True, slots=True)
class Said:
    """A message; `to` is the card it replies to."""

    text: str
    to: OpenCard | None = None


@dataclass(frozen=True, slots=True)
class Pressed:
    card: OpenCard
    data: str


@dataclass(frozen=True, slots=True)
class Misread:
    """A line that is not sent; the hint names lines that could have been meant."""

    hint: str


@dataclass(frozen=True, slots=True)
class Left:
    """The person leaves."""


Typed: TypeAlias = Said | Pressed | Misread | Left


def read_typed(line: str, aimed: OpenCard | None, board: Board) -> Typed | None:
    """Reads a line; returns None for an empty one.

    `aimed` is the card that was newest when the person began to type: a line for one card never
    answers another card that came up meanwhile.
    """
    text = line.strip()
    if not text:
        return None
    if text in ("/quit", "/exit"):
        return Left()
    if text.startswith("/"):
        return Said(text)
    if (key := _KEY.fullmatch(text)) and (aimed or board):
        return _press(key["key"].lower(), key["number"], aimed, board) or Said(text)
    if (numbered := _NUMBERED.fullmatch(text)) and (
        card := board.numbered(int(numbered["number"]))
    ):
        return Said(numbered["text"], card)
    if aimed and text.lower() in _ASSENT:
        return Misread(f"To answer the card, type {_choices(aimed)}.{_words_for(aimed)}")
    return Said(text, aimed if aimed and aimed.takes_words else None)


def _press(key: str, number: str, aimed: OpenCard | None, board: Board) -> Typed | None:
    card = board.numbered(int(number)) if number else aimed
    if card is None:
        return Misread(f"No card {number} is open.") if number else None
    if not board.is_open(card):
        return Misread("That card is closed; nothing was sent.")
    if key not in card.buttons:
        return Misread(f"This card has no key {key}. Type {_choices(card)}, or say why not.")
    return Pressed(card, card.buttons[key].data)


def _words_for(card: OpenCard) -> str:
    """Reads any other text as an answer to a card."""
    if PlanVerb.CHANGE in card.buttons:
        return " Other text changes it."
    return " Other text denies it." if Verb.DENY in card.buttons else ""


def _choices(card: OpenCard) -> str:
    number = "" if card.number == 1 else str(card.number)
    *others, last = (f"{key}{number}" for key in card.buttons)
    return f"{', '.join(others)} or {last}" if others else last
