"""The parser of Markdown that the page and the terminal share: CommonMark, tables, whole addresses.

Tags of HTML are left to each of them.
"""

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from bot.domain.text.whole_addresses import end_of_address


def markdown_parser(**more: Any) -> MarkdownIt:
    """Returns a new parser; `more` are the options of the library's class."""
    parser = MarkdownIt("commonmark", **more).enable(["strikethrough", "table"])
    # The words of an address before its colon have been read by then.
    parser.inline.ruler.before("emphasis", "address", _address)
    return parser


def _address(state: StateInline, silent: bool) -> bool:
    end = end_of_address(state.src, state.pos, state.posMax)
    if end is None:
        return False
    if not silent:
        state.pending += state.src[state.pos : end]
    state.pos = end
    return True
