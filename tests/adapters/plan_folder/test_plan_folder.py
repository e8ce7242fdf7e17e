"""Templates of plans in folders: read whole or named with what is wrong, never out of place."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.plan_folder import front_matter
from bot.adapters.plan_folder.plan_folder import PlanFolder
from bot.domain.plans.template import Argument, Template
from bot.ports.templates import Broken

ROOT = Path(__file__).resolve().parents[3]
GOOD = """---
name: report
description: A report of the week.
arguments:
  - folder
  - name: title
    description: Its heading.
    default: 47
---

1. Write {{title}} from {{folder}}.
"""


@pytest.fixture
def folders(tmp_path: Path) -> PlanFolder:
    (tmp_path / "own").mkdir()
    (tmp_path / "shipped").mkdir()
    return PlanFolder(tmp_path / "own", tmp_path / "shipped")


async def test_a_template_is_read_with_its_arguments(folders: PlanFolder, tmp_path: Path) -> None:
    (tmp_path / "own" / "report.md").write_text(GOOD)
    assert await folders.get("report") == Template(
        "report",
        "A report of the week.",
        (Argument("folder"), Argument("title", "Its heading.", "47")),
        "1. Write {{title}} from {{folder}}.",
    )


async def test_ones_own_templates_win_over_those_of_the_house(
    folders: PlanFolder, tmp_path: Path
) -> None:
    (tmp_path / "shipped" / "report.md").write_text(GOOD)
    (tmp_path / "shipped" / "other.md").write_text(GOOD.replace("report", "other"))
    (tmp_path / "own" / "report.md").write_text(GOOD.replace("the week", "the day"))
    found = await folders.all()
    assert [t.description for t in found if isinstance(t, Template)] == [
        "A other of the week.",
        "A report of the day.",
    ]


async def test_what_ships_with_the_program_can_be_used() -> None:
    found = await PlanFolder(ROOT / "nowhere", ROOT / "plans").all()
    assert len(found) >= 3
    for template in found:
        assert isinstance(template, Template), str(template)
        assert template.filled("notes")


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "begin with a line of three dashes"),
        ("---\nname: report\n", 2, "has no end"),
        ("---\nname: report\ndescription: [a\nx: 1\n---\n1. x\n", 4, "no YAML"),
        ("---\n- a\n---\n1. x\n", 1, "keys with values"),
        ("---\ndescription: x\n---\n1. x\n", 1, "the name is missing"),
        ("---\ndescription: x\nname: other\n---\n1. x\n", 3, "that of the file"),
        ("---\ndescription: x\nname: ../x\n---\n1. x\n", 3, "lower-case"),
        ("---\nname: report\n---\n1. x\n", 1, "the description"),
        ("---\nname: report\ndescription: 3\n---\n1. x\n", 3, "the description"),
        ("---\nname: report\ndescription: x\nargs: 1\n---\n1. x\n", 4, "none of"),
        ("---\nname: report\ndescription: x\narguments: 1\n---\n1. x\n", 4, "a list"),
        ("---\nname: report\ndescription: x\narguments: [A]\n---\n1. x\n", 4, "lower-case word"),
        ("---\nname: report\ndescription: x\narguments: [a, a]\n---\n1. x\n", 4, "same name"),
        (
            "---\nname: report\ndescription: x\narguments: [{name: a, description: [b]}]\n---\n",
            4,
            "description of a should be a text",
        ),
        ("---\nname: report\ndescription: x\n---\n\nwords\n", 5, "numbered steps"),
        ("---\nname: report\ndescription: x\nx: !!python/object:os.system\n---\n1. x\n", 4, "YAML"),
    ],
)
async def test_a_broken_file_is_named_with_its_line(
    folders: PlanFolder, tmp_path: Path, text: str, line: int, why: str
) -> None:
    (tmp_path / "own" / "report.md").write_text(text)
    broken = await folders.get("report")
    assert isinstance(broken, Broken)
    assert (broken.file, broken.line) == ("own/report.md", line)
    assert why in broken.why


@pytest.mark.parametrize(
    "value",
    [
        "!!timestamp soon",
        "!!bool perhaps",
        "!!int ''",
        "1:" * 300 + "1.5",
        "[{name: a, default: 0x" + "f" * 5_000 + "}]",
        "[" * 5_000,
    ],
)
async def test_a_value_that_is_not_what_it_says_harms_nothing_else(
    folders: PlanFolder, tmp_path: Path, value: str
) -> None:
    (tmp_path / "own" / "other.md").write_text(GOOD.replace("report", "other"))
    head = f"name: report\ndescription: x\narguments: {value}"
    (tmp_path / "own" / "report.md").write_text(f"---\n{head}\n---\n1. x\n")
    other, broken = await folders.all()
    assert isinstance(other, Template)
    assert isinstance(broken, Broken)
    assert "no YAML" in broken.why


async def test_nothing_out_of_the_folder_is_read(folders: PlanFolder, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(GOOD)
    (tmp_path / "own" / "report.md").symlink_to(tmp_path / "secret.md")
    found = await folders.get("report")
    assert isinstance(found, Broken)
    assert "link" in found.why
    for name in ("../secret", "/etc/passwd", "report.md", "Report", "", "a" * 65, "report\n"):
        assert await folders.get(name) is None


@pytest.mark.parametrize(
    ("data", "line", "why"),
    [(b"---\nname: \xff\n", 2, "UTF-8"), (b"x" * 200_001, 1, "bytes")],
)
async def test_binary_and_huge_files_harm_nothing(
    folders: PlanFolder, tmp_path: Path, data: bytes, line: int, why: str
) -> None:
    (tmp_path / "own" / "report.md").write_bytes(data)
    (tmp_path / "own" / "other.md").write_text(GOOD.replace("report", "other"))
    other, broken = await folders.all()
    assert isinstance(other, Template)
    assert isinstance(broken, Broken)
    assert (broken.line, why in broken.why) == (line, True)


@pytest.mark.parametrize("linked", [False, True])
async def test_a_pipe_in_the_place_of_a_template_is_named_and_never_waited_for(
    folders: PlanFolder, tmp_path: Path, linked: bool
) -> None:
    own = tmp_path / "own"
    own.mkdir(exist_ok=True)
    os.mkfifo(own / ("pipe" if linked else "report.md"))
    if linked:
        (own / "report.md").symlink_to("pipe")
    found = await folders.get("report")
    assert isinstance(found, Broken)
    assert found.why == "it is not a regular file"
    assert found in await folders.all()


async def test_a_saved_template_is_read_back_and_never_overwritten(
    folders: PlanFolder, tmp_path: Path
) -> None:
    template = Template("mine", "What “I” do: all of it #1", (), '1. write_file\n\n   {"a": "b"}')
    assert await folders.save(template) == "own/mine.md"
    assert await folders.get("mine") == template
    assert await folders.save(template) is None
    assert [p.name for p in (tmp_path / "own").iterdir()] == ["mine.md"]


plain = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1)


@given(
    plain.filter(str.strip),
    st.lists(
        st.builds(
            Argument,
            st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True),
            plain.map(str.strip),
            st.none() | plain,
        ),
        max_size=3,
        unique_by=lambda a: a.name,
    ),
)
def test_what_is_written_is_read_back(description: str, arguments: list[Argument]) -> None:
    told = " ".join(description.split())
    template = Template("any", told, tuple(arguments), "1. Do it.")
    assert front_matter.read(front_matter.write(template), "any.md", "any") == template


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("notes", "1. Write 47 from notes."),
        ("notes The week", "1. Write The week from notes."),
        ("title='My week' notes", "1. Write My week from notes."),
        ("folder=notes 'My week'", "1. Write My week from notes."),
        ("it's", "1. Write 47 from it's."),
    ],
)
def test_blanks_are_filled_by_order_and_by_name(words: str, expected: str) -> None:
    template = front_matter.read(GOOD, "report.md", "report")
    assert isinstance(template, Template)
    assert template.filled(words) == expected


def test_a_blank_without_a_value_is_asked_for_and_too_many_are_refused() -> None:
    template = front_matter.read(GOOD, "report.md", "report")
    assert isinstance(template, Template)
    with pytest.raises(ValueError, match="Which folder"):
        template.filled("")
    with pytest.raises(ValueError, match="too much"):
        template.filled("folder=a title=b c")
