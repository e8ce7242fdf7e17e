"""The command about the memory: what is noted, and what is found by words."""

from collections.abc import Sequence

from bot.domain.budget import CallKind, Cause
from bot.domain.change import DropNote
from bot.domain.markdown import inline_code, literal
from bot.domain.message import Button
from bot.domain.note import note_of, passage_of
from bot.domain.passage import Passage, clipped_words, whose
from bot.flow.commands.choices import choice
from bot.flow.commands.note_changing import change_button, refusal
from bot.flow.commands.pages import LISTED, rows_of, turning
from bot.flow.commands.table import Answer, Command, Invocation, Topic
from bot.flow.memory.recall import Recall
from bot.ports.notes import Notes

_MOST_DIGITS = 6
_SHOWN = 160
_SIGNS = "🗑 deletes a note, ✏️ changes it."
_ERASES = "`/forget <id>` erases an answer."
_HOW = f"`/memory <words>` searches what I remember. {_ERASES}"
_OTHER_WORDS = "Try other words; `/memory` alone shows my notes."


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
        notes = await self._notes.of(_owner(asked), LISTED + 1, (page - 1) * LISTED)
        if not notes and page > 1:
            return Answer("There are no older notes.")
        if not notes:
            told = "I have no notes. Say “remember that …”, and I take one."
            return Answer(f"{told} {_HOW}")
        more = len(notes) > LISTED
        which = f", page {page}, the newest first" if more or page > 1 else ""
        lines = [f"{n}. {_short(note.text)}" for n, note in enumerate(notes[:LISTED], 1)]
        told = "\n".join([f"My notes{which}:", "", *lines, "", f"{_SIGNS} {_HOW}"])
        buttons = _buttons([passage_of(note.id) for note in notes[:LISTED]])
        return Answer(
            told, buttons=(*buttons, *turning(page, "memory", "notes", more=more)), optional=True
        )

    async def _found(self, asked: Invocation, words: str) -> Answer:
        cause = Cause(CallKind.EMBEDDING, asked.chat.id, asked.person.id)
        hits = await self._recall.searched(words, _owner(asked), LISTED, cause)
        found = [passage for passage, _ in hits]
        if not hits:
            return Answer(f"I remember nothing about {inline_code(words[:60])}. {_OTHER_WORDS}")
        lines = [_line(n, passage) for n, passage in enumerate(found, 1)]
        buttons = _buttons([passage.id for passage in found])
        return Answer("\n\n".join([*lines, _ERASES]), buttons=buttons, optional=True)

    async def _deleted(self, asked: Invocation, id: str, *, listed: bool) -> Answer:
        note = await self._notes.get(id)
        why = refusal(note, asked.chat, asked.person)
        if why or note is None:
            return Answer(why)
        # The words of a deleted note must not stay on the screen.
        if not listed:
            return Answer("↩️ The note is deleted.", (DropNote(note.id),))
        left = [n for n in await self._notes.of(note.whose, LISTED + 1) if n.id != note.id]
        lines = [f"{n}. {_short(one.text)}" for n, one in enumerate(left[:LISTED], 1)]
        told = "\n".join(["One note is deleted.", "", *lines]).strip()
        buttons = _buttons([passage_of(one.id) for one in left[:LISTED]])
        return Answer(told, (DropNote(note.id),), buttons=buttons, optional=True)


def _owner(asked: Invocation) -> str:
    return whose(asked.chat, asked.person.id)


def _buttons(passages: Sequence[str]) -> tuple[tuple[Button, ...], ...]:
    """Returns numbered buttons: one that deletes for each, and one that changes for each note."""
    deleting: list[Button] = []
    changing: list[Button] = []
    for number, id in enumerate(passages, 1):
        note = note_of(id)
        if note is None:
            # What was said cannot be brought back, so it is asked about once more.
            deleting.extend(choice(f"🗑 {number}", "forget", id))
        else:
            deleting.extend(choice(f"🗑 {number}", "memory", "delete", note))
            changing.append(change_button(f"✏️ {number}", note))
    return (*rows_of(deleting), *rows_of(changing))


def _line(number: int, passage: Passage) -> str:
    """Returns a line for a note, or for an answer with its id, and the number of its buttons."""
    head = f"**{number}** · {passage.at:%Y-%m-%d}"
    if note_of(passage.id) is not None:
        return f"{head} · 📝 {_short(passage.answer)}"
    asked = _short(passage.question)
    return f"{head} · {asked}\n→ {_short(passage.answer)} · `{passage.id}`"


def _short(text: str) -> str:
    return literal(clipped_words(" ".join(text.split()), _SHOWN))
