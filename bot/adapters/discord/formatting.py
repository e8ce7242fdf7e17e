"""Writes blocks of a message in the Markdown that Discord shows."""

import re
from collections.abc import Collection, Iterator
from typing import assert_never

from bot.adapters.discord.masked_links import judged
from bot.adapters.markdown_tables import laid_out
from bot.domain.talk.message import Block, CallBlock, CodeBlock, Markdown, Plain
from bot.domain.text.storable import storable
from bot.domain.text.visible_text import visible
from bot.domain.text.whole_addresses import ADDRESS

FENCE = "```"
_URL = re.compile(r"(https?://[^\s<>]+)")
_SIGNS = re.compile(r"[\\*_~`|]|<(?=[@#:/a-z])|\](?=\()")
_LINE_MARK = re.compile(r"^([ \t]*)(>|#{1,3} |-# |[-+] )|^([ \t]*\d{1,9})(?=[.)] )", re.MULTILINE)
_DEEP_HEADING = re.compile(r" {0,3}#{4,6}[ \t]+(?=[^ \t])")
_TASK = re.compile(r"^([ \t]*[-*+][ \t]+)\[([ xX])\](?=[ \t])")
_BARS = re.compile(r"\|\|")
_UNDERSCORES_END = r"(?<=[^\s_\\])__(?![\w_])"
_LAST_UNDERSCORES = re.compile(_UNDERSCORES_END)
_UNDERSCORES = re.compile(rf"{ADDRESS}|(?<![\w_\\])__(?=[^\s_])(?P<bold>.+?){_UNDERSCORES_END}")
_ELSEWHERE = re.compile(r"\[([^\[\]\n]+)\]\((?!https?://|<?https?:)<?([^()\s<>]+)>?\)")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_RULE = re.compile(r"^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,})[ \t]*$")
_MARKED = re.compile(r"^[ \t]*(?:[>#|`~☐☑─]|[-*+] |\d{1,9}[.)] |-# )")
_QUOTED = re.compile(r"^ {0,3}(?:>[ \t]?)+")
_PLUS = re.compile(r"^([ \t]*)\+(?=[ \t])")
_LINE = "─" * 10
_BLANKS = " \t"
_TICKS = re.compile(r"`+")
_BACKTICKS = re.compile(r"`(?=``)")
_BETWEEN_BACKTICKS = 3


def written(block: Block, *, whole: bool) -> str:
    """Returns a block as Discord reads it; with `whole` every character is visible."""
    text = visible(storable(block.text)) if whole else storable(block.text)
    match block:
        case Markdown():
            return markdown(text, block.hideable)
        case Plain(style=style):
            return "\n".join(_styled(line, style) for line in text.split("\n"))
        case CodeBlock():
            return in_fence(visible(storable(block.text)), block.language)
        case CallBlock():
            return _styled(visible(storable(block.text)), "aside")
        case _:
            assert_never(block)


def plain(text: str) -> str:
    """Escapes a text so that it is shown as it is; addresses stay links."""
    parts = _URL.split(text)
    parts[::2] = [_SIGNS.sub(r"\\\g<0>", part) for part in parts[::2]]
    return judged(_LINE_MARK.sub(r"\1\3\\\2", "".join(parts)), ())


def in_fence(text: str, language: str = "") -> str:
    """Returns code in a fence that nothing in it can close."""
    # An invisible sign parts three backticks: there is no longer fence on Discord.
    inner = _BACKTICKS.sub("`\u200b", text).strip("\n")
    mark = language if re.fullmatch(r"[\w+#-]{1,20}", language) else ""
    return f"{FENCE}{mark}\n{inner}\n{FENCE}"


