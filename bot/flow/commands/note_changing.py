"""The desk that changes the words of a note: a button asks, a reply gives them, Undo goes back."""

from dataclasses import replace

from bot.domain.change import AddNote, Change, DropNote, KeepPassage, Show
from bot.domain.chat import Chat
from bot.domain.markdown import literal
from bot.domain.message import (
    REPLY_WITH,
    Block,
    Button,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
    Press,
    PressAnswer,
)
from bot.domain.note import MOST_NOTE, Note, asking, changed_id, note_asked, note_id, shown_by
from bot.domain.passage import whose
from bot.domain.person import Person
from bot.domain.visible_text import one_line
from bot.flow.approvals.desks import NOT_OURS, Taken, Unawaited, refused
from bot.flow.commands.choices import choice
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.notes import Notes
from bot.ports.outbox import Outbox

PREFIX = "n"
"""The first letter of the data of a button that changes a note."""

WHAT = "What should the note say?"
GONE = "That note is gone: it was changed or deleted meanwhile. /memory shows my notes."
NOT_YOURS = "Only an owner, or the person whose note it is, can change it."
UNDONE = "↩️ Undone. The note says again what it said before."
_BEFORE = "Before: "
_UNDO = "undo:"
_UNCHANGED = "Nothing was changed."
_LONGEST_NAME = 60


def change_button(label: str, note: str) -> Button:
    """Returns the button that asks for new words of a note."""
    return Button(label, f"{PREFIX}:{note}")


def refusal(note: Note | None, chat: Chat, person: Person) -> str:
    """Returns the reason why a person cannot change or delete a note; empty when they can."""
    if note is None or note.whose != whose(chat, person.id):
        return GONE
    return "" if chat.private or person.may_decide_for(note.person) else NOT_YOURS


class NoteChanging(Unawaited):
    """A changed note is a new one in the place of the old one.

    So a model that knows the old words is told that they hold no longer, and reads the new ones.
    The message about the change alone keeps the old words: they go when it is erased, which is
    with the next change, with the note, and with `/forget`.
    """

    def __init__(
        self, journal: Journal, notes: Notes, chats: Chats, outbox: Outbox, clock: Clock
    ) -> None:
        self._journal = journal
        self._notes = notes
        self._chats = chats
        self._outbox = outbox
        self._clock = clock

    async def press(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        """Asks for the words, which come as a reply; or brings back those before a change."""
        wish = press.data.partition(":")[2]
        id = wish.removeprefix(_UNDO)
        note, here = await self._notes.get(id), await self._chats.get(chat)
        if person is None:
            return refused(NOT_OURS)
        why = refusal(note, here, person)
        if why or note is None:
            return refused(why)
        if wish != id:
            return await self._undo(note, here, person)
        who = "" if press.private else f"{one_line(person.name, _LONGEST_NAME)}: "
        told = f"✏️ {who}{WHAT}\nNow it says: “{note.text}”"
        await self._show(f"{asking(id)}{press.handle}", chat, _question(told))
        return PressAnswer()

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
        if why == NOT_YOURS:
            return Taken.NO
        if note is None or why:
            await self._show(answer, chat, Outbound(OutboundKind.NOTICE, (Plain(why),)))
        elif fault := _fault(words):
            await self._show(answer, chat, _question(f"✏️ {fault} {_UNCHANGED}", "other words"))
        else:
            await self._change(note, changed, words, here, person)
        return Taken.DECIDED

    async def card_key(self, data: str, chat: int) -> str | None:
        """Returns None: the button stands below a list, which asking does not change."""
        return None

    async def _change(self, old: Note, id: str, words: str, chat: Chat, person: Person) -> None:
        told: list[Block] = [Markdown(f"📝 The note says now: {literal(words)}")]
        buttons = _buttons(id)
        if old.person == person.id:
            # Another person's words would come back as those of the one who changed them.
            told.append(Plain(f"{_BEFORE}{old.text}"))
            buttons = (Button("↩️ Undo", f"{PREFIX}:{_UNDO}{id}"), *buttons)
        shown = Outbound(OutboundKind.OPTION, tuple(told), (buttons,))
        new = self._new(old, id, words, person)
        await self._replace(old, new, chat, Show(shown_by(id), chat.id, shown))

    async def _undo(self, now: Note, chat: Chat, person: Person) -> PressAnswer:
        """Brings the words from before a change back, in the message that told of it."""
        row = await self._outbox.row(shown_by(now.id))
        told = [b.text for b in row.content.blocks if isinstance(b, Plain)] if row else []
        words = next((t.removeprefix(_BEFORE) for t in told if t.startswith(_BEFORE)), None)
        if words is None:
            return refused(GONE)
        new = self._new(now, changed_id(now.id, words), words, person)
        shown = Outbound(OutboundKind.OPTION, (Markdown(UNDONE),), (_buttons(new.id),))
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

    async def _replace(self, old: Note, new: Note, chat: Chat, show: Show) -> None:
        writes = (DropNote(old.id), AddNote(new), KeepPassage(new.as_passage(chat)), show)
        await self._journal.commit(Change(writes, durable=True))

    async def _show(self, key: str, chat: int, content: Outbound) -> None:
        await self._journal.commit(Change((Show(key, chat, content),), durable=True))


def _buttons(note: str) -> tuple[Button, ...]:
    delete = choice("🗑 Delete", "memory", "undo", note)
    return (change_button("✏️ Change", note), *delete)


def _question(text: str, wanted: str = "the new words") -> Outbound:
    how = Plain(f"{REPLY_WITH}{wanted}.", style="aside")
    return Outbound(OutboundKind.NOTICE, (Plain(text), how), asks=WHAT)


def _fault(words: str) -> str:
    if not words:
        return "A note needs words, and you sent none."
    if len(words) > MOST_NOTE:
        return f"A note has at most {MOST_NOTE} characters, and you sent {len(words):,}."
    return ""
