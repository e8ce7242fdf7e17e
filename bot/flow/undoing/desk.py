"""The desk for buttons that take changes of files back: it queues the turn that does so."""

from collections.abc import Sequence
from datetime import timedelta

from bot.domain.change import Change, SaveFileChange, SaveTurn, Write
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.tools.file_change import UNDO_BUTTONS, FileChange, Stage, UndoButton, UndoVerb
from bot.domain.turn.turn import TurnState
from bot.domain.value import frozen
from bot.flow.commanding.desks import NOT_OURS, Desk, refused
from bot.flow.undoing import wording
from bot.flow.undoing.cards_back import CardsBack
from bot.flow.undoing.chore import CARD
from bot.flow.undoing.own_folders import OwnFolders
from bot.flow.undoing.undo_turns import ruled_in, undo_turn
from bot.flow.ways.buttons import without_buttons
from bot.ports.clock import Clock
from bot.ports.file_changes import FileChanges
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.outbox import Outbox
from bot.ports.turns import TurnRows

_OF_TURN = (UndoVerb.ALL, UndoVerb.RULED)


@frozen
class UndoRows:
    """The rows that a press is judged by."""

    changes: FileChanges
    turns: TurnRows
    outbox: Outbox
    cards: CardsBack
    folders: OwnFolders


@frozen
class UndoDesk(Desk[UndoButton]):
    """Takes presses, and the wish of a command; old contents are kept for `days`."""

    buttons = (UNDO_BUTTONS,)

    _journal: Journal
    _rows: UndoRows
    _lanes: Lanes
    _clock: Clock
    _days: int

    async def press(
        self, meant: UndoButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        files = await self._files(meant)
        shown = press.message_id and await self._rows.outbox.key_of(chat, press.message_id)
        if not files:
            await self._take_away(shown or "", "")
            kept = meant.verb in _OF_TURN and await self._rows.changes.of_task(meant.of)
            return refused(wording.DONE_ALREADY if kept else wording.GONE)
        told = await self._against(files, meant, chat, person)
        if told or person is None:
            return refused(told)
        if meant.verb is UndoVerb.KEEP:
            await self._take_away(shown or "", wording.KEPT)
            return PressAnswer()
        key = CARD if meant.verb is UndoVerb.ONE else shown or ""
        writes = await self.wish(files, person, key, agreed=meant.verb is UndoVerb.ANYWAY)
        return refused(writes) if isinstance(writes, str) else await self._queued(files[0], writes)

    async def _against(
        self, files: Sequence[FileChange], meant: UndoButton, chat: int, person: Person | None
    ) -> str:
        """Returns what speaks against a press; empty when it counts."""
        if not all([await self._belongs(one, chat) for one in files]):
            return NOT_OURS
        if person is None or not person.may_decide_for(files[0].asker):
            return wording.NOT_YOURS
        if not await self.lets(person, files):
            return wording.NOT_APPROVER
        pressed = meant.verb not in _OF_TURN and files[0].flips != meant.flips
        return wording.DONE_ALREADY if pressed else ""

    async def lets(self, person: Person, files: Sequence[FileChange]) -> bool:
        """Returns True when the person may have all these files put back without an owner."""
        folders = self._rows.folders
        return all([person.may_approve(one.asker, await folders.reach(one)) for one in files])

    async def _queued(self, first: FileChange, writes: Sequence[Write]) -> PressAnswer:
        try:
            await self._journal.commit(Change(tuple(writes), durable=True))
        except Conflict:
            # Another press was quicker.
            return refused(wording.AT_IT)
        self._lanes.wake(first.chat)
        return await self._accepted(first.chat)

    async def wish(
        self, files: Sequence[FileChange], by: Person, key: str, *, agreed: bool = False
    ) -> Sequence[Write] | str:
        """Returns the writes that queue the turn which puts files back, or the reason why not."""
        if any([await self._under_way(one) for one in files]):
            return wording.AT_IT
        agenda = await self._journal.agenda(files[0].chat)
        turn = undo_turn(agenda.chat, by, self._clock.now(), key=key)
        asked = [
            one.amended(stage=Stage.ASKED, by=turn.id, agreed=agreed and bool(one.met))
            for one in files
        ]
        saved = (SaveFileChange(one, one.version - 1) for one in asked)
        return (*saved, SaveTurn(turn))

    async def _accepted(self, chat: int) -> PressAnswer:
        agenda = await self._journal.agenda(chat)
        busy = any(
            turn.state is TurnState.RUNNING and turn.origin != "undo" for turn in agenda.unfinished
        )
        return PressAnswer(wording.LATER, alone=True) if busy else PressAnswer()

    async def _files(self, meant: UndoButton) -> Sequence[FileChange]:
        """Returns the changes that a button means, as far as they are kept."""
        if meant.verb in _OF_TURN:
            found = [o for o in await self._rows.changes.of_task(meant.of) if not o.undone]
            if meant.verb is UndoVerb.RULED:
                ruled = await self._ruled(meant.of)
                found = [one for one in found if one.id in ruled]
        else:
            one = await self._rows.changes.get(meant.of)
            found = [] if one is None else [one]
        since = self._clock.now() - timedelta(days=self._days)
        return [one for one in found if one.at >= since]

    async def _ruled(self, turn: str) -> frozenset[str]:
        """Returns the changes of a turn that a standing rule let happen."""
        row = await self._rows.turns.get(turn)
        log = () if row is None else await self._journal.entries(row.conversation)
        return ruled_in(log, turn)

    async def _belongs(self, change: FileChange, chat: int) -> bool:
        if change.chat == chat:
            return True
        card = await self._rows.cards.of(change)
        return card is not None and chat in card.chats

    async def _under_way(self, change: FileChange) -> bool:
        if change.stage not in (Stage.ASKED, Stage.BEGUN):
            return False
        turn = await self._rows.turns.get(change.by)
        return turn is not None and turn.state is not TurnState.SETTLED

    async def _take_away(self, key: str, line: str) -> None:
        """Takes the buttons of a message away."""
        row = await self._rows.outbox.row(key) if key else None
        if row is not None and row.content.buttons:
            await self._journal.commit(Change((without_buttons(row, line),), durable=True))

    async def card_key(self, meant: UndoButton, chat: int) -> str | None:
        """Returns the outbound key of the card with this button; offers have none of their own."""
        if meant.verb is not UndoVerb.ONE:
            return None
        change = await self._rows.changes.get(meant.of)
        card = None if change is None else await self._rows.cards.of(change)
        return None if card is None else card.key_in(chat)
