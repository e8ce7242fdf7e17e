"""The turn that takes something back: the last turn of the talk, or changes of files."""

from collections.abc import Sequence

from bot.domain.change import AddAudit, DropFileChange, DropPassage, Show, Write
from bot.domain.talk.message import ButtonRows, Call, Outbound, OutboundKind, Plain
from bot.domain.tools.file_change import (
    UNDO_BUTTONS,
    FileChange,
    Stage,
    UndoButton,
    UndoVerb,
    undo_label,
)
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import Body, CutBody
from bot.domain.turn.turn import TurnState
from bot.domain.value import frozen
from bot.flow.log.work import Work
from bot.flow.undoing import wording
from bot.flow.undoing.cards_back import CardsBack
from bot.flow.undoing.changed_since import question
from bot.flow.undoing.putting_back import Put, PuttingBack
from bot.flow.undoing.undo_turns import asked_in, newest_deed, past_undoing, summarised
from bot.ports.file_changes import FileChanges, PresentFile, WorkspaceDoor
from bot.ports.outbox import Outbox


@frozen
class UndoParts:
    """The rows and doors of taking back."""

    changes: FileChanges
    door: WorkspaceDoor
    outbox: Outbox
    cards: CardsBack


class UndoChore:
    """Each file is finished before the next; the messages about all come with the settlement."""

    def __init__(self, parts: UndoParts) -> None:
        self._parts = parts
        self._putting = PuttingBack(parts.changes, parts.door)

    async def do(self, work: Work) -> None:
        if work.turn.follows is not None:
            await self._take_out(work, work.turn.follows)
        else:
            await self._put_back(work)

    async def _take_out(self, work: Work, turn: str) -> None:
        """Takes a turn out of view, and offers to put back the files that it changed."""
        log = work.log.entries()
        if newest_deed(log) != turn:
            await self._settle(work, (), (_notice(work, wording.GONE_ON),))
            return
        if summarised(log, turn):
            whole = CutBody((), 0, unsummed=(turn,))
            told = _notice(work, wording.UNSUMMED)
            await self._settle(work, (whole,), (told, _audit(work, "summary.taken_back", turn)))
            return
        entries = work.log.entries(turn)
        files = [one for one in await self._parts.changes.of_task(turn) if not one.undone]
        left = past_undoing(entries)
        told = wording.taken_out(asked_in(entries), files, left)
        buttons = _offer(turn, files)
        kind = OutboundKind.OPTION if buttons else OutboundKind.NOTICE
        shown = _shown(work, Outbound(kind, told, buttons))
        note = (wording.left_note(files, left),) if files or left else ()
        out = CutBody((), 0, without=(turn,))
        forgotten = DropPassage(turn, work.turn.conversation)
        await self._settle(
            work, (out, *note), (shown, forgotten, _audit(work, "turn.taken_back", turn))
        )

    async def _put_back(self, work: Work) -> None:
        asked = await self._parts.changes.asked_by(work.turn.id)
        puts = [await self._putting.put(work, one) for one in asked]
        done = [one.change for one in puts if one.change.stage is Stage.DONE and not one.why]
        writes: list[Write] = []
        for put in puts:
            writes += await self._told(work, put)
        lines = [*dict.fromkeys(map(wording.done_line, done)), *_failed(puts)]
        writes += await self._answer(work, lines, cards=work.turn.said == CARD)
        notes = (wording.files_note(done),) if done else ()
        await self._settle(work, notes, writes)

    async def _told(self, work: Work, put: Put) -> Sequence[Write]:
        """Returns the writes that show and record what became of a change."""
        change = put.change
        if put.why:
            return ()
        if change.stage is Stage.MET:
            return (await self._question(work, put),)
        details = {"turn": change.turn, "call": change.call, "undone": change.undone}
        at, by = work.clock.now(), work.turn.asker
        line = AddAudit(at, change.chat, by, "file.undone", change.path, details)
        dropped = () if change.spare_kept else (DropFileChange(change.id),)
        return (line, *dropped, *await self._parts.cards.shown(change))

    async def _question(self, work: Work, put: Put) -> Show:
        """Asks once more when somebody else has changed the file; the message shows both."""
        change = put.change
        found = put.found or await self._found(change)
        told = self._parts.door.told(found, change.content)
        return question(work.turn.id, change, told)

    async def _found(self, change: FileChange) -> PresentFile:
        return await self._parts.door.look(change.root, change.path)

    async def _answer(self, work: Work, lines: Sequence[str], *, cards: bool) -> Sequence[Write]:
        """Tells what was done: on the cards alone, in the message that asked, or in a notice."""
        key, blocks = work.turn.said, tuple(Plain(line, style="line") for line in lines)
        asked = await self._parts.outbox.row(key) if key and not cards else None
        if asked is not None:
            told = (*asked.content.blocks, *blocks)
            content = Outbound(asked.content.kind, told, files=asked.content.files)
            return (Show(asked.key, asked.chat, content),)
        if not blocks or (cards and not any(line.startswith("✗") for line in lines)):
            return ()
        return (_shown(work, Outbound(OutboundKind.NOTICE, blocks)),)

    async def _settle(self, work: Work, bodies: Sequence[Body], writes: Sequence[Write]) -> None:
        settled = work.counted(
            state=TurnState.SETTLED,
            stop_reason=StopReason.FINAL_ANSWER,
            ended_at=work.clock.now(),
        )
        await work.write(*bodies, turn=settled, also=writes, durable=True)


CARD = "card"
"""Stands in place of the key of a message: the cards of the changes tell of them."""


def _shown(work: Work, content: Outbound) -> Show:
    turn = work.turn
    return Show(f"answer:{turn.id}", turn.chat, content, about=turn.id, call=Call.DONE)


def _notice(work: Work, text: str) -> Show:
    return _shown(work, Outbound(OutboundKind.NOTICE, (Plain(text, style="line"),)))


def _offer(turn: str, files: Sequence[FileChange]) -> ButtonRows:
    if not files:
        return ()
    return ((UNDO_BUTTONS.button(undo_label(len(files)), UndoButton(UndoVerb.ALL, turn, 0)),),)


def _failed(puts: Sequence[Put]) -> list[str]:
    return [wording.failed_line(one.change, one.why) for one in puts if one.why]


def _audit(work: Work, action: str, turn: str) -> AddAudit:
    at, by = work.clock.now(), work.turn.asker
    return AddAudit(at, work.turn.chat, by, action, turn, {"turn": turn})
