"""Text as people see it before they consent."""

import sys
import unicodedata

from bot.domain.visible_text import one_line, shown_name, visible

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def test_every_character_that_shows_nothing_is_written_out() -> None:
    unseen = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in _UNSEEN]
    left = [ascii(c) for c in unseen if visible(c) == c and c not in "\n\t"]
    assert left == []
    assert [c for c in unseen if shown_name(c) == c] == []


def test_words_and_signs_stay_as_they_are() -> None:
    for text in ("Grüße, 世界! مرحبا שלום", "⚠️ ✅ 👍🏽", "a\tb\nc", "e\u0301"):
        assert visible(text) == text


def test_a_line_is_bounded_after_all_is_written_out() -> None:
    assert one_line("a\nb", 10) == "a\\nb"
    assert len(one_line("\u202e" * 100, 20)) == 20
