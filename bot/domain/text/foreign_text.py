"""Texts of others as a model reads them: set apart as data, in a block that they cannot leave."""

import json

from bot.domain.text.look_alikes import BLOCK, marked
from bot.domain.text.unseen import unseen_shown
from bot.domain.text.visible_text import visible


def set_apart(source: str, text: str, **facts: str) -> str:
    """Returns somebody else's text as data, with its source and further facts about it.

    The text cannot end the block, nor look like a note of the program; every other visible
    character stays as it is. The log keeps the original.
    """
    held, hidden = _held(text)
    if hidden:
        facts = {**facts, "hidden_characters_shown": str(hidden)}
    told = "".join(f" {name}={_fact(value)}" for name, value in facts.items() if value)
    return f"<{BLOCK} from={_fact(source)}{told}>\n{held}\n</{BLOCK}>"


def as_read(text: str, source: str | None) -> str:
    """Returns a text as a model reads it: set apart when it comes from a foreign source."""
    return text if source is None else set_apart(source, text)


def defused(text: str) -> str:
    """Returns a text in which nothing hides and nothing looks like a mark of the program."""
    return _held(text)[0]


def _held(text: str) -> tuple[str, int]:
    # Look-alikes are found first: a hidden character within a mark must not save it.
    return unseen_shown(marked(text))


def _fact(value: str) -> str:
    return json.dumps(visible(defused(value)), ensure_ascii=False)
