import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.figure import Figure
from benchmarks.machine import description
from benchmarks.pages import IN_README, write_pages
from benchmarks.process import ROOT

FIGURES = "docs/internals/figures.md"
_ROW = re.compile(r"^\| ([^|]*) \| (.*) \|$", re.MULTILINE)


def test_the_machine_is_told_with_what_its_disk_takes_for_a_commit() -> None:
    assert re.search(r"cores, .* a durable commit takes \d+\.\d ms$", description(), re.MULTILINE)


def test_the_readme_shows_five_of_the_figures_as_they_stand_in_their_page() -> None:
    shown, known = figures_in(ROOT / "README.md"), figures_in(ROOT / FIGURES)
    assert [name for name, _ in shown] == list(IN_README)
    assert (len(shown), len(known) > 30) == (5, True)
    assert set(shown) - set(known) == set()


def test_a_whole_run_replaces_the_figures_of_both_pages_and_leaves_their_words(
    pages: Path,
) -> None:
    before = {page: outside(page) for page in (pages / "README.md", pages / FIGURES)}
    names = [name for name, _ in figures_in(pages / FIGURES)]
    write_pages(pages, numbered(names), "A machine\ncommit 123")
    assert [name for name, _ in figures_in(pages / FIGURES)] == names
    cells = dict(figures_in(pages / "README.md"))
    assert list(cells) == list(IN_README)
    assert cells["Start to the first poll"] == "1,000 s | 999 s | 1 s | ≤ 1 s"
    assert {page: outside(page) for page in before} == before
    assert all("A machine; commit 123." in page.read_text() for page in before)


def test_a_run_without_a_figure_of_the_readme_writes_nothing(pages: Path) -> None:
    before = (pages / FIGURES).read_text()
    with pytest.raises(ValueError, match="10,000 open cards"):
        write_pages(pages, numbered(IN_README[:-1]), "A machine")
    assert (pages / FIGURES).read_text() == before


def test_a_page_without_its_markers_is_told_and_nothing_is_written(pages: Path) -> None:
    before = (pages / FIGURES).read_text()
    (pages / "README.md").write_text("# Steward\n")
    with pytest.raises(ValueError, match="README"):
        write_pages(pages, numbered(IN_README), "A machine")
    assert (pages / FIGURES).read_text() == before


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Returns a folder with copies of both pages."""
    (tmp_path / FIGURES).parent.mkdir(parents=True)
    for name in ("README.md", FIGURES):
        (tmp_path / name).write_text((ROOT / name).read_text())
    return tmp_path


def numbered(names: Sequence[str]) -> list[Figure]:
    """Returns a figure of each name, each with a value of its own."""
    return [Figure(name, 1000 + n, "s", 999 + n, "≤ 1 s") for n, name in enumerate(names)]


def figures_in(page: Path) -> list[tuple[str, str]]:
    """Returns the name and the other cells of each figure that a page shows."""
    block = page.read_text().partition("<!-- figures -->")[2].partition("<!-- /figures -->")[0]
    return _ROW.findall(block)[1:]


def outside(page: Path) -> tuple[str, str]:
    """Returns the text of a page before and behind its figures."""
    before, _, rest = page.read_text().partition("<!-- figures -->")
    return before, rest.partition("<!-- /figures -->")[2]
