"""Breakers: pauses that double, one probe after each, and no memory of a model that answers."""

from bot.flow.models.breakers import Away, Breakers
from tests.fakes.clock import FakeClock


async def test_pauses_double_up_to_ten_minutes_and_one_call_probes_after_each() -> None:
    clock = FakeClock()
    breakers = Breakers(clock)
    for seconds in (30, 60, 120, 240, 480, 600, 600):
        assert not breakers.away("m")
        breakers.begins("m")
        breakers.failed("m")
        assert breakers.all_away() == [Away("m", seconds)]
        await clock.advance(seconds - 1)
        assert breakers.away("m")
        await clock.advance(1.5)
    assert not breakers.away("other")


async def test_while_one_call_probes_others_go_elsewhere() -> None:
    clock = FakeClock()
    breakers = Breakers(clock)
    breakers.failed("m")
    await clock.advance(31)
    breakers.begins("m")
    assert breakers.away("m")
    breakers.broken_off("m")
    assert not breakers.away("m")
    breakers.begins("m")
    breakers.served("m")
    assert not breakers.away("m")
    assert breakers.all_away() == []
    breakers.failed("m")
    assert breakers.all_away() == [Away("m", 30)]
