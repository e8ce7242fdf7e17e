"""A card names the places of a difference in words, and shows every line of it."""

from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.tools.difference import file_difference
from bot.domain.talk.hunks import in_words, readable
from bot.domain.talk.message import CodeBlock, Plain

_LINES = st.lists(
    st.sampled_from(["a", "b", "", "@@ -1,2 +1,2 @@", "— from line 3 —"]), max_size=60
)


@given(_LINES, _LINES)
def test_no_line_of_the_file_is_lost_and_each_place_is_that_of_the_line_below(
    old: list[str], new: list[str]
) -> None:
    gone, come = "\n".join(old), "\n".join(new)
    if gone == come:
        return
    raw = file_difference(gone, come)
    told = in_words(raw).split("\n")
    assert [line for line in told if line[:1] in " +-"] == [
        line for line in raw.split("\n") if line[:1] in " +-"
    ]
    assert not any(line.startswith("@@") for line in told)
    assert len("\n".join(told)) <= len(raw)
    for at, line in enumerate(told):
        if line.startswith("—"):
            number, below = int(line.split()[3]), told[at + 1]
            if below[0] in " -":
                assert gone.split("\n")[number - 1] == below[1:]


def test_the_beginning_of_a_file_needs_no_words_and_other_blocks_stay_as_they_are() -> None:
    assert in_words("@@ -1,1 +1,1 @@\n-a\n+b") == "-a\n+b"
    assert in_words("@@ -11,3 +11,4 @@\n one\n+two") == "— from line 11 —\n one\n+two"
    others = (Plain("@@ -2,1 +2,1 @@"), CodeBlock("@@ -2,1 +2,1 @@", "bash"))
    assert readable(others) == others
