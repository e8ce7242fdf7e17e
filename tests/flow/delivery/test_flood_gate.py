"""The flood gate: exact rates, no chat in another's way, and what is owed goes first."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.talk.errors import FloodWait
from bot.domain.talk.limits import Rate, SendRates
from bot.domain.talk.message import Address, Piece, Sign
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel, Leave
from bot.ports.channel import NEW_DRAFT, DraftPlace, Links
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.standins.bot_api import Chat, Rates
from tests.standins.bot_api.pulse import Clock as PlatformClock
from tests.standins.bot_api.rates import FloodGate as PlatformGate

A, B, GROUP = Address("fake", "1"), Address("fake", "2"), Address("fake", "-3")
PER_CHAT = SendRates(Rate(1, 1.0), None, None, burst=1)
BURST = SendRates(Rate(1, 1.0), None, None, burst=3)
HELLO = Piece({"text": "hello"})


async def sent(gate: FloodGate, address: Address) -> None:
    """Waits for leave and sends in no time."""
    gate.used(await gate.admit(address))


def sent_at_once(gate: FloodGate, address: Address, *, shows: bool = True) -> bool:
    """Sends in no time if there is room."""
    leave = gate.try_admit(address, shows=shows)
    if leave is not None:
        gate.used(leave)
    return leave is not None


@asynccontextmanager
async def leaves(
    gate: FloodGate, clock: FakeClock, *addresses: Address
) -> AsyncIterator[list[tuple[float, Address]]]:
    """Asks for leave in this order; the list fills with who got it when."""
    got: list[tuple[float, Address]] = []

    async def ask(address: Address) -> None:
        await sent(gate, address)
        got.append((clock.steady(), address))

    async with asyncio.TaskGroup() as group:
        for address in addresses:
            group.create_task(ask(address))
        await clock.advance(0)
        yield got


async def test_a_chat_gets_one_leave_a_second_and_another_chat_does_not_wait_for_it() -> None:
    clock = FakeClock()
    async with leaves(FloodGate(PER_CHAT, clock), clock, A, A, A, B) as got:
        assert got == [(0.0, A), (0.0, B)]
        await clock.advance(5)
    assert got[2:] == [(1.0, A), (2.0, A)]


async def test_the_common_rate_is_shared_in_the_order_of_coming() -> None:
    clock = FakeClock()
    chats = [Address("fake", str(n)) for n in range(6)]
    async with leaves(FloodGate(SendRates(None, None, Rate(2, 1.0)), clock), clock, *chats) as got:
        await clock.advance(5)
    assert [when for when, _ in got] == [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    assert [who for _, who in got] == chats


async def test_a_group_has_its_own_rate_beside_that_of_a_chat() -> None:
    clock = FakeClock()
    gate = FloodGate(
        SendRates(Rate(1, 1.0), Rate(2, 60.0), None, burst=1),
        clock,
        lambda to: to.chat.startswith("-"),
    )
    async with leaves(gate, clock, GROUP, GROUP, GROUP, A, A, A) as got:
        await clock.advance(61)
    assert [when for when, who in got if who == GROUP] == [0.0, 1.0, 60.0]
    assert [when for when, who in got if who == A] == [0.0, 1.0, 2.0]


async def test_threads_of_a_chat_share_its_rate() -> None:
    clock = FakeClock()
    gate = FloodGate(PER_CHAT, clock)
    assert sent_at_once(gate, Address("fake", "1", "7"))
    assert not sent_at_once(gate, Address("fake", "1", "8"))


async def test_who_follows_another_process_counts_what_that_one_may_have_sent() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(None, None, Rate(2, 1.0)), clock)
    await clock.advance(10)
    gate.follow_another()
    async with leaves(gate, clock, A, B, A) as got:
        assert got == []
        await clock.advance(10)
    assert [at for at, _ in got] == [11.0, 11.0, 12.0]


async def test_without_rates_nothing_waits() -> None:
    clock = FakeClock()
    async with leaves(FloodGate(None, clock), clock, *[A] * 50) as got:
        assert len(got) == 50
    assert clock.slept == []


async def test_a_held_chat_waits_while_others_go_on() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(None, None, Rate(1, 1.0)), clock)
    gate.hold(A, 7.0)
    async with leaves(gate, clock, A, B, B) as got:
        await clock.advance(10)
    assert got == [(0.0, B), (1.0, B), (7.0, A)]


async def test_a_hold_that_comes_while_waiting_in_the_common_line_is_obeyed() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(None, None, Rate(1, 2.0)), clock)
    async with leaves(gate, clock, B, A, B) as got:
        gate.hold(A, 5.0)
        await clock.advance(10)
    assert got == [(0.0, B), (2.0, B), (5.0, A)]


async def test_a_silence_beyond_the_patience_is_told_instead_of_waited_for() -> None:
    gate = FloodGate(None, FakeClock())
    gate.hold(A, 3600.0)
    with pytest.raises(FloodWait) as told:
        await sent(gate, A)
    assert told.value.retry_after == 3600.0


async def test_passing_things_go_only_when_nobody_waits() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(Rate(1, 1.0), None, None, burst=1), clock)
    assert sent_at_once(gate, A)
    async with leaves(gate, clock, A, A) as got:
        assert sent_at_once(gate, B)
        await clock.advance(1)
        assert got == [(1.0, A)]
        assert not sent_at_once(gate, A)
        await clock.advance(1)
    assert [when for when, _ in got] == [1.0, 2.0]


async def test_passing_things_leave_a_third_of_the_common_rate_to_what_is_owed() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(None, None, Rate(30, 1.0)), clock)
    others = [Address("fake", f"other{number}") for number in range(10)]
    assert sum(sent_at_once(gate, A, shows=False) for _ in range(100)) == 20
    async with leaves(gate, clock, *others) as got:
        assert got == [(0.0, other) for other in others]
        assert not sent_at_once(gate, A, shows=False)
        await clock.advance(1)
        assert sent_at_once(gate, A, shows=False)


async def test_a_sign_does_not_use_up_the_leave_of_the_answer() -> None:
    clock = FakeClock()
    gate = FloodGate(PER_CHAT, clock)
    assert sent_at_once(gate, A, shows=False)
    async with leaves(gate, clock, A) as got:
        assert got == [(0.0, A)]


async def test_a_leave_counts_from_the_end_of_its_send() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(None, None, Rate(2, 1.0)), clock)
    slow, quick = await gate.admit(A), await gate.admit(B)
    await clock.advance(0.2)
    gate.used(quick)
    await clock.advance(0.3)
    gate.used(slow)
    async with leaves(gate, clock, A, B) as got:
        await clock.advance(2)
    assert got == [(1.2, A), (1.5, B)]


async def test_sends_under_way_take_up_room_however_long_they_take() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(None, None, Rate(2, 1.0)), clock)
    first, second = await gate.admit(A), await gate.admit(B)
    async with leaves(gate, clock, A) as got:
        await clock.advance(5.5)
        assert got == []
        assert not sent_at_once(gate, B)
        gate.used(first)
        await clock.advance(1.5)
        assert got == [(6.5, A)]
    gate.used(second)


async def test_one_who_stops_waiting_leaves_the_line_to_the_next() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(Rate(1, 1.0), None, Rate(1, 1.0), burst=1), clock)
    await sent(gate, A)
    impatient = asyncio.create_task(sent(gate, A))
    async with leaves(gate, clock, A, B) as got:
        impatient.cancel()
        await clock.advance(5)
    assert sorted(when for when, _ in got) == [1.0, 2.0]


@pytest.mark.parametrize("newcomer", [A, B])
async def test_a_newcomer_at_the_very_moment_does_not_pass_those_who_wait(
    newcomer: Address,
) -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(None, None, Rate(1, 1.0)), clock)
    passed: list[bool] = []

    async def come() -> None:
        await clock.sleep(1.0)
        passed.append(sent_at_once(gate, newcomer, shows=False))
        await sent(gate, newcomer)
        passed.append(clock.steady() == 2.0)

    coming = asyncio.create_task(come())
    await clock.advance(0)
    async with leaves(gate, clock, A, A) as got:
        await clock.advance(1)
        assert got == [(0.0, A), (1.0, A)]
        await clock.advance(1)
    await coming
    assert passed == [False, True]


async def test_a_newcomer_to_a_chat_stands_behind_those_who_wait_there() -> None:
    clock = FakeClock()
    gate = FloodGate(PER_CHAT, clock)
    late: list[float] = []

    async def come() -> None:
        await clock.sleep(1.0)
        await sent(gate, A)
        late.append(clock.steady())

    coming = asyncio.create_task(come())
    await clock.advance(0)
    async with leaves(gate, clock, A, A) as got:
        await clock.advance(3)
    await coming
    assert (got, late) == ([(0.0, A), (1.0, A)], [2.0])


async def test_a_shorter_hold_does_not_shorten_a_longer_one() -> None:
    clock = FakeClock()
    gate = FloodGate(None, clock)
    gate.hold(A, 9.0)
    gate.hold(A, 1.0)
    async with leaves(gate, clock, A) as got:
        await clock.advance(9)
    assert got == [(9.0, A)]


async def test_a_chat_in_which_somebody_waits_is_not_forgotten() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(Rate(1, 10.0), None, Rate(1, 1.0), burst=1), clock)
    await sent(gate, B)
    async with leaves(gate, clock, A) as got:
        for n in range(300):
            sent_at_once(gate, Address("fake", f"many{n}"))
        async with leaves(gate, clock, A) as later:
            await clock.advance(20)
    assert (got, later) == ([(1.0, A)], [(11.0, A)])


async def test_idle_chats_are_forgotten() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(Rate(1, 1.0), None, None), clock)
    most = 0
    for n in range(5000):
        await sent(gate, Address("fake", str(n)))
        await clock.advance(0.1)
        most = max(most, len(gate._lines))
    assert most <= 256


async def test_a_chat_gets_a_few_messages_at_once_and_then_one_a_second() -> None:
    clock = FakeClock()
    async with leaves(FloodGate(BURST, clock), clock, *[A] * 5) as got:
        await clock.advance(1.9)
        assert [when for when, _ in got] == [0.0, 0.0, 0.0, 1.0]
        await clock.advance(10)
    assert [when for when, _ in got] == [0.0, 0.0, 0.0, 1.0, 2.0]


async def test_an_answer_and_the_card_before_it_never_wait_for_a_draft() -> None:
    clock = FakeClock()
    gate = FloodGate(BURST, clock)
    assert sent_at_once(gate, A)
    assert not sent_at_once(gate, A)
    async with leaves(gate, clock, A, A) as got:
        assert got == [(0.0, A), (0.0, A)]


async def test_a_draft_comes_only_when_all_that_was_owed_is_paid_back() -> None:
    clock = FakeClock()
    gate = FloodGate(BURST, clock)
    await sent(gate, A)
    await sent(gate, A)
    await clock.advance(1.9)
    assert not sent_at_once(gate, A)
    await clock.advance(0.1)
    assert sent_at_once(gate, A)


async def test_what_waits_beside_others_leaves_them_a_place_and_half_of_a_groups_minute() -> None:
    clock = FakeClock()
    gate = FloodGate(BURST, clock)
    assert gate.wait_beside(A) == 0
    await sent(gate, A)
    assert gate.wait_beside(A) == 0
    await sent(gate, A)
    assert gate.wait_beside(A) == 1.0
    await clock.advance(1)
    assert gate.wait_beside(A) == 0
    group = FloodGate(SendRates(None, Rate(4, 60.0), None), clock, lambda _: True)
    await sent(group, GROUP)
    assert group.wait_beside(GROUP) == 0
    await sent(group, GROUP)
    assert group.wait_beside(GROUP) > 0
    gate.hold(B, 7)
    assert gate.wait_beside(B) == 7


async def test_typing_is_shown_while_an_answer_waits_for_the_rate_of_its_chat() -> None:
    clock = FakeClock()
    gate = FloodGate(SendRates(Rate(1, 1.0), None, Rate(30, 1.0)), clock)
    async with leaves(gate, clock, A, A, A, A) as got:
        assert len(got) == 3
        assert sent_at_once(gate, A, shows=False)
        assert not sent_at_once(gate, A)
        await clock.advance(1)


_SENDS = st.lists(
    st.tuples(
        st.sampled_from(("owed", "draft", "sign")),
        st.integers(0, 2),
        st.floats(0, 1.5),
        st.floats(0, 2.5),
        st.floats(0, 1),
    ),
    max_size=40,
)
"""Sends: their kind, their chat, the time to the next one, and how long they take; of that time
the part after which the platform counts them."""


@given(_SENDS, st.integers(1, 3))
def test_no_schedule_of_slow_sends_is_ever_refused_by_the_platform(
    sends: list[tuple[str, int, float, float, float]], burst: int
) -> None:
    clock = FakeClock()
    platform = Platform(Rates(chat_burst=burst, group_per_minute=6, all_per_second=4), clock)
    rates = SendRates(Rate(1, 1.0), Rate(6, 60.0), Rate(4, 1.0), burst)
    gate = FloodGate(rates, clock, lambda to: to.chat == "2")

    async def carry(leave: Leave, chat: int, seconds: float, part: float) -> None:
        await clock.sleep(seconds * part)
        platform.count(chat)
        await clock.sleep(seconds - seconds * part)
        gate.used(leave)

    async def owed(chat: int, seconds: float, part: float) -> None:
        await carry(await gate.admit(Address("fake", str(chat))), chat, seconds, part)

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            for kind, chat, gap, seconds, part in sends:
                if kind == "owed":
                    group.create_task(owed(chat, seconds, part))
                elif leave := gate.try_admit(Address("fake", str(chat)), shows=kind == "draft"):
                    if kind == "sign":
                        gate.used(leave)
                    else:
                        group.create_task(carry(leave, chat, seconds, part))
                await clock.advance(gap)
            await clock.advance(1_000)

    asyncio.run(run())
    assert platform.counted >= sum(kind == "owed" for kind, *_ in sends)


class _SteadyTime(PlatformClock):
    """The time of a fake clock, as the stand-in reads it."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock

    def now(self) -> float:
        return self._clock.steady()


