"""A companion of turns that stores notes, and shows each with a button that takes it back."""

from bot.domain.change import AddNote, DropNote, KeepPassage, Show, Write
from bot.domain.loop.contribution import Share
from bot.domain.memory.note import FORGET, REMEMBER, Note, note_id, shown_by
from bot.domain.memory.passage import whose
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from bot.domain.text.markdown import literal
from bot.domain.tools.file_change import UNDO
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.turn import Turn
from bot.flow.commanding.choices import choice
from bot.flow.log.companion import Companion, Results, by_calls, succeeded
from bot.flow.log.work import Work


class NotedCompanion:
    """Writes notes in the transaction of the result, so that each is taken once."""

    @property
    def answers(self) -> Companion:
        return Companion(by_calls(REMEMBER, FORGET), after_results=self.after_results)

    async def after_results(self, work: Work, row: Turn, ran: Results) -> Share:
        writes: list[Write] = []
        for call in succeeded(ran):
            if call.name == REMEMBER:
                writes.extend(_noted(work, call))
            elif call.name == FORGET:
                writes.append(DropNote(str((call.arguments or {}).get("note", "")).strip()))
        return Share(row, writes=tuple(writes))


def _noted(work: Work, call: ToolCall) -> tuple[Write, ...]:
    turn, chat = work.turn, work.log.chat
    note = Note(
        note_id(turn.id, call.id),
        whose(chat, turn.asker),
        str((call.arguments or {}).get("note", "")).strip(),
        work.clock.now(),
        turn.asker,
        turn.asker_name,
        turn.conversation,
    )
    undo = choice(UNDO, "memory", "undo", note.id)
    told = Outbound(OutboundKind.OPTION, (Markdown(f"📝 Noted: {literal(note.text)}"),), (undo,))
    kept = KeepPassage(note.as_passage(chat))
    return AddNote(note), kept, Show(shown_by(note.id), chat.id, told)
