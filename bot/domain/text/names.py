"""Names of people, chats, files, tasks and plans that somebody else chose, as texts may hold them.

Every text gets such a name through one of these functions, by the reader that it has.
"""

import json
from unicodedata import category

from bot.domain.text.look_alikes import marked
from bot.domain.text.markdown import literal

_LONGEST = 60
_SINGLE = str.maketrans("“”", "‘’")


def quoted_name(name: str) -> str:
    """Returns a name for a model, in quotation marks that it cannot leave."""
    return json.dumps(marked(_on_one_line(name)), ensure_ascii=False)


def cited_name(name: str) -> str:
    """Returns a name for people, in quotation marks that it cannot leave."""
    return f"“{_on_one_line(name).translate(_SINGLE)}”"


def brief_name(name: str) -> str:
    """Returns the beginning of a name for people, in quotation marks that it cannot leave."""
    return cited_name(_clipped(_on_one_line(name)))


def plain_name(name: str, otherwise: str = "someone") -> str:
    """Returns the beginning of a name for a line of plain text; other words for an empty one."""
    return _clipped(_on_one_line(name)) or otherwise


def named(name: str) -> str:
    """Returns the beginning of a name for a Markdown text."""
    return literal(plain_name(name))


def _on_one_line(name: str) -> str:
    plain = "".join(" " if category(c).startswith("C") else c for c in name)
    return " ".join(plain.split())


def _clipped(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
