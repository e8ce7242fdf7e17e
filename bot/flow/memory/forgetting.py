"""The command that erases what was said, once a button has confirmed it."""

from collections.abc import Sequence

from bot.domain.change import AddAudit, Erase, Write
from bot.domain.change.erasing import CONVERSATION, ERASED, EVERYTHING, Target
from bot.domain.memory.note import note_of, passage_of
from bot.domain.memory.passage import clipped_words, whose
from bot.domain.text.markdown import inline_code, literal
from bot.domain.value import frozen, replace
from bot.flow.commanding.choices import choice
from bot.flow.commanding.effects import Wake
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.memory import Memory
from bot.ports.notes import Notes

_HOW = (
    "What shall I erase?\n\n"
    "- One answer or note: find it with `/memory <words>`, press its number, then 🗑\n"
    "- `/forget conversation`: this conversation, and the same words in copies that /branch made\n"
    "- `/forget all`: everything that you and I said"
)
_OWNERS = "In a group only an owner can erase that. Nothing was erased."
_ANOTHER = "Another conversation is open now. Nothing was erased. /forget conversation asks again."
_STAYS = "Anything that I am working on right now stays until it is done."
_DONE = {
    CONVERSATION: "Erased. I remember nothing of this conversation now.",
    EVERYTHING: "Erased. I remember nothing now that was said before.",
}
_EXCEPT_NOTES = (
    "Erased. I remember nothing of this conversation now, except what my notes say. "
    "/memory shows them."
)
_EXCEPT_ABOUT = "Erased. I remember nothing now that was said before, except what /about shows."
_SHOWN = 200


@frozen
class ForgettingCommands:
    _memory: Memory
    _notes: Notes
    _journal: Journal
    _clock: Clock

    @property
    def table(self) -> Sequence[Command]:
        summary = (
            "erase this conversation or everything; `/memory <words>` finds one answer to erase"
        )
        usage = "<id>|conversation|all"
        command = Command("forget", summary, self.forget, usage, Topic.YOU, chosen=True)
        # People find an answer by its words, and press its button; they see no ids.
        return (replace(command, brief="conversation|all"),)

    async def forget(self, asked: Invocation) -> Answer:
        match asked.words:
            case ("keep",):
                return Answer("Kept. Nothing was erased.", (self._audit(asked, "memory.kept", ""),))
            case ("yes", what):
                return await self._erased(asked, what)
            case (what,):
                return await self._asked(asked, what)
            case _:
                return Answer(_HOW)

    async def _asked(self, asked: Invocation, what: str) -> Answer:
        told = await self._told(asked, what)
        if isinstance(told, Answer):
            return told
        question = (
            f"Erase {told}? I cannot bring it back. Messages on your screen stay until "
            "you delete them there."
        )
        # The button erases the conversation that was asked about, and never one opened since.
        named = what.lower() == CONVERSATION
        meant = f"{CONVERSATION}:{asked.chat.conversation}" if named else what
        yes, no = choice("🗑 Erase", "forget", "yes", meant), choice("Keep", "forget", "keep")
        if not yes:
            # The id of an imported answer may be too long for a button.
            question = f"{question} To erase it, send {inline_code(f'/forget yes {what}')}."
        return Answer(question, buttons=((*yes, *no),), optional=True)

    async def _told(self, asked: Invocation, what: str) -> str | Answer:
        """Returns what would be erased, in words; an answer when this person cannot erase it."""
        owner, decides = (
            whose(asked.chat, asked.person.id),
            asked.chat.private or asked.person.is_owner,
        )
        if what.lower() in (CONVERSATION, EVERYTHING):
            if not decides:
                return Answer(_OWNERS)
            here = "that you and I said" if asked.chat.private else "that was said in this group"
            shared = "this conversation, and the same words in copies that /branch made"
            return shared if what.lower() == CONVERSATION else f"everything {here}"
        passage, note = await self._memory.get(what), await self._notes.get(what)
        found = passage if passage is not None and note_of(what) is None else note
        if found is None or found.whose != owner:
            return Answer(f"I remember nothing with the id {inline_code(what[:60])}. {_HOW}")
        if not (decides or asked.person.may_decide_for(found.person)):
            return Answer(_OWNERS)
        words = passage.question or passage.answer if passage is not None else ""
        words = note.text if note is not None else words
        return f"“{literal(clipped_words(' '.join(words.split()), _SHOWN))}”"

    async def _erased(self, asked: Invocation, what: str) -> Answer:
        named, _, id = what.partition(":")
        if named.lower() == CONVERSATION and id:
            if id != asked.chat.conversation:
                return Answer(_ANOTHER)
            what = CONVERSATION
        told = await self._told(asked, what)
        if isinstance(told, Answer):
            return told
        owner = whose(asked.chat, asked.person.id)
        erases: Write
        if what.lower() == EVERYTHING:
            erases = Erase(Target(owner))
        elif what.lower() == CONVERSATION:
            erases = Erase(Target(owner, conversation=asked.chat.conversation))
        elif await self._notes.get(what) is not None:
            erases = Erase(Target(owner, turn=passage_of(what)))
        else:
            erases = Erase(Target(owner, turn=what))
        audit = self._audit(asked, ERASED, what.lower())
        done = await self._done(asked, what.lower())
        if await self._busy(asked, what):
            done = f"{done} {_STAYS}"
        return Answer(done, (erases, audit), (Wake(asked.chat.id),))

    async def _done(self, asked: Invocation, what: str) -> str:
        """Returns what to say once it is erased; it names what the model still reads."""
        owner = whose(asked.chat, asked.person.id)
        if what == CONVERSATION and await self._notes.of(owner, 1):
            return _EXCEPT_NOTES
        if what == EVERYTHING and asked.chat.private and asked.person.about:
            return _EXCEPT_ABOUT
        return _DONE.get(what, "Erased.")

    async def _busy(self, asked: Invocation, what: str) -> bool:
        """Returns True when a turn is under way in the chat, or in any if all is erased."""
        if what.lower() == EVERYTHING:
            return bool(await self._journal.chats_with_work())
        agenda = await self._journal.agenda(asked.chat.id)
        return bool(agenda.unfinished or agenda.queued or agenda.waiting)

    def _audit(self, asked: Invocation, action: str, what: str) -> AddAudit:
        """Returns the line of the record, which never holds the words."""
        now, chat = self._clock.now(), asked.chat.id
        return AddAudit(now, chat, asked.person.id, action, what, {})
