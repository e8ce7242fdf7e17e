"""A companion that tells the model who it is and who speaks, once a conversation."""

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from bot.domain.loop.contribution import Briefing, Share
from bot.domain.memory.background import WordsInView, about_body, persona_body
from bot.domain.talk.person import Person
from bot.domain.turn.transcript import AskerBody, BackgroundBody
from bot.domain.turn.turn import Turn
from bot.flow.log.companion import Companion
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.ports.journal import Agenda
from bot.ports.people import People
from bot.ports.persona import Persona


class BackgroundCompanion:
    """Puts these words before the first message of a conversation.

    Words that changed come before the message of the next turn, and words that a summary took out
    of view come again. Nothing before them changes, so the provider's cache stays valid.
    """

    def __init__(self, persona: Persona, people: People) -> None:
        self._persona = persona
        self._people = people
        self._known: WeakKeyDictionary[Work, dict[int, Person | None]] = WeakKeyDictionary()

    @property
    def answers(self) -> Companion:
        return Companion(opening=self.opening, briefing=self.briefing)

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        return Share(row, await self._missing(work, row.asker))

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        """Adds the words of a person who spoke up since, and words that are out of view."""
        bodies = (entry.body for entry in reversed(work.log.of_turns[work.turn.id]))
        asked = next((body for body in bodies if isinstance(body, AskerBody)), None)
        speaker = work.turn.asker if asked is None or asked.person is None else asked.person
        return Briefing(await self._missing(work, speaker))

    async def _missing(self, work: Work, speaker: int) -> tuple[BackgroundBody, ...]:
        told = work.log.in_view(WordsInView).told
        person = await self._person(work, speaker)
        return (*self._persona_in(told), *_about_in(told, person, group=not work.log.chat.private))

    def _persona_in(self, told: Mapping[int | None, str]) -> tuple[BackgroundBody, ...]:
        words = self._persona.words
        return (persona_body(words),) if told.get(None, "") != words else ()

    async def _person(self, work: Work, number: int) -> Person | None:
        """Returns a person as they were when this run of the turn first asked for them."""
        if number == work.turn.asker:
            return work.asker
        known = self._known.setdefault(work, {})
        if number not in known:
            known[number] = await self._people.get(number)
        return known[number]


def _about_in(
    told: Mapping[int | None, str], person: Person | None, *, group: bool
) -> tuple[BackgroundBody, ...]:
    if person is None or told.get(person.id, "") == person.about:
        return ()
    return (about_body(person, group=group),)
