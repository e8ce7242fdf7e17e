"""More than one bot is meant for: a village that talks at once, and a feed that piled up.

Nothing here looks at the clock: every message has its one answer, in order, and no more is held
in memory than a bound far above what is needed.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from benchmarks.process import MeasuredProcess
from tests.e2e.steward import Steward, words_in
from tests.lacking import THOROUGH
from tests.standins.bot_api import Chat, Person
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, text

_MEMBERS = range(1000, 1500)
_WAITING = 10_000 if THOROUGH else 1_200
_MOST_MB = 300
"""Twice what the program holds at rest."""

_NUMBER = re.compile(r"#(\d+)")


def answer(request: ReceivedRequest) -> Reply:
    """An answer that names the numbers of what was asked."""
    return text(f"Answer to {_NUMBER.findall(words_in(request))}")


def held(_: ReceivedRequest) -> Reply:
    """An answer that never comes."""
    return text("lost").held(Gate())


def numbers(texts: Iterable[str]) -> list[int]:
    """The numbers that answers name, in the order of the answers."""
    return [int(number) for told in texts for number in re.findall(r"'(\d+)'", told)]


def answered_in(steward: Steward, chat: int) -> list[int]:
    return numbers(message.text for message in steward.telegram.screen(chat).from_bot)


async def counted(steward: Steward, count: Callable[[], int], total: int) -> None:
    """Waits until as many are there; the usual patience is for each further one."""
    while (seen := count()) < total:
        await steward.until(lambda known=seen: count() > known)
    assert count() == total


def village(steward: Steward, *members: Person) -> Chat:
    """A group in which the bot hears all."""
    return steward.telegram.group("Village", *members, admins=(steward.telegram.bot,))


async def test_in_a_group_of_five_hundred_who_asks_is_answered_and_the_rest_left_alone(
    steward: Steward,
) -> None:
    members = [steward.person(number, f"Member {number}") for number in _MEMBERS]
    group = steward.team(*members, hears=True, with_ann=False)
    askers, eager, strangers = members[:20], members[20], members[450:460]
    steward.model.script.rule(answer)
    await steward.start(
        STEWARD_ALLOWED=",".join(map(steward.account, (*askers, eager))),
        STEWARD_MEMBER_PACE="2/h",
    )
    for number, member in enumerate(members):
        steward.say(f"I have lost my hat, says {number}.", by=member, at=group)
        if member in strangers:
            steward.call("have you seen it?", by=member, at=group)
    asked = [
        steward.call(f"where is hat #{number}?", by=person, at=group)
        for number, person in enumerate([*askers, eager, eager])
    ]
    for _ in range(5):
        steward.call("and where is hat #99?", by=eager, at=group)

    def there() -> list[Any]:
        # What still grows makes no sound.
        return [message for message in steward.screen(group) if not message.silent]

    await counted(steward, lambda: len(there()), len(asked) + 1)
    shown = there()
    answers = [message for message in shown if message.text.startswith("Answer")]
    (told,) = [message.text for message in shown if message not in answers]
    assert numbers(message.text for message in answers) == [*range(len(asked))]
    assert [message.reply_to for message in answers] == [message.id for message in asked]
    assert told.startswith("Member 1020, you can send 2 messages an hour")
    assert len(steward.model.requests) == len(asked)


# Memory that a fork shares with its parent would count here.
@pytest.mark.starts_anew
@pytest.mark.telegrams_own("it keeps thousands of updates for a program that is away")
async def test_thousands_of_waiting_updates_survive_two_kills_and_are_answered_in_order(
    steward: Steward,
) -> None:
    """The first kill comes while updates are taken in, the second between answers."""
    telegram, script = steward.telegram, steward.model.script
    people = [telegram.person(number) for number in _MEMBERS[:20]]
    each, before_kill = 10, 100
    first = telegram.updates.confirmed
    _pile_up(steward, people, each)
    waiting = len(telegram.updates.pending)
    script.rule(held)
    await steward.start(STEWARD_ALLOWED=",".join(f"telegram:{person.id}" for person in people))
    await steward.until(lambda: telegram.updates.confirmed > first + 3 * _WAITING // 10)
    await steward.kill()
    assert telegram.updates.pending
    asked = len(steward.model.requests)
    script.rule(lambda r: answer(r) if r.number <= asked + before_kill else held(r))
    await steward.start()
    chats = [person.id for person in people]

    def answered() -> int:
        return sum(len(answered_in(steward, chat)) for chat in chats)

    await counted(steward, answered, before_kill)
    await counted(steward, lambda: -len(telegram.updates.pending), 0)
    await steward.recorded()
    peaks = [MeasuredProcess(steward.pid, 0).peak_mb()]
    script.rule(answer)
    await steward.restart()
    total = each * len(people)
    await counted(steward, answered, total)
    await steward.recorded()
    peaks.append(MeasuredProcess(steward.pid, 0).peak_mb())
    for place, chat in enumerate(chats):
        assert answered_in(steward, chat) == [*range(place, total, len(people))]
    states = dict(steward.records.rows("SELECT state, count(*) FROM inbox GROUP BY state"))
    assert states["taken"] == total
    assert sum(states.values()) == waiting
    assert max(peaks) < _MOST_MB


def _pile_up(steward: Steward, people: list[Person], each: int) -> None:
    """Thousands of updates: a message to answer now and then, in between the talk of a group."""
    telegram = steward.telegram
    group = village(steward, *people)
    asked, every = 0, _WAITING // (len(people) * each)
    for number in range(_WAITING):
        if number % every == 0:
            telegram.say(people[asked % len(people)], f"What of #{asked}?")
            asked += 1
        else:
            telegram.say(people[number % len(people)], f"Talk, line {number}.", chat=group)


@pytest.mark.telegrams_own("updates are numbered")
async def test_a_feed_with_gaps_and_repeats_is_answered_without_either(steward: Steward) -> None:
    telegram = steward.telegram
    people = [steward.ann, *(telegram.person(number) for number in _MEMBERS[:4])]
    steward.model.script.rule(answer)
    said: list[dict[str, Any]] = []
    for number in range(100):
        telegram.say(people[number % len(people)], f"What of #{number}?")
        said.append(telegram.updates.pending[-1])
        if number % 3 == 0:
            telegram.updates.skip_ids(1 + number * 7)
        if number % 4 == 0:
            telegram.push_update(said[number // 2], again=True)
    allowed = ",".join(f"telegram:{person.id}" for person in people[1:])
    await steward.start(STEWARD_ALLOWED=allowed)
    for old in said[::-9]:
        telegram.push_update(old, again=True)
    steward.say("What of #100?")
    await counted(steward, lambda: sum(len(answered_in(steward, p.id)) for p in people), 101)
    for place, person in enumerate(people):
        expected = [*range(place, 100, len(people)), *([100] if person is steward.ann else [])]
        assert answered_in(steward, person.id) == expected
    assert len(steward.records.rows("SELECT key FROM inbox")) == 101
