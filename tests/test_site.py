"""The site of the documentation, as `make docs` builds it: whole, searchable, with nothing fetched.

A link that leads nowhere ends the build. Nothing of a page is loaded from another host.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.lacking import missing

ROOT = Path(__file__).resolve().parents[1]
_SPHINX = "-m sphinx --quiet --fail-on-warning --keep-going"
_LOADED = re.compile(
    r"<(?:link|script|img|iframe|source|object)\b[^>]*?\b(?:src|href)=\"([^\"]*)\""
)
_STYLED = re.compile(r"(?:url\(|@import\s+)[\s\"']*([^\s\"')]+)")
_FOREIGN = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)


def built(source: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Builds the site of a checkout as `make docs` does."""
    if importlib.util.find_spec("furo") is None:
        missing("the generator of the site is not installed", "make docs")
    assert f"$(PY) {_SPHINX} -c docs" in (ROOT / "Makefile").read_text()
    places = ["-c", source / "docs", "--doctree-dir", out / "trees", source, out / "site"]
    command = [sys.executable, *_SPHINX.split(), *map(str, places)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_site_is_whole_and_searchable_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    done, site = built(ROOT, tmp_path), tmp_path / "site"
    assert (done.returncode, done.stderr) == (0, "")
    pages = [page.relative_to(ROOT) for page in (ROOT / "docs").rglob("*.md")]
    assert len(pages) > 90
    assert [page for page in pages if not (site / page).with_suffix(".html").is_file()] == []
    assert '"bubblewrap"' in (site / "searchindex.js").read_text()

    loaded = [
        (page, link) for page in site.rglob("*.html") for link in _LOADED.findall(page.read_text())
    ]
    pictures = [page.parent / link for page, link in loaded if link.endswith(".svg")]
    assert len(pictures) > 10
    assert [picture for picture in pictures if not picture.is_file()] == []
    styles = list(site.rglob("*.css"))
    styled = [link for style in styles for link in _STYLED.findall(style.read_text())]
    assert len(styles) > 2
    assert [one for one in {link for _, link in loaded} | {*styled} if _FOREIGN.match(one)] == []


def test_a_foreign_address_is_told() -> None:
    page = '<link rel="x" href="//fonts.example/a.css"><script src="https://cdn.example/a.js">'
    style = "@import 'http://a.example/b.css'; a { src: url(\"https://fonts.example/f.woff\") }"
    found = [*_LOADED.findall(page), *_STYLED.findall(style)]
    assert len([link for link in found if _FOREIGN.match(link)]) == 4


def test_a_link_that_leads_nowhere_ends_the_build(tmp_path: Path) -> None:
    source = tmp_path / "checkout"
    (source / "docs").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "conf.py", source / "docs")
    (source / "README.md").write_text("# Steward\n")
    (source / "docs" / "README.md").write_text("# Pages\n\n[a](gone.md)\n[b](#gone)\n")
    done = built(source, tmp_path)
    assert done.returncode != 0
    assert done.stderr.count("myst.xref_missing") == 2
