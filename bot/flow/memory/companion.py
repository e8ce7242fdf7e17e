"""A companion of turns that recalls what fits a message, and remembers what was settled."""

import logging
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from bot.domain.change import AddUsage, KeepPassage
from bot.domain.consent.consent import Consent
from bot.domain.consent.rules import trusted_origins
from bot.domain.loop.contribution import Agreed, Briefing, Ended, Share, Stance
from bot.domain.memory.note import REMEMBER, noted_of, notes_told
from bot.domain.memory.passage import Whose, whose
from bot.domain.memory.recalled import PassagesInView, Recipient, told_again
from bot.domain.money.budget import CallKind, Cause
from bot.domain.talk.errors import StewardError
from bot.domain.text.stems import beginnings
from bot.domain.tools.tool import ExactRule, Surroundings, Warrant
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import RecallBody
from bot.domain.turn.turn import Turn
from bot.domain.value import field, frozen, replace
from bot.flow.log.companion import Companion, Results
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.memory.passage_making import foreign_of, kept
from bot.flow.memory.recall import Recall
from bot.ports.approvals import Rules
from bot.ports.journal import Agenda
from bot.ports.notes import Notes
from bot.ports.people import People
from bot.ports.tool import Tool

_LOG = logging.getLogger(__name__)

_MOST_NOTES = 200
"""Notes that are looked at; more do not fit into the bytes that open a conversation."""


@frozen
class MemoryCompanion:
    """Quotes passages before a message, and keeps one in the transaction of the settlement.

    Passages are stored with the message and never change, so the beginning of the next request
    stays as it was. Stopped turns leave nothing to remember.
    """

    _recall: Recall
    _notes: Notes
    _rules: Rules
    _people: People
    _tokens: int
    """The most tokens that are recalled for a message; with 0 nothing is recalled."""
    _views: WeakKeyDictionary[Work, ViewFold] = field(default_factory=WeakKeyDictionary, init=False)

    @property
    def answers(self) -> Companion:
        return Companion(
            opening=self.opening, stance=self.stance, briefing=self.briefing, ended=self.ended
        )

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        seen = set(work.log.in_view(PassagesInView).ids)
        paid: list[AddUsage] = []
        try:
            noted = None
            if agenda.noted or noted_of(seen):
                noted = await self._noted(work, row, seen)
            seen.update(noted.passages if noted is not None else ())
            recalled = await self._recalled(work, row, seen, paid) if self._tokens else None
        except StewardError as fault:
            # A turn never fails because nothing can be recalled.
            _LOG.warning("nothing can be recalled: %s", fault, extra=work.tags)
            return Share(row, writes=tuple(paid))
        told = tuple(body for body in (noted, recalled) if body is not None)
        return Share(row, told, tuple(paid))

    async def _noted(self, work: Work, row: Turn, seen: set[str]) -> RecallBody | None:
        """Returns the notes that the model does not see yet."""
        chat = work.log.chat
        owner = whose(chat, row.asker)
        notes = await self._notes.of(owner, _MOST_NOTES)
        gone = [id for id in noted_of(seen) - {n.id for n in notes} if await self._gone(id, owner)]
        reader = Recipient(row.asker, group=not chat.private)
        return notes_told(notes, seen, gone, row.conversation, reader)

    async def _gone(self, id: str, owner: Whose) -> bool:
        """Returns True for a note that is deleted; an old one may only be behind the newest."""
        note = await self._notes.get(id)
        return note is None or note.whose != owner

    async def _recalled(
        self, work: Work, row: Turn, seen: set[str], paid: list[AddUsage]
    ) -> RecallBody | None:
        wanted, chat = beginnings(work.words), work.log.chat
        if not wanted:
            return None
        cause = Cause(CallKind.EMBEDDING, row.chat, row.asker, row.id, row.skill)
        fitting = await self._recall.fitting(work.words, whose(chat, row.asker), seen, cause)
        paid.extend(fitting.records)
        found = [one for one in fitting.passages if one.id not in seen]
        reader = Recipient(row.asker, group=not chat.private)
        if any(one.origins for one in found):
            reader = replace(reader, trusts=await self._trusted(row))
        return told_again(fitting.ids, found, wanted, reader, self._tokens)

    async def _trusted(self, row: Turn) -> frozenset[str]:
        """Returns the origins that the asker trusts here now; only an owner trusts any."""
        person = await self._people.get(row.asker)
        if person is None or not person.is_owner:
            return frozenset()
        return trusted_origins(await self._rules.of(row.asker, row.chat))

    def stance(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        """Lets a note be taken unasked, as it can be undone, unless foreign text is in view."""
        view = self._views.get(work)
        if call.call.name != REMEMBER or view is None:
            return None
        if view.untrusted_for(work.turn.asker) is not None:
            return None
        exact = ExactRule(call.call.canonical)
        consent = Consent(REMEMBER, exact, Surroundings())
        return Agreed(consent, {}, warrant=Warrant.NOTED)

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        self._views[work] = view
        return Briefing()

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        if finish.stop_reason is not StopReason.FINAL_ANSWER:
            return Ended()
        view, turn = self._views.get(work), work.turn
        passage = kept(
            work.log.chat,
            work.counted(ended_at=work.clock.now()),
            work.progress,
            [entry.body for entry in work.log.of_turns[turn.id]],
            purpose=work.purpose,
            **({} if view is None else foreign_of(view, turn.asker)),
        )
        return Ended() if passage is None else Ended((KeepPassage(passage),))
