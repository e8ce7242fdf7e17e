"""Commands of a person about themselves: who they are, and which clock they use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.change import SaveProfile
from bot.domain.clock.zones import Zones, beside, city, likely
from bot.domain.memory.background import MOST_ABOUT
from bot.domain.talk.message import ButtonRows
from bot.domain.text.markdown import inline_code, literal
from bot.flow.commanding.choices import choice
from bot.flow.commanding.pages import rows_of
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.people.zone_asking import ANOTHER_CITY, BY_PLACE, Rezoned
from bot.flow.people.zone_names import ZoneNames, from_now_on
from bot.ports.channel import Channel
from bot.ports.clock import Clock

_OFF = "off"
_CLEARS = (_OFF, "clear", "none")
_LATER = "later"
_EACH_ROW = 2
_HOW = "Write `/timezone` and your city, as in `/timezone Lisbon`, or `/timezone +2`."


@dataclass(slots=True, eq=False)
class PersonalCommands:
    """Commands about a person; `rezoned` moves that person's tasks to a new zone."""

    _zones: Zones
    _clock: Clock
    _rezoned: Rezoned
    _channels: Mapping[str, Channel]
    _names: ZoneNames = field(default_factory=ZoneNames, init=False)

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "about", "what you told me about yourself", self.about, "[words|off]", Topic.YOU
            ),
            Command(
                "timezone", "your clock", self.timezone, "[city|+2|off]", Topic.YOU, chosen=True
            ),
        )

    async def about(self, asked: Invocation) -> Answer:
        """Shows, sets or clears what the person says about themselves."""
        person, (_, *behind) = asked.person, asked.message.text.split(maxsplit=1)
        words = behind[0].strip() if behind else ""
        if not words:
            return Answer(_shown(asked))
        if words.lower() in _CLEARS:
            cleared = SaveProfile(person.id, "", person.timezone)
            return Answer("I forget what you wrote about yourself.", (cleared,))
        length = len(words.encode(errors="replace"))
        if length > MOST_ABOUT:
            return Answer(
                f"That is {length:,} bytes, and I can keep {MOST_ABOUT:,}. I changed nothing. "
                "Please say it in fewer words."
            )
        told = (
            "Saved. I use it from your next message on. `/about` shows it, `/about off` clears it."
        )
        return Answer(told, (SaveProfile(person.id, words, person.timezone),))

    async def timezone(self, asked: Invocation) -> Answer:
        """Shows or sets the person's time zone."""
        words, person = " ".join(asked.words), asked.person
        if not words:
            return self._now(asked)
        if words.lower() == _OFF:
            common = self._zones.common or "UTC"
            told = f"I forget your time zone. From now on my times are {common}."
            moved = await self._rezoned(person, None)
            return Answer(told, (SaveProfile(person.id, person.about, None), *moved))
        if words.lower() == _LATER:
            rows = self._buttons(asked, person.timezone)
            return Answer(f"My times stay {self._zones.of(person)}. {_HOW}", buttons=rows)
        return await self._chosen(asked, words)

    def _now(self, asked: Invocation) -> Answer:
        zone = self._zones.of(asked.person)
        told = f"Your time zone is {inline_code(zone)}: it is {self._time(zone):%H:%M} there."
        if asked.person.timezone is None:
            told = f"You have not told me your time zone. I use {inline_code(zone)}."
        rows = self._buttons(asked, asked.person.timezone)
        return Answer(f"{told} {_HOW}", buttons=rows)

    async def _chosen(self, asked: Invocation, words: str) -> Answer:
        zone = await self._names.meant(words)
        if zone is None:
            return Answer(f"{await self._names.unknown(words)} {_HOW}")
        saved = SaveProfile(asked.person.id, asked.person.about, zone)
        moved = await self._rezoned(asked.person, zone)
        told = from_now_on(zone, self._clock.now())
        return Answer(told, (saved, *moved), buttons=self._buttons(asked, zone))

    def _buttons(self, asked: Invocation, now: str | None) -> ButtonRows:
        channel = self._channels.get(asked.chat.address.channel)
        located = channel is not None and channel.locates
        return zone_buttons(asked.message.language, now, located=located)

    def _time(self, zone: str) -> datetime:
        return self._clock.now().astimezone(ZoneInfo(zone))


def zone_buttons(language: str, now: str | None = None, *, located: bool) -> ButtonRows:
    """Returns a button for each likely city, and for another one; one more to be left alone.

    `located` adds one where people can send their location.
    """
    zones = likely(language) if now is None else beside(now)
    cities = [choice(city(zone), "timezone", zone, now=zone == now) for zone in zones]
    buttons = [*(button for row in cities for button in row)]
    buttons += (ANOTHER_CITY, BY_PLACE) if located else (ANOTHER_CITY,)
    buttons += choice("Not now", "timezone", _LATER) if now is None else ()
    return rows_of(buttons, _EACH_ROW)


def _shown(asked: Invocation) -> str:
    person = asked.person
    how = "`/about <words>` tells me who you are and what I should know."
    if not person.about:
        return f"You have not told me about yourself. {how}"
    if not asked.chat.private:
        return "You told me about yourself. `/about` in our private chat shows it."
    quoted = "\n".join(f"> {literal(line)}" for line in person.about.splitlines())
    return f"You told me:\n\n{quoted}\n\n`/about off` clears it."
