"""The line of runs, when another process on the same database takes a chat."""

from bot.flow.schedules.gate import RunGate
from tests.fakes.clock import FakeClock


def gate_of(woken: list[int]) -> RunGate:
    return RunGate(woken.append, FakeClock(), at_once=1)


def test_runs_of_later_times_begin_though_another_process_ended_the_first() -> None:
    woken: list[int] = []
    gate = gate_of(woken)
    gate.add("monday", chat=1)
    gate.begin()
    gate.lost(1)
    assert woken == [1, 1], "there may be no other process, so the chat looks at its rows"
    gate.add("tuesday", chat=1)
    gate.begin()
    assert woken == [1, 1, 1]


def test_a_chat_that_went_to_another_process_makes_room_for_others() -> None:
    woken: list[int] = []
    gate = gate_of(woken)
    for turn, chat in (("a", 1), ("b", 1), ("c", 2)):
        gate.add(turn, chat)
    gate.begin()
    assert woken == [1]
    gate.lost(1)
    assert woken == [1, 2, 1]
    assert not gate.holds("b", 1), "the other process looks for it, and nobody holds it back"