def markdown(source: str, links: Collection[str] | None = ()) -> str:
    """Returns Markdown with what Discord does not know in another form; code stays as it is.

    `links` are the targets that words may hide; None when they may hide any.
    """
    # A table of too many cells stays as it is written.
    arranged = laid_out(source)
    done, fence = list[str](), ""
    for line in (source if arranged is None else arranged).split("\n"):
        opened = _fence_of(line)
        if fence:
            fence = "" if opened.startswith(fence) and not line.strip().strip(fence[0]) else fence
            done.append(_BACKTICKS.sub("`\u200b", line) if fence else FENCE)
        elif opened:
            fence = opened
            done.append(FENCE + line.strip().lstrip("`~").strip())
        elif done and _UNDERLINE.match(line) and _is_prose(done[-1]):
            # A line of signs below a line of words makes that a heading.
            done[-1] = f"{'#' if '=' in line else '##'} {done[-1].strip()}"
        elif line.strip() or (done and done[-1].strip()):
            # Discord would show each of several blank lines.
            done.append(_line(line))
    return judged("\n".join([*done, FENCE] if fence else done), links)


def _fence_of(line: str) -> str:
    """Returns the fence that a line opens or closes; empty for any other line."""
    found = re.match(r"[ \t]*(`{3,}|~{3,})", line)
    return found[1] if found else ""


def _is_prose(line: str) -> bool:
    return bool(line.strip()) and not _MARKED.match(line)


def _line(line: str) -> str:
    if heading := _DEEP_HEADING.match(line):
        words = line[heading.end() :]
        return f"**{words.rstrip('#').rstrip(_BLANKS) or words}**"
    if _RULE.match(line):
        return _LINE
    # Discord knows one depth of quotes, and takes three signs for a quote without an end.
    line = _QUOTED.sub("> ", line)
    line = _PLUS.sub(r"\1-", line)
    if line.endswith("\\") and not line.endswith("\\\\"):
        line = line[:-1]
    line = _TASK.sub(lambda found: found[1] + ("☐" if found[2] == " " else "☑"), line)
    parts, last = list[str](), 0
    for code in _codes(line):
        parts += [_prose(line[last : code.start]), line[code.start : code.stop]]
        last = code.stop
    return "".join((*parts, _prose(line[last:])))


def _codes(line: str) -> Iterator[range]:
    """Yields the places of code in a line: from backticks to the next ones of the same number."""
    ticks = [range(*found.span()) for found in _TICKS.finditer(line)]
    places: dict[int, list[range]] = {}
    for place in reversed(ticks):
        places.setdefault(len(place), []).append(place)
    done = 0
    for place in ticks:
        alike = places[len(place)]
        alike.pop()
        if place.start < done or not alike:
            continue
        done = alike[-1].stop
        yield range(place.start, done)


def _prose(text: str) -> str:
    """Returns words whose signs mean on Discord what they mean in Markdown.

    There two bars hide words, two underscores underline them, and a link leads to the web alone.
    """
    text = _BREAK.sub("\n", _ELSEWHERE.sub(r"\1 (`\2`)", _without_pictures(text)))
    return _BARS.sub(r"\\|\\|", "\n".join(map(_bold, text.split("\n"))))


def _without_pictures(text: str) -> str:
    """Returns words with links in place of pictures; each part is looked at once."""
    *before, last = text.split("](")
    parts = (part.rpartition("]") for part in before)
    linked = (f"{stood}{end}{words.replace('![', '[')}" for stood, end, words in parts)
    return "](".join((*linked, last))


def _bold(line: str) -> str:
    """Returns words bold that stand between two underscores.

    Behind the last end nothing is looked for, or each begin there would be looked at to the end.
    """
    end = max((found.end() for found in _LAST_UNDERSCORES.finditer(line)), default=0)
    return _UNDERSCORES.sub(_in_stars, line[:end]) + line[end:]


def _in_stars(found: re.Match[str]) -> str:
    return found[0] if found["bold"] is None else f"**{found['bold']}**"


def _styled(line: str, style: str) -> str:
    if not style or not line.strip():
        return plain(line)
    parts = line.split("`")
    if len(parts) == _BETWEEN_BACKTICKS and parts[1]:
        before, after = (_weighted(part, style) for part in parts[::2])
        shown = f"{before}`{parts[1]}`{after}"
    else:
        shown = _weighted(line, style)
    return f"-# {shown}" if style == "aside" else shown


def _weighted(text: str, style: str) -> str:
    return f"**{plain(text)}**" if style == "title" and text.strip() else plain(text)
