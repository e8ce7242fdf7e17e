"""Addresses of the web in texts: who wrote them, and how a text shows them."""

import re
from collections.abc import Iterable, Sequence

WEB_FETCH = "web_fetch"
WEB_SEARCH = "web_search"
WEB_TOOLS = frozenset({WEB_FETCH, WEB_SEARCH})
"""The names of the tools that look at the web."""

_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_BEFORE = r"(?<![\w.@%=&?-])(?:www\.)?"
_AFTER = r"(?=/?(?:[\s)>\]}\"'“”’`*|,;!:#<]|\.(?:\s|$)|\?(?:\s|$)|$))"
_INLINE = re.compile(
    r"(?P<picture>!?)\[(?P<words>[^\[\]\n]{0,1000})\]\(\s*<?(?P<target>(?<=<)[^<>\n]{1,4000}|[^\s<>()]{1,4000}"
    r"(?:\([^\s<>()]{0,500}\)[^\s<>()]{0,4000})?)>?(?:\s+[\"'(][^\n]{0,500}?[\"')])?\s*\)"
)
_DEFINED = re.compile(
    r"^ {0,3}\[(?P<name>[^\]\n]{1,200})\]:\s*<?(?P<target>\S{1,4000}?)>?([ \t][^\n]*)?$", re.M
)
_CODE = re.compile(r"(^ {0,3}(```|~~~)[^\n]*\n.*?(?:^ {0,3}\2[^\n]*$|\Z)|`+[^`\n]+`+)", re.M | re.S)


def stands_in(address: str, texts: Iterable[str]) -> bool:
    """Returns true when one of the texts holds exactly this address.

    Scheme, `www.`, a slash at the end and the fragment do not count.
    """
    core = _SCHEME.sub("", address.strip(), count=1).partition("#")[0].rstrip("/")
    core = core.removeprefix("www.")
    if not core:
        return False
    wanted = re.compile(_BEFORE + re.escape(core) + _AFTER, re.IGNORECASE)
    folded = core.casefold()
    return any(folded in text.casefold() and wanted.search(text) for text in texts)


def bared(text: str, known: Sequence[str]) -> str:
    """Returns a Markdown text in which no picture is loaded and every doubtful link is bare.

    A link is doubtful when its address stands in none of the `known` texts: people then see where
    it leads before they press it. Code stays as it is.
    """
    pieces = _CODE.split(text)
    # The pattern has two groups: each match gives the code and its fence beside the text.
    for at in range(0, len(pieces), 3):
        pieces[at] = _bared(pieces[at], known)
    return "".join(piece or "" for at, piece in enumerate(pieces) if at % 3 != 2)


def _bared(text: str, known: Sequence[str]) -> str:
    def shown(found: re.Match[str]) -> str:
        words, target = found["words"].strip(), found["target"]
        if not found["picture"] and (not _SCHEME.match(target) or stands_in(target, known)):
            return found[0]
        if not words or words == target:
            return target
        return f"{words}: {target}"

    def defined(found: re.Match[str]) -> str:
        if not _SCHEME.match(found["target"]) or stands_in(found["target"], known):
            return found[0]
        return f"{found['name']}: {found['target']}"

    return _DEFINED.sub(defined, _INLINE.sub(shown, text))
