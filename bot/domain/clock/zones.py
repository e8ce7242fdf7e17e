"""Time zones: the one that counts for a person in a chat, and the ones that a person may mean."""

import difflib
import re
from collections.abc import Collection, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.value import frozen

_ENGLISH = (
    "Europe/London",
    "Europe/Berlin",
    "America/New_York",
    "America/Los_Angeles",
    "Asia/Kolkata",
)
_LIKELY: dict[str, tuple[str, ...]] = {
    "ar": ("Asia/Riyadh", "Africa/Cairo", "Asia/Dubai", "Africa/Casablanca"),
    "be": ("Europe/Minsk", "Europe/Warsaw"),
    "bg": ("Europe/Sofia",),
    "bn": ("Asia/Dhaka", "Asia/Kolkata"),
    "ca": ("Europe/Madrid",),
    "cs": ("Europe/Prague",),
    "da": ("Europe/Copenhagen",),
    "de": ("Europe/Berlin", "Europe/Vienna", "Europe/Zurich"),
    "el": ("Europe/Athens", "Asia/Nicosia"),
    "en": _ENGLISH,
    "en-au": ("Australia/Sydney", "Australia/Brisbane", "Australia/Perth"),
    "en-gb": ("Europe/London", "Europe/Dublin"),
    "en-us": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "es": ("Europe/Madrid", "America/Mexico_City", "America/Bogota", "America/Buenos_Aires"),
    "et": ("Europe/Tallinn",),
    "fa": ("Asia/Tehran", "Asia/Kabul"),
    "fi": ("Europe/Helsinki",),
    "fr": ("Europe/Paris", "Europe/Brussels", "America/Toronto", "Africa/Abidjan"),
    "he": ("Asia/Jerusalem",),
    "hi": ("Asia/Kolkata",),
    "hr": ("Europe/Zagreb",),
    "hu": ("Europe/Budapest",),
    "id": ("Asia/Jakarta", "Asia/Makassar"),
    "it": ("Europe/Rome", "Europe/Zurich"),
    "ja": ("Asia/Tokyo",),
    "kk": ("Asia/Almaty",),
    "ko": ("Asia/Seoul",),
    "lt": ("Europe/Vilnius",),
    "lv": ("Europe/Riga",),
    "ms": ("Asia/Kuala_Lumpur", "Asia/Singapore"),
    "nl": ("Europe/Amsterdam", "Europe/Brussels"),
    "no": ("Europe/Oslo",),
    "nb": ("Europe/Oslo",),
    "pl": ("Europe/Warsaw",),
    "pt": ("Europe/Lisbon", "America/Sao_Paulo", "Africa/Luanda"),
    "pt-br": ("America/Sao_Paulo", "America/Manaus", "Europe/Lisbon"),
    "ro": ("Europe/Bucharest", "Europe/Chisinau"),
    "ru": ("Europe/Moscow", "Asia/Yekaterinburg", "Asia/Novosibirsk", "Asia/Almaty"),
    "sk": ("Europe/Bratislava",),
    "sl": ("Europe/Ljubljana",),
    "sr": ("Europe/Belgrade",),
    "sv": ("Europe/Stockholm", "Europe/Helsinki"),
    "th": ("Asia/Bangkok",),
    "tr": ("Europe/Istanbul",),
    "uk": ("Europe/Kyiv",),
    "ur": ("Asia/Karachi", "Asia/Kolkata"),
    "uz": ("Asia/Tashkent",),
    "vi": ("Asia/Ho_Chi_Minh",),
    "zh": ("Asia/Shanghai", "Asia/Taipei", "Asia/Hong_Kong", "Asia/Singapore"),
}
_OFFSET = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?00)?", re.IGNORECASE)
_LONGEST = 60


CLOCK_TOOLS = frozenset({"current_time", "schedule_task", "update_task"})
"""The tools with which a turn depends on the person's clock."""


@frozen
class Zones:
    """The zones that count; `common` is for people without one of their own, None means UTC."""

    common: str | None = None

    def of(self, person: Person | None, chat: Chat | None = None) -> str:
        """Returns the zone of a chat that has one, or else the person's."""
        chosen = chat.settings.timezone if chat is not None else None
        own = person.timezone if person is not None else None
        return chosen or own or self.common or "UTC"

    def told(self, at: datetime, person: Person) -> str:
        """Returns a day and a time by the person's own clock, which is named if nobody chose it."""
        zone = self.of(person)
        mark = "" if person.timezone or self.common else " UTC"
        return f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}{mark}"


def told_zone(person: Person | None, chat: Chat) -> str | None:
    """Returns the zone of a chat, or of the person who is alone in it; None if nobody told one."""
    if chat.settings.timezone is not None or not chat.private:
        return chat.settings.timezone
    return person.timezone if person is not None else None


def moment(at: datetime, zone: str) -> str:
    """Returns a date and a time as a clock in the zone shows them."""
    return f"{at.astimezone(ZoneInfo(zone)):%A %Y-%m-%d %H:%M} {zone}"


def short_moment(at: datetime, zone: str) -> str:
    """Returns the same with a short weekday, where the zone is known."""
    return f"{at.astimezone(ZoneInfo(zone)):%a %Y-%m-%d %H:%M}"


def likely(language: str) -> Sequence[str]:
    """Returns the zones where people with this language code of their app mostly live."""
    code = language.lower().replace("_", "-")
    return _LIKELY.get(code) or _LIKELY.get(code.partition("-")[0]) or _ENGLISH


def beside(zone: str) -> Sequence[str]:
    """Returns the zones among which somebody chose this one, or it alone."""
    return next((zones for zones in _LIKELY.values() if zone in zones), (zone,))


def city(zone: str) -> str:
    """Returns the city of a zone as people write it."""
    return zone.rpartition("/")[2].replace("_", " ")


def read_zone(text: str) -> str:
    """Reads the name of a time zone; raises ValueError with half a sentence."""
    try:
        return ZoneInfo(text).key
    except (OSError, ValueError, ZoneInfoNotFoundError) as error:
        raise ValueError("it should be the name of a time zone, as in Europe/Berlin") from error


def meant(words: str, known: Collection[str]) -> str | None:
    """Returns the zone that a person means by its name, its city, or a difference to UTC."""
    said = " ".join(words.split())[:_LONGEST]
    if (offset := _OFFSET.fullmatch(said)) is not None:
        # These names count the other way round.
        sign = "-" if offset[1] == "+" else "+"
        hours = int(offset[2])
        wanted = f"etc/gmt{sign}{hours}" if hours else "utc"
    else:
        wanted = said.lower().replace(" ", "_")
    by_name = {zone.lower(): zone for zone in known}
    by_city = {zone.lower().rpartition("/")[2]: zone for zone in sorted(known, reverse=True)}
    return by_name.get(wanted) or by_city.get(wanted)


def similar(words: str, known: Collection[str]) -> Sequence[str]:
    """Returns up to three zones whose city is written much like the words."""
    cities = {city(zone).lower(): zone for zone in sorted(known) if "/" in zone}
    near = difflib.get_close_matches(" ".join(words.split()).lower()[:_LONGEST], cities, 3, 0.7)
    return [cities[one] for one in near]
