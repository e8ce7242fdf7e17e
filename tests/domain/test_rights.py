"""Rights and pace: what is refused, and the written form of a pace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.talk.person import Person, Role
from bot.domain.talk.reach import Level, Reach, farthest, reaches
from bot.domain.talk.rights import EVERYTHING, NOTHING, UNBOUND, Pace, Rights, read_pace

COUNTS = st.none() | st.integers(1, 999_999)
PACES = st.builds(Pace, COUNTS, COUNTS, COUNTS)
NAMES = st.sampled_from(["run_command", "look", "write"])
LEVELS = st.none() | st.sampled_from(Level)
REACHES = st.sampled_from(Reach)
RIGHTS = st.builds(
    Rights, st.booleans(), LEVELS, st.none() | st.lists(NAMES, unique=True).map(tuple)
)


@given(PACES)
def test_a_pace_reads_as_it_is_written(pace: Pace) -> None:
    assert read_pace(str(pace)) == pace


@given(PACES)
def test_a_pace_has_a_bound_for_each_count(pace: Pace) -> None:
    counts = [pace.minute, pace.hour, pace.day]
    assert [bound.count for bound in pace.bounds] == [n for n in counts if n is not None]


@pytest.mark.parametrize(
    "text",
    ["", "20", "0/min", "-1/h", "20/s", "1/min,2/min", "1.5/h", "²/d", "9999999/d", "1/min,"],
)
def test_what_is_no_pace_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="20/min"):
        read_pace(text)


@given(RIGHTS, NAMES)
def test_a_tool_is_refused_exactly_when_a_right_to_it_is_missing(rights: Rights, name: str) -> None:
    listed = rights.tools is None or name in rights.tools
    allowed = listed and (rights.commands or name != "run_command")
    assert (rights.refusal(name) is None) == allowed


@given(NAMES)
def test_everything_refuses_no_tool_and_nothing_refuses_each(name: str) -> None:
    assert EVERYTHING.refusal(name) is None
    assert NOTHING.refusal(name) is not None


@given(RIGHTS, st.none() | PACES, PACES)
def test_an_owner_may_do_everything_whatever_was_set(
    rights: Rights, pace: Pace | None, common: Pace
) -> None:
    owner = Person(1, "Ann", Role.OWNER, rights, pace)
    assert owner.effective_rights == EVERYTHING
    assert owner.effective_pace(common) == UNBOUND
    assert all(owner.may_approve(asker, reach) for asker in (1, 2) for reach in Reach)


@given(RIGHTS, st.none() | PACES, PACES)
def test_a_member_has_what_was_set_and_approves_for_nobody_else(
    rights: Rights, pace: Pace | None, common: Pace
) -> None:
    member = Person(2, "Bob", Role.MEMBER, rights, pace)
    assert member.effective_rights == rights
    assert member.effective_pace(common) == (common if pace is None else pace)
    assert not any(member.may_approve(1, reach) for reach in Reach)


@given(RIGHTS, REACHES, REACHES)
def test_a_member_approves_own_calls_as_far_as_an_owner_said_and_no_further(
    rights: Rights, less: Reach, more: Reach
) -> None:
    member = Person(2, "Bob", Role.MEMBER, rights)
    assert member.may_approve(2, Reach.TALK)
    assert not member.may_approve(2, Reach.BEYOND)
    assert member.may_approve(2, Reach.FOLDER) == (rights.approves in (*Level,)[1:])
    assert member.may_approve(2, Reach.COMMAND) == (rights.approves is Level.COMMANDS)
    if reaches(more, less) and member.may_approve(2, more):
        assert member.may_approve(2, less)


@given(REACHES, REACHES, REACHES)
def test_reaches_are_in_one_order(one: Reach, two: Reach, three: Reach) -> None:
    assert reaches(one, one)
    assert reaches(one, two) or reaches(two, one)
    assert not (reaches(one, two) and reaches(two, three)) or reaches(one, three)


def test_no_level_reaches_beyond() -> None:
    assert not any(reaches(farthest(level), Reach.BEYOND) for level in Level)
