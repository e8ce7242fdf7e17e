"""Puts content without words into words: places, people, polls, stickers, dice."""

from collections.abc import Callable

from bot.adapters.telegram.fields import Fields
from bot.domain.text.foreign_text import defused

_LONGEST = 300
_MOST_OPTIONS = 12


def in_words(message: Fields) -> str | None:
    """Returns one line in brackets, or None for a message without such content."""
    for name, tell in _TOLD.items():
        if (found := message.inner(name)) is not None:
            told = " · ".join(filter(None, tell(found)))
            return f"[{name}: {defused(told)}]" if told else f"[{name}]"
    return None


def _contact(contact: Fields) -> tuple[str, ...]:
    names = (_line(contact, "first_name"), _line(contact, "last_name"))
    return " ".join(filter(None, names)), _line(contact, "phone_number")


def _place(place: Fields) -> tuple[str, ...]:
    latitude, longitude = place.decimal("latitude"), place.decimal("longitude")
    known = latitude is not None and longitude is not None
    return (f"latitude {latitude:g}, longitude {longitude:g}" if known else "",)


def _venue(venue: Fields) -> tuple[str, ...]:
    where = _place(venue.inner("location") or Fields(None))
    return _line(venue, "title"), _line(venue, "address"), *where


def _poll(poll: Fields) -> tuple[str, ...]:
    options = [_line(option, "text") for option in poll.items("options")]
    return _line(poll, "question"), *options[:_MOST_OPTIONS]


def _sticker(sticker: Fields) -> tuple[str, ...]:
    return (_line(sticker, "emoji"),)


def _dice(dice: Fields) -> tuple[str, ...]:
    return _line(dice, "emoji"), dice.id("value") or ""


# A venue comes with its location beside it, so the first found is the one.
_TOLD: dict[str, Callable[[Fields], tuple[str, ...]]] = {
    "venue": _venue,
    "location": _place,
    "contact": _contact,
    "poll": _poll,
    "sticker": _sticker,
    "dice": _dice,
}


def _line(fields: Fields, name: str) -> str:
    return " ".join((fields.text(name) or "").split())[:_LONGEST]
