"""Names that no font can show are told by their row in the table."""

from bot.adapters.charts.fonts import OURS, Fonts

SABAEAN = "\U00010a60\U00010a61"
"""Letters of a script that no common font has."""


def test_a_name_that_no_font_can_show_becomes_its_row() -> None:
    assert Fonts([SABAEAN]).readable(SABAEAN, 3) == "row 3"


def test_a_name_loses_only_what_no_font_can_show() -> None:
    name = f"Анна {SABAEAN}"
    fonts = Fonts([name])
    assert fonts.readable(name, 1) == "Анна "
    assert fonts.families == [OURS]
