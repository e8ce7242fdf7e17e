"""A mandate that another one is made from never allows more, whatever it is narrowed by."""

import ast
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.tools.run_place import Walls
from bot.domain.turn.mandate import PERSONAL, Mandate
from bot.domain.value import replace
from tests.domain.logs import NOON, turn

ROOT = Path(__file__).resolve().parents[2]
TOOLS = st.lists(st.sampled_from(["look", "write", "fetch", "run"]), unique=True).map(
    lambda names: tuple(sorted(names))
)
ADDRESSES = st.lists(st.sampled_from(["a.test", "b.test", "c.test"]), unique=True).map(
    lambda addresses: tuple(sorted(addresses))
)
MANDATES = st.builds(
    Mandate,
    st.none() | TOOLS,
    st.booleans(),
    st.none() | st.sampled_from(["a page", "a forward"]),
    st.none() | st.integers(0, 9),
    ADDRESSES,
    walls=st.sampled_from(Walls),
)


@given(MANDATES, MANDATES)
def test_what_two_mandates_allow_is_within_both(one: Mandate, other: Mandate) -> None:
    met = one.met(other)
    assert met.within(one)
    assert met.within(other)


@given(MANDATES, MANDATES)
def test_narrowing_twice_by_the_same_changes_nothing_more(one: Mandate, other: Mandate) -> None:
    met = one.met(other)
    assert met.met(other) == met
    assert one.met(one) == one


@given(MANDATES, MANDATES, MANDATES)
def test_a_wider_parent_never_makes_a_narrower_child(
    one: Mandate, other: Mandate, by: Mandate
) -> None:
    if one.within(other):
        assert one.met(by).within(other.met(by))


@given(MANDATES, MANDATES, MANDATES)
def test_being_within_is_passed_on(one: Mandate, other: Mandate, third: Mandate) -> None:
    if one.within(other) and other.within(third):
        assert one.within(third)


@given(MANDATES)
def test_every_mandate_is_within_that_of_a_person(one: Mandate) -> None:
    assert one.within(PERSONAL)
    assert one.met(PERSONAL) == one


@given(MANDATES, MANDATES, st.sampled_from(["look", "write", "unknown"]))
def test_a_tool_is_lent_when_both_lend_it(one: Mandate, other: Mandate, tool: str) -> None:
    assert one.met(other).lends(tool) == (one.lends(tool) and other.lends(tool))


@given(MANDATES, MANDATES)
def test_a_turn_starts_none_that_may_do_more(own: Mandate, wanted: Mandate) -> None:
    parent = turn(mandate=own)
    assert parent.starts("child", NOON).mandate == own
    child = parent.starts("child", NOON, mandate=wanted).mandate
    # The addresses in its own words count as its parent found them.
    assert replace(child, addresses=own.addresses).within(own)
    assert child.counting == (own if wanted.foreign is None else wanted).counting


@given(MANDATES, MANDATES, st.none() | ADDRESSES)
def test_a_mandate_that_is_narrowed_allows_no_more(
    own: Mandate, by: Mandate, addresses: tuple[str, ...] | None
) -> None:
    bounds: dict[str, Any] = {
        "tools": by.tools,
        "readonly": by.readonly,
        "foreign": by.foreign,
        "money": by.money,
    }
    kept = own.narrowed(**bounds)
    assert kept.within(own)
    assert own.counting is None or kept.counting == own.counting
    found = own.narrowed(**bounds, addresses=addresses)
    assert replace(found, addresses=own.addresses).within(own)
    if addresses is not None and found.foreign is not None:
        assert found.counting == addresses


@given(MANDATES, ADDRESSES, ADDRESSES)
def test_a_mandate_that_counts_an_address_more_is_within_no_other(
    one: Mandate, more: tuple[str, ...], fewer: tuple[str, ...]
) -> None:
    told = replace(one, foreign="a page", addresses=more)
    bound = replace(one, foreign="a page", addresses=fewer)
    assert told.within(bound) == (set(more) <= set(fewer))
    assert told.within(replace(bound, foreign=None))
    assert not replace(told, foreign=None).within(bound)


def test_the_places_that_begin_with_the_mandate_of_a_person_are_known() -> None:
    """Any other place that makes a turn, a task or a mandate takes the one it works under."""
    used = {
        str(path.relative_to(ROOT / "bot"))
        for path in (ROOT / "bot").rglob("*.py")
        if {"PERSONAL", "Mandate", "commanded"}
        & _called_or_read(ast.parse(path.read_text("utf-8")))
    }
    assert used == {
        "domain/turn/mandate.py",
        "domain/assignments/hook.py",  # the operator's file
        "flow/turn/openings.py",  # a person's message
        "flow/plans/commands.py",  # a plan that no turn has grown yet
        "flow/commands/turn_commands.py",  # a summary: no model is asked to act
        "flow/undoing/undo_turns.py",  # taking back: no model at all
        "flow/schedules/commands.py",  # a task by a person's command
        "flow/schedules/changing.py",
        "flow/goals/planning.py",  # a goal by a person's command
        "ports/scheduled.py",
    }


def test_a_turn_is_made_from_nothing_in_known_places_alone() -> None:
    """Every other turn is started by one, which hands its mandate on."""
    made = {
        str(path.relative_to(ROOT / "bot"))
        for path in (ROOT / "bot").rglob("*.py")
        if {"Turn", "TurnAsker"} & _called_or_read(ast.parse(path.read_text("utf-8")))
    }
    assert {path for path in made if not path.startswith("adapters/sql/")} == {
        "domain/turn/turn.py",
        "flow/turn/openings.py",
        "flow/plans/desk.py",  # with the mandate of the turns that planned
        "flow/schedules/runs.py",  # with the mandate of the task
        "flow/hooks/runs.py",  # with the mandate of the call
        "flow/commands/turn_commands.py",
        "flow/undoing/undo_turns.py",
    }


def _called_or_read(tree: ast.AST) -> set[str]:
    """Returns the names that are called, and constants that are read."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
        if isinstance(node, ast.Name) and node.id.isupper():
            found.add(node.id)
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
    return found
