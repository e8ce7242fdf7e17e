"""Finds the newest tool calls of a conversation, with those of the errands that they sent out."""

import asyncio
from collections.abc import Sequence

from bot.domain.assignments.errand import DELEGATE, errand_id
from bot.domain.tools.call_words import CallsOf
from bot.domain.tools.tool import ToolCall, ToolResult
from bot.domain.turn.transcript import Entry, LateResultBody, ReplyBody, ResultBody
from bot.domain.value import frozen
from bot.ports.chats import Chats
from bot.ports.errands import Errands
from bot.ports.journal import Journal


@frozen
class NewestCalls:
    """Reads the log: it holds every call whole, however it was shown."""

    _journal: Journal
    _chats: Chats
    _errands: Errands

    async def newest(self, conversation: str) -> tuple[str, Sequence[CallsOf]]:
        """Returns the newest turn with calls that have results, and these; its errands' behind."""
        entries = await self._journal.entries(conversation)
        for turn in await asyncio.to_thread(_turns_with_calls, entries):
            own = [one for one in entries if one.turn == turn]
            sent = [await self._of_errand(turn, one) for one in _asked(own) if one.name == DELEGATE]
            made = [one for one in (CallsOf(_calls_of(own)), *sent) if one.pairs]
            if made:
                return turn, made
        return "", ()

    async def _of_errand(self, turn: str, call: ToolCall) -> CallsOf:
        """Returns what an errand has called so far; it works in a home of its own."""
        errand = await self._errands.get(errand_id(turn, call.id))
        if errand is None:
            return CallsOf(())
        home = await self._chats.get(errand.home)
        entries = await self._journal.entries(home.conversation)
        return CallsOf(_calls_of(entries), f"Helper: {errand.title}")


def _turns_with_calls(entries: Sequence[Entry]) -> Sequence[str]:
    """Returns the turns in which the model called tools, the newest first."""
    return list(dict.fromkeys(one.turn for one in reversed(entries) if _asked((one,))))


def _asked(entries: Sequence[Entry]) -> Sequence[ToolCall]:
    return [call for e in entries if isinstance(e.body, ReplyBody) for call in e.body.calls]


def _calls_of(entries: Sequence[Entry]) -> Sequence[tuple[ToolCall, ToolResult]]:
    calls = {call.id: call for call in _asked(entries)}
    pairs: list[tuple[ToolCall, ToolResult]] = []
    for entry in entries:
        match entry.body:
            case ResultBody(result=result) | LateResultBody(result=ToolResult() as result):
                if result.call_id in calls:
                    pairs.append((calls[result.call_id], result))
            case _:
                pass
    return pairs