class Platform:
    """The counting of the stand-in, which raises where the platform would refuse."""

    def __init__(self, rates: Rates, clock: FakeClock) -> None:
        self._gate = PlatformGate(rates, _SteadyTime(clock))
        kinds = ("private", "private", "group")
        self._chats = [Chat(n, kind, "", count()) for n, kind in enumerate(kinds)]
        self.counted = 0

    def count(self, chat: int) -> None:
        self._gate.pass_through(self._chats[chat])
        self.counted += 1


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2)), max_size=40), st.integers(2, 4))
def test_what_is_owed_goes_as_early_as_if_there_were_no_drafts_and_one_place_less(
    sends: list[tuple[bool, float]], burst: int
) -> None:
    def times(*, drafts: bool, places: int) -> list[float]:
        got: list[float] = []

        async def run() -> None:
            clock = FakeClock()
            gate = FloodGate(SendRates(Rate(1, 1.0), None, None, places), clock)

            async def ask() -> None:
                await sent(gate, A)
                got.append(clock.steady())

            async with asyncio.TaskGroup() as group:
                for is_owed, gap in sends:
                    if is_owed:
                        group.create_task(ask())
                    elif drafts:
                        sent_at_once(gate, A)
                    await clock.advance(gap)
                await clock.advance(100)

        asyncio.run(run())
        return got

    with_drafts = times(drafts=True, places=burst)
    without = times(drafts=False, places=burst - 1)
    pairs = zip(with_drafts, without, strict=True)
    assert all(one <= other + 1e-6 for one, other in pairs)


