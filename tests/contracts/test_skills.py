"""The port Skills, as the flow relies on it: in memory, and over folders."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import ToolFailure
from bot.ports.skills import Skills
from tests.fakes.clock import FakeClock
from tests.fakes.skills import FakeSkills


class Shelf(Protocol):
    """Skills with the two things a person does to them."""

    @property
    def skills(self) -> Skills: ...

    def put(self, name: str, next_skill: str | None = None) -> None: ...

    def take(self, name: str) -> None: ...


class MemoryShelf:
    def __init__(self) -> None:
        self.skills = FakeSkills(files={("one", "notes.md"): "Beside it."})

    def put(self, name: str, next_skill: str | None = None) -> None:
        folder = f"/skills/{name}"
        self.skills.put(Skill(name, f"Does {name}.", "Do it.", folder, next_skill=next_skill))

    def take(self, name: str) -> None:
        self.skills.take(name)


class FolderShelf:
    def __init__(self, root: Path) -> None:
        self._root = root
        self.skills = SkillFolders([root], root, {}, FakeClock())

    def put(self, name: str, next_skill: str | None = None) -> None:
        folder = self._root / name
        folder.mkdir(parents=True)
        more = f"next_skill: {next_skill}\n" if next_skill else ""
        head = f"---\nname: {name}\ndescription: Does {name}.\n{more}---\nDo it.\n"
        (folder / "SKILL.md").write_text(head)
        (folder / "notes.md").write_text("Beside it.")
        self.skills.load()

    def take(self, name: str) -> None:
        for file in (self._root / name).iterdir():
            file.unlink()
        (self._root / name).rmdir()
        self.skills.load()


@pytest.fixture(params=["memory", "folder"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    made: dict[str, Callable[[], Shelf]] = {
        "memory": MemoryShelf,
        "folder": lambda: FolderShelf(tmp_path / "skills"),
    }
    return made[request.param]()


async def test_nothing_is_known_of_nothing(shelf: Shelf) -> None:
    assert shelf.skills.known.ready == ()


async def test_what_is_known_is_the_same_value_until_something_changes(shelf: Shelf) -> None:
    shelf.put("one", next_skill="two")
    first = shelf.skills.known
    assert shelf.skills.known is first
    assert first.usable("one") is not None
    shelf.put("two")
    assert shelf.skills.known is not first
    assert first.usable("two") is None
    following = shelf.skills.known.following("one")
    assert following is not None
    assert following.fault == ""
    shelf.take("two")
    assert shelf.skills.known == first


async def test_a_file_is_read_by_skill_and_path(shelf: Shelf) -> None:
    shelf.put("one")
    assert await shelf.skills.read("one", "notes.md") == "Beside it."


@pytest.mark.parametrize(("skill", "path"), [("two", "notes.md"), ("one", "gone.md")])
async def test_what_is_not_there_is_a_failure_of_the_tool(
    shelf: Shelf, skill: str, path: str
) -> None:
    shelf.put("one")
    with pytest.raises(ToolFailure):
        await shelf.skills.read(skill, path)
