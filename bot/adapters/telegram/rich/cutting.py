"""Cuts the blocks of a rich message into messages that keep to the limits of the platform."""

from collections.abc import Sequence

from bot.adapters.telegram.rich.elements import HEADINGS, LONGEST, MOST_BLOCKS, blocks_in, text_of
from bot.adapters.telegram.rich.reading import BothForms


def cut(parts: Sequence[BothForms]) -> list[list[BothForms]] | None:
    """Returns the parts of each message, in order; None when one part alone is too large.

    A message ends between two blocks at the top, and a heading goes with the block after it.
    """
    messages: list[list[BothForms]] = [[]]
    length = blocks = 0
    for part in parts:
        size, count = len(text_of(part.blocks)), blocks_in(part.blocks)
        if length + size > LONGEST or blocks + count > MOST_BLOCKS:
            along = _headings(messages[-1])
            messages.append(along)
            length = sum(len(text_of(one.blocks)) for one in along)
            blocks = sum(blocks_in(one.blocks) for one in along)
            if length + size > LONGEST or blocks + count > MOST_BLOCKS:
                return None
        messages[-1].append(part)
        length, blocks = length + size, blocks + count
    return [message for message in messages if message]


def _headings(parts: list[BothForms]) -> list[BothForms]:
    """Takes the headings away that stand last, unless there is nothing else."""
    at = len(parts)
    while at and parts[at - 1].blocks[-1].tag in HEADINGS:
        at -= 1
    along = parts[at:] if at else []
    del parts[len(parts) - len(along) :]
    return along