async def test_a_send_refused_for_flood_is_tried_again_when_the_silence_is_over() -> None:
    clock, inner = FakeClock(), FakeChannel(gated=True)
    channel = GatedChannel(inner, FloodGate(None, clock))
    inner.fail_next(FloodWait(4.0))
    sending = asyncio.create_task(channel.send(A, HELLO))
    await clock.advance(3.9)
    assert inner.texts(A) == []
    await channel.send(B, HELLO)
    await clock.advance(0.1)
    assert inner.screen[await sending].piece == HELLO


async def test_a_slow_send_keeps_the_next_one_away_from_its_arrival() -> None:
    clock = FakeClock()
    inner = _SlowChannel(clock, 0.4)
    channel = GatedChannel(inner, FloodGate(PER_CHAT, clock))
    sending = [asyncio.create_task(channel.send(A, HELLO)) for _ in range(3)]
    await clock.advance(10)
    await asyncio.gather(*sending)
    assert inner.arrived == pytest.approx([0.4, 1.8, 3.2])


async def test_an_edit_waits_for_leave_too() -> None:
    clock, inner = FakeClock(), FakeChannel(gated=True)
    channel = GatedChannel(inner, FloodGate(PER_CHAT, clock))
    sent = await channel.send(A, HELLO)
    editing = asyncio.create_task(channel.edit(A, sent, Piece({"text": "bye"})))
    await clock.advance(0.9)
    assert inner.texts(A) == ["hello"]
    await clock.advance(0.1)
    await editing
    assert inner.texts(A) == ["bye"]


