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
_LEFT_OVER = re.compile(r"\](?P<sign>[(:])(?=\s*<?(?P<target>[^\s<>()\[\]]{1,4000}))")
"""A link in any other form: its words span lines or hold brackets, or it stands in a list."""

_INSIDE = re.compile(r"#|(?!//)[^.:&\\@?=%/]*(?:/[^:&\\@?=%/]+)*/?$")
"""A target that leads to no other place."""

_CODE = re.compile(
    r"^(?P<fence>`{3,})[^`\n]*\n.*?(?:^(?P=fence)`*[ \t]*$|\Z)|^~~~[^\n]*\n.*?(?:^~~~~*[ \t]*$|\Z)|"
    r"(?<![`\\])(?P<ticks>`+)(?!`)[^`\n]+(?<!`)(?P=ticks)(?!`)",
    re.M | re.S,
)
"""Code that every reader of Markdown takes for code; what one might not is treated as text."""


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
    pieces: list[str] = []
    end = 0
    for code in _CODE.finditer(text):
        pieces += (_bared(text[end : code.start()], known), code[0])
        end = code.end()
    return "".join((*pieces, _bared(text[end:], known)))


def _bared(text: str, known: Sequence[str]) -> str:
    def shown(found: re.Match[str]) -> str:
        words, target = found["words"].strip(), found["target"]
        if not found["picture"] and not _doubtful(target, known):
            return found[0]
        if not words or words == target:
            return target
        return f"{words}: {target}"

    def defined(found: re.Match[str]) -> str:
        if not _doubtful(found["target"], known):
            return found[0]
        return f"{found['name']}: {found['target']}"

    def parted(found: re.Match[str]) -> str:
        return f"] {found['sign']}" if _doubtful(found["target"], known) else found[0]

    return _LEFT_OVER.sub(parted, _DEFINED.sub(defined, _INLINE.sub(shown, text)))


def _doubtful(target: str, known: Sequence[str]) -> bool:
    return _INSIDE.match(target) is None and not stands_in(target, known)
