"""Links whose words hide their target, as each channel reads the messages that it sends."""

import re
from collections.abc import Iterator
from typing import Any

from bot.adapters.discord.pieces import split_content as split_for_discord
from bot.adapters.telegram.pieces import split_content as split_for_telegram
from bot.adapters.terminal.fragments import LINK
from bot.adapters.terminal.rendering import Rendering
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from tests.standins.bot_api.rich_markup import characters, parse_html, walk

_INSIDE = r"(?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*"
_TARGET = r"\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['\"]([\s\S]*?)['\"])?\s*"
_FENCED = re.compile(r"```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```", re.IGNORECASE)
_CODE = re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)")
_LINK = re.compile(rf"\[({_INSIDE})\]\({_TARGET}\)")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def on_telegram(text: str, links: tuple[str, ...] | None) -> Iterator[tuple[str, str]]:
    """Yields the links of all messages that Telegram may get, in both forms, with their words."""
    for rich in (False, True):
        for piece in split_for_telegram(_answer(text, links), rich=rich, keep=rich):
            yield from _of_body(piece.body)


def _of_body(body: Any) -> Iterator[tuple[str, str]]:
    for other in body.get("instead", ()):
        yield from _of_body(other)
    if "rich" in body:
        for part in walk(parse_html(body["rich"])):
            if part.tag == "a":
                yield characters(part), part.marks["href"]
    units = body.get("text", "").encode("utf-16-le")
    for entity in body.get("entities", ()):
        if entity["type"] == "text_link":
            start, end = 2 * entity["offset"], 2 * (entity["offset"] + entity["length"])
            yield units[start:end].decode("utf-16-le", "replace"), entity["url"]


def on_discord(text: str, links: tuple[str, ...] | None) -> Iterator[tuple[str, str]]:
    """Yields the links that Discord may read, whether or not it takes what is around for code."""
    for piece in split_for_discord(_answer(text, links)):
        shown = piece.body["text"]
        quoted = re.sub(r"^> ?", "", shown, flags=re.MULTILINE)
        for read in (shown, quoted):
            yield from _read_by_discord(read)
            yield from ((found[1], found[2]) for found in _LINK.finditer(read) if _leads(found[2]))


def _read_by_discord(text: str) -> Iterator[tuple[str, str]]:
    """Yields the links of a reader from left to right: escapes and code come before links."""
    at = 0
    while at < len(text):
        found = None
        if text[at] == "`":
            found = _FENCED.match(text, at) or _CODE.match(text, at)
        elif text[at] == "[" and (found := _LINK.match(text, at)) and _leads(found[2]):
            yield found[1], found[2]
        at = found.end() if found else at + (2 if text[at] == "\\" else 1)


def _leads(target: str) -> bool:
    return _SCHEME.match(re.sub(r"\\([^0-9A-Za-z\s])", r"\1", target)) is not None


def in_a_terminal(text: str, links: tuple[str, ...] | None) -> Iterator[tuple[str, str]]:
    """Yields the links of a terminal, each with all words of its paragraph."""
    lines = [line for line in Rendering().markdown(text, 10_000) if line]
    told = "".join(words for line in lines for _, words in line)
    for line in lines:
        for style, _ in line:
            for word in style.split():
                if word.startswith(LINK):
                    yield told, word.removeprefix(LINK)


def shown_text(text: str, links: tuple[str, ...] | None, channel: str) -> str:
    """Returns all words that people see of a text."""
    if channel == "terminal":
        return "".join(words for line in Rendering().markdown(text, 10_000) for _, words in line)
    split = split_for_discord if channel == "discord" else split_for_telegram
    return "".join(piece.body.get("text", "") for piece in split(_answer(text, links)))


def _answer(text: str, links: tuple[str, ...] | None) -> Outbound:
    return Outbound(OutboundKind.ANSWER, (Markdown(text, links=links),))
