"""A message whose confirmation was lost is found, and no other message changes by the search."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.telegram.finding import MOST_QUESTIONS, numbers_of
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
ANN, BOB = Address("telegram", "1"), Address("telegram", "2")
SMALL, LARGE = Address("telegram", "-4001"), Address("telegram", "-1000000004001")
YES = ((Button("Yes", "y"),),)
WHOLE = (Markdown("**Whole** answer."),)


def traces(*seen: tuple[Address, int, datetime], before: Sequence[str] = ()) -> Traces:
    return Traces(NOW, [Sighting(a, str(n), at) for a, n, at in seen], before)


def test_numbers_begin_behind_the_last_one_of_the_shared_counter() -> None:
    seen = traces((ANN, 7, BEFORE), (BOB, 9, BEFORE), (SMALL, 12, BEFORE), (BOB, 14, AFTER))
    numbers = list(numbers_of(ANN, seen))
    assert numbers[:3] == [13, 15, 16]
    assert len(numbers) == MOST_QUESTIONS


def test_a_supergroup_counts_for_itself() -> None:
    seen = traces((ANN, 900, BEFORE), (LARGE, 5, BEFORE), (LARGE, 6, AFTER))
    assert list(numbers_of(LARGE, seen))[:2] == [7, 8]
    assert next(numbers_of(ANN, seen)) == 901


def test_numbers_begin_behind_the_pieces_above_it() -> None:
    assert next(numbers_of(ANN, traces((ANN, 7, BEFORE), before=["20"]))) == 21


def test_without_a_number_from_before_nothing_is_asked() -> None:
    assert list(numbers_of(ANN, traces((ANN, 7, AFTER), (LARGE, 5, BEFORE)))) == []


@pytest.fixture
def channel(api: TelegramApi) -> TelegramChannel:
    return TelegramChannel(api)


def at(person: Any) -> Address:
    return Address("telegram", str(person.id))


def piece(channel: TelegramChannel) -> Piece:
    return channel.split(Outbound(OutboundKind.ANSWER, WHOLE))[0]


CONTENTS = {
    "words": Outbound(OutboundKind.ANSWER, WHOLE),
    "buttons": Outbound(OutboundKind.CARD, WHOLE, YES),
    "a file": Outbound(OutboundKind.NOTICE, (), files=(FileRef("", "a.md", "Words", text="x"),)),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
async def test_it_is_found_among_the_numbers_of_others_and_stays_as_it_is(
    server: BotApi, channel: TelegramChannel, ann: Person, content: Outbound
) -> None:
    bob = server.person(first_name="Bob")
    server.private_chat(bob)
    said = server.say(ann, "Hello")
    known = server.say(bob, "Known")
    server.say(bob, "Not polled yet")
    (sent_piece,) = channel.split(content)
    sent = await channel.send(at(ann), sent_piece)
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
    assert len(server.calls_of("stopMessageLiveLocation")) == MOST_QUESTIONS


async def test_a_message_that_is_known_is_never_asked_about(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    same = piece(channel)
    known = await channel.send(at(ann), same)
    seen = traces((at(ann), said.id, BEFORE), (at(ann), int(known), AFTER))
    assert await channel.find(at(ann), same, seen) is None


async def test_a_card_of_an_older_version_is_found_and_brought_up_to_date(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    card = Outbound(OutboundKind.CARD, (Plain("May I?"),), YES)
    sent = await channel.send(at(ann), channel.split(card)[0])
    decided = channel.split(Outbound(OutboundKind.CARD, (Plain("✅ Done."),)))[0]
    assert await channel.find(at(ann), decided, traces((at(ann), said.id, BEFORE))) == sent
    (shown,) = server.screen(ann.id).from_bot
    assert (shown.text, shown.buttons) == ("✅ Done.", ())


async def test_in_a_group_the_answer_is_found_and_not_the_growing_message_above_it(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    group = server.group("Team", ann)
    said = server.say(ann, "Hello", chat=group)
    await channel.draft(at(group), "Whole ans")
    sent = await channel.send(at(group), piece(channel))
    before = server.screen(group.id)
    found = await channel.find(at(group), piece(channel), traces((at(group), said.id, BEFORE)))
    assert (found, server.screen(group.id)) == (sent, before)


async def test_another_answer_of_telegram_lets_it_be_sent(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    said = server.say(ann, "Hello")
    sent_piece = piece(channel)
    await channel.send(at(ann), sent_piece)
    server.fail_next("stopMessageLiveLocation", 400, "Bad Request: NEW_WORDS")
    seen = traces((at(ann), said.id, BEFORE))
    assert await channel.find(at(ann), sent_piece, seen) is None
    server.fail_next("stopMessageLiveLocation", 404, "Not Found: method not found")
    assert await channel.find(at(ann), sent_piece, seen) is None


async def test_what_an_earlier_run_sent_is_below_the_first_message_of_this_run(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    bob = server.person(first_name="Bob")
    server.private_chat(bob)
    said, sent = server.say(ann, "Hello"), piece(TelegramChannel(api))
    lost = await TelegramChannel(api).send(at(ann), sent)
    channel = TelegramChannel(api)
    earlier = NOW - timedelta(days=365 * 110)
    seen = [Sighting(at(ann), str(said.id), earlier)]
    await channel.send(at(bob), sent)
    assert await channel.find(at(bob), sent, Traces(earlier, seen)) is None
    assert len(server.calls_of("stopMessageLiveLocation")) == 1
    assert await channel.find(at(ann), sent, Traces(earlier, seen)) == lost


async def test_each_question_waits_for_its_pace(
    server: BotApi, channel: TelegramChannel, ann: Person
) -> None:
    said, waited = server.say(ann, "Hello"), list[int]()

    @asynccontextmanager
    async def pace() -> AsyncGenerator[None]:
        waited.append(len(server.calls_of("stopMessageLiveLocation")))
        yield

    await channel.find(at(ann), piece(channel), traces((at(ann), said.id, BEFORE)), pace=pace)
    assert waited == list(range(MOST_QUESTIONS))
