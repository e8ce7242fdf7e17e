"""The command about the memory: what is noted, and what is found by words."""

from collections.abc import Sequence

from bot.domain.budget import CallKind, Cause
from bot.domain.change import DropNote
from bot.domain.markdown import inline_code, literal
from bot.domain.message import Button
from bot.domain.note import Note, note_of
from bot.domain.passage import Passage, clipped_words, whose
from bot.flow.commands.choices import choice
from bot.flow.commands.table import Answer, Command, Invocation, Topic
from bot.flow.memory.recall import Recall
from bot.ports.notes import Notes

_LISTED = 10
_MOST_DIGITS = 6
_SHOWN = 160
_EACH_ROW = 5
_HOW = "`/memory <words>` searches what I remember. `/forget <id>` erases an answer."


class MemoryCommands:
    def __init__(self, notes: Notes, recall: Recall) -> None:
        self._notes = notes
        self._recall = recall

    @property
    def table(self) -> Sequence[Command]:
        summary = "what I remember of you; with words, a search"
        return (Command("memory", summary, self.memory, "[words]", Topic.YOU, chosen=True),)

    async def memory(self, asked: Invocation) -> Answer:
        """Lists the newest notes, searches, or deletes a note by its button."""
        match asked.words:
            case ("undo" | "delete" as how, id):
                return await self._deleted(asked, id, listed=how == "delete")
            case ():
                return await self._listed(asked)
            case ("notes", page) if page.isdecimal():
                return await self._listed(asked, page=int(page[:_MOST_DIGITS]))
            case words:
                return await self._found(asked, " ".join(words))

    async def _listed(self, asked: Invocation, page: int = 1) -> Answer:
        page = max(page, 1)
        notes = await self._notes.of(_owner(asked), _LISTED + 1, (page - 1) * _LISTED)
        if not notes and page > 1:
            return Answer("There are no older notes.", buttons=_turning(1, more=False))
        if not notes:
            told = "I have no notes. Say “remember that …”, and I take one."
            return Answer(f"{told} {_HOW}")
        more = len(notes) > _LISTED
        which = f" Page {page}, the newest first:" if more or page > 1 else ""
        lines = [f"{n}. {_short(note.text)}" for n, note in enumerate(notes[:_LISTED], 1)]
        told = "\n".join([f"My notes.{which}", "", *lines, "", _HOW])
        buttons = _buttons([note.id for note in notes[:_LISTED]])
        return Answer(told, buttons=(*buttons, *_turning(page, more=more)), optional=True)

    async def _found(self, asked: Invocation, words: str) -> Answer:
        cause = Cause(CallKind.EMBEDDING, asked.chat.id, asked.person.id)
        hits = await self._recall.searched(words, _owner(asked), _LISTED, cause)
        if not hits:
            return Answer(f"I remember nothing with {inline_code(words[:60])}. {_HOW}")
        lines: list[str] = []
        notes: list[str] = []
        for passage, _ in hits:
            note = note_of(passage.id)
            notes.extend(() if note is None else (note,))
            lines.append(_line(passage, len(notes) if note is not None else 0))
        return Answer("\n\n".join([*lines, _HOW]), buttons=_buttons(notes), optional=True)

    async def _deleted(self, asked: Invocation, id: str, *, listed: bool) -> Answer:
        note = await self._notes.get(id)
        if note is None or note.whose != _owner(asked):
            return Answer("That note is gone already.", buttons=())
        if not _may_delete(asked, note):
            return Answer("Only an owner, or the person whose note it is, can delete it.")
        # The words of a deleted note must not stay on the screen.
        if not listed:
            return Answer("↩️ The note is deleted.", (DropNote(note.id),))
        left = [n for n in await self._notes.of(note.whose, _LISTED + 1) if n.id != note.id]
        lines = [f"{n}. {_short(one.text)}" for n, one in enumerate(left[:_LISTED], 1)]
        told = "\n".join(["One note is deleted.", "", *lines]).strip()
        buttons = _buttons([one.id for one in left[:_LISTED]])
        return Answer(told, (DropNote(note.id),), buttons=buttons, optional=True)


def _owner(asked: Invocation) -> str:
    return whose(asked.chat, asked.person.id)


def _may_delete(asked: Invocation, note: Note) -> bool:
    return asked.chat.private or asked.person.may_decide_for(note.person)


def _buttons(notes: Sequence[str]) -> tuple[tuple[Button, ...], ...]:
    """Returns a numbered button for each note, that deletes it."""
    found = [
        button
        for number, id in enumerate(notes, 1)
        for button in choice(f"🗑 {number}", "memory", "delete", id)
    ]
    return tuple(tuple(found[n : n + _EACH_ROW]) for n in range(0, len(found), _EACH_ROW))


def _turning(page: int, *, more: bool) -> tuple[tuple[Button, ...], ...]:
    """Returns a row with buttons for the newer and the older page, as far as there are any."""
    newer = choice("◂ Newer", "memory", "notes", str(page - 1)) if page > 1 else ()
    older = choice("Older ▸", "memory", "notes", str(page + 1)) if more else ()
    return ((*newer, *older),) if newer or older else ()


def _line(passage: Passage, number: int) -> str:
    """Returns a line for a note with the number of its button, or for an answer with its id."""
    if number:
        return f"🗑 {number} · {passage.at:%Y-%m-%d} · {_short(passage.answer)}"
    asked = _short(passage.question)
    return f"{passage.at:%Y-%m-%d} · {asked}\n→ {_short(passage.answer)} · `{passage.id}`"


def _short(text: str) -> str:
    return literal(clipped_words(" ".join(text.split()), _SHOWN))
