"""The size of an answer in a few words, for people who hear it before they read it."""

from collections.abc import Sequence

from bot.adapters.web.rendering.views import TextView

_PARTS = (
    ("<p ", "paragraph", "paragraphs"),
    ("<table", "table", "tables"),
    ("<pre", "block of code", "blocks of code"),
)
"""Tags that begin a part, each with its name for one, and for several."""


def answer_size(blocks: Sequence[object]) -> str:
    """Returns the parts of an answer, as in “4 paragraphs, 1 table”; empty for one paragraph."""
    html = "".join(one.html for one in blocks if isinstance(one, TextView))
    counts = ((html.count(tag), one, several) for tag, one, several in _PARTS)
    told = [f"{n} {one if n == 1 else several}" for n, one, several in counts if n]
    return "" if told == ["1 paragraph"] else ", ".join(told)
