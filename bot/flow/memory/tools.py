"""The tools about the memory: remember, recall and forget."""

from typing import Annotated

from pydantic import Field

from bot.domain.memory.note import FORGET, MOST_NOTE, NOTHING_FOUND, RECALL, REMEMBER, Note
from bot.domain.memory.passage import Passage, whose
from bot.domain.memory.recalled import foreign_in, origins_in, told_found
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Plain
from bot.domain.talk.reach import Reach
from bot.domain.text.names import plain_name
from bot.domain.tools.tool import Effect, ExactRule, Preview, Replay, ToolOutput
from bot.flow.memory.recall import Recall
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.chats import Chats
from bot.ports.notes import Notes
from bot.ports.people import People
from bot.ports.tool import Place, Seen, Tool

_LOOKED_AT = 12
"""Passages that are looked at: some may only say that something is not known."""


class RememberArguments(Arguments):
    note: Annotated[
        Text,
        Field(min_length=1, max_length=MOST_NOTE, description="One fact or wish, in full words."),
    ]


class Remember(ArgumentsTool[RememberArguments]):
    """Takes a note; the flow stores it in the transaction of the result, with a button to undo.

    It changes only what the person can see and take back, so it runs unasked as long as no foreign
    text is in view: such text must not plant notes.
    """

    name = REMEMBER
    summary = "note something for later; asks first after I read something that you did not write"
    description = (
        "Note one lasting fact or wish of the person for all later conversations. Use it when "
        "they ask for it, or tell something that will matter again; never for secrets. The "
        "person sees the note and can undo it."
    )
    takes = RememberArguments
    effect = Effect.WRITE
    replay = Replay.OUTBOX

    async def foresee(
        self, arguments: RememberArguments, place: Place, exact: ExactRule
    ) -> Preview:
        seen = await super().foresee(arguments, place, exact)
        told = (Plain(arguments.note),)
        return Preview(seen.title, seen.subject, Effect.WRITE, told, reach=Reach.TALK)

    async def perform(self, arguments: RememberArguments, place: Place, seen: Seen) -> ToolOutput:
        return ToolOutput("Noted. The person sees the note and can undo it.")


class RecallArguments(Arguments):
    query: Annotated[Text, Field(min_length=1, max_length=300, description="A few words.")]


class RecallTool(ArgumentsTool[RecallArguments]):
    """Searches earlier answers and notes of the person, or of the group."""

    name = RECALL
    summary = "search earlier answers and notes"
    description = "Search earlier answers and notes by words, over all conversations."
    takes = RecallArguments

    def __init__(self, recall: Recall, chats: Chats) -> None:
        self._recall = recall
        self._chats = chats

    async def perform(self, arguments: RecallArguments, place: Place, seen: Seen) -> ToolOutput:
        chat = await self._chats.get(place.chat)
        owner = whose(chat, place.person)
        found = await self._recall.searched(arguments.query, owner, _LOOKED_AT, place.embedding)
        passages, text = told_found([one for one, _ in found], arguments.query)
        if not passages:
            return ToolOutput(NOTHING_FOUND)
        return ToolOutput(
            text,
            untrusted=_foreign(passages, place.person, group=not chat.private),
            origin=_origin(passages),
            passages=tuple(one.id for one in passages),
        )


class ForgetArguments(Arguments):
    note: Annotated[Text, Field(min_length=1, max_length=40, description="The id of a note.")]


class Forget(ArgumentsTool[ForgetArguments]):
    """Deletes a note once the person has agreed."""

    name = FORGET
    summary = "delete a note"
    description = "Delete a note by its id. Earlier answers only the person can erase: /forget."
    takes = ForgetArguments
    effect = Effect.WRITE

    def __init__(self, notes: Notes, chats: Chats, people: People) -> None:
        self._notes = notes
        self._chats = chats
        self._people = people

    async def foresee(self, arguments: ForgetArguments, place: Place, exact: ExactRule) -> Preview:
        note = await self._note(arguments.note, place)
        title = "Delete a note"
        told = (Plain(note.text),)
        return Preview(title, title, Effect.WRITE, told, seen=note.text, reach=Reach.TALK)

    async def perform(self, arguments: ForgetArguments, place: Place, seen: Seen) -> ToolOutput:
        await self._note(arguments.note, place)
        return ToolOutput("The note is deleted.")

    async def _note(self, id: str, place: Place) -> Note:
        chat = await self._chats.get(place.chat)
        note = await self._notes.get(id.strip())
        if note is None or note.whose != whose(chat, place.person):
            raise ToolFailure("there is no note with that id")
        asker = await self._people.get(place.person)
        if not chat.private and (asker is None or not asker.may_decide_for(note.person)):
            raise ToolFailure("only an owner, or the person whose note it is, can delete it")
        return note


def _foreign(passages: list[Passage], person: int, *, group: bool) -> str | None:
    """Returns the foreign source of what was found; in a group the words of others are foreign."""
    others = (
        f"an earlier message of {plain_name(one.speaker)}"
        for one in passages
        if one.person != person
    )
    return foreign_in(passages) or (next(others, None) if group else None)


def _origin(passages: list[Passage]) -> str | None:
    """Returns the one origin of all foreign content that was found, which an owner may trust."""
    origins = origins_in(passages)
    return origins[0] if len(origins) == 1 else None


def memory_tools(recall: Recall, notes: Notes, chats: Chats, people: People) -> tuple[Tool, ...]:
    """Returns every tool about the memory, in the order in which models see them."""
    return Remember(), RecallTool(recall, chats), Forget(notes, chats, people)
