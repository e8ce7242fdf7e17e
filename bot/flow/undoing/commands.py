"""The command that takes the last turn back, or the files that it changed."""

from collections.abc import Sequence

from bot.domain.change import SaveTurn
from bot.domain.value import frozen
from bot.flow.commanding.effects import Wake
from bot.flow.commanding.table import Answer, Command, Invocation, answer_key
from bot.flow.undoing import wording
from bot.flow.undoing.desk import UndoDesk, UndoRows
from bot.flow.undoing.undo_turns import newest_deed, undo_turn
from bot.flow.undoing.waiting_cards import WaitingCards
from bot.ports.clock import Clock
from bot.ports.journal import Journal


@frozen
class UndoCommands:
    _journal: Journal
    _rows: UndoRows
    _desk: UndoDesk
    _waiting: WaitingCards
    _clock: Clock

    @property
    def table(self) -> Sequence[Command]:
        summary = "take back the last message and my answer; with `files`, only my changes to files"
        return (Command("undo", summary, self.undo, "[files]"),)

    async def undo(self, asked: Invocation) -> Answer:
        """Queues the turn that does it, so that nothing else works on the log or the files."""
        agenda = await self._journal.agenda(asked.chat.id)
        if [word.lower() for word in asked.words] == ["files"]:
            return await self._files(asked)
        if agenda.busy:
            return Answer(wording.BUSY)
        if agenda.plan is not None:
            return Answer(wording.PLANNED)
        newest = newest_deed(await self._journal.entries(asked.chat.conversation))
        turn = None if newest is None else await self._rows.turns.get(newest)
        if turn is None:
            return Answer(wording.NOTHING)
        if not asked.person.may_decide_for(turn.asker):
            return Answer(wording.NOT_YOURS)
        back = await self._waiting.withdraw(agenda, turn.id, asked.person)
        queued = undo_turn(asked.chat, asked.person, self._clock.now(), follows=turn.id)
        return Answer("", (SaveTurn(queued), *back), (Wake(asked.chat.id),))

    async def _files(self, asked: Invocation) -> Answer:
        """Puts the files of the newest turn back that changed any."""
        newest = await self._rows.changes.newest_task(asked.chat.id)
        found = () if newest is None else await self._rows.changes.of_task(newest)
        files = [one for one in found if not one.undone]
        if not files:
            return Answer(wording.NO_CHANGES)
        if not await self._desk.lets(asked.person, files):
            return Answer(wording.NOT_APPROVER)
        writes = await self._desk.wish(files, asked.person, answer_key(asked.row))
        if isinstance(writes, str):
            return Answer(writes)
        return Answer(wording.PUTTING_BACK, tuple(writes), (Wake(asked.chat.id),))