async def test_drafts_and_signs_without_room_are_left_out() -> None:
    clock, inner = FakeClock(), FakeChannel(gated=True)
    channel = GatedChannel(inner, FloodGate(SendRates(Rate(1, 1.0), None, Rate(2, 1.0)), clock))
    await channel.draft(A, "one")
    with pytest.raises(FloodWait):
        await channel.draft(A, "two")
    await channel.sign(A, Sign.TYPING)
    with pytest.raises(FloodWait):
        await channel.sign(A, Sign.TYPING)
    assert inner.sent_drafts == [(A, "one")]
    assert len(inner.signs) == 1


async def test_a_channel_without_rates_passes_straight_through() -> None:
    clock, inner = FakeClock(), FakeChannel(gated=False)
    channel = GatedChannel(inner, FloodGate(PER_CHAT, clock))
    for _ in range(3):
        await channel.send(A, HELLO)
        await channel.draft(A, "x")
    assert len(inner.texts(A)) == len(inner.sent_drafts) == 3
    inner.fail_next(FloodWait(4.0))
    with pytest.raises(FloodWait):
        await channel.send(A, HELLO)


class _SlowChannel(FakeChannel):
    """Its sends arrive after `seconds`."""

    def __init__(self, clock: FakeClock, seconds: float) -> None:
        super().__init__(gated=True)
        self._clock = clock
        self._seconds = seconds
        self.arrived: list[float] = []

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        await self._clock.sleep(self._seconds)
        self.arrived.append(self._clock.steady())
        return await super().send(to, piece, once=once)


