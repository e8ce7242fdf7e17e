"""The body of a call: what is refused unread, and what is read to its bound."""

from collections.abc import Mapping
from typing import Any

import pytest

from bot.adapters.http_body import body_of, is_declared_over


@pytest.mark.parametrize(
    ("length", "over"),
    [
        ("0", False),
        ("10", False),
        ("11", True),
        ("9" * 5_000, True),
        ("0" * 5_000, True),
        ("", False),
        ("-1", False),
        ("٣٣", False),
        ("²", False),
    ],
)
def test_a_declared_length_of_any_kind_is_judged(length: str, over: bool) -> None:
    assert is_declared_over(length, 10) is over


@pytest.mark.parametrize(
    ("pieces", "kept"),
    [
        ([b"12345", b"67890"], b"1234567890"),
        ([b"12345", b"678901"], None),
        ([b""], b""),
    ],
)
async def test_a_body_is_read_to_its_bound(pieces: list[bytes], kept: bytes | None) -> None:
    assert await body_of(_Coming(pieces), 10) == kept


async def test_a_body_that_is_broken_off_is_none() -> None:
    coming = _Coming([b"123"], broken_off=True)
    assert await body_of(coming, 10) is None


class _Coming:
    """The events of one body, in its pieces."""

    def __init__(self, pieces: list[bytes], *, broken_off: bool = False) -> None:
        self._events: list[Mapping[str, Any]] = [
            {
                "type": "http.request",
                "body": piece,
                "more_body": broken_off or n < len(pieces),
            }
            for n, piece in enumerate(pieces, 1)
        ]
        self._events.append({"type": "http.disconnect"})

    async def __call__(self) -> Mapping[str, Any]:
        return self._events.pop(0)
