"""Makes a message about tool calls: a small line for each, and a file with what they were given.

Discord shows the first lines of a text file and opens the rest on a press. That is the only fold
it has: a spoiler hides a text without making it shorter.
"""

from collections.abc import Iterator
from typing import Any

from bot.adapters.discord.cutting import LONGEST, units
from bot.adapters.discord.formatting import written
from bot.domain.talk.message import CallBlock, Outbound
from bot.domain.text.storable import storable
from bot.domain.text.visible_text import visible
from bot.domain.tools.call_words import as_text

FILE = "calls.txt"
_ROOM_FOR_NOTE = 60


def calls_body(content: Outbound) -> dict[str, Any]:
    """Returns the one message of a content about calls; an edit replaces its file too."""
    lines = list(_fitting([written(block, whole=True) for block in content.blocks]))
    called = [block for block in content.blocks if isinstance(block, CallBlock)]
    parts = [as_text(block) for block in called if block.given or block.result]
    body: dict[str, Any] = {"text": "\n".join(lines)}
    if parts:
        # Where no file may be sent, the lines alone are better than nothing.
        body["instead"] = [dict(body)]
        told = visible(storable("\n".join(parts)))
        body |= {"file": {"text": told, "name": FILE}, "anew": True}
    for one in (body, *body.get("instead", ())) if content.silent else ():
        one["silent"] = True
    return body


def _fitting(lines: list[str]) -> Iterator[str]:
    """Yields the lines that fit one message, and how many more there are."""
    room = LONGEST - _ROOM_FOR_NOTE
    for at, line in enumerate(lines):
        room -= units(line) + 1
        if room < 0:
            yield f"-# … and {len(lines) - at} more lines, see the file"
            return
        yield line
