"""The colours of the page: what is read has the contrast that the guidelines ask for."""

import re

import pytest

from bot.adapters.web.rendering.static_files import FOLDER

CSS = (FOLDER / "style.css").read_text(encoding="utf-8")
READ, SEEN = 4.5, 3.0
"""The least contrast of a text with its ground, and of a sign or a border that one must see."""

# The word, its ground, and the least contrast of the two.
_MEANINGS = ("wait", "out", "good", "bad")
PAIRS = [
    *((name, on, READ) for name in ("ink", "dim", "link") for on in ("wall", "paper", "sunk")),
    *((name, "mine", READ) for name in ("ink", "link")),
    *((name, "link-soft", READ) for name in ("ink", "dim")),
    ("press-ink", "press", READ),
    *((name, on, READ) for name in _MEANINGS for on in ("paper", "sunk", f"{name}-soft")),
    *((name, "sunk", READ) for name in ("hl-word", "hl-text", "hl-note")),
    *(("line", on, SEEN) for on in ("paper", "wall", "sunk")),
    *((f"{name}-mark", on, SEEN) for name in _MEANINGS for on in ("paper", f"{name}-soft")),
    *((f"bar-{name}", "paper", SEEN) for name in ("model", "tool")),
]


def tokens(dark: bool) -> dict[str, str]:
    """Returns the colours of a scheme by their names."""
    light, _, rest = CSS.partition("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    if dark:
        found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rest.partition("\n}\n")[0]))
    return found


def contrast(one: str, other: str) -> float:
    """Returns the ratio of two colours, as WCAG 2 defines it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_is_read_stands_out_from_its_ground(dark: bool) -> None:
    known = tokens(dark)
    told = {
        (word, ground): round(contrast(known[word], known[ground]), 2) for word, ground, _ in PAIRS
    }
    low = {(word, on): told[word, on] for word, on, least in PAIRS if told[word, on] < least}
    assert low == {}


@pytest.mark.parametrize(
    ("dark", "word", "ground", "ratio"),
    [
        (False, "ink", "paper", 17.2),
        (True, "ink", "paper", 13.8),
        (False, "dim", "paper", 6.3),
        (True, "dim", "link-soft", 6.0),
        (False, "press-ink", "press", 6.7),
        (True, "wait", "wait-soft", 9.5),
        (False, "line", "wall", 3.5),
    ],
)
def test_the_table_of_the_design_is_the_sheet(
    dark: bool, word: str, ground: str, ratio: float
) -> None:
    known = tokens(dark)
    assert round(contrast(known[word], known[ground]), 1) == ratio


def test_black_on_white_is_known() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert tokens(dark=True)["ink"] != tokens(dark=False)["ink"]
    assert len(tokens(dark=False)) > 30


def test_a_rule_of_ours_uses_the_tokens_and_no_colour_of_its_own() -> None:
    more = (FOLDER / "more.css").read_text(encoding="utf-8")
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?!.*\{)", more) == []
    assert "rgb" not in more
    assert "!important" not in more.replace("[hidden] { display: none !important; }", "")
