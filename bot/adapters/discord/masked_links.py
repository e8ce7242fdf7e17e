"""Links whose words hide their target, as Discord itself would read them in a finished text.

Nobody outside knows Discord's reader for sure. So only the simplest form of a link stays; whatever
else any reader could take for one is parted, within code too.
"""

import re
from collections.abc import Collection, Iterator

from bot.domain.tools.web_links import behind

_WORDS = r"\[(?P<words>[^\[\]\n\\]*)\]"
_PLAIN_TARGET = r"(?P<target>[hH][tT][tT][pP][sS]?://[^\s()<>\\\[\]\"'`]+)"
_SIMPLE = re.compile(rf"{_WORDS}\({_PLAIN_TARGET}\)")
_WRITTEN = re.compile(
    rf"\\.|!?{_WORDS}\([ \t]*<?(?P<target>[a-zA-Z][a-zA-Z0-9+.-]*:[^\s()<>\\]+"
    r"(?:\([^\s()<>\\]*\)[^\s()<>\\]*)*)>?(?:[ \t]+[\"'][^\"'\n]*[\"'])?[ \t]*\)"
)
_DOUBTFUL = re.compile(r"\]\((?=[\s\\<>]*(?:[a-zA-Z][a-zA-Z0-9+.\\-]*:|\Z))")
_CODE = re.compile(r"(`+[^`]*`+)")
_FENCE = "```"
_PARTED = "]\u200b("
"""An invisible sign parts the brackets: the words look as they were written, and are no link."""


def judged(text: str, links: Collection[str] | None) -> str:
    """Returns the text in which words hide no target but those of `links`; any without a list."""
    if links is None or "](" not in text:
        return text
    lines = "\n".join(_lines(text, links))
    simple = {found.end("words"): found for found in _SIMPLE.finditer(lines)}

    def parted(found: re.Match[str]) -> str:
        link = simple.get(found.start())
        stays = link is not None and not behind(link["words"], link["target"], links)
        return found[0] if stays else _PARTED

    return _DOUBTFUL.sub(parted, lines)


def _lines(text: str, links: Collection[str]) -> Iterator[str]:
    """Yields the lines with links in one form outside code: a bare target behind the words."""

    def told(found: re.Match[str]) -> str:
        words, target = found["words"], found["target"]
        if target is None:
            return found[0]  # An escaped sign, which opens no link.
        if not words.strip() or words.strip() == target:
            return target
        # Where a target has brackets of its own, readers differ about its end.
        shown = behind(words, target, () if "(" in target else links)
        return f"{words}{shown}" if shown else f"[{words}]({target})"

    fenced = False
    for line in text.split("\n"):
        fenced ^= line.startswith(_FENCE)
        # In code the brackets are parted below, if need be, and nothing else changes.
        parts = [line] if fenced or "](" not in line else _CODE.split(line)
        parts[::2] = [part if fenced else _WRITTEN.sub(told, part) for part in parts[::2]]
        yield "".join(parts)
