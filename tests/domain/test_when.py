"""Times of tasks: rules on walls whose clocks are moved, and the words for them."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.apscheduler.calendar import CronCalendar
from bot.domain.clock.when import (
    Cron,
    Every,
    EveryDays,
    Once,
    WhenUnclear,
    cron_of,
    last_missed,
    next_time,
    next_times,
    numbers,
    weekdays_of,
)
from bot.domain.clock.when_words import EXAMPLES, read_when

WALLS = CronCalendar().after
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC")
NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
MOMENTS = st.integers(0, 8 * 366 * 86_400).map(
    lambda seconds: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)


def walls(rule: Cron | EveryDays | Every, zone: str, after: datetime, count: int) -> list[str]:
    found = next_times(rule, zone, after, WALLS, count)
    return [f"{at.astimezone(ZoneInfo(zone)):%m-%d %H:%M %z}" for at in found]


def cron(fields: str) -> Cron:
    return cron_of(fields.split())


def berlin(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    there = ZoneInfo("Europe/Berlin")
    return datetime(year, month, day, hour, minute, tzinfo=there).astimezone(UTC)


def test_a_skipped_hour_comes_as_much_later_and_never_twice() -> None:
    daily = cron("30 2 * * *")
    assert walls(daily, "Europe/Berlin", berlin(2026, 3, 28, 3), 3) == [
        "03-29 03:30 +0200",
        "03-30 02:30 +0200",
        "03-31 02:30 +0200",
    ]


def test_a_doubled_hour_counts_the_first_time() -> None:
    daily = cron("30 2 * * *")
    assert walls(daily, "Europe/Berlin", berlin(2026, 10, 24, 3), 2) == [
        "10-25 02:30 +0200",
        "10-26 02:30 +0100",
    ]


def test_an_open_hour_comes_in_every_real_hour() -> None:
    hourly = cron("0 * * * *")
    assert walls(hourly, "Europe/Berlin", berlin(2026, 10, 25, 1, 30), 3) == [
        "10-25 02:00 +0200",
        "10-25 02:00 +0100",
        "10-25 03:00 +0100",
    ]
    assert walls(hourly, "Europe/Berlin", berlin(2026, 3, 29, 1, 30), 2) == [
        "03-29 03:00 +0200",
        "03-29 04:00 +0200",
    ]


def test_days_keep_their_time_on_the_wall_and_hours_do_not() -> None:
    start = berlin(2026, 3, 28, 9)
    assert walls(EveryDays(1, start), "Europe/Berlin", start, 2) == [
        "03-29 09:00 +0200",
        "03-30 09:00 +0200",
    ]
    assert walls(Every(86_400, start), "Europe/Berlin", start, 1) == ["03-29 10:00 +0200"]


def test_the_last_day_of_the_month_and_leap_days() -> None:
    last = cron("0 9 L * *")
    assert walls(last, "UTC", datetime(2028, 1, 31, 10, tzinfo=UTC), 2) == [
        "02-29 09:00 +0000",
        "03-31 09:00 +0000",
    ]
    leap = cron("0 0 29 2 *")
    assert next_time(leap, "UTC", datetime(2097, 1, 1, tzinfo=UTC), WALLS) == datetime(
        2104, 2, 29, tzinfo=UTC
    )


def test_a_day_of_either_kind_counts_as_cron_has_it() -> None:
    friday_or_13th = cron("0 0 13 * 5")
    assert walls(friday_or_13th, "UTC", datetime(2026, 11, 7, tzinfo=UTC), 3) == [
        "11-13 00:00 +0000",
        "11-20 00:00 +0000",
        "11-27 00:00 +0000",
    ]
    sunday = [cron(f"0 0 * * {day}") for day in ("0", "7", "sun")]
    assert {tuple(walls(one, "UTC", NOON, 1)) for one in sunday} == {("11-08 00:00 +0000",)}


@pytest.mark.parametrize(
    "fields", ["0 9 * *", "60 * * * *", "0 24 * * *", "a * * * *", "0 0 31 2,4 *", "*/0 * * * *"]
)
def test_rules_that_cannot_be_are_refused(fields: str) -> None:
    with pytest.raises(WhenUnclear):
        cron(fields)


FIELDS = st.tuples(
    st.sampled_from(["*", "*/15", "0", "30", "5-10", "7,45", "50/4"]),
    st.sampled_from(["*", "*/2", "0", "2", "1-3", "23"]),
    st.sampled_from(["*", "1", "29", "*/10", "L"]),
    st.sampled_from(["*", "3", "10", "1-6"]),
    st.sampled_from(["*", "1-5", "sun", "0,3"]),
)


@given(FIELDS, st.sampled_from(ZONES), MOMENTS)
def test_every_time_fits_its_rule_and_none_is_left_out(
    fields: tuple[str, ...], zone: str, after: datetime
) -> None:
    """Compares with a walk over every minute of the days up to the second time."""
    rule = cron_of(fields)
    found = next_times(rule, zone, after, WALLS, 3)
    assert list(found) == sorted(set(found))
    assert all(at > after for at in found)
    until = min(found[-1], after + timedelta(days=3))
    minute = after.replace(second=0, microsecond=0) + timedelta(minutes=1)
    expected: list[datetime] = []
    while minute <= until:
        if fits(rule, minute, ZoneInfo(zone)):
            expected.append(minute)
        minute += timedelta(minutes=1)
    regular = [at for at in found if at <= until and not moved(at, ZoneInfo(zone))]
    assert regular == [at for at in expected if not moved(at, ZoneInfo(zone))][: len(regular)]


def fits(rule: Cron, at: datetime, zone: ZoneInfo) -> bool:
    wall = at.astimezone(zone)
    last = (wall + timedelta(days=1)).month != wall.month
    on_day = last if rule.day == "L" else wall.day in numbers(rule.day, 1, 31)
    on_weekday = wall.isoweekday() % 7 in weekdays_of(rule.weekday)
    both = rule.day.startswith("*") or rule.weekday.startswith("*")
    return (
        wall.minute in numbers(rule.minute, 0, 59)
        and wall.hour in numbers(rule.hour, 0, 23)
        and wall.month in numbers(rule.month, 1, 12)
        and (on_day and on_weekday if both else on_day or on_weekday)
    )


def moved(at: datetime, zone: ZoneInfo) -> bool:
    """Tells if clocks are moved within three hours."""
    around = (at - timedelta(hours=3), at + timedelta(hours=3))
    return len({one.astimezone(zone).utcoffset() for one in around}) > 1


@given(
    st.one_of(
        st.builds(Every, st.integers(60, 10**7), MOMENTS),
        st.builds(EveryDays, st.integers(1, 400), MOMENTS),
    ),
    st.sampled_from(ZONES),
    MOMENTS,
)
def test_times_that_repeat_grow_and_do_not_depend_on_where_one_looks(
    rule: Every | EveryDays, zone: str, after: datetime
) -> None:
    first, second = next_times(rule, zone, after, WALLS, 2)
    assert after < first < second or first > rule.start
    between = first + (second - first) / 2
    assert next_time(rule, zone, between, WALLS) == second


def test_the_newest_missed_time_within_the_grace_is_made_up_for() -> None:
    daily, hour = cron("0 9 * * *"), timedelta(hours=1)
    due = datetime(2026, 11, 2, 9, tzinfo=UTC)
    at = due + timedelta(days=3, minutes=30)
    assert last_missed(daily, "UTC", due, at, hour, WALLS) == due + timedelta(days=3)
    assert last_missed(daily, "UTC", due, at + hour, hour, WALLS) is None
    assert last_missed(Once(due), "UTC", due, at, hour, WALLS) == due
    often = Every(60, due - timedelta(minutes=1))
    year = due + timedelta(days=366, seconds=30)
    assert last_missed(often, "UTC", due, year, hour, WALLS) == year - timedelta(seconds=30)


READ = {
    "in 20m": Once(NOON + timedelta(minutes=20)),
    "in 1h 30m": Once(NOON + timedelta(minutes=90)),
    "in 1h30m": Once(NOON + timedelta(minutes=90)),
    "in 1h30": Once(NOON + timedelta(minutes=90)),
    "in 2 days and 5 seconds": Once(NOON + timedelta(days=2, seconds=5)),
    "tomorrow 8:00": Once(datetime(2026, 11, 3, 8, tzinfo=UTC)),
    "Tomorrow at 8 pm": Once(datetime(2026, 11, 3, 20, tzinfo=UTC)),
    "at 2027-01-05 09:00": Once(datetime(2027, 1, 5, 9, tzinfo=UTC)),
    "2027-01-05": Once(datetime(2027, 1, 5, 9, tzinfo=UTC)),
    "at 11:30": Once(datetime(2026, 11, 3, 11, 30, tzinfo=UTC)),
    "at noon": None,
    "every 2h": Every(7_200, NOON),
    "every hour": Every(3_600, NOON),
    "every 90 minutes": Every(5_400, NOON),
    "every 2 days": EveryDays(2, NOON),
    "every 3d at 18:00": EveryDays(3, datetime(2026, 10, 30, 18, tzinfo=UTC)),
    "every 2 weeks 9:00": EveryDays(14, datetime(2026, 11, 2, 9, tzinfo=UTC)),
    "every weekday 09:00": Cron("0", "9", weekday="1-5"),
    "every weekend at noon": Cron("0", "12", weekday="0,6"),
    "every day 7:15am": Cron("15", "7"),
    "daily 23:00": Cron("0", "23"),
    "every mon, wed and fri 8:00": Cron("0", "8", weekday="1,3,5"),
    "every week on monday 10:00": Cron("0", "10", weekday="1"),
    "every month on the last day": Cron("0", "9", "L"),
    "every month on the 15th at 10:30": Cron("30", "10", "15"),
    "cron 0 9 * * 1-5": Cron("0", "9", weekday="1-5"),
    "when pigs fly": None,
    "in a moment": None,
    "every now and then": None,
}


@pytest.mark.parametrize("words", READ)
def test_words_are_read(words: str) -> None:
    if words == "at noon":
        assert read_when(words, NOON, "UTC") == Once(NOON + timedelta(days=1))
    else:
        assert read_when(words, NOON, "UTC") == READ[words]


@pytest.mark.parametrize("words", EXAMPLES)
def test_every_example_is_understood(words: str) -> None:
    assert read_when(words, NOON, "Europe/Berlin") is not None


@pytest.mark.parametrize(
    "words",
    ["every 30s", "at 2020-01-01 09:00", "at 25:00", "2027-02-30", "in 0m", "every 0d", "in 9999w"],
)
def test_times_that_nobody_can_have_are_refused(words: str) -> None:
    with pytest.raises(WhenUnclear):
        read_when(words, NOON, "UTC")


@given(st.text(max_size=100))
def test_any_words_are_a_rule_or_a_sentence(words: str) -> None:
    with suppress(WhenUnclear):
        rule = read_when(words, NOON, "Europe/Berlin")
        assert rule is None or next_times(rule, "Europe/Berlin", NOON, WALLS, 2)


def test_the_newest_of_many_missed_times_is_found_without_going_through_all() -> None:
    asked = 0

    def counted(rule: Cron, wall: datetime) -> datetime | None:
        nonlocal asked
        asked += 1
        return WALLS(rule, wall)

    now = datetime(2026, 11, 2, 12, 0, 30, tzinfo=UTC)
    due, half_a_day = now - timedelta(days=3), timedelta(hours=12)
    found = last_missed(Cron("*", "*"), "UTC", due, now, half_a_day, counted)
    assert (found, asked < 20) == (now.replace(second=0), True)
