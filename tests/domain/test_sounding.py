"""The rule of what makes a sound."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.change import Retract, Show, with_one_sound
from bot.domain.talk.message import Call, Outbound, OutboundKind
from bot.domain.value import replace

CONTENTS = st.builds(Outbound, st.sampled_from(OutboundKind), st.just(()), silent=st.booleans())
SHOWS = st.builds(Show, st.text(), st.integers(1, 3), CONTENTS, call=st.sampled_from(Call))
WRITES = st.lists(SHOWS | st.builds(Retract, st.integers(1, 3), st.just("t"), st.just("m")))


def loud(writes: object) -> list[Show]:
    assert isinstance(writes, tuple)
    return [one for one in writes if isinstance(one, Show) and not one.content.silent]


@given(WRITES, st.booleans())
def test_at_most_one_message_of_a_chat_sounds_and_only_one_that_calls(
    writes: list[Show | Retract], asked: bool
) -> None:
    sounding = loud(with_one_sound(writes, asked=asked))
    chats = [one.chat for one in sounding]
    assert len(set(chats)) == len(chats)
    assert all(one.call for one in sounding)
    assert not (asked and any(one.call is Call.NEEDS for one in sounding))


@given(WRITES, st.booleans())
def test_who_is_needed_or_was_waiting_for_the_end_hears_it(
    writes: list[Show | Retract], asked: bool
) -> None:
    writes = [_heard(one) for one in writes]
    sounding = loud(with_one_sound(writes, asked=asked))
    for chat in (1, 2, 3):
        shown = [one for one in writes if isinstance(one, Show) and one.chat == chat]
        needs = [one for one in shown if one.call is Call.NEEDS and not asked]
        ends = [one for one in shown if one.call is Call.DONE]
        wanted = (needs or ends)[:1]
        assert [one for one in sounding if one.chat == chat] == wanted


@given(WRITES, st.booleans())
def test_nothing_but_the_sound_changes_and_twice_is_once(
    writes: list[Show | Retract], asked: bool
) -> None:
    after = with_one_sound(writes, asked=asked)
    assert [_heard(one) for one in after] == [_heard(one) for one in writes]
    assert with_one_sound(after, asked=asked) == after


def _heard(write: Show | Retract) -> Show | Retract:
    if isinstance(write, Retract):
        return write
    return replace(write, content=replace(write.content, silent=False))
