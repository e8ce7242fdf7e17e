"""The difference on a card is what the edit does, no more and no less."""

from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.tools.difference import passage_difference

_TEXTS = st.text(st.sampled_from("ab\n"), max_size=40)


@given(_TEXTS, _TEXTS.filter(bool), _TEXTS, _TEXTS)
def test_without_one_sign_it_is_the_text_before_and_without_the_other_the_text_after(
    head: str, old: str, new: str, tail: str
) -> None:
    text, changed = head + old + tail, head + new + tail
    sign, *lines = passage_difference(text, len(head), old, new).split("\n")
    start = int(sign.split()[1].partition(",")[0][1:]) - 1
    before = [line[1:] for line in lines if line[0] in " -"]
    after = [line[1:] for line in lines if line[0] in " +"]
    assert text.split("\n")[start : start + len(before)] == before
    assert changed.split("\n")[start : start + len(after)] == after
    untouched = len(text.split("\n")) - len(before), len(changed.split("\n")) - len(after)
    assert untouched[0] == untouched[1]
