"""Reads the entries of RSS and Atom feeds."""

from collections.abc import Iterator
from urllib.parse import urljoin
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - it brings no types

from bot.adapters.media.cut_text import CutText
from bot.adapters.media.found import FoundText
from bot.adapters.media.unread import Unread

_MOST_ENTRIES = 200
_MOST_WORDS = 2_000


def text_of_feed(data: bytes, address: str) -> FoundText:
    """Returns title, link, date and words of each entry; raises Unread.

    Entities that the feed declares are not followed.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        raise Unread("is a damaged feed")
    entries = [each for each in root.iter() if _name(each) in ("item", "entry")]
    text = CutText()
    channel = next((each for each in root if _name(each) == "channel"), root)
    text.add(f"# {_words(channel, 'title') or 'Feed'}")
    for entry in entries[:_MOST_ENTRIES]:
        text.add("")
        for line in _lines(entry, address):
            if not text.add(line):
                break
    if len(entries) > _MOST_ENTRIES:
        text.notes.append(f"{len(entries) - _MOST_ENTRIES} older entries were left out")
    return FoundText(text.text, "; ".join(text.notes), "feed")


def _lines(entry: ElementTree.Element, address: str) -> Iterator[str]:
    title, link = _words(entry, "title") or "Untitled", _link(entry, address)
    yield f"## [{title}]({link})" if link else f"## {title}"
    if date := _words(entry, "pubDate", "published", "updated", "date"):
        yield f"Date: {date}"
    told = _words(entry, "description", "summary", "encoded", "content")
    if told:
        plain = BeautifulSoup(told, "lxml").get_text(" ", strip=True) if "<" in told else told
        yield " ".join(plain.split())[:_MOST_WORDS]


def _link(entry: ElementTree.Element, address: str) -> str:
    for each in entry:
        if _name(each) == "link" and each.get("rel", "alternate") == "alternate":
            target = (each.get("href") or each.text or "").strip()
            try:
                whole = urljoin(address, target)
            except ValueError:
                continue
            if target and whole.startswith(("http://", "https://")) and whole.isprintable():
                return whole
    return ""


def _words(parent: ElementTree.Element, *names: str) -> str:
    """Returns the text of the first child that has one of these names, the first name first."""
    for name in names:
        for each in parent:
            if _name(each) == name:
                return " ".join("".join(each.itertext()).split())
    return ""


def _name(each: ElementTree.Element) -> str:
    return etree.QName(each).localname if isinstance(each.tag, str) else ""
