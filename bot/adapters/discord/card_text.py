"""Makes a card one message: its longest content is cut, and a file beside it has the whole."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.adapters.discord.cutting import LONGEST, units
from bot.domain.talk.message import Block, CodeBlock, FileRef, Outbound, Plain

_FILE = "content.txt"
_LEAST = 200
"""Characters of a content that are worth showing; with less a card comes in several messages."""

_ROOM_FOR_FENCE = 40


def fitted(content: Outbound, written: Callable[[Sequence[Block]], str]) -> Outbound:
    """Returns a card that is one message once `written`, where cutting one content does that."""
    if units(written(content.blocks)) <= LONGEST - _ROOM_FOR_FENCE:
        return content
    codes = [block for block in content.blocks if isinstance(block, CodeBlock)]
    longest = max(codes, key=lambda block: len(block.text), default=None)
    if longest is None:
        return content
    at = next(n for n, block in enumerate(content.blocks) if block is longest)

    def fits(keep: int) -> bool:
        return units(written(with_only(keep))) <= LONGEST - _ROOM_FOR_FENCE

    def with_only(keep: int) -> Sequence[Block]:
        shown = _cut(longest, keep, told=bool(content.files))
        return (*content.blocks[:at], *shown, *content.blocks[at + 1 :])

    # What is shown may be longer than what it stands for: signs that nobody sees are named.
    keep = bisect_left(range(len(longest.text)), True, lo=_LEAST, key=lambda n: not fits(n)) - 1
    if keep < _LEAST:
        return content
    whole = FileRef("", _FILE, text=longest.text)
    blocks = tuple(with_only(keep))
    return replace(content, blocks=blocks, files=content.files or (whole,))


def _cut(code: CodeBlock, keep: int, *, told: bool) -> Sequence[Block]:
    """Returns the beginning of a content; with `told` the card itself says where the rest is."""
    head = code.text[:keep]
    head = head[: head.rfind("\n")] if "\n" in head[keep // 2 :] else head
    left = len(code.text) - len(head)
    note = Plain(f"… and {left:,} characters more: the file below has all of it.")
    return (replace(code, text=head), *(() if told else (note,)))
