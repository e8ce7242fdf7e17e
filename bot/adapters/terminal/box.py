"""The look of a card: a box with what will happen, the thing itself, and the keys."""

import re
import textwrap
from collections.abc import Collection, Sequence
from unicodedata import category, east_asian_width

from bot.adapters.terminal.board import Board, OpenCard, name_of
from bot.adapters.terminal.fragments import Lines, plain
from bot.adapters.terminal.look import Look, box_prose
from bot.adapters.terminal.signs import apart
from bot.adapters.terminal.visible import visible

_EDGE = "yellow"
_LEAST_EDGE = 80
_GAP = "  "
_SIGN_ROOM = 2
_BESIDE = 3
"""Columns of the edge at the left, and of the space at both sides."""

_ADVICE = "or type “{key}:” and a change"
_CHANGE = "c"
"""The key that stands before a change, also on a card without a button for it."""

_OUTCOMES = ("✅", "❌", "⌛", "⏹", "🚫", "◐", "↩", "✏", "🔁 Replaced", "⏭", "🗑")
_MOVING = ("▶", "⏳", "○")
_PLAN = "📋"
_TOLD = (_PLAN, "⤵️")
"""The beginnings of lines that something else tells: a newer card, or the tools of a plan."""

_STEP_FAILED = re.compile(r"✗ \d+\. (?P<deed>.+?) — (?P<why>.+)")
_STEP_ENDED = re.compile(r"✓ \d+\. |⏭ +\d+\. .+ — denied(?:: “|$)")
"""A plan's line on a step; the line of its tool, or of its own card, has told the same."""


def box(body: Lines, card: OpenCard, board: Board, look: Look) -> Lines:
    """Returns a card as it is printed; what is higher than the screen ends with its title again."""
    below = keys(card, board, box_prose(inner_width(look)))
    again = [[("bold", visible(card.title))], []] if len(body) + len(below) > look.rows else []
    inner = [*body, [], *again, *below]
    if look.dumb:
        return inner
    widest = max(_cells(plain(line)) for line in inner) + _BESIDE
    # A sign is counted as wider than it may be: that alone makes no box wider than others.
    if widest <= _LEAST_EDGE + _SIGN_ROOM:
        widest = _LEAST_EDGE
    edge = "─" * (min(look.width, widest) - 1)
    # There is no edge at the right: letters whose width terminals disagree on would break it.
    return [
        [(_EDGE, f"╭{edge}")],
        *([(_EDGE, "│ " if line else "│"), *line] for line in inner),
        [(_EDGE, f"╰{edge}")],
    ]


def inner_width(look: Look) -> int:
    """Returns the columns that a line within the box may take."""
    return look.width if look.dumb else look.width - _BESIDE


def keys(card: OpenCard, board: Board, width: int, *, advises: bool = True) -> Lines:
    """Returns the keys of a card, as in `[y] Approve  [n] Deny`, in as few lines as possible.

    It `advises` that words may answer the card, if they may.
    """
    lines: Lines = []
    wrapped = True
    for key, button in card.buttons.items():
        item = _key(f"[{board.key_of(card, key)}]", apart(visible(button.label)), width)
        # A key behind the rest of a long label would be taken for a part of it.
        room = 0 if wrapped else width - _cells(plain(lines[-1])) - len(_GAP)
        wrapped = len(item) > 1
        if not wrapped and _cells(plain(item[0])) <= room:
            lines[-1] += [("", _GAP), *item[0]]
        else:
            lines += item
    advice = (
        [[("dim", _ADVICE.format(key=board.key_of(card, _CHANGE)))]] if card.takes_words else []
    )
    return [*lines, *(advice if advises else [])]


def _key(key: str, label: str, width: int) -> Lines:
    """Returns one key with its label, with words wrapped."""
    indent = len(key) + 1
    if label == key.strip("[]"):
        return [[("bold", key)]]
    first, *others = textwrap.wrap(label, width - indent - _SIGN_ROOM) or [""]
    return [[("bold", key), ("", f" {first}")], *([("", f"{'':{indent}}{o}")] for o in others)]


def _cells(text: str) -> int:
    """Returns the columns that a text takes at most: a sign may take two."""
    return sum(
        1 + (category(letter) == "So" or east_asian_width(letter) in "WF") for letter in text
    )


def outcome(name: str, before: Sequence[str], now: Sequence[str]) -> list[str]:
    """Returns the line about a card that closed; none while nothing says how it ended."""
    known = set(before)
    fresh = [line.strip() for line in now if line not in known]
    # Below the outcome of a long card its document stays, which was printed with the card.
    if len(now) == 1 or (fresh == [now[0].strip()] and fresh[0].startswith(_OUTCOMES)):
        return [f"↳ {now[0].strip()}"]
    news = fresh or ["closed"]
    if all(_STEP_ENDED.match(line) or line == now[0].strip() for line in news):
        return []
    verdict = next((line for line in reversed(news) if line.startswith(_OUTCOMES)), news[-1])
    reason = next((f" {line}" for line in news if line.startswith("“")), "")
    return [] if verdict.startswith(_TOLD) else [f"↳ {verdict}{reason} · {name}"]


def progress(before: Sequence[str], now: Sequence[str], told: Collection[str] = ()) -> list[str]:
    """Returns the new lines of a card that stays open, without those that will change again.

    Of a step that failed the reason alone is left where the line of its tool was `told`.
    """
    known = set(before)
    return [
        _reason(line, told)
        for n, line in enumerate(now)
        if n
        and line not in known
        and not line.lstrip().startswith(_MOVING)
        and not _STEP_ENDED.match(line)
    ]


def _reason(line: str, told: Collection[str]) -> str:
    failed = _STEP_FAILED.fullmatch(line)
    return failed["why"] if failed and f"✗ {failed['deed']}" in told else line


def ends(before: Sequence[str], now: Sequence[str]) -> list[str]:
    """Returns the new lines of a closed card that nothing else on the screen tells."""
    known = set(before)
    named = f" · {name_of(now)}" if len(now) > 1 and now[0].lstrip().startswith(_PLAN) else ""
    return [
        f"↳ {line}{named}" if named and line.startswith(_OUTCOMES) else line
        for line in now
        if line not in known and not line.startswith(_TOLD) and not _STEP_ENDED.match(line)
    ]
