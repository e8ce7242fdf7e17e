"""Buttons as components of a message, and the dialogue that asks for words.

A component carries all that its press means, so it works after any restart. Every message that asks
for words gets a button with a dialogue.
"""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from bot.domain.talk.message import Hint

_MOST_ROWS = 5
_MOST_IN_ROW = 5
_MOST_OPTIONS = 25
_LONGEST_LABEL = 80
_LONGEST_OPTION = 100
_LONGEST_TITLE = 45
_LONGEST_HINT = 100
_LONGEST_WORDS = 4_000

_BUTTON, _ASKING, _MENU, _WORDS = "b", "m", "s", "w"
_THIS_MESSAGE = "-"
"""Stands for the data of a button: the words are a reply to the message and nothing more."""

ANSWER = {"label": "✏️ Answer…", "data": _THIS_MESSAGE}
_ROW, _PLAIN_BUTTON, _SELECT, _TEXT = 1, 2, 3, 4
_GREY = 2
_PARAGRAPH = 2


def components_of(rows: Sequence[Sequence[Mapping[str, str]]]) -> list[dict[str, Any]]:
    """Returns rows of buttons; menus to choose from where there are more than fit.

    Rows with a button that asks for words are joined instead: an option of a menu opens no
    dialogue.
    """
    packed = _packed(rows)
    if any(button.get("asks") for row in rows for button in row):
        packed = _joined(packed)
    if len(packed) > _MOST_ROWS:
        return _menus([button for row in rows for button in row])
    numbers = count()
    return [
        {"type": _ROW, "components": [_button(next(numbers), one) for one in row]} for row in packed
    ]


def _packed(rows: Sequence[Sequence[Mapping[str, str]]]) -> list[Sequence[Mapping[str, str]]]:
    """Returns the rows with at most five buttons each."""
    return [row[at : at + _MOST_IN_ROW] for row in rows for at in range(0, len(row), _MOST_IN_ROW)]


def _joined(rows: list[Sequence[Mapping[str, str]]]) -> list[Sequence[Mapping[str, str]]]:
    """Returns the rows, the shortest neighbours joined as long as there are too many rows."""
    while len(rows) > _MOST_ROWS:
        shortest = min(range(len(rows) - 1), key=lambda at: _width(rows, at))
        joined = [*rows[shortest], *rows[shortest + 1]]
        if len(joined) > _MOST_IN_ROW:
            return _packed([[button for row in rows for button in row]])
        rows = [*rows[:shortest], joined, *rows[shortest + 2 :]]
    return rows


def _width(rows: Sequence[Sequence[Mapping[str, str]]], at: int) -> tuple[int, int]:
    """Returns how many buttons and characters this row and the next one have together."""
    joined = [*rows[at], *rows[at + 1]]
    return max(len(joined), _MOST_IN_ROW), sum(len(one["label"]) for one in joined)


def _button(number: int, button: Mapping[str, str]) -> dict[str, Any]:
    asks = button.get("asks", "")
    kind = f"{_ASKING}{number}{_name_of(asks)}" if asks else f"{_BUTTON}{number}"
    return {
        "type": _PLAIN_BUTTON,
        "style": _GREY,
        "label": button["label"][:_LONGEST_LABEL],
        # Two buttons of a message may mean the same, but must not be called the same.
        "custom_id": f"{kind}:{button['data']}",
    }


def _name_of(asks: str) -> str:
    """Returns the name of a hint, by which a pressed button knows it; empty for other words."""
    return next((f".{hint.name}" for hint in Hint if hint == asks), "")


def _menus(buttons: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    chosen = list({button["data"]: button for button in buttons}.values())
    parts = [chosen[at : at + _MOST_OPTIONS] for at in range(0, len(chosen), _MOST_OPTIONS)]
    return [
        {"type": _ROW, "components": [_menu(number, part)]}
        for number, part in enumerate(parts[:_MOST_ROWS])
    ]


def _menu(number: int, buttons: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    options = [
        {"label": button["label"][:_LONGEST_OPTION], "value": button["data"]} for button in buttons
    ]
    return {"type": _SELECT, "custom_id": f"{_MENU}{number}:", "options": options}


def pressed(custom_id: str, values: Sequence[str]) -> str | None:
    """Returns the data of the pressed button or chosen option; None for a component of others."""
    kind, found, data = custom_id.partition(":")
    if not found or not kind[1:].partition(".")[0].isdecimal():
        return None
    if kind.startswith(_MENU):
        return values[0] if values else None
    return data if kind[0] in (_BUTTON, _ASKING) else None


def dialogue_for(custom_id: str, label: str) -> dict[str, Any] | None:
    """Returns the dialogue that a pressed button opens; None for a button that opens none."""
    kind, found, data = custom_id.partition(":")
    if not found or not kind.startswith(_ASKING):
        return None
    name = kind.partition(".")[2]
    hint = {"placeholder": Hint[name][:_LONGEST_HINT]} if name in Hint.__members__ else {}
    words = {
        "type": _TEXT,
        "custom_id": _WORDS,
        "style": _PARAGRAPH,
        "label": "In your own words",
        "min_length": 1,
        "max_length": _LONGEST_WORDS,
        "required": True,
        **hint,
    }
    return {
        "custom_id": f"{_WORDS}:{data}",
        "title": label[:_LONGEST_TITLE] or "·",
        "components": [{"type": _ROW, "components": [words]}],
    }


def begun_with(dialogue: Mapping[str, Any], words: str) -> Mapping[str, Any]:
    """Returns a dialogue whose field holds some words already, if they fit."""
    [row] = dialogue["components"]
    [field] = row["components"]
    if not words.strip() or len(words) > field["max_length"]:
        return dialogue
    return {**dialogue, "components": [{**row, "components": [{**field, "value": words}]}]}


def asked_by(custom_id: str) -> str:
    """Returns the data of the button whose dialogue was sent off."""
    return custom_id.removeprefix(f"{_WORDS}:")
