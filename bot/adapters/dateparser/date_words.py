"""Reads words for a moment; the library is loaded when the first such words come."""

import asyncio
import logging
import re
from collections.abc import Iterator
from datetime import datetime, time
from zoneinfo import ZoneInfo

_LOG = logging.getLogger(__name__)

_SECONDS = 5.0
_MORNING = time(9)
"""The time of a day for which words name none."""

_HOURS = re.compile(r"\b(\d{1,2})\s*(?:uhr|h)(?:\s*(\d{2}))?(?!\w)")
"""“8 Uhr 30” and “8h30”, of which the library drops the hour, or takes it for a day."""

_AT = re.compile(
    r"\b(?:um|a las?|à|às|as|alle|kl\.?|klo|o|at|в)\s+(\d{1,2})()(?![\w:./-]|\s*[ap]\.?m)"
)
_POINT = re.compile(r"\b(\d{1,2})\.(\d{2})(?=\s*[ap]\.?m\b)")
_SPAN = re.compile(r"\b(?:in|dans|en|em|dentro de|daqui a|fra|tra|over|za|через|за)\s+\d")
"""The beginning of a stretch of time: its hours are none of a clock."""

_LEFT_OUT = re.compile(r"\d\s*$")
"""A number at the end of words that are read as a day alone: perhaps an hour."""

_MIDNIGHT = re.compile(r"(?<![\d.,/-])(?:0{1,2}|12|24)(?![\d.,/-])|midnight")


class DateWords:
    """Reads in a thread: the first words load the library, which takes a tenth of a second."""

    async def read(self, words: str, here: datetime, zone: str, language: str) -> datetime | None:
        """Returns the time on the wall that words name, seen from `here`; None if they name none.

        `language` is the code of the person's app; English is always understood. A day without a
        time is meant in the morning. Bare numbers name no moment.
        """
        if not any(map(str.isalpha, words)) and not re.search(r"\d[:./-]\d", words):
            return None
        try:
            async with asyncio.timeout(_SECONDS):
                return await asyncio.to_thread(_read, words, here, zone, language)
        except TimeoutError:
            _LOG.warning("words for a time took too long to read")
            return None


def _read(words: str, here: datetime, zone: str, language: str) -> datetime | None:
    from dateparser import parse

    settings = {"RELATIVE_BASE": here, "PREFER_DATES_FROM": "future", "TIMEZONE": zone}
    said = _with_clocks(words.lower())
    for languages, locales in _languages(language):
        try:
            found = parse(said, languages=languages, locales=locales, settings=settings)
        except ValueError:
            continue  # It does not know the language.
        if found is None or (found.time() == here.time() and _LEFT_OUT.search(said)):
            continue
        if found.tzinfo is not None:
            found = found.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        if found.time() == time(0) and not _MIDNIGHT.search(said):
            found = datetime.combine(found, _MORNING)
        return found
    return None


def _languages(code: str) -> Iterator[tuple[list[str] | None, list[str] | None]]:
    """Yields languages or locales for the library, one at a time: it would prefer English.

    A region tells how dates are written: `en-GB` has the day first.
    """
    language, _, region = code.replace("_", "-").partition("-")
    if region:
        yield None, [f"{language.lower()}-{region.upper()}"]
    if language:
        yield [language.lower()], None
    yield ["en"], None


def _with_clocks(words: str) -> str:
    """Returns the words with times of a clock as the library reads them: with a colon."""
    if _SPAN.search(words):
        return words
    for form in (_HOURS, _AT, _POINT):
        words = form.sub(lambda found: f"{found[1]}:{found[2] or '00'}", words)
    return words
