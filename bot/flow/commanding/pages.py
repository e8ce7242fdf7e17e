"""Pages of a list: rows of buttons for its entries, and buttons to the pages beside."""

from collections.abc import Sequence

from bot.domain.talk.message import Button, ButtonRows
from bot.domain.text.markdown import item
from bot.flow.commanding.choices import choice
from bot.flow.commanding.table import Answer

LISTED = 10
"""Entries on one page."""

_IN_A_ROW = 5
_BY_TIME = ("◂ Newer", "Older ▸")
_BY_NUMBER = ("◂ Back", "More ▸")


def rows_of(buttons: Sequence[Button], each: int = _IN_A_ROW) -> ButtonRows:
    return tuple(tuple(buttons[n : n + each]) for n in range(0, len(buttons), each))


def turning(page: int, *words: str, more: bool, labels: tuple[str, str] = _BY_TIME) -> ButtonRows:
    """Returns a row with buttons for the pages before and behind, as far as there are any.

    `words` are a command that shows a page when the page's number stands behind them.
    """
    command, *first = words
    before = choice(labels[0], command, *first, str(page - 1)) if page > 1 else ()
    behind = choice(labels[1], command, *first, str(page + 1)) if more else ()
    return ((*before, *behind),) if before or behind else ()


def numbered(
    command: str, title: str, entries: Sequence[tuple[str, str]], page: int, *, more: bool
) -> Answer:
    """Returns a page of entries, each an id and a line, with a numbered button that shows it.

    `more` says that there is a page behind it.
    """
    first = (page - 1) * LISTED + 1
    lines = [item(n, line) for n, (_, line) in enumerate(entries, first)]
    buttons = [
        button
        for n, (id, _) in enumerate(entries, first)
        for button in choice(str(n), command, "show", id)
    ]
    beside = turning(page, command, "page", more=more, labels=_BY_NUMBER)
    return Answer(
        "\n".join([title, "", *lines]), buttons=(*rows_of(buttons), *beside), optional=True
    )
