"""The desk that changes the words of a note: a button asks, a reply gives them, Undo goes back."""

from dataclasses import replace

from bot.domain.change import AddNote, Change, CheckAccess, DropNote, KeepPassage, Show
from bot.domain.memory.note import (
    MOST_NOTE,
    NOTE_BUTTONS,
    WORDS_BUTTONS,
    Note,
    NoteButton,
    NoteVerb,
    WordsButton,
    asking,
    changed_id,
    note_asked,
    note_id,
    shown_by,
)
from bot.domain.memory.passage import whose
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import (
    Block,
    Button,
    Hint,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
    Press,
    PressAnswer,
)
from bot.domain.talk.person import Person
from bot.domain.text.markdown import literal
from bot.domain.tools.file_change import UNDO
from bot.flow.commanding.asking_desk import AskingDesk, asked_of, question
from bot.flow.commanding.desks import Taken, refused
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.memory_page import Reworded
from bot.ports.notes import Notes
from bot.ports.outbox import Outbox

GONE = "That note is gone: it was changed or deleted meanwhile. /memory shows my notes."
NOT_YOURS = "Only an owner, or the person whose note it is, can change it."
UNDONE = "↩ Undone. The note says again what it said before."
_BEFORE = "Before: "
DELETED = "The note is deleted."
DELETE, SURE = "🗑 Delete", "Delete this note? I cannot bring it back."
_UNCHANGED = "Nothing was changed."


def change_button(label: str, note: str) -> Button:
    """Returns the button that asks for new words of a note."""
    return WORDS_BUTTONS.button(label, WordsButton(note), Hint.NOTE)


def refusal(note: Note | None, chat: Chat, person: Person) -> str:
    """Returns the reason why a person cannot change or delete a note; empty when they can."""
    if note is None or note.whose != whose(chat, person.id):
        return GONE
    return "" if chat.private or person.may_decide_for(note.person) else NOT_YOURS


