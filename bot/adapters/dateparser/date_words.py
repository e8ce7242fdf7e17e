"""Reads words for a moment; the library is loaded when the first such words come."""

import asyncio
import logging
from datetime import datetime

_LOG = logging.getLogger(__name__)

_SECONDS = 5.0


class DateWords:
    """Reads in a thread: the first words load the library, which takes a tenth of a second."""

    async def read(self, words: str, here: datetime, language: str) -> datetime | None:
        """Returns the time on the wall that words name, seen from `here`; None if they name none.

        `language` is the code of the person's app; English is always understood.
        """
        try:
            async with asyncio.timeout(_SECONDS):
                return await asyncio.to_thread(_read, words, here, language)
        except TimeoutError:
            _LOG.warning("words for a time took too long to read")
            return None


def _read(words: str, here: datetime, language: str) -> datetime | None:
    from dateparser import parse  # noqa: PLC0415

    settings = {"RELATIVE_BASE": here, "PREFER_DATES_FROM": "future", "TIMEZONE": "UTC"}
    code = language.lower().partition("-")[0]
    try:
        found = parse(
            words, languages=list(dict.fromkeys(filter(None, (code, "en")))), settings=settings
        )
    except ValueError:
        # It does not know the language.
        found = parse(words, languages=["en"], settings=settings)
    return None if found is None else found.replace(tzinfo=None)
