"""Addresses in texts: who wrote them, and how an answer shows them."""

import pytest

from bot.adapters.telegram.markdown import formatted
from bot.domain.web_links import bared, stands_in

READ = ["see https://example.org/a/b?x=1. and (docs.python.org/3/)", "[q](https://shop.com/q)"]


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/a/b?x=1",
        "http://example.org/a/b?x=1#part",
        "https://docs.python.org/3",
        "https://www.shop.com/q/",
    ],
)
def test_an_address_that_was_read_is_known(address: str) -> None:
    assert stands_in(address, READ)


@pytest.mark.parametrize(
    "address",
    [
        "https://shop.com/q?d=hunter2",
        "https://example.org/a/b?x=12",
        "https://ample.org/a/b?x=1",
        "https://hunter2.shop.com/q",
        "https://shop.com/q/hunter2",
        "",
    ],
)
def test_an_address_that_was_built_is_not_known(address: str) -> None:
    assert not stands_in(address, READ)


def test_a_built_link_is_bare_and_no_picture_is_loaded() -> None:
    text = (
        "[press](https://shop.com/q?d=hunter2) ![cat](https://shop.com/cat.png) "
        "[known](https://shop.com/q) [odd](<https://shop.com/a b>) [ref]\n\n"
        "[ref]: https://shop.com/r?d=1\nThe end."
    )
    assert bared(text, READ) == (
        "press: https://shop.com/q?d=hunter2 cat: https://shop.com/cat.png "
        "[known](https://shop.com/q) odd: https://shop.com/a b [ref]\n\n"
        "ref: https://shop.com/r?d=1\nThe end."
    )


def test_code_stays_as_it_is() -> None:
    text = "`[a](https://x.y/z)`\n```\n![a](https://x.y/z)\n```\nend"
    assert bared(text, []) == text


@pytest.mark.parametrize(
    "text",
    [
        "[a [b] c](https://evil.example/?d=1)",
        "[two\nlines](https://evil.example/?d=1)",
        "[a \\] b](https://evil.example/?d=1)",
        "[x](https&#58;//evil.example/?d=1)",
        "[x](//evil.example/?d=1)",
        "[x](evil.example/?d=1)",
        "[x](tg://resolve?domain=evil&text=hunter2)",
        "[x](mailto:eve@evil.example?body=hunter2)",
        "[x](  <https://evil.example/?d=1>  'title')",
        "> [x]: https://evil.example/?d=1\n\n[x]",
        "- [x]: https://evil.example/?d=1\n\n[x]",
        "[x]:\nhttps://evil.example/?d=1\n\n[x]",
        "[x\ny]: https://evil.example/?d=1\n\n[x y]",
        "` [x](https://evil.example/?d=1) ``",
        "\\`[x](https://evil.example/?d=1)`",
        "```a`b\n[x](https://evil.example/?d=1)\n```",
        "- a\n   ```\n[x](https://evil.example/?d=1)",
        "![a](https://evil.example/p.png)",
        "[![a](https://evil.example/p.png)](https://evil.example/?d=1)",
        "# [x](https://evil.example/?d=1)",
        "|a|\n|-|\n|[x](https://evil.example/?d=1)|",
        "<a href='https://evil.example/?d=1'>x</a>",
    ],
)
def test_no_form_of_a_link_hides_a_built_address_on_the_screen(text: str) -> None:
    shown = formatted(bared(text, READ))
    hidden = [s for s in shown.spans if s.url and shown.text[s.start : s.end] not in s.url]
    assert hidden == []
    assert "evil" in shown.text


@pytest.mark.parametrize("text", ["[a](#part)", "[b](notes/todo)", "[c](https://shop.com/q)"])
def test_a_harmless_link_stays(text: str) -> None:
    assert bared(text, READ) == text
