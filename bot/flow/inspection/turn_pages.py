"""The page of a turn: its waterfall, its decisions and gates, and the view of a round."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime

from bot.domain.clock.zones import Zones
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line
from bot.domain.tools.call_words import Conceal
from bot.domain.turn.transcript import ReplyBody
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen
from bot.flow.explaining.call_why import StoryReader
from bot.flow.explaining.story import TurnStory
from bot.flow.explaining.telling import StoryTeller
from bot.flow.explaining.wording import cause_of
from bot.flow.inspection.decision_lines import decision_lines
from bot.flow.inspection.figures_told import figures_of
from bot.flow.inspection.gates_told import allowed, asking
from bot.flow.inspection.happenings import Happenings, channel_name, happenings
from bot.flow.inspection.places import titled_place
from bot.flow.inspection.round_view import Lens, chosen, round_view
from bot.flow.inspection.waterfall import clock, waterfall
from bot.flow.models.preamble import Preamble
from bot.ports.chats import Chats, ConversationRows
from bot.ports.journal import Journal
from bot.ports.records import TurnLog, TurnRecords
from bot.ports.turn_page import Remark, TurnLook, TurnPage
from bot.ports.turns import TurnRows

_LONGEST_TITLE = 200
_ASKED_AGAIN = (
    "Nothing was lost. The model had been asked, and its reply had not come whole: no part of it "
    "was kept, and the model was asked again."
)
_WENT_ON = "The work went on from what was stored. A call that may run only once was not run again."


@frozen
class TurnInspection:
    """Shows turns to their askers and to owners, and to nobody else."""

    _turns: TurnRows
    _chats: Chats
    _rows: ConversationRows
    _journal: Journal
    _records: TurnRecords
    _teller: StoryTeller
    _zones: Zones
    _now: Callable[[], datetime]
    _conceal: Conceal
    _preamble: Callable[[str, tuple[str, ...] | None], Preamble | None]
    """Returns the system text and the tools of an epoch, as far as they are known."""

    async def turn(self, id: str, reader: Person, look: TurnLook) -> TurnPage | None:
        turn = await self._turns.get(id)
        if turn is None or not reader.may_decide_for(turn.asker):
            return None
        log = await self._log(turn, look)
        story = await self._teller.told(turn, log.entries)
        chat = await self._chats.get(turn.chat)
        place = await titled_place(self._rows, chat, self._conceal, turn.conversation)
        seen = _Seen(reader, self._zones.of(reader), self._now(), self._conceal)
        lens = Lens(story, log, self._conceal, self._static(story, look))
        return await asyncio.to_thread(seen.page, lens, place, look)

    async def cut_off(self, id: str, until: datetime) -> bool:
        turn = await self._turns.get(id)
        if turn is None or not await self.restarted(turn.chat, turn.created_at, until):
            return False
        what = happenings(await self._teller.told(turn), self._now())
        return any(map(what.cut_off, what.starts))

    async def restarted(self, chat: int, since: datetime, until: datetime) -> bool:
        return await self._teller.restarted(chat, since, until)

    def _static(self, story: TurnStory, look: TurnLook) -> Preamble | None:
        """Returns the system text and the tools that the model was given in the chosen round."""
        one = chosen(story.rounds, look)
        if one is None:
            return None
        epoch = one.reply.provenance.epoch.partition("+")[0]
        return self._preamble(epoch, story.turn.mandate.tools)

    async def _log(self, turn: Turn, look: TurnLook) -> TurnLog:
        """Returns the log around a turn; the whole one where a clock that jumped hid a reply."""
        before = look.before if look.part in ("log", "beside") else None
        log = await self._records.log(turn, before)
        own = sum(e.turn == turn.id and isinstance(e.body, ReplyBody) for e in log.entries)
        if own >= turn.rounds:
            return log
        return TurnLog(tuple(await self._journal.entries(turn.conversation)))


@frozen
class _Seen:
    """A story as one person sees it."""

    reader: Person
    zone: str
    now: datetime
    conceal: Conceal

    def page(self, lens: Lens, place: str, look: TurnLook) -> TurnPage:
        """Returns the whole page."""
        story = lens.story
        turn, what = story.turn, happenings(story, self.now)
        reader = StoryReader(turn, self.reader.id, self.conceal, str)
        asker = "you" if turn.asker == self.reader.id else plain_name(turn.asker_name)
        came = story.record.arrived[0].channel if story.record.arrived else ""
        where = f" on {channel_name(came)}" if came else ""
        return TurnPage(
            turn.id,
            self._title(story),
            place,
            f"{clock(what.whole.begin, self.zone)[:5]} · {asker}{where}",
            tuple(figures_of(story, what.steps, what.whole.seconds)),
            waterfall(what, self.conceal, self.zone, unfolded=look.unfolded),
            decision_lines(story, reader, self.zone),
            asking(story, reader),
            allowed(story, reader),
            tuple(self._remarks(what)),
            round_view(lens, look),
            turn.parent or "",
            turn.chat,
        )

    def _title(self, story: TurnStory) -> str:
        wish = one_line(" ".join(self.conceal(story.wish).split()), _LONGEST_TITLE)
        return f"“{wish}”" if wish else cause_of(story.turn)

    def _remarks(self, what: Happenings) -> Iterator[Remark]:
        for step in what.starts:
            if step.time is not None:
                at = clock(step.time.end, self.zone)
                told = _ASKED_AGAIN if what.cut_off(step) else _WENT_ON
                yield Remark(f"{step.name} at {at}", told)
