"""Settings of the site that `make docs` builds from the pages, with Sphinx, MyST and Furo.

Its source is the whole checkout, so a link means the same in the site as in the repository.
"""

import re
from pathlib import Path
from shutil import copytree

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

project = html_title = "Steward"
root_doc = "docs/README"
include_patterns = ["CHANGELOG.md", "README.md", "docs/**.md", "plans/[a-z]*.md"]
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "furo"
html_copy_source = html_show_search_summary = html_show_sphinx = html_use_index = False

_ENTRY = re.compile(r"^- \[[^\]]*\]\(([^)#:]+)\.md\)", re.MULTILINE)


def _with_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Adds to a page that lists others the margin of the site, by the same list."""
    text = source[0]
    trees: dict[str, list[str]] = {}
    if page == root_doc:
        parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
        trees = {title: _ENTRY.findall(body) for title, _, body in parts}
        trees["Change the program"] = ["internals/README", "../CHANGELOG", "../README"]
    elif page == "docs/internals/README":
        trees[""] = _ENTRY.findall(text)
    elif page == "docs/decisions/README":
        trees[""] = ["0*"]
    elif page.startswith("plans/"):
        source[0] = text.replace("---\n", "---\norphan: true\n", 1)
    for title, pages in trees.items():
        options = ":hidden:\n:glob:" + (f"\n:caption: {title}" if title else "")
        source[0] += "\n".join(("", "```{toctree}", options, "", *pages, "```", ""))


def _with_pictures(app: Sphinx, fault: Exception | None) -> None:
    """Copies the pictures, which stand in pages as plain HTML, where the site looks for them."""
    pictures = Path("docs", "pictures")
    if (app.srcdir / pictures).is_dir():
        copytree(app.srcdir / pictures, app.outdir / pictures, dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    """Joins both to a build, and lets diagrams stand as the text that they are."""
    app.add_lexer("mermaid", TextLexer)
    app.connect("source-read", _with_contents)
    app.connect("build-finished", _with_pictures)