class _FloodedDrafts(FakeChannel):
    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> None:
        raise FloodWait(5.0)


async def test_a_draft_refused_for_flood_is_dropped_and_keeps_the_chat_silent() -> None:
    clock, inner = FakeClock(), _FloodedDrafts(gated=True)
    channel = GatedChannel(inner, FloodGate(None, clock))
    with pytest.raises(FloodWait):
        await channel.draft(A, "x")
    sending = asyncio.create_task(channel.send(A, HELLO))
    await clock.advance(4.9)
    assert not sending.done()
    await clock.advance(0.1)
    await sending


async def test_a_reaction_without_room_is_told_to_come_again() -> None:
    clock, inner = FakeClock(), FakeChannel(gated=True)
    channel = GatedChannel(inner, FloodGate(SendRates(None, None, Rate(1, 1.0)), clock))
    await channel.sign(A, Sign.QUEUED, "m")
    with pytest.raises(FloodWait):
        await channel.sign(A, Sign.DONE, "m")
    await clock.advance(1.0)
    await channel.sign(A, Sign.DONE, "m")
    assert [sign for _, sign, _ in inner.signs] == [Sign.QUEUED, Sign.DONE]


async def test_what_is_passing_leaves_half_of_a_groups_room_to_what_is_owed() -> None:
    clock, group = FakeClock(), Address("fake", "-7")
    inner = FakeChannel(gated=True)
    rates = SendRates(None, Rate(4, 60.0), None)
    channel = GatedChannel(inner, FloodGate(rates, clock, lambda address: address == group))
    shown = await channel.draft(group, "a")
    assert await channel.draft(group, "b", place=DraftPlace(shown)) == shown
    with pytest.raises(FloodWait):
        await channel.draft(group, "c", place=DraftPlace(shown))
    assert inner.texts(group) == ["b"]
    for text in ("one", "two"):
        await channel.send(group, Piece({"text": text}))
    assert inner.texts(group) == ["b", "one", "two"]
    await clock.advance(60.0)
    await channel.draft(group, "d", place=DraftPlace(shown))
    assert inner.texts(group) == ["d", "one", "two"]
