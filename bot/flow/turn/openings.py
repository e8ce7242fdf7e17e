"""The start of a turn: from a message, or again from its row."""

import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field

from bot.domain.change import AddAudit
from bot.domain.clock.zones import told_zone
from bot.domain.consent.approval import Approval
from bot.domain.plans.plan import Plan, plan_for
from bot.domain.talk.limits import Limits
from bot.domain.talk.person import Person
from bot.domain.tools.run_place import Walls
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.turn import TAKEN_UP, Turn, TurnState
from bot.domain.value import frozen, replace
from bot.flow.approvals.unrun import reported_as, told_of
from bot.flow.log.companions import Companions
from bot.flow.log.history import ChatLog
from bot.flow.log.work import Work
from bot.flow.models.choosing import Choosing
from bot.flow.reading.gathering import Gathered
from bot.flow.reading.message_reader import Asked
from bot.flow.signs.life_signs import Lives
from bot.flow.turn.resting import taken_up_again
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock
from bot.ports.journal import Agenda
from bot.ports.people import People

_MOST_KNOWN = 1_000


@frozen
class Openings:
    """Writes the first row of a turn, or its next start."""

    _lives: Lives
    _approvals: Approvals
    _clock: Clock
    _companions: Companions
    _choosing: Choosing
    _limits: Limits
    _people: People
    _walls: Callable[[], Awaitable[Walls]]
    _begun_here: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    """The newest turns that this life of the program has begun or taken up."""

    async def open(
        self, log: ChatLog, gathered: Gathered, unreported: Sequence[Approval], agenda: Agenda
    ) -> Work:
        """Opens a turn with a message; the message's rows are taken in the same transaction."""
        asked = gathered.asked
        if agenda.plan is not None:
            asked = self._worded(asked, agenda.plan)
        turn = self._new(log, asked, await self._walls())
        work = await self._at_work(log, turn, asked.person, agenda)
        work.words, work.resumed = asked.words, False
        part = await self._companions.opening(work, work.counted(), agenda)
        work.occasion = part.purpose
        heard = (asked.heard.release,) if asked.heard is not None else ()
        late = told_of(unreported, turn.conversation) if unreported else ()
        reported = map(reported_as, unreported)
        also = (*gathered.taken(turn.chat, turn.id), *reported, *heard, *part.writes)
        self._note(turn)
        await work.write(*late, *part.bodies, asked.body(), turn=part.turn, also=also)
        self._lives.taken(work, gathered.since)
        return work

    def _worded(self, asked: Asked, plan: Plan) -> Asked:
        bundle = self._companions.worded(asked.bundle, plan)
        return asked if bundle is asked.bundle else replace(asked, bundle=bundle)

    def _new(self, log: ChatLog, asked: Asked, walls: Walls) -> Turn:
        chat, message = log.chat, asked.bundle.first
        return Turn(
            id=secrets.token_hex(8),
            chat=chat.id,
            conversation=chat.conversation,
            asker=asked.person.id,
            asker_name=asked.person.name,
            model=self._choosing.model(chat.settings.model),
            created_at=self._clock.now(),
            mandate=replace(PERSONAL, walls=walls),
            reply_to=None if message.private else message.message_id,
        )

    async def take_up(self, log: ChatLog, turn: Turn, agenda: Agenda) -> Work:
        """Continues a turn that an earlier run of the program began, or that was parked."""
        asker = await self._people.get(turn.asker)
        work = await self._at_work(log, turn, asker, agenda)
        model = turn.model
        if turn.state is TurnState.QUEUED:
            model = turn.model or self._choosing.model(log.chat.settings.model)
        work.called.update(c.call.name for c in (*work.progress.done, *work.progress.open_calls))
        again, shown = taken_up_again(work) if turn.state is TurnState.RESTING else ((), ())
        started = replace(self._begun(turn), rests_until=None, model=model)
        part = await self._companions.taken_up(work, started, agenda)
        work.occasion = part.purpose
        cut = turn.state is TurnState.RUNNING
        line = (self._taken_up(turn),) if cut and turn.id not in self._begun_here else ()
        self._note(turn)
        await work.write(*part.bodies, *again, turn=part.turn, also=(*part.writes, *shown, *line))
        self._lives.taken(work, turn.created_at, cut=cut)
        return work

    def _taken_up(self, turn: Turn) -> AddAudit:
        """Returns the line that tells pages what happened to an answer of another life."""
        return AddAudit(self._clock.now(), turn.chat, turn.asker, TAKEN_UP, turn.id, {})

    def _note(self, turn: Turn) -> None:
        self._begun_here[turn.id] = None
        while len(self._begun_here) > _MOST_KNOWN:
            self._begun_here.popitem(last=False)

    def _begun(self, turn: Turn) -> Turn:
        """Returns the row of a turn that begins, or that is held back because it is suspected.

        It is suspected when the program died in it several times in a row. Each death came before
        a step had lived, so it may have come from outside. If the program dies while the turn is
        held back, the turn is not the cause, and the suspicion is over.
        """
        begun = turn.begun
        if turn.state is TurnState.RUNNING:
            begun = 1 if turn.held_back else begun + 1
        suspected = begun >= self._limits.attempts
        return replace(turn, state=TurnState.RUNNING, begun=begun, held_back=suspected)

    async def _at_work(
        self, log: ChatLog, turn: Turn, asker: Person | None, agenda: Agenda
    ) -> Work:
        if log.conversation != turn.conversation:
            await log.read(turn.conversation)
        own = [a for a in agenda.approvals if a.turn == turn.id]
        if turn.approval is not None and all(a.id != turn.approval for a in own):
            card = await self._approvals.get(turn.approval)
            own.extend((card,) if card is not None else ())
        counted_after = self._limits.counted_after_seconds
        work = Work(log, turn, tuple(own), self._clock, agenda, asker, counted_after=counted_after)
        work.timezone = told_zone(asker, log.chat)
        work.plan = plan_for(turn, agenda.plan)
        work.begin()
        return work
