"""Addresses in texts: who wrote them, and how an answer shows them."""

import pytest

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
