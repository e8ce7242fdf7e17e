"""The files of the page: each script is small, and nothing comes from elsewhere."""

import re

from bot.adapters.web.rendering.static_files import FOLDER, static_url

SCRIPT = 8_500
"""Bytes of a script."""


def test_each_script_is_small_and_asks_for_nothing_that_the_policy_forbids() -> None:
    scripts = sorted(FOLDER.glob("*.js"))
    assert [path.name for path in scripts] == [
        "chat.js",
        "files.js",
        "late_words.js",
        "looking.js",
        "page.js",
    ]
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        assert len(text.encode()) <= SCRIPT
        for forbidden in (
            "eval(",
            "Function(",
            "import(",
            "document.write",
            ".style",
            'setAttribute("on',
        ):
            assert forbidden not in text, forbidden


def test_no_file_of_the_page_names_another_host() -> None:
    for path in (*FOLDER.iterdir(), *(FOLDER.parent / "templates").rglob("*.html")):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert re.findall(r"(?:https?:)?//[a-z]", text) == [], path.name


def test_the_address_of_a_file_names_its_content() -> None:
    assert re.fullmatch(r"/static/page\.js\?v=[0-9a-f]{12}", static_url("page.js"))
    assert static_url("page.js") != static_url("chat.js")
