"""Words for moments as people of several languages write them, read by the real library."""

from datetime import datetime

import pytest

from bot.adapters.dateparser.date_words import DateWords

HERE = datetime.fromisoformat("2026-11-23 10:00")


async def read(words: str, language: str) -> str | None:
    found = await DateWords().read(words, HERE, "Europe/Berlin", language)
    return None if found is None else f"{found:%Y-%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("language", "words", "at"),
    [
        ("de", "morgen 8 Uhr", "2026-11-24 08:00"),
        ("de", "morgen um 8 Uhr 30", "2026-11-24 08:30"),
        ("de", "morgen um 8", "2026-11-24 08:00"),
        ("de", "Freitag 8 Uhr", "2026-11-27 08:00"),
        ("fr", "demain 8h", "2026-11-24 08:00"),
        ("fr", "demain à 8h30", "2026-11-24 08:30"),
        ("fr", "vendredi 17h", "2026-11-27 17:00"),
        ("es", "mañana a las 8", "2026-11-24 08:00"),
        ("pt-br", "amanhã às 8h", "2026-11-24 08:00"),
        ("it", "domani alle 8", "2026-11-24 08:00"),
        ("ru", "завтра в 8", "2026-11-24 08:00"),
        ("en", "tomorrow 9.30pm", "2026-11-24 21:30"),
        ("en", "friday at 8 pm", "2026-11-27 20:00"),
    ],
)
async def test_an_hour_is_read_as_people_write_it(language: str, words: str, at: str) -> None:
    assert await read(words, language) == at


@pytest.mark.parametrize(
    ("language", "words"), [("de", "in 2 Stunden"), ("fr", "dans 2h"), ("es", "en 2 horas")]
)
async def test_a_stretch_of_hours_is_no_clock(language: str, words: str) -> None:
    assert await read(words, language) == "2026-11-23 12:00"


@pytest.mark.parametrize(
    ("language", "month", "day"),
    [("de", 1, 5), ("fr", 1, 5), ("en-GB", 1, 5), ("en", 5, 1), ("", 5, 1), ("xx", 5, 1)],
)
async def test_a_date_is_read_as_the_language_writes_it(
    language: str, month: int, day: int
) -> None:
    assert await read("05/01/2027 9:00", language) == f"2027-{month:02}-{day:02} 09:00"


async def test_a_time_with_a_zone_of_its_own_counts_there() -> None:
    assert await read("2027-01-05 09:00 UTC", "en") == "2027-01-05 10:00"
    assert await read("2027-01-05 09:00+02:00", "en") == "2027-01-05 08:00"


async def test_a_day_without_a_time_is_meant_in_the_morning_but_midnight_is_midnight() -> None:
    assert await read("friday", "en") == "2026-11-27 09:00"
    assert await read("jan 5", "en") == "2027-01-05 09:00"
    assert await read("friday 12am", "en") == "2026-11-27 00:00"
    assert await read("Freitag 0 Uhr", "de") == "2026-11-27 00:00"


@pytest.mark.parametrize(
    "words", ["8", "2027", "morgen om 8", "when pigs fly", "½", "\uff12\uff10"]
)
async def test_what_would_be_guessed_is_not_understood(words: str) -> None:
    assert await read(words, "nl") is None
