"""The command about the memory: what is noted, and what is found by words."""

import re
from collections.abc import Sequence

from bot.domain.change import DropNote
from bot.domain.memory.note import Note, note_of, passage_of
from bot.domain.memory.passage import Passage, clipped_words, whose
from bot.domain.money.budget import CallKind, Cause
from bot.domain.talk.message import ButtonRows
from bot.domain.text.markdown import item, literal
from bot.domain.text.visible_text import clipped
from bot.flow.commanding.choices import choice
from bot.flow.commanding.pages import LISTED, rows_of, turning
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.memory.note_changing import DELETE, DELETED, SURE, change_button, refusal
from bot.flow.memory.recall import Recall
from bot.ports.memory import Memory
from bot.ports.notes import Notes

_MOST_DIGITS = 6
_SHOWN = 160
_ID = re.compile(r"[0-9a-f]{12,}(?:\.[0-9a-f]{8})?")
"""An id of ours: of a note, or of an answer that was given here."""

GONE = "That is gone: it was changed or erased meanwhile. /memory shows my notes."
_WHOLE = 2_500
"""Characters of an answer that is shown alone."""

_NUMBERS = "A number shows a note: there you can change or delete it."
_FOUND = "A number shows one of them: there you can erase it."
_HOW = "`/memory <words>` searches my notes and earlier answers."
_OTHER_WORDS = "Try other words; `/memory` alone shows my notes."


class MemoryCommands:
    def __init__(self, notes: Notes, memory: Memory, recall: Recall) -> None:
        self._notes = notes
        self._memory = memory
        self._recall = recall

    @property
    def table(self) -> Sequence[Command]:
        summary = "what I noted about you; with words, a search"
        return (Command("memory", summary, self.memory, "[words]", Topic.YOU, chosen=True),)

    async def memory(self, asked: Invocation) -> Answer:
        """Lists the newest notes, searches, or shows or deletes one by its button."""
        match asked.words:
            case ("undo" | "drop" as how, id):
                return await self._deleted(asked, id, listed=how == "drop")
            case ("delete", id):
                return await self._sure(asked, id)
            case ():
                return await self._listed(asked)
            case ("notes", page) if page.isdecimal():
                return await self._listed(asked, page=int(page[:_MOST_DIGITS]))
            case ("show", id) if shown := await self._one(asked, id):
                return shown
            case (number,) if note := await self._numbered(asked, number):
                return self._note(note)
            case ("show", id) if _ID.fullmatch(id):
                return Answer(GONE)
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
        first = (page - 1) * LISTED + 1
        lines = [item(n, _short(note.text)) for n, note in enumerate(notes[:LISTED], first)]
        told = "\n".join([f"My notes{which}:", "", *lines, "", f"{_NUMBERS} {_HOW}"])
        buttons = _buttons([passage_of(note.id) for note in notes[:LISTED]], first)
        return Answer(
            told, buttons=(*buttons, *turning(page, "memory", "notes", more=more)), optional=True
        )

    async def _found(self, asked: Invocation, words: str) -> Answer:
        cause = Cause(CallKind.EMBEDDING, asked.chat.id, asked.person.id)
        hits = await self._recall.searched(words, _owner(asked), LISTED, cause)
        found = [passage for passage, _ in hits]
        if not hits:
            return Answer(f"I remember nothing about “{literal(words[:60])}”. {_OTHER_WORDS}")
        lines = [_line(n, passage) for n, passage in enumerate(found, 1)]
        buttons = _buttons([passage.id for passage in found])
        return Answer("\n\n".join([*lines, _FOUND]), buttons=buttons, optional=True)

    async def _one(self, asked: Invocation, id: str) -> Answer | None:
        """Returns one note or answer with what can be done about it; None when it is not theirs."""
        owner, note = _owner(asked), await self._notes.get(id)
        if note is not None and note.whose == owner:
            return self._note(note)
        passage = await self._memory.get(id)
        if passage is None or passage.whose != owner:
            return None
        head = f"{passage.at:%Y-%m-%d}"
        words = [clipped(text, _WHOLE) for text in (passage.question, passage.answer) if text]
        told = "\n\n".join([head, *(literal(text) for text in words)])
        # It cannot be brought back, so it is asked about once more.
        return Answer(told, buttons=(choice("🗑 Erase", "forget", passage.id),), optional=True)

    def _note(self, note: Note) -> Answer:
        """Returns a note with what can be done about it."""
        told = f"📝 {literal(note.text)}\n\nNoted {note.at:%Y-%m-%d}."
        row = (change_button("✏️ Change", note.id), *choice(DELETE, "memory", "delete", note.id))
        return Answer(
            told, buttons=(row, choice("◂ All notes", "memory", "notes", "1")), optional=True
        )

    async def _numbered(self, asked: Invocation, number: str) -> Note | None:
        """Returns the note with this number in the list; None when the list is shorter."""
        if not number.isdecimal() or len(number) > _MOST_DIGITS or not int(number):
            return None
        return next(iter(await self._notes.of(_owner(asked), 1, int(number) - 1)), None)

    async def _sure(self, asked: Invocation, id: str) -> Answer:
        note = await self._numbered(asked, id) or await self._notes.get(id)
        why = refusal(note, asked.chat, asked.person)
        if why or note is None:
            return Answer(why)
        told = f"🗑 {literal(note.text)}\n\n{SURE}"
        yes = choice(DELETE, "memory", "drop", note.id)
        no = choice("Keep", "memory", "show", note.id)
        return Answer(told, buttons=((*yes, *no),), optional=True)

    async def _deleted(self, asked: Invocation, id: str, *, listed: bool) -> Answer:
        note = await self._notes.get(id)
        why = refusal(note, asked.chat, asked.person)
        if why or note is None:
            return Answer(why)
        # The words of a deleted note must not stay on the screen.
        if not listed:
            return Answer(DELETED, (DropNote(note.id),))
        left = [n for n in await self._notes.of(note.whose, LISTED + 1) if n.id != note.id]
        lines = [item(n, _short(one.text)) for n, one in enumerate(left[:LISTED], 1)]
        told = "\n".join([DELETED, "", *lines]).strip()
        buttons = _buttons([passage_of(one.id) for one in left[:LISTED]])
        return Answer(told, (DropNote(note.id),), buttons=buttons, optional=True)


def _owner(asked: Invocation) -> str:
    return whose(asked.chat, asked.person.id)


def _buttons(passages: Sequence[str], first: int = 1) -> ButtonRows:
    """Returns a button with its number for each, which shows it; a very long id has none."""
    numbered = [
        button
        for number, id in enumerate(passages, first)
        for button in choice(str(number), "memory", "show", note_of(id) or id)
    ]
    return rows_of(numbered)


def _line(number: int, passage: Passage) -> str:
    """Returns a line for a note or an answer, with the number of its button.

    An id that is too long for a button stands there, to be typed.
    """
    head = f"**{number}.** {passage.at:%Y-%m-%d}"
    if note_of(passage.id) is not None:
        return f"{head} · 📝 {_short(passage.answer)}"
    asked = _short(passage.question)
    typed = "" if _buttons([passage.id]) else f" · `/forget {passage.id}`"
    return f"{head} · {asked}\n→ {_short(passage.answer)}{typed}"


def _short(text: str) -> str:
    return literal(clipped_words(" ".join(text.split()), _SHOWN))
