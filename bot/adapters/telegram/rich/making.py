"""Makes the parts of a rich message from what stood between the begin and the end of a tag."""

from collections.abc import Collection, Sequence
from itertools import groupby

from bot.adapters.telegram.markdown import is_live
from bot.adapters.telegram.rich.elements import Element, Node, is_word, text_of
from bot.adapters.telegram.rich.formulas import formula
from bot.domain.tools.web_links import behind

_EMPTY = "\u00a0"


def made_of(
    tag: str, inside: Sequence[Node], marks: tuple[tuple[str, str], ...], told: str
) -> list[Node]:
    """Returns what a tag became at its end: an empty one nothing, some several blocks.

    `told` is the language of code. A link is made by a function of its own.
    """
    match tag:
        case "p":
            return _paragraphs(inside)
        case "li":
            return [Element("li", _item(inside))]
        case "pre":
            return _code(text_of(inside), told)
        case "ul" | "ol" | "table" | "tr" | "th" | "td":
            return [Element(tag, tuple(inside), marks)]
        case _:
            return [Element(tag, tuple(inside), marks)] if inside else []


def _paragraphs(inside: Sequence[Node]) -> list[Node]:
    """Returns the words between formulas that stand in lines of their own as paragraphs."""
    made: list[Node] = []
    for own_line, run in groupby(inside, key=is_math_block):
        if own_line:
            made += run
        elif words := _trimmed(list(run)):
            made.append(Element("p", words))
    return made


def is_math_block(node: Node) -> bool:
    return isinstance(node, Element) and node.tag == "tg-math-block"


def _trimmed(nodes: list[Node]) -> tuple[Node, ...]:
    """Returns the nodes without blanks and line breaks at both ends."""
    while nodes and _is_blank(nodes[0]):
        nodes.pop(0)
    while nodes and _is_blank(nodes[-1]):
        nodes.pop()
    if nodes and isinstance(nodes[0], str):
        nodes[0] = nodes[0].lstrip()
    if nodes and isinstance(nodes[-1], str):
        nodes[-1] = nodes[-1].rstrip()
    return tuple(nodes)


def _is_blank(node: Node) -> bool:
    return node == Element("br") if isinstance(node, Element) else not node.strip()


def _item(inside: Sequence[Node]) -> tuple[Node, ...]:
    """Returns the inside of an item: words alone as they are, else blocks alone."""
    box = [node for node in inside if isinstance(node, Element) and node.tag == "input"]
    rest: list[Node] = []
    others = [node for node in inside if node not in box]
    for words, run in groupby(others, key=lambda node: is_word(node) or is_math_block(node)):
        nodes = list(run)
        rest += _paragraphs(nodes) if words else nodes
    if len(rest) == 1 and isinstance(rest[0], Element) and rest[0].tag == "p":
        rest = list(rest[0].inside)
    return (*box[:1], *(rest or [_EMPTY]))


def _code(text: str, language: str) -> list[Node]:
    if not text.strip():
        return []
    text = text.removesuffix("\n")
    if language == "math":
        return [formula(text, own_line=True)]
    return [_pre(text, language)]


def _pre(text: str, language: str) -> Element:
    if not language:
        return Element("pre", (text,))
    code = Element("code", (text,), (("class", f"language-{language}"),))
    return Element("pre", (code,))


def link(inside: Sequence[Node], url: str, links: Collection[str] | None) -> list[Node]:
    """Returns a link, or its words with the target behind them where they may not hide it.

    Neither may they hide a target that the platform would refuse.
    """
    live = is_live(url)
    told = behind(text_of(inside), url, links if live else ()) if inside or not live else ""
    if told or not live:
        return [*inside, *([told] if told else [])]
    return [Element("a", tuple(inside) or (url,), (("href", url),))]