class NoteChanging(AskingDesk[NoteButton | WordsButton]):
    """A changed note is a new one in the place of the old one.

    So a model that knows the old words is told that they hold no longer, and reads the new ones.
    The message about the change alone keeps the old words: they go when it is erased, which is
    with the next change, with the note, and with `/forget`.
    """

    buttons = (NOTE_BUTTONS, WORDS_BUTTONS)

    def __init__(
        self, journal: Journal, notes: Notes, chats: Chats, outbox: Outbox, clock: Clock
    ) -> None:
        super().__init__(journal, outbox)
        self._notes = notes
        self._chats = chats
        self._clock = clock

    async def press(
        self, meant: NoteButton | WordsButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        """Asks for the words, which come as a reply; or brings back those before a change.

        Before a note is deleted below the message about its change, that message asks.
        """
        if isinstance(meant, WordsButton) or person is None:
            return await super().press(meant, press, chat, person)
        note, here = await self._notes.get(meant.note), await self._chats.get(chat)
        why = refusal(note, here, person)
        if why or note is None:
            return refused(why)
        if meant.verb is NoteVerb.UNDO:
            return await self._undo(note, here, person)
        return await self._below_change(meant.verb, note, here, press)

    def stem(self, meant: NoteButton | WordsButton) -> str | None:
        return asking(meant.note).removesuffix(":") if isinstance(meant, WordsButton) else None

    async def question(
        self, meant: NoteButton | WordsButton, press: Press, chat: int, person: Person
    ) -> Outbound | str:
        note = await self._changeable(meant.note, chat, person)
        if isinstance(note, str):
            return note
        return _question(asked_of(press, person, f"{Hint.NOTE}\nNow it says: “{note.text}”"))

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        id, words = note_asked(key), text.strip()
        if id is None:
            return Taken.NO
        answer, changed = f"{asking(id)}{note_id(key, words)}", changed_id(id, words)
        if await self._notes.get(changed) is not None:
            # The same reply again, after a death: it was carried out.
            return Taken.DECIDED
        note, here = await self._notes.get(id), await self._chats.get(chat)
        why = refusal(note, here, person)
        if why == NOT_YOURS and not asked:
            return Taken.NO
        if note is None or why:
            await self._show(answer, chat, Outbound(OutboundKind.NOTICE, (Plain(why),)))
        elif fault := _fault(words):
            await self._show(answer, chat, _question(f"✏️ {fault} {_UNCHANGED}", "other words"))
        else:
            await self._change(note, changed, words, here, person)
        return Taken.DECIDED

    async def reword(self, id: str, words: str, chat: int, person: Person) -> Reworded:
        """Changes a note for a page, without a message in a chat.

        The id is that of the words which the person saw: a note that says others is gone.
        """
        note, here, words = await self._notes.get(id), await self._chats.get(chat), words.strip()
        why = refusal(note, here, person) or _fault(words)
        if why or note is None:
            return Reworded(why)
        new = self._new(note, changed_id(id, words), words, person)
        await self._replace(note, new, here)
        # Another person's words would come back as those of the one who changed them.
        return Reworded("", new.id, words, note.text if note.person == person.id else "")

    async def present(self, meant: NoteButton | WordsButton, chat: int, person: Person) -> str:
        note = await self._changeable(meant.note, chat, person)
        return note.text if isinstance(meant, WordsButton) and isinstance(note, Note) else ""

    async def _changeable(self, id: str, chat: int, person: Person) -> Note | str:
        """Returns the note whose words a button asks for, or the reason why it cannot change."""
        note = await self._notes.get(id)
        return refusal(note, await self._chats.get(chat), person) or note or GONE

    async def _change(self, old: Note, id: str, words: str, chat: Chat, person: Person) -> None:
        told: tuple[Block, ...] = (Markdown(f"📝 The note says now: {literal(words)}"),)
        if old.person == person.id:
            # Another person's words would come back as those of the one who changed them.
            told = (*told, Plain(f"{_BEFORE}{old.text}"))
        shown = Outbound(OutboundKind.OPTION, told, (_buttons(id, told),))
        new = self._new(old, id, words, person)
        await self._replace(old, new, chat, Show(shown_by(id), chat.id, shown))

    async def _below_change(
        self, verb: NoteVerb, note: Note, chat: Chat, press: Press
    ) -> PressAnswer:
        """Asks in the message about a change if the note shall go; deletes it, or keeps it."""
        # After an Undo the message is still that of the words which are gone.
        shown = press.message_id and await self._outbox.key_of(chat.id, press.message_id)
        row = await self._outbox.row(shown or shown_by(note.id))
        if row is None:
            return refused(GONE)
        if verb is NoteVerb.DROP:
            told = Outbound(row.content.kind, (Plain(DELETED),))
            writes = (DropNote(note.id), Show(row.key, chat.id, told))
            await self._journal.commit(Change(writes, durable=True))
            return PressAnswer()
        blocks = tuple(block for block in row.content.blocks if block != Plain(SURE))
        buttons = _buttons(note.id, blocks)
        if verb is NoteVerb.DELETE:
            blocks = (*blocks, Plain(SURE))
            buttons = (
                _button(DELETE, NoteVerb.DROP, note.id),
                _button("Keep", NoteVerb.KEEP, note.id),
            )
        await self._show(row.key, chat.id, Outbound(row.content.kind, blocks, (buttons,)))
        return PressAnswer()

    async def _undo(self, now: Note, chat: Chat, person: Person) -> PressAnswer:
        """Brings the words from before a change back, in the message that told of it."""
        row = await self._outbox.row(shown_by(now.id))
        words = _before(row.content.blocks) if row else None
        if words is None:
            return refused(GONE)
        new = self._new(now, changed_id(now.id, words), words, person)
        shown = Outbound(OutboundKind.OPTION, (Markdown(UNDONE),), (_buttons(new.id, ()),))
        await self._replace(now, new, chat, Show(shown_by(now.id), chat.id, shown))
        return PressAnswer()

    def _new(self, old: Note, id: str, words: str, person: Person) -> Note:
        # No conversation: the model has to be told of words that it did not take itself.
        return replace(
            old,
            id=id,
            text=words,
            at=self._clock.now(),
            person=person.id,
            speaker=person.name,
            conversation="",
        )

    async def _replace(self, old: Note, new: Note, chat: Chat, *show: Show) -> None:
        writes = (DropNote(old.id), AddNote(new), KeepPassage(new.as_passage(chat)), *show)
        await self._journal.commit(Change((CheckAccess(new.person), *writes), durable=True))


def _buttons(note: str, told: tuple[Block, ...]) -> tuple[Button, ...]:
    """Returns the buttons below the message about a change; Undo where it has the old words."""
    undo = () if _before(told) is None else (_button(UNDO, NoteVerb.UNDO, note),)
    delete = _button(DELETE, NoteVerb.DELETE, note)
    return (*undo, change_button("✏️ Change", note), delete)


def _button(label: str, verb: NoteVerb, note: str) -> Button:
    return NOTE_BUTTONS.button(label, NoteButton(verb, note))


def _before(told: tuple[Block, ...]) -> str | None:
    """Returns the words that a note had before its change."""
    lines = (block.text for block in told if isinstance(block, Plain))
    return next((t.removeprefix(_BEFORE) for t in lines if t.startswith(_BEFORE)), None)


def _question(text: str, wanted: str = "the new words") -> Outbound:
    return question(Plain(text), Hint.NOTE, wanted)


def _fault(words: str) -> str:
    if not words:
        return "A note needs words, and you sent none."
    if len(words) > MOST_NOTE:
        return f"A note has at most {MOST_NOTE} characters, and you sent {len(words):,}."
    return ""
