"""Keeps signs apart from the word behind them, on terminals that draw them wider than they count.

Signs such as ✏️ and ⏹ are one column wide by the rules, and two wide where they become pictures.
There the picture covers the space behind the sign.
"""

import re
from functools import lru_cache

from rich.cells import cell_len

_AS_PICTURE = "\ufe0f"
_BEFORE_WORD = re.compile(rf"(?:^|(?<=[\]↳·:] ))(\S{_AS_PICTURE}?) (?=\S)", re.MULTILINE)


def apart(text: str) -> str:
    """Returns a text with a second space behind each such sign that leads a line or a part."""
    return _BEFORE_WORD.sub(lambda found: f"{found[1]}{_room(found[1])}", text)


@lru_cache(maxsize=256)
def _room(sign: str) -> str:
    bare = sign.removesuffix(_AS_PICTURE)
    doubted = not bare.isascii() and cell_len(bare) < cell_len(f"{bare}{_AS_PICTURE}")
    return "  " if doubted else " "
