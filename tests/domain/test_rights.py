"""Rights and pace: what is refused, and the written form of a pace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.person import Person, Role
from bot.domain.rights import EVERYTHING, NOTHING, UNBOUND, Pace, Rights, read_pace

COUNTS = st.none() | st.integers(1, 999_999)
PACES = st.builds(Pace, COUNTS, COUNTS, COUNTS)
NAMES = st.sampled_from(["run_command", "look", "write"])
RIGHTS = st.builds(
    Rights, st.booleans(), st.booleans(), st.none() | st.lists(NAMES, unique=True).map(tuple)
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
    assert owner.may_approve_for(2)


@given(RIGHTS, st.none() | PACES, PACES)
def test_a_member_has_what_was_set_and_approves_for_nobody_else(
    rights: Rights, pace: Pace | None, common: Pace
) -> None:
    member = Person(2, "Bob", Role.MEMBER, rights, pace)
    assert member.effective_rights == rights
    assert member.effective_pace(common) == (common if pace is None else pace)
    assert member.may_approve_for(2) == rights.approve
    assert not member.may_approve_for(1)
