"""Markdown as HTML: of the tags and attributes that are named here, and of no others.

HTML within a text stays text. Links lead out to the web alone, and no picture is loaded.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from bot.adapters.markdown_parser import markdown_parser
from bot.adapters.web.rendering.highlighting import highlighted
from bot.adapters.web.rendering.links import may_follow, safe_links

LONGEST = 200_000
"""Characters above which a text is shown as it was written."""

_DEEPEST = 20
"""Blocks within blocks; deeper ones are left out by the library."""

_REMEMBERED = 256
_LONGEST_REMEMBERED = 8_000

_TOP_HEADING = 3
"""The first heading of an answer: above it stand that of the page and that of the answer."""
_LEAST_HEADING = 6

_AUTO = (
    "paragraph_open",
    "heading_open",
    "list_item_open",
    "th_open",
    "td_open",
    "blockquote_open",
)
"""Blocks whose words may be of any script, and set their own direction."""


def html_of(text: str, links: tuple[str, ...] | None = ()) -> Markup:
    """Returns a text as HTML; of its links, words may hide only the targets named here.

    With None they may hide any.
    """
    if len(text) <= _LONGEST_REMEMBERED:
        return _remembered(text, links)
    if len(text) > LONGEST:
        return Markup('<pre tabindex="0" role="group" aria-label="Text">{}</pre>').format(text)
    return _made(text, links)


def unmarked(text: str) -> str:
    """Returns the words of one line without the marks of Markdown around them."""
    (inline,) = _PARSER.parseInline(text[:LONGEST])
    return " ".join("".join(map(_word, inline.children or ())).split())


def _word(token: Token) -> str:
    return " " if token.type in ("softbreak", "hardbreak") else token.content


def _made(text: str, links: tuple[str, ...] | None) -> Markup:
    hideable = None if links is None else frozenset(links)
    tokens = _PARSER.parse(text)
    _arrange(tokens)
    for token in tokens:
        if token.children is not None:
            token.children = safe_links(token.children, hideable)
    # The renderer escapes each text and each attribute; its own tags are all that is HTML.
    return Markup(_PARSER.renderer.render(tokens, _PARSER.options, {}))


_remembered = lru_cache(maxsize=_REMEMBERED)(_made)


def _arrange(tokens: list[Token]) -> None:
    """Sets headings below those of the page, numbers at the end, and directions."""
    levels: list[int] = []
    for token in tokens:
        if token.type == "heading_open":
            wanted = int(token.tag[1])
            while levels and levels[-1] >= wanted:
                levels.pop()
            levels.append(wanted)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(_TOP_HEADING + len(levels) - 1, _LEAST_HEADING)}"
        # The library sets the columns of a table by a style, which the page does not allow.
        aligned = str(token.attrs.pop("style", ""))
        if aligned.endswith(("right", "center")):
            token.attrs["class"] = "end" if aligned.endswith("right") else "middle"
        if token.type == "th_open":
            token.attrs["scope"] = "col"
        if token.type in _AUTO:
            token.attrs["dir"] = "auto"


class _Parts(RendererHTML):
    """Makes the blocks that look otherwise than the library makes them."""

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        language = token.info.strip().partition(" ")[0][:30]
        return _source(token.content, language)

    def code_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return _source(tokens[idx].content, "")

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "</table></div>\n"


def _source(code: str, language: str) -> str:
    label = f"Code, {language}" if language else "Code"
    return (
        f'<div class="source"><header><span>{escape(language or "text")}</span>'
        '<button class="quiet scripted" type="button" data-copy>'
        '<svg class="icon" aria-hidden="true"><use href="#i-copy"/></svg>Copy</button></header>'
        f'<pre tabindex="0" role="group" aria-label="{escape(label)}">'
        f"<code>{highlighted(code.removesuffix(chr(10)), language)}</code></pre></div>\n"
    )


def _parser() -> MarkdownIt:
    options = {"html": False, "maxNesting": _DEEPEST}
    parser = markdown_parser(options_update=options, renderer_cls=_Parts)
    parser.disable(["html_block", "html_inline"])
    parser.validateLink = may_follow
    return parser


_PARSER = _parser()
