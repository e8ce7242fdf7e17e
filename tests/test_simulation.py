"""The simulation of many workers follows the rules by which the program shares chats."""

import random
from dataclasses import replace

import pytest

from benchmarks.simulation import Death, Message, Outcome, Setup, poisson, simulated

ONE = Setup(
    workers=1,
    machines=1,
    cores=2,
    server_cores=1,
    bots=1,
    rate=0.0,
    thinking=1.0,
    receiving=0.01,
    working=0.02,
    delivering=0.01,
    serving=0.02,
    refusing=0.001,
    ring=0.001,
    look=1.5,
    away=0.5,
)


def run(setup: Setup, *messages: Message, deaths: tuple[Death, ...] = ()) -> Outcome:
    return simulated(setup, messages, deaths, random.Random(1))


def test_a_message_alone_waits_for_what_each_part_of_its_turn_takes() -> None:
    found = run(ONE, Message(0.0, 1))
    assert found.waits == [pytest.approx(0.01 + 0.001 + 0.02 + 0.02 + 0.001 + 0.01)]
    assert found.served == pytest.approx(0.02)


def test_the_messages_of_a_chat_are_answered_one_after_the_other_and_chats_beside_each_other() -> (
    None
):
    same = run(ONE, Message(0.0, 1), Message(0.0, 1))
    apart = run(ONE, Message(0.0, 1), Message(0.0, 2))
    assert max(same.waits) > 1.0 > max(apart.waits)


def test_a_turn_of_a_worker_that_dies_is_begun_anew_by_another_one() -> None:
    two = replace(ONE, workers=2)
    found = run(two, Message(0.0, 1), deaths=(Death(0.5, 0), Death(0.5, 1)))
    assert found.taken_over == 1
    # The model is asked again, and nobody lives for half a second.
    assert 1.0 < found.waits[0] < 1.0 + 1.5 + 0.2


def test_a_bot_sends_at_its_rate() -> None:
    rated = replace(ONE, rate=10.0)
    found = run(rated, *(Message(0.0, chat) for chat in range(11)))
    assert max(found.waits) > 1.0 > max(run(ONE, *(Message(0.0, n) for n in range(11))).waits)


def test_each_worker_that_hears_of_a_chat_too_late_costs_the_database() -> None:
    messages = poisson(20.0, 1_000, 10.0, random.Random(2))
    few = run(replace(ONE, workers=10), *messages)
    many = run(replace(ONE, workers=1_000), *messages)
    # More of them than it has time for: everybody waits.
    assert many.served / many.seconds > 0.9 > few.served / few.seconds
    assert sorted(many.waits)[len(messages) // 2] > 10 * sorted(few.waits)[len(messages) // 2]
