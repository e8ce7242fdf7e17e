"""Finds the skills that a search left out, so that people learn why they are not there."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePath

from bot.adapters.skill_folder.skill_tree import DEEPEST, MOST_FOLDERS, NAME, Spot
from bot.domain.skills.skill import SkillFault

_NEVER = frozenset({".git", "node_modules", "venv", ".venv", "site-packages", "__pycache__"})
"""Folders of other programs: nobody expects skills in them."""

_BELOW = "below another skill, since files there belong to that skill"
_DEEP = f"more than {DEEPEST} folders down"


def left_out(roots: Collection[Path], spots: Mapping[str, Spot]) -> Iterator[SkillFault]:
    """Yields one fault for each folder of a root that holds skills besides those that were found.

    `spots` are the places that were found, by the path of their file. Blocks.
    """
    known = {file for file, spot in spots.items() if not spot.fault}
    for root in roots:
        for top in sorted(_folders(root)):
            file = f"{top}/{NAME}"
            if top.is_symlink() and file in spots and file not in known:
                continue  # a link that is not followed
            reasons = Counter(_reason(top, missed, known) for missed in _missed(top, known))
            if reasons:
                yield SkillFault(file, 0, _told(reasons))


def _folders(root: Path) -> Iterator[Path]:
    try:
        inside = list(root.iterdir())
    except OSError:
        return
    yield from (one for one in inside if one.name not in _NEVER and one.is_dir())


def _missed(top: Path, known: Collection[str]) -> Iterator[PurePath]:
    for folder, inner, files in islice(os.walk(top), MOST_FOLDERS):
        inner[:] = (name for name in inner if name not in _NEVER)
        if NAME in files and f"{folder}/{NAME}" not in known:
            yield PurePath(folder, NAME)


def _reason(top: Path, file: PurePath, known: Collection[str]) -> str:
    below = file.parent.relative_to(top.parent).parts
    hidden = next((name for name in below if name.startswith((".", "_"))), None)
    if hidden is not None:
        return f"in {hidden}, whose name begins with “{hidden[0]}”"
    above = (f"{folder}/{NAME}" for folder in file.parent.parents)
    return _BELOW if any(one in known for one in above) else _DEEP


def _told(reasons: Counter[str]) -> str:
    parts = [f"{count} {reason}" for reason, count in reasons.most_common(3)]
    more = reasons.total() - sum(count for _, count in reasons.most_common(3))
    told = "; ".join([*parts, *([f"{more} in other places"] if more else [])])
    word = "skill is" if reasons.total() == 1 else "skills are"
    return (
        f"{reasons.total()} {word} left out: {told}. To have them, put a link to the folder that "
        "holds them next to this one"
    )
