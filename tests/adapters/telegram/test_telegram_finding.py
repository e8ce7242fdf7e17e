"""A message whose confirmation was lost is found, and no other message changes by the search."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.telegram.finding import FEWEST_BEHIND, MOST_BETWEEN, SILENCE
from bot.domain.talk.message import (
    Address,
    Button,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
)
from bot.ports.sightings import Sighting, Traces
from tests.standins.bot_api import BotApi, Person

NOW = datetime(2126, 11, 24, 12, 0, tzinfo=UTC)
"""A time at which the channel is open already."""

BEFORE, AFTER = NOW - timedelta(seconds=1), NOW + timedelta(seconds=1)
YES = ((Button("Yes", "y"),),)
WHOLE = (Markdown("**Whole** answer."),)


def traces(*seen: tuple[Address, int, datetime], before: Sequence[str] = ()) -> Traces:
    return Traces(NOW, [Sighting(a, str(n), at) for a, n, at in seen], before)


async def asked_about(
    server: BotApi, channel: TelegramChannel, to: Address, seen: Traces
) -> list[int]:
    """The numbers that a search asks about."""
    server.calls.clear()
    await channel.find(to, piece(channel), seen)
    calls = server.calls_of("stopMessageLiveLocation")
    return [int(call.params["message_id"]) for call in calls]


async def test_numbers_begin_behind_the_last_one_of_the_shared_counter(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.private_chat(ann)
    ann_, bob, small = at(ann), Address("telegram", "2"), Address("telegram", "-4001")
    seen = traces((ann_, 7, BEFORE), (bob, 9, BEFORE), (small, 12, BEFORE), (bob, 14, AFTER))
    asked = await asked_about(server, channel, ann_, seen)
    assert asked == [13, *range(15, 15 + SILENCE)]


async def test_a_supergroup_counts_for_itself(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.private_chat(ann)
    large = at(server.group("Team", ann))
    seen = traces((at(ann), 900, BEFORE), (large, 5, BEFORE), (large, 6, AFTER))
    assert (await asked_about(server, channel, large, seen))[:2] == [7, 8]
    assert (await asked_about(server, channel, at(ann), seen))[0] == 901


async def test_numbers_begin_behind_the_pieces_above_it(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.private_chat(ann)
    seen = traces((at(ann), 7, BEFORE), before=["20"])
    assert (await asked_about(server, channel, at(ann), seen))[0] == 21


async def test_without_a_number_from_before_nothing_is_asked(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    seen = traces((at(ann), 7, AFTER), (Address("telegram", "-1000000004001"), 5, BEFORE))
    assert await asked_about(server, channel, at(ann), seen) == []


async def test_as_many_more_are_asked_about_as_the_counter_may_have_given_out_unseen(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.private_chat(ann)
    now = datetime.now(UTC)
    # Twenty numbers in ten seconds, and then nothing for a minute.
    known = [(at(ann), 100 + n, now - timedelta(seconds=70 - n / 2)) for n in range(21)]
    # An old message that was edited says nothing about the pace.
    edited = (at(ann), 1, now - timedelta(seconds=61))
    seen = replace(traces(*known, edited), since=now)
    asked = await asked_about(server, channel, at(ann), seen)
    assert asked[0] == 121
    assert SILENCE + 50 <= len(asked) <= SILENCE + 70


@pytest.fixture
def channel(api: TelegramApi) -> TelegramChannel:
    return TelegramChannel(api)


@pytest.fixture
def earlier(api: TelegramApi) -> TelegramChannel:
    """The channel of a run that has ended."""
    return TelegramChannel(api)


def at(person: Any, topic: int | None = None) -> Address:
    return Address("telegram", str(person.id), None if topic is None else str(topic))


def piece(channel: TelegramChannel) -> Piece:
    return channel.split(Outbound(OutboundKind.ANSWER, WHOLE))[0]


CONTENTS = {
    "words": Outbound(OutboundKind.ANSWER, WHOLE),
    "buttons": Outbound(OutboundKind.CARD, WHOLE, YES),
    "a file": Outbound(OutboundKind.NOTICE, (), files=(FileRef("", "a.md", "Words", text="x"),)),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
async def test_it_is_found_among_the_numbers_of_others_and_stays_as_it_is(
    server: BotApi,
    earlier: TelegramChannel,
    channel: TelegramChannel,
    ann: Person,
    content: Outbound,
) -> None:
    bob = server.person(first_name="Bob")
    server.private_chat(bob)
    said = server.say(ann, "Hello")
    known = server.say(bob, "Known")
    server.say(bob, "Not polled yet")
    (sent_piece,) = channel.split(content)
    sent = await earlier.send(at(ann), sent_piece)
    server.say(ann, "And later")
    before = server.screen(ann.id)
    seen = traces((at(ann), said.id, BEFORE), (at(bob), known.id, AFTER))
    assert await channel.find(at(ann), sent_piece, seen) == sent
    assert server.screen(ann.id) == before
    asked = [c.params["message_id"] for c in server.calls_of("stopMessageLiveLocation")]
    assert str(known.id) not in map(str, asked)


async def test_what_was_not_sent_is_not_found_and_the_questions_are_bounded(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    for n in range(30):
        server.say(ann, f"Later {n}")
    before = server.screen(ann.id)
    assert await channel.find(at(ann), piece(channel), traces((at(ann), said.id, BEFORE))) is None
    assert server.screen(ann.id) == before
    assert len(server.calls_of("stopMessageLiveLocation")) == 30 + SILENCE
    for n in range(2 * FEWEST_BEHIND):
        server.say(ann, f"And later {n}")
    server.calls.clear()
    assert await channel.find(at(ann), piece(channel), traces((at(ann), said.id, BEFORE))) is None
    assert len(server.calls_of("stopMessageLiveLocation")) == FEWEST_BEHIND


async def test_between_known_numbers_both_ends_are_asked_about(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    server.private_chat(ann)
    seen = traces((at(ann), 10, BEFORE), (Address("telegram", "2"), 10_000, AFTER))
    asked = await asked_about(server, channel, at(ann), seen)
    assert len(asked) == MOST_BETWEEN + SILENCE
    assert (asked[0], asked[MOST_BETWEEN - 1]) == (11, 9_999)


async def test_it_is_found_behind_many_messages_that_were_never_stored(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    for n in range(40):
        server.say(ann, f"Not stored {n}")
    sent = await earlier.send(at(ann), piece(channel))
    last = server.say(ann, "Known")
    seen = traces((at(ann), said.id, BEFORE), (at(ann), last.id, AFTER))
    assert await channel.find(at(ann), piece(channel), seen) == sent


async def test_an_old_message_of_the_bot_is_known_whatever_the_newest_ones_are(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    old = await earlier.send(at(ann), piece(channel))
    other = channel.split(Outbound(OutboundKind.ANSWER, (Markdown("Other."),)))[0]
    before = server.screen(ann.id)

    async def is_known(message_id: str) -> bool:
        return message_id == old

    seen = replace(traces((at(ann), said.id, BEFORE)), is_known=is_known)
    assert await channel.find(at(ann), other, seen) is None
    assert server.screen(ann.id) == before


async def test_a_message_that_is_being_sent_is_no_lost_one(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    group = server.group("Team", ann)
    said = server.say(ann, "Hello", chat=group)
    answered = server.hold("sendMessage", after_work=True)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(channel.draft(at(group), "Whole ans"))
        await answered.arrived()
        seen = traces((at(group), said.id, BEFORE))
        search = tasks.create_task(channel.find(at(group), piece(channel), seen))
        await server.wait_for(lambda: server.calls_of("stopMessageLiveLocation"))
        answered.release()
        assert await search is None


async def test_a_message_that_is_known_is_never_asked_about(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    same = piece(channel)
    known = await earlier.send(at(ann), same)
    seen = traces((at(ann), said.id, BEFORE), (at(ann), int(known), AFTER))
    assert await channel.find(at(ann), same, seen) is None


async def test_a_card_of_an_older_version_is_found_and_brought_up_to_date(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    card = Outbound(OutboundKind.CARD, (Plain("May I?"),), YES)
    sent = await earlier.send(at(ann), channel.split(card)[0])
    decided = channel.split(Outbound(OutboundKind.CARD, (Plain("✅ Done."),)))[0]
    assert await channel.find(at(ann), decided, traces((at(ann), said.id, BEFORE))) == sent
    (shown,) = server.screen(ann.id).from_bot
    assert (shown.text, shown.buttons) == ("✅ Done.", ())


async def test_in_a_group_the_answer_is_found_and_the_growing_message_above_it_goes(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    group = server.group("Team", ann)
    said = server.say(ann, "Hello", chat=group)
    await earlier.draft(at(group), "Whole ans")
    sent = await earlier.send(at(group), piece(channel))
    _, answer = server.screen(group.id).from_bot
    found = await channel.find(at(group), piece(channel), traces((at(group), said.id, BEFORE)))
    assert (found, list(server.screen(group.id).from_bot)) == (sent, [answer])


async def test_a_growing_message_that_was_left_alone_in_a_group_is_found(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    group = server.group("Team", ann)
    said = server.say(ann, "Hello", chat=group)
    seen = traces((at(group), said.id, BEFORE))
    assert await channel.find(at(group), None, seen) is None
    left = await earlier.draft(at(group), "Whole ans")
    assert await channel.find(at(group), None, seen) == left


async def test_where_topics_share_a_group_each_finds_its_own_message(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    group = server.group("Team", ann)
    one, two = (at(group, server.topic(group, name)) for name in ("Plans", "Notes"))
    said = server.say(ann, "Hello", chat=group)
    seen = traces((one, said.id, BEFORE), (two, said.id, BEFORE), (at(group), said.id, BEFORE))
    left = await earlier.draft(one, "Whole ans")
    sent = {to: await earlier.send(to, piece(channel)) for to in (one, two, at(group))}
    before = server.screen(group.id).from_bot
    for to, number in sent.items():
        other = channel.split(Outbound(OutboundKind.ANSWER, (Plain(f"For {to.key}"),)))[0]
        assert await channel.find(to, other, seen) == number
        assert f"For {to.key}" in [m.text for m in server.screen(group.id).from_bot]
    assert [m.id for m in server.screen(group.id).from_bot] == [
        m.id for m in before if str(m.id) != left
    ]


async def test_a_growing_message_in_a_topic_is_found_in_that_topic_alone(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    group = server.group("Team", ann)
    one, two = (at(group, server.topic(group, name)) for name in ("Plans", "Notes"))
    said = server.say(ann, "Hello", chat=group)
    seen = traces((one, said.id, BEFORE), (two, said.id, BEFORE))
    left = await earlier.draft(two, "Whole ans")
    before = server.screen(group.id)
    assert await channel.find(one, piece(channel), seen) is None
    assert await channel.find(one, None, seen) is None
    assert await channel.find(two, None, seen) == left
    assert server.screen(group.id) == before


async def test_another_answer_of_telegram_lets_it_be_sent(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    sent_piece = piece(channel)
    await earlier.send(at(ann), sent_piece)
    server.fail_next("stopMessageLiveLocation", 400, "Bad Request: NEW_WORDS")
    seen = traces((at(ann), said.id, BEFORE))
    assert await channel.find(at(ann), sent_piece, seen) is None
    server.fail_next("stopMessageLiveLocation", 404, "Not Found: method not found")
    assert await channel.find(at(ann), sent_piece, seen) is None


async def test_what_an_earlier_run_sent_is_below_the_first_message_of_this_run(
    server: BotApi, earlier: TelegramChannel, api: TelegramApi, ann: Person
) -> None:
    bob = server.person(first_name="Bob")
    server.private_chat(bob)
    said, sent = server.say(ann, "Hello"), piece(TelegramChannel(api))
    lost = await earlier.send(at(ann), sent)
    channel = TelegramChannel(api)
    before = NOW - timedelta(days=365 * 110)
    seen = [Sighting(at(ann), str(said.id), before)]
    await channel.send(at(bob), sent)
    assert await channel.find(at(bob), sent, Traces(before, seen)) is None
    assert len(server.calls_of("stopMessageLiveLocation")) == 1
    assert await channel.find(at(ann), sent, Traces(before, seen)) == lost


async def test_what_another_process_sent_is_found_though_this_one_had_sent_before_it(
    server: BotApi, earlier: TelegramChannel, channel: TelegramChannel, ann: Person
) -> None:
    bob = server.person(first_name="Bob")
    server.private_chat(bob)
    said, sent = server.say(ann, "Hello"), piece(channel)
    before = NOW - timedelta(days=365 * 110)
    await channel.send(at(bob), sent)
    lost = await earlier.send(at(ann), sent)
    seen = Traces(before, [Sighting(at(ann), str(said.id), before)], until=datetime.now(UTC))
    later = await channel.send(at(bob), sent)
    assert await channel.find(at(ann), sent, seen) == lost
    assert int(later) > int(lost)
    # Its first number since then is the end.
    assert await channel.find(at(bob), sent, seen) is None
    asked = [call.params["message_id"] for call in server.calls_of("stopMessageLiveLocation")]
    assert max(map(int, asked)) < int(later)


async def test_each_question_waits_for_its_pace(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    said, waited = server.say(ann, "Hello"), list[int]()

    @asynccontextmanager
    async def pace() -> AsyncGenerator[None]:
        waited.append(len(server.calls_of("stopMessageLiveLocation")))
        yield

    await channel.find(at(ann), piece(channel), traces((at(ann), said.id, BEFORE)), pace=pace)
    assert waited == list(range(SILENCE))
