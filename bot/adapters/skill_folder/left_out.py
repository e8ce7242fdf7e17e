"""Finds the skills that a search left out, so that people learn why they are not there."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path, PurePath

from bot.adapters.skill_folder.skill_tree import DEEPEST, MOST_FOLDERS, NAME, Spot
from bot.domain.skills.skill import SkillFault

_NEVER = frozenset({".git", "node_modules", "venv", ".venv", "site-packages", "__pycache__"})
"""Folders of other programs: nobody expects skills in them."""

_BELOW = "below another skill, which they would belong to"
_DEEP = f"more than {DEEPEST} folders down"
_MOST_NAMED = 3
"""Folders that a fault names; of more it tells the number."""


def left_out(roots: Collection[Path], spots: Mapping[str, Spot]) -> Iterator[SkillFault]:
    """Yields one fault for each folder of a root that holds skills which are found on no way.

    `spots` are the places that were found, by the path of their file. A skill that a link brings
    in is found, wherever it lies. The fault's file is the folder. Blocks.
    """
    real = cache(os.path.realpath)
    found = [spot for spot in spots.values() if not spot.fault]
    known = {f"{real(spot.top)}{spot.file.removeprefix(spot.top)}" for spot in found}
    for root in roots:
        if (root / NAME).is_file():
            helps = f"Make a folder for it in {root.name}, and move it there with its files"
            yield SkillFault(str(root / NAME), 0, "a skill needs a folder of its own", helps=helps)
        for top in sorted(_folders(root)):
            if top.is_symlink() and f"{top}/{NAME}" in spots and not _leads(top, found):
                continue  # a link that is not followed
            base = Path(real(str(top)))
            missed = Counter(
                _place(PurePath(top.name), base, file, known) for file in _missed(base, known)
            )
            if missed:
                yield _fault(root, top, missed)


def searched_by_links(spots: Collection[Spot]) -> Collection[str]:
    """Returns the folders around those to which links with skills lead. Blocks."""
    links = {spot.top for spot in spots if not spot.fault and Path(spot.top).is_symlink()}
    return {str(around) for link in links for around in Path(link).resolve().parents}


def _leads(top: Path, found: Collection[Spot]) -> bool:
    return any(spot.top == str(top) for spot in found)


def _folders(root: Path) -> Iterator[Path]:
    try:
        inside = list(root.iterdir())
    except OSError:
        return
    yield from (one for one in inside if one.name not in _NEVER and one.is_dir())


def _missed(base: Path, known: Collection[str]) -> Iterator[PurePath]:
    for folder, inner, files in islice(os.walk(base), MOST_FOLDERS):
        inner[:] = (name for name in inner if name not in _NEVER)
        if NAME in files and f"{folder}/{NAME}" not in known:
            yield PurePath(folder, NAME)


def _place(name: PurePath, base: Path, file: PurePath, known: Collection[str]) -> tuple[str, str]:
    """Returns the folder to which a link would bring the skill in, and why it is left out."""
    skill = file.parent
    alone = skill == base or Path(skill.parent, NAME).exists()
    holder = str(name / (skill if alone else skill.parent).relative_to(base))
    hidden = next((n for n in (name / skill.relative_to(base)).parts if n[0] in "._"), None)
    if hidden is not None:
        return holder, f"since I skip names that begin with “{hidden[0]}”"
    above = (f"{folder}/{NAME}" for folder in skill.parents)
    return holder, _BELOW if any(one in known for one in above) else _DEEP


def _fault(root: Path, top: Path, missed: Counter[tuple[str, str]]) -> SkillFault:
    count = missed.total()
    named = missed.most_common(_MOST_NAMED)
    parts = [f"{many} in {holder}, {why}" for (holder, why), many in named]
    more = count - sum(many for _, many in named)
    told = "; ".join([*parts, *([f"{more} in other folders"] if more else [])])
    left = "1 skill is left out" if count == 1 else f"{count} skills are left out"
    which = "that folder" if len(missed) == 1 else "each of these folders"
    helps = f"To have {'it' if count == 1 else 'them'}, put a link to {which} into {root.name}"
    return SkillFault(str(top), 0, f"{left}: {told}", helps=helps)
