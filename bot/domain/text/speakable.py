"""Turns an answer in Markdown into words that can be spoken."""

import re
import unicodedata
from urllib.parse import urlsplit

from bot.domain.value import frozen

MOST_SPOKEN = 4_096
"""Characters that the services which speak take at once: about five minutes."""

_FENCE = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]+)*(`{3,}|~{3,})")
_CELL = re.compile(r"[ \t]*:?-+:?[ \t]*")
_RULE = re.compile(r"[ \t>]*(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,}|=+)")
_START = re.compile(r"[ \t]*(?:>[ \t]*|#{1,6}(?:[ \t]+|$)|[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?)")
_DEFINITION = re.compile(r"[ \t]*\[[^\]\n]+\]:[ \t]*\S")
_PICTURE = re.compile(r"!\[([^\[\]\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])?")
_LINK = re.compile(r"\[([^\[\]\n]+)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])")
_NOTE = re.compile(r"\[\^[^\[\]\n]+\]:?")
_ADDRESS = re.compile(
    r"<?(?<![a-zA-Z0-9])[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s<>]*>?|\bwww\.[^\s<>]+", re.ASCII
)
_TAG = re.compile(
    r"</?[a-zA-Z][a-zA-Z0-9-]*(?:\s[^<>]{0,200})?/?>|<!--(?:(?!<!--).){0,2000}?-->", re.DOTALL
)
_MARKS = re.compile(
    r"(?<![\\\s])\*+|(?<!\\)\*+(?=[^\s*])|(?<!\\)(?:~~+|\|\||`+|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w))"
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_SPACES = re.compile(r"[^\S\n]+")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_BEFORE_STOP = re.compile(r"[ \t]+([,.;:!?])")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)|[。！？]")  # the ends of sentences in Chinese
_AFTER_ADDRESS = ".,;:!?)\"'”’"
_UNSPOKEN = frozenset({"Cc", "Cn", "Co", "Cs", "So", "Sk"})
"""Kinds of characters without a sound: emoji, controls, accents that stand alone."""

_SPOKEN = frozenset("°№©®™^")
"""Characters of these kinds that have one."""

_WITHIN = frozenset("\ufe0e\ufe0f\u20e3")
"""Characters that change the look of the one before them."""

_READ = 10
"""Characters that are looked through for each one that may be spoken."""


@frozen
class Speakable:
    text: str = ""
    """The words, in paragraphs; empty when nothing can be spoken."""
    cut: bool = False
    """True when the answer goes on after them."""
    bare: bool = False
    """True when code or a table was left out."""


def speakable(markdown: str, most: int = MOST_SPOKEN) -> Speakable:
    """Returns the words of a text without code, tables and the addresses of links.

    Of a text with more than `most` characters the first whole paragraphs are taken; a first one
    that is too long itself ends with a sentence, or at least with a word.
    """
    lines, bare = _lines(markdown[: most * _READ])
    paragraphs = [words for part in _BLANK.split("\n".join(lines)) if (words := _spoken(part))]
    taken: list[str] = []
    room = most
    for words in paragraphs:
        if len(words) > room:
            if not taken:
                taken.append(_shortened(words, most))
            return Speakable("\n\n".join(taken), cut=True, bare=bare)
        taken.append(words)
        room -= len(words) + 2
    return Speakable("\n\n".join(taken), cut=len(markdown) > most * _READ, bare=bare)


def _lines(markdown: str) -> tuple[list[str], bool]:
    """Returns the lines that are neither code nor table, and whether something was left out."""
    kept: list[str] = []
    fence = ""
    in_table = bare = False
    for line in markdown.splitlines():
        found = _FENCE.match(line)
        if fence:
            closes = found is not None and found[1].startswith(fence) and line.strip() == found[1]
            fence = "" if closes else fence
        elif found is not None and not ("`" in found[1] and "`" in line[found.end() :]):
            fence, bare = found[1], True
            kept.append("")
        elif "|" in line and _is_below_columns(line):
            # The line before it has the names of the columns.
            in_table, bare = True, True
            kept = kept[:-1] if kept and "|" in kept[-1] else kept
            kept.append("")
        elif not (in_table and "|" in line):
            in_table = False
            kept.append("" if _RULE.fullmatch(line) or _DEFINITION.match(line) else line)
    return kept, bare


def _is_below_columns(line: str) -> bool:
    """Returns True for the line of dashes in a table."""
    cells = line.lstrip(" \t>").rstrip(" \t").removeprefix("|").removesuffix("|").split("|")
    return all(map(_CELL.fullmatch, cells))


def _spoken(paragraph: str) -> str:
    lines = (_line(line) for line in _TAG.sub(" ", paragraph).splitlines())
    return "\n".join(line for line in lines if any(map(str.isalnum, line)))


def _line(line: str) -> str:
    """Returns the words of a line without the signs of Markdown."""
    while found := _START.match(line):
        line = line[found.end() :]
    line = _without_closing_hashes(line)
    line = _NOTE.sub("", line)
    line = _PICTURE.sub(r"\1", line)
    for _ in range(2):  # a link around a picture is two links
        line = _LINK.sub(r"\1", line)
    line = _ADDRESS.sub(_host, line)
    line = _ESCAPED.sub(r"\1", _MARKS.sub("", line))
    sound = "".join(map(_sound, line))
    # Signs that went may have stood within an address, or before one.
    sound = sound.replace("://", " ")
    return _BEFORE_STOP.sub(r"\1", _SPACES.sub(" ", sound)).strip()


def _without_closing_hashes(line: str) -> str:
    whole = line.rstrip(" \t")
    words = whole.rstrip("#")
    closed = len(words) < len(whole) and words.endswith((" ", "\t"))
    return words.rstrip(" \t") if closed else line


def _sound(character: str) -> str:
    """Returns a character as it is spoken: a space for a picture, nothing for a mark of format."""
    kind = unicodedata.category(character)
    if kind == "Cf" or character in _WITHIN:
        return ""
    return " " if kind in _UNSPOKEN and character not in _SPOKEN else character


def _host(found: re.Match[str]) -> str:
    """Returns the name of a site in place of an address, with the stop behind it."""
    address = found[0].strip("<>")
    stop = address[len(address.rstrip(_AFTER_ADDRESS)) :]
    try:
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    except ValueError:
        host = ""
    return host.removeprefix("www.") + stop


def _shortened(words: str, most: int) -> str:
    """Returns the beginning of a long paragraph, up to the end of a sentence or of a word."""
    ends = [end.end() for end in _SENTENCE_END.finditer(words, 0, most + 1) if end.end() <= most]
    if ends:
        return words[: ends[-1]]
    beginning, _, _ = words[: most + 1].rpartition(" ")
    return beginning[:most].rstrip() or words[:most]
