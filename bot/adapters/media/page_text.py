"""Reads web pages and feeds: their words, headings and links, as Markdown."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Comment, Tag
from markdownify import MarkdownConverter

from bot.adapters.media.cut_text import MOST_CHARACTERS
from bot.adapters.media.feed_text import text_of_feed
from bot.adapters.media.found import FoundText
from bot.adapters.media.plain_text import decoded
from bot.adapters.media.unread import Unread

_UNSEEN = (
    *("script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "embed"),
    *("head", "form", "button", "input", "select", "textarea", "dialog", "audio", "video"),
)
_AROUND = ("nav", "header", "footer", "aside")
_AROUND_ROLES = ("navigation", "banner", "contentinfo", "complementary", "search", "dialog")
_DATES = (
    ("property", "article:published_time"),
    ("property", "article:modified_time"),
    ("name", "date"),
    ("name", "dc.date"),
    ("name", "pubdate"),
    ("itemprop", "datePublished"),
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([a-z0-9_.:-]{2,40})", re.I)
_FEED = re.compile(
    r"^\s*(<\?xml[^>]{0,300}\?>\s*)?(<!--.{0,2000}?-->\s*)*<(rss|feed|rdf:RDF)\b", re.S
)
_DATED = re.compile(r'"date(?:Published|Modified)"\s*:\s*"([^"]{8,40})"')
_BLANKS = re.compile(r"(?<![ \t])[ \t]++\n")
_GAPS = re.compile(r"\n{3,}")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_SHARE = 0.4
"""The part of all words that a page's own main part must have to stand for the page."""

_MOST_BYTES = 2_000_000
"""Bytes of a page that are looked at."""

_LONGEST_LINK = 500
_DEEPEST = 400
"""Elements in one another; the converter walks down by calling itself."""

_SCRIPTED = "shows nothing without JavaScript, which is not run; look for another source"


class _Words(MarkdownConverter):
    """Writes Markdown; a picture is its description alone, so that nobody loads it."""

    def convert_img(self, el: Tag, text: str, parent_tags: object) -> str:
        told = " ".join(str(el.get("alt") or "").split())[:200]
        return f"[picture: {told}]" if told else ""


def text_of_page(data: bytes, *, address: str, charset: str) -> FoundText:
    """Returns the readable text of HTML, or the entries of a feed; raises Unread."""
    named = [charset, *(found.decode() for found in _CHARSET.findall(data[:4096]))]
    text = decoded(data[:_MOST_BYTES], named)
    if _FEED.match(text[:5000]):
        return text_of_feed(data, address)
    try:
        soup = BeautifulSoup(text, "lxml")
        title, date = _title(soup), _date(soup, text)
        scripted = soup.find("script") is not None
        _reduce(soup)
        _link(soup, address)
        words = _converted(_main_part(soup))
    except RecursionError:
        raise Unread("is nested too deeply to be read") from None
    if not words:
        raise Unread(_SCRIPTED if scripted else "has no text")
    head = [f"# {title}"] if title and not words.startswith("# ") else []
    head += [f"Date: {date}"] if date else []
    whole = "\n\n".join([*head, words])
    cut = len(whole) > MOST_CHARACTERS or len(data) > _MOST_BYTES
    note = "only the beginning was read" if cut else ""
    return FoundText(whole[:MOST_CHARACTERS], note, "web page")


def _title(soup: BeautifulSoup) -> str:
    found = soup.find("meta", attrs={"property": "og:title"})
    told = found.get("content") if isinstance(found, Tag) else None
    title = soup.title.get_text() if soup.title is not None else ""
    return " ".join((title or str(told or "")).split())[:300]


def _date(soup: BeautifulSoup, text: str) -> str:
    """Returns the date that the page itself tells."""
    for key, value in _DATES:
        found = soup.find("meta", attrs={key: value})
        if isinstance(found, Tag) and (told := str(found.get("content") or "").strip()):
            return told[:40]
    if (written := _DATED.search(text)) is not None:
        return written[1]
    found = soup.find("time", attrs={"datetime": True})
    return str(found["datetime"]).strip()[:40] if isinstance(found, Tag) else ""


def _reduce(soup: BeautifulSoup) -> None:
    """Removes what no reader sees: code, forms, comments and hidden elements."""
    for comment in soup.find_all(string=lambda found: isinstance(found, Comment)):
        comment.extract()
    for each in soup.find_all(_UNSEEN):
        each.decompose()
    for each in soup.find_all(_is_hidden):
        if not each.decomposed:
            each.decompose()


def _is_hidden(tag: Tag) -> bool:
    if tag.name in ("body", "html"):
        return False
    return (
        tag.has_attr("hidden")
        or tag.get("aria-hidden") == "true"
        or _HIDDEN.search(str(tag.get("style") or "")) is not None
    )


def _link(soup: BeautifulSoup, address: str) -> None:
    """Makes every link whole; one that leads nowhere on the web becomes plain text."""
    base = soup.find("base", href=True)
    if isinstance(base, Tag):
        address = _whole(address, str(base["href"])) or address
    for link in soup.find_all("a"):
        target = str(link.get("href") or "").strip()
        whole = "" if target.startswith("#") else _whole(address, target)
        if not whole or not link.get_text(strip=True):
            link.unwrap()
        else:
            link.attrs = {"href": whole}


def _whole(address: str, target: str) -> str:
    try:
        whole = urljoin(address, target)
    except ValueError:
        return ""
    fit = len(whole) <= _LONGEST_LINK and whole.isprintable()
    return whole if fit and whole.startswith(("http://", "https://")) else ""


def _main_part(soup: BeautifulSoup) -> Tag:
    """Returns the page's own main part, or all of it without what stands around."""
    body = soup.body or soup
    everything = len(body.get_text())
    for found in _mains(soup):
        if len(found.get_text()) >= _SHARE * everything:
            return found
    around = body.find_all(lambda tag: tag.name in _AROUND or tag.get("role") in _AROUND_ROLES)
    left = everything - sum(len(each.get_text()) for each in around if _is_outer(each))
    if left >= _SHARE / 2 * everything:
        for each in around:
            if not each.decomposed and each.find(["h1", "article", "main"]) is None:
                each.decompose()
    return body


def _mains(soup: BeautifulSoup) -> Iterator[Tag]:
    yield from soup.find_all("main", limit=1)
    yield from soup.select("[role=main]", limit=1)
    articles = soup.find_all("article", limit=3)
    yield from articles if len(articles) == 1 else []


def _is_outer(tag: Tag) -> bool:
    return tag.find_parent(_AROUND) is None


def _converted(part: Tag) -> str:
    if _depth(part) > _DEEPEST:
        return _tidy(part.get_text("\n", strip=True))
    made = _Words(heading_style="ATX", bullets="-", escape_misc=False, strong_em_symbol="*")
    return _tidy(str(made.convert_soup(part)))


def _tidy(text: str) -> str:
    return _GAPS.sub("\n\n", _BLANKS.sub("\n", text.replace("\xa0", " "))).strip()


def _depth(part: Tag) -> int:
    """Returns the number of elements in one another, without calling itself."""
    deepest, level = 0, [(part, 1)]
    while level:
        tag, depth = level.pop()
        deepest = max(deepest, depth)
        level += [(child, depth + 1) for child in tag.children if isinstance(child, Tag)]
    return deepest
