"""Cuts a text into messages; a fence that is cut is closed and opened again."""

from collections.abc import Iterator, Sequence

from bot.adapters.discord.formatting import FENCE
from bot.domain.value import field, frozen

LONGEST = 2_000
_ROOM_FOR_FENCE = len(FENCE) + 1
_LONGEST_OPENING = 40
_OPENS, _CLOSES = "opens", "closes"


@frozen
class _Line:
    """A line, or a part of a long one; `fence` is the line that opened the code around it."""

    text: str
    fence: str = ""
    mark: str = ""
    """Tells a line that opens code from one that closes it; empty for all others."""
    size: int = field(init=False)
    """Its length in units of UTF-16 with its line end, counted once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", units(self.text) + 1)


def cut(text: str, longest: int = LONGEST) -> list[str]:
    """Returns parts of at most `longest` units of UTF-16, in order; blank ones are left out."""
    parts: list[str] = []
    held: list[_Line] = []
    size, room = 0, longest - _ROOM_FOR_FENCE
    for line in _lines(text, room - _LONGEST_OPENING - 1):
        # There is always room for the end of a fence.
        while held and line.mark != _CLOSES and size + line.size - 1 > room:
            border = _border(held, longest)
            parts.append(_joined(held[:border]))
            held = _reopened(held[border:], line)
            size = sum(one.size for one in held)
        held.append(line)
        size += line.size
    parts.append(_joined(held))
    return [part for part in parts if part.strip("`\n \t")]


def _lines(text: str, longest: int) -> Iterator[_Line]:
    fence = ""
    for line in text.split("\n"):
        if not line.startswith(FENCE):
            yield from (_Line(part, fence) for part in _parts(line, longest))
        elif fence:
            fence = ""
            yield _Line(FENCE, mark=_CLOSES)
        else:
            fence = line[:_LONGEST_OPENING]
            yield _Line(fence, mark=_OPENS)


def _parts(line: str, longest: int) -> Iterator[str]:
    """Yields a line in parts that fit, cut at a blank where there is one."""
    start = 0
    while (end := _end_within(line, start, longest)) < len(line):
        blank = line.rfind(" ", start + (end - start) // 2, end)
        end = blank if blank > start else end
        yield line[start:end]
        start = end + line.startswith(" ", end)
    yield line[start:]


def _end_within(line: str, start: int, longest: int) -> int:
    """Returns the end of a part from `start` that has at most so many units."""
    end = min(len(line), start + longest)
    while (over := units(line[start:end]) - longest) > 0:
        end -= max(over // 2, 1)
    return end


def _border(held: Sequence[_Line], longest: int) -> int:
    """Returns the number of lines of this part: up to a blank line if that leaves enough."""
    size, border = 0, len(held)
    for at, line in enumerate(held):
        size += line.size
        if size > longest // 4 and not line.text.strip() and not line.fence:
            border = at + 1
    # A fence that opens on the last line has nothing in it yet.
    return border - 1 if held[border - 1].mark == _OPENS and border > 1 else border


def _reopened(rest: Sequence[_Line], line: _Line) -> list[_Line]:
    """Returns the lines of the next part, below the fence that they stand in."""
    fence = (rest[0] if rest else line).fence
    return [_Line(fence, mark=_OPENS), *rest] if fence else list(rest)


def _joined(held: Sequence[_Line]) -> str:
    marks = [line.mark for line in held if line.mark]
    text = "\n".join(line.text for line in held).strip("\n")
    return f"{text}\n{FENCE}" if marks and marks[-1] == _OPENS else text


def units(text: str) -> int:
    """Returns the length of a text in units of UTF-16, which is never below Discord's own count."""
    return len(text) + sum(character > "\uffff" for character in text)
