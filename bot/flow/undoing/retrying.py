"""The command that answers the last message anew, also with another model."""

from collections.abc import Sequence

from bot.domain.change import SaveTurn
from bot.domain.text.markdown import inline_code
from bot.domain.turn.transcript import AskerBody, Entry
from bot.domain.value import frozen
from bot.flow.commanding.effects import Wake
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.models.choosing import Choosing
from bot.flow.undoing import wording
from bot.flow.undoing.desk import UndoRows
from bot.flow.undoing.undo_turns import newest_turn, past_undoing
from bot.flow.undoing.waiting_cards import WaitingCards
from bot.flow.ways.follower import anew
from bot.ports.clock import Clock
from bot.ports.journal import Journal


@frozen
class RetryCommands:
    _journal: Journal
    _rows: UndoRows
    _choosing: Choosing
    _waiting: WaitingCards
    _clock: Clock

    @property
    def table(self) -> Sequence[Command]:
        summary = "answer the last message anew, with another model if you name one"
        return (Command("retry", summary, self.retry, "[model]"),)

    async def retry(self, asked: Invocation) -> Answer:
        """Queues a turn that takes the first answer out of view and asks again."""
        model = self._choosing.meant(asked.words[0]) if asked.words else ""
        if model and not self._choosing.knows(model):
            return Answer(f"There is no model {inline_code(model[:60])} here. /model lists them.")
        agenda = await self._journal.agenda(asked.chat.id)
        if agenda.busy:
            return Answer(wording.RETRY_BUSY)
        if agenda.plan is not None:
            return Answer(wording.RETRY_PLANNED)
        log = await self._journal.entries(asked.chat.conversation)
        newest = newest_turn(log)
        first = None if newest is None else await self._rows.turns.get(newest)
        entries = [entry for entry in log if entry.turn == newest]
        if first is None or not any(isinstance(entry.body, AskerBody) for entry in entries):
            return Answer(wording.NOTHING_ANEW)
        if not asked.person.may_decide_for(first.asker):
            return Answer(wording.NOT_YOURS_ANEW)
        back = await self._waiting.withdraw(agenda, first.id, asked.person)
        queued = anew(first, agenda.chat, asked.person, model, self._clock.now())
        told = await self._stands(first.id, entries)
        return Answer(told, (SaveTurn(queued), *back), (Wake(asked.chat.id),))

    async def _stands(self, turn: str, entries: Sequence[Entry]) -> str:
        """Returns what the first answer has done that stays; empty without anything."""
        files = [one for one in await self._rows.changes.of_task(turn) if not one.undone]
        names = [wording.named(one) for one in files]
        done = [*dict.fromkeys((*names, *past_undoing(entries)))]
        if not done:
            return ""
        back = " /undo files puts files back." if files else ""
        return f"I answer anew. What I did the first time stays: {wording.listed(done)}.{back}"
