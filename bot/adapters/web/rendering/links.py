"""Links of a text that may be followed, and links of one that only names addresses."""

import re
from collections.abc import Collection, Iterator, Sequence
from urllib.parse import urlsplit

from markdown_it.token import Token

from bot.domain.tools.web_links import behind

_SCHEMES = {"http", "https", "mailto"}
_LONGEST = 4_000
_BARE = re.compile(r"https?://[^\s<>\"`“”„«»]+", re.IGNORECASE)
_SENTENCE_ENDS = ".,;:!?'*_~|…’"
_PAIRS = {")": "(", "]": "[", "}": "{"}


def may_follow(url: str) -> bool:
    """Tells if a link leads out to the web or to a mailbox, and is what it looks like.

    A link without a scheme would lead into our own pages, where addresses of ours are.
    """
    if len(url) > _LONGEST or not url.isprintable() or "\\" in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if parts.scheme not in _SCHEMES:
        return False
    return bool(parts.netloc) if parts.scheme != "mailto" else bool(parts.path)


def opened(address: str) -> Token:
    """Returns the beginning of a link, which tells the other page nothing about this one."""
    attributes = {"href": address, "rel": "noopener noreferrer", "target": "_blank"}
    return Token("link_open", "a", 1, attrs=dict(attributes))


def closed() -> Token:
    """Returns the end of a link."""
    return Token("link_close", "a", -1)


def safe_links(tokens: Sequence[Token], links: Collection[str] | None) -> list[Token]:
    """Returns the tokens of a line in which no words hide a target that they may not hide.

    A picture becomes a link to it: nothing is loaded from elsewhere. Addresses in plain words
    become links to themselves.
    """
    made, at, words = list[Token](), "", list[str]()
    for token in tokens:
        match token.type:
            case "link_open":
                at, words = str(token.attrs.get("href", "")), []
                made.append(opened(at))
            case "link_close":
                made += [token, *_told("".join(words), at, links)]
                at = ""
            case "image" if at:
                words.append(token.content)
                made.append(_text(token.content))
            case "image":
                made += _picture(token, links)
            case "text" if not at:
                made += _named(token.content)
            case _:
                words.append(token.content)
                made.append(token)
    return made


def _picture(token: Token, links: Collection[str] | None) -> list[Token]:
    at, words = str(token.attrs.get("src", "")), token.content
    shown = words or at
    if not may_follow(at):
        return [_text(shown)]
    return [opened(at), _text(shown), closed(), *_told(shown, at, links)]


def _told(words: str, at: str, links: Collection[str] | None) -> list[Token]:
    told = behind(words, at, links)
    return [_text(told)] if told else []


def _named(text: str) -> Iterator[Token]:
    """Yields the text with each address in it as a link to itself."""
    start = 0
    for found in _BARE.finditer(text):
        address = _without_end(found[0])
        if not may_follow(address):
            continue
        yield _text(text[start : found.start()])
        yield from (opened(address), _text(address), closed())
        start = found.start() + len(address)
    yield _text(text[start:])


def _without_end(address: str) -> str:
    """Returns an address without the signs behind it that end a sentence or close a bracket."""
    while address:
        last = address[-1]
        begins = _PAIRS.get(last)
        closes = begins is not None and address.count(last) > address.count(begins)
        if last not in _SENTENCE_ENDS and not closes:
            break
        address = address[:-1]
    return address


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)
