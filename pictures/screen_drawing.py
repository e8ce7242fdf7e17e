"""Draws a terminal with its colours."""

import re
from collections.abc import Iterator
from unicodedata import east_asian_width

from pictures import svg
from pictures.lettering import split_emoji
from pictures.session import Run, ScreenMoment, Session

_CELL, _LINE, _EDGE, _HEAD = 8.4, 19.0, 18.0, 34.0
_COLOURS = {
    "black": "#6e7b8b",
    "red": "#ff7b72",
    "green": "#5fd07a",
    "brown": "#e3b341",
    "yellow": "#e3b341",
    "blue": "#79b8ff",
    "magenta": "#d2a8ff",
    "cyan": "#6fd3e0",
    "white": "#e6edf3",
    "brightblack": "#8b98a9",
}
_PICTORIAL = "✅❌✏⏹🔁"
_STYLE = f"""\
text{{font:14px {svg.FIXED};fill:#dbe4ee;white-space:pre}}
.desk{{fill:#10151d}} .frame{{fill:none;stroke:#303b47}} .head{{fill:#1a222d}}
text.name{{font:13px {svg.SANS};fill:#9aa7b8}}
text.narrow{{font-size:11px}} .bold{{font-weight:700}} .italic{{font-style:italic}}
.underline{{text-decoration:underline}} .cursor{{fill:#dbe4ee}}
"""


def draw(session: Session) -> str:
    """Returns the picture of the session's last moment, or its film when there are several."""
    moments = [moment for moment in session.moments if isinstance(moment, ScreenMoment)]
    rows = max(len(moment.lines) for moment in moments)
    size = (session.columns * _CELL + 2 * _EDGE, _HEAD + rows * _LINE + 2 * 12)
    frames = ["\n".join(_elements(moment)) for moment in moments]
    body, rules = frames[-1], list[str]()
    if len(frames) > 1:
        body, rules = svg.film(frames, [moment.seconds for moment in moments], session.poster)
    dots = zip((20, 38, 56), ("#ff5f57", "#febc2e", "#28c840"), strict=True)
    parts = [
        svg.box(0.5, 0.5, size[0] - 1, size[1] - 1, "desk", 11),
        *(f'<circle cx="{x}" cy="17" r="5.5" fill="{colour}"/>' for x, colour in dots),
        f'<text x="{svg.number(size[0] / 2)}" y="22" text-anchor="middle" class="name">'
        f"{session.header}</text>",
        body,
        svg.box(0.5, 0.5, size[0] - 1, size[1] - 1, "frame", 11),
    ]
    colours = "\n".join(
        f".{name}{{fill:{colour}}}"
        for name, colour in sorted({**_COLOURS, **_shades(moments)}.items())
    )
    return svg.picture(size, session.title, _STYLE + colours, "\n".join(parts), rules)


def _shades(moments: list[ScreenMoment]) -> dict[str, str]:
    """Returns the colours that have no name, by the class that stands for them."""
    styles = {style for moment in moments for line in moment.lines for _, style in line}
    found = {
        name for style in styles for name in style.split() if re.fullmatch(r"[0-9a-f]{6}", name)
    }
    return {f"x{name}": f"#{name}" for name in found}


def _elements(moment: ScreenMoment) -> Iterator[str]:
    for row, line in enumerate(moment.lines):
        at = 0
        for run in line:
            yield from _run(run, at, row)
            at += _cells(run[0])


def _run(run: Run, at: int, row: int) -> Iterator[str]:
    words, style = run
    looks = [f"x{one}" if re.fullmatch(r"[0-9a-f]{6}", one) else one for one in style.split()]
    for part in split_emoji(words):
        x, y, wide = _EDGE + at * _CELL, _HEAD + 12 + row * _LINE, _cells(part) * _CELL
        if "reverse" in style:
            yield svg.box(x, y - 1, wide, _LINE - 1, "cursor")
        elif part in _PICTORIAL or _cells(part) != len(part):
            look = "" if _cells(part) > 1 else "narrow"
            yield svg.words(x, y + 14, f"{part}\ufe0f", look)
        elif part.strip():
            yield svg.words(x, y + 14, part, " ".join(looks), wide)
        at += _cells(part)


def _cells(words: str) -> int:
    """Returns how many columns the words take."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in words)
