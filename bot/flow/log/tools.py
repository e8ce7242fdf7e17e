"""The tools for conversations: get_conversation looks back, end_conversation starts afresh."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Annotated, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import Field

from bot.domain.talk.chat import NONE_CLOSED, Conversation
from bot.domain.talk.errors import ToolFailure
from bot.domain.text.names import quoted_name
from bot.domain.text.visible_text import clipped
from bot.domain.tools.tool import CloseConversation, Replay, ToolOutput, ToolResult
from bot.domain.turn.transcript import (
    ArrivalBody,
    AskerBody,
    BackgroundBody,
    Entry,
    LateResultBody,
    RecallBody,
    ReplyBody,
    ResultBody,
    SkillBody,
    SummaryBody,
)
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.chats import ConversationRows
from bot.ports.journal import Journal
from bot.ports.tool import Place, Seen, Tool

LivePlan: TypeAlias = Callable[[int], Awaitable[object | None]]
"""Returns the live plan of a chat, if there is one."""

_RECENT = 10
_MOST = 30
_MESSAGE = 4_000
_ROOM = 26_000


class GetConversationArguments(Arguments):
    conversation_id: Annotated[Text | None, Field(description="Read this one.")] = None
    list_recent: Annotated[
        int | None, Field(ge=1, le=_MOST, description="How many to list; default 10.")
    ] = None


class GetConversation(ArgumentsTool[GetConversationArguments]):
    """Lists closed conversations of the chat, or returns the words of one."""

    name = "get_conversation"
    summary = "look up earlier conversations"
    description = (
        "Look at earlier, closed conversations of this chat: without conversation_id a list of the "
        "newest with their summaries, with it what was said in that one."
    )
    takes = GetConversationArguments

    def __init__(self, chats: ConversationRows, journal: Journal) -> None:
        self._chats = chats
        self._journal = journal

    async def perform(
        self, arguments: GetConversationArguments, place: Place, seen: Seen
    ) -> ToolOutput:
        if arguments.conversation_id is None:
            return await self._list(arguments.list_recent or _RECENT, place)
        return await self._words_of(arguments.conversation_id, place)

    async def _list(self, count: int, place: Place) -> ToolOutput:
        found = await self._chats.conversations(place.chat, count)
        lines: list[str] = []
        untrusted: str | None = None
        for conversation in found:
            lines.append(_headline(conversation, place.timezone))
            if conversation.summary:
                lines.append(clipped(conversation.summary, _ROOM // len(found)))
            entries = await self._journal.entries(conversation.id)
            untrusted = untrusted or _foreign_source(entries, place.person)
        text = "\n".join(lines) or NONE_CLOSED
        return ToolOutput(text, untrusted=untrusted, passages=tuple(one.id for one in found))

    async def _words_of(self, id: str, place: Place) -> ToolOutput:
        conversation = await self._chats.conversation(place.chat, id)
        if conversation is None:
            raise ToolFailure("this chat has no conversation with that id")
        if conversation.closed_at is None:
            raise ToolFailure("that is the current conversation; you have it before you")
        entries = await self._journal.entries(conversation.id)
        headline = _headline(conversation, place.timezone)
        text = "\n".join([headline, *_spoken(entries, place.timezone)])
        source = _foreign_source(entries, place.person)
        return ToolOutput(text, untrusted=source, passages=(conversation.id,))


class EndConversationArguments(Arguments):
    reason: Annotated[Text | None, Field(max_length=500)] = None


class EndConversation(ArgumentsTool[EndConversationArguments]):
    """Closes the conversation when the turn is settled."""

    name = "end_conversation"
    summary = "end this conversation and start a new one"
    description = (
        "End this conversation when your answer is given: it is summarised and put away, and the "
        "next message starts afresh. Use it when the person asks for it or says goodbye."
    )
    takes = EndConversationArguments
    replay = Replay.ONCE

    def __init__(self, live_plan: LivePlan) -> None:
        self._live_plan = live_plan

    async def perform(
        self, arguments: EndConversationArguments, place: Place, seen: Seen
    ) -> ToolOutput:
        if await self._live_plan(place.chat) is not None:
            raise ToolFailure(
                "a plan is open here, and it belongs to this conversation; it has to end first"
            )
        return ToolOutput(
            "The conversation ends with your answer.",
            after=CloseConversation(arguments.reason or ""),
        )


def conversation_tools(
    chats: ConversationRows, journal: Journal, live_plan: LivePlan
) -> tuple[Tool, ...]:
    """Returns both tools, in the order in which models see them."""
    return GetConversation(chats, journal), EndConversation(live_plan)


def _headline(conversation: Conversation, timezone: str) -> str:
    closed = conversation.closed_at or conversation.opened_at
    title = quoted_name(conversation.title) if conversation.title else "untitled"
    return f"{conversation.id} · closed {_moment(closed, timezone)} · {title}"


def _spoken(entries: Sequence[Entry], timezone: str) -> list[str]:
    """Returns the words of people and the model in order; leaves out the oldest if too long."""
    lines: list[str] = []
    room = _ROOM
    handed_on = {a.seq for a, b in pairwise(entries) if _takes_over(b)}
    said = [entry for entry in entries if entry.seq not in handed_on]
    spoken = [line for entry in said if (line := _line(entry, timezone))]
    for line in reversed(spoken):
        room -= len(line.encode()) + 1
        if room < 0:
            lines.append(f"[{len(spoken) - len(lines)} earlier messages are not shown]")
            break
        lines.append(line)
    return lines[::-1]


def _takes_over(entry: Entry) -> bool:
    """Returns True when a skill continues with the text before it, which nobody was sent."""
    return isinstance(entry.body, SkillBody) and entry.body.after is not None


def _line(entry: Entry, timezone: str) -> str:
    match entry.body:
        case AskerBody(text=text, speaker=speaker):
            who = quoted_name(speaker) if speaker else "Person"
        case ReplyBody(text=text) if not entry.body.calls:
            who = "Assistant"
        case _:
            return ""
    return f"{_moment(entry.at, timezone)} {who}: {clipped(text, _MESSAGE)}" if text else ""


def _foreign_source(entries: Sequence[Entry], person: int) -> str | None:
    """Returns the first foreign source in a conversation; quotes from it stay untrusted."""
    for entry in entries:
        match entry.body:
            case AskerBody() | BackgroundBody() as said if source := said.untrusted_for(person):
                return f"an earlier conversation with {source}"
            case RecallBody() as recalled if source := recalled.untrusted_for(person):
                return f"an earlier conversation with {source}"
            case (
                LateResultBody(untrusted=str(source))
                | SummaryBody(untrusted=str(source))
                | ArrivalBody(untrusted=source)
            ):
                return f"an earlier conversation with {source}"
            case ReplyBody(untrusted=str(source)):
                return f"an earlier conversation with {source}"
            case ResultBody(result=result) | LateResultBody(result=ToolResult() as result) if (
                source := result.untrusted_for(person)
            ):
                return f"an earlier conversation with {source}"
            case _:
                continue
    return None


def _moment(at: datetime, timezone: str) -> str:
    try:
        local = at.astimezone(ZoneInfo(timezone))
    except (KeyError, ValueError, OSError):
        local = at
    return f"{local:%Y-%m-%d %H:%M}"
