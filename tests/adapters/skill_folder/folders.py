"""Folders of skills for tests."""

from collections.abc import Mapping
from pathlib import Path

from bot.adapters.skill_folder.skill_folders import SkillFolders
from tests.fakes.clock import FakeClock


def skill_file(root: Path, name: str, head: str = "", body: str = "Do it.") -> Path:
    """Writes a SKILL.md with more lines of front matter; returns its path."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "SKILL.md"
    file.write_text(f"---\nname: {name}\ndescription: Does {name}.\n{head}---\n\n{body}\n")
    return file


def loaded(
    *roots: Path, home: Path | None = None, environ: Mapping[str, str] | None = None
) -> SkillFolders:
    """The skills below these folders, read once."""
    folders = SkillFolders(roots, home or roots[0].parent, environ or {}, FakeClock())
    folders.load()
    return folders
