"""Turns Markdown into formatted text; no Markdown is refused."""

import re
from bisect import bisect_left
from collections.abc import Collection
from urllib.parse import urlsplit

from telegramify_markdown import MessageEntity, RenderConfig, convert

from bot.adapters.markdown_tables import laid_out
from bot.adapters.telegram.mending import mended
from bot.adapters.telegram.rich_text import RichText, Span, in_order, utf16_offsets
from bot.domain.tools.web_links import behind

_KINDS = frozenset(
    {"bold", "italic", "underline", "strikethrough", "code", "pre", "blockquote", "text_link"}
)
_HOST = re.compile(r"[^\s/?#@]+\.[^\s/?#@.]+")
# Each list within a list on one line is indented further: a few kB would become megabytes.
# A line of dashes alone is none: a space follows the mark of a list.
_TOO_DEEP = re.compile(r"^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){20}", re.MULTILINE)
# The time for signs of mathematics grows with the square of their number.
_FORMULA = ("\\(", "\\)", "\\[", "\\]", "\\begin")
_MOST_SIGNS = 1_500
# And so does the time for empty blocks of code.
_FENCES = ("```", "~~~")
_MOST_FENCES = 1_000
# The costliest of the other Markdown takes seconds at this length, and more than its share above.
_LONGEST = 100_000
_CODE_MARK = re.compile(r"`|^(?: {4}|\t)", re.MULTILINE)
_BACKSLASH_ITSELF = re.compile(r"(?<!\\)(?:\\\\)+[()\[\]]")


def _plain_signs() -> RenderConfig:
    """The library's signs, less those that add to the words or mislead."""
    config = RenderConfig.isolated()
    config.cite_expandable = False
    signs = config.markdown_symbol
    signs.heading_level_1 = signs.heading_level_2 = ""
    signs.heading_level_3 = signs.heading_level_4 = ""
    signs.unordered_list_item = "•"
    signs.task_completed, signs.task_uncompleted = "☑", "☐"
    return config


_CONFIG = _plain_signs()


def formatted(source: str, links: Collection[str] | None = ()) -> RichText:
    """Reads Markdown; a text that cannot be read safely is shown as it is written.

    `links` are the targets that words may hide; None when they may hide any.
    """
    safe = None if is_costly(source) else mended(source)
    arranged = None if safe is None else laid_out(safe)
    if safe is None or arranged is None:
        return RichText(source)
    # The library would also rewrite what looks like mathematics inside code, or is escaped.
    plain = _CODE_MARK.search(safe) or _BACKSLASH_ITSELF.search(safe)
    mathematics = "\\" in safe and not plain
    text, entities = convert(arranged, latex_escape=mathematics, config=_CONFIG)
    offsets = utf16_offsets(text)
    spans = in_order(_span(e, offsets) for e in entities if e.type in _KINDS)
    return _with_targets(RichText(text, spans), links).trimmed()


def is_costly(source: str) -> bool:
    """Tells if reading it takes the library far longer than its length would."""
    if len(source) > _LONGEST:
        return True
    signs = source.count("$") + sum(source.count(sign) for sign in _FORMULA)
    if sum(source.count(fence) for fence in _FENCES) > _MOST_FENCES:
        return True
    return signs > _MOST_SIGNS or _TOO_DEEP.search(source) is not None


def _span(entity: MessageEntity, offsets: list[int] | range) -> Span:
    start = bisect_left(offsets, entity.offset)
    end = bisect_left(offsets, entity.offset + entity.length)
    return Span(entity.type, start, end, entity.url, entity.language)


def _with_targets(rich: RichText, links: Collection[str] | None) -> RichText:
    """Turns links that words may not hide into text, with their target behind it.

    Neither may they hide a target that the platform would refuse.
    """
    kept: list[Span] = []
    targets: dict[int, str] = {}
    for span in rich.spans:
        if span.kind != "text_link":
            kept.append(span)
            continue
        words, url = rich.text[span.start : span.end], span.url or ""
        live = is_live(url)
        told = behind(words, url, links if live else ())
        if live and not told:
            kept.append(span)
        else:
            targets[span.end] = f"{targets.get(span.end, '')}{told}"
    if len(kept) == len(rich.spans):
        return rich
    return RichText(rich.text, tuple(kept)).with_inserted(targets)


def is_live(url: str) -> bool:
    """Tells if the platform takes it as a link target."""
    if not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.scheme == "tg":
        return re.fullmatch(r"tg://[\w-]+(\?\S*)?", url) is not None
    return parts.scheme in ("http", "https") and _HOST.fullmatch(host) is not None
