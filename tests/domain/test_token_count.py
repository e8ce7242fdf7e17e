"""The estimate of tokens; the counts beside the texts are the larger ones of two tokenizers."""

import pytest

from bot.domain.memory.token_count import tokens_of


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        (
            "The second act of the opera is longer than the first one, and it is in Italian. " * 9,
            172,
        ),
        ("Der Drucker im Büro hat kein Papier mehr, bitte bestelle bald neues. " * 9, 190),
        ("明天下午三点开会,请准备好报告。" * 9, 153),
        ('{"id": "a1", "value": 1.5, "name": "x_y"}, ' * 9, 199),
    ],
)
def test_tokens_are_estimated_within_a_fifth(text: str, counted: int) -> None:
    assert 0.8 * counted < tokens_of(text) < 1.2 * counted


def test_an_empty_text_has_hardly_a_token() -> None:
    assert tokens_of("") <= 1
