"""Finds what a conversation is about: its first words, and what was used before it."""

from collections.abc import Iterator, Sequence

from bot.domain.tools.server import is_lent
from bot.domain.tools.tool import Status
from bot.domain.tools.tool_choice import Leaning
from bot.domain.turn.transcript import AskerBody, Entry, ResultBody, SkillBody
from bot.flow.log.history import ChatLog
from bot.ports.chats import ConversationRows
from bot.ports.journal import Journal

_MOST_CLOSED = 20
_MOST_READ = 3
"""Closed conversations whose calls count."""

_MOST_USED = 24
_LONGEST = 2_000
"""Characters of the first words that count."""

_MOST_KNOWN = 256


class Leanings:
    """Finds the leaning of a conversation; it depends on nothing that came after its first turn."""

    def __init__(self, chats: ConversationRows, journal: Journal) -> None:
        self._chats = chats
        self._journal = journal
        self._known: dict[str, Leaning] = {}

    async def of(self, log: ChatLog) -> Leaning:
        known = self._known.pop(log.conversation, None)
        if known is None:
            known = await self._found(log)
            if len(self._known) == _MOST_KNOWN:
                del self._known[next(iter(self._known))]
        self._known[log.conversation] = known
        return known

    async def _found(self, log: ChatLog) -> Leaning:
        entries = log.entries()
        if not entries:
            return Leaning()
        first = entries[0]
        asked = (e.body for e in log.entries(first.turn) if isinstance(e.body, AskerBody))
        words = next((body.purpose for body in asked), "")
        used: dict[str, None] = {}
        skills: dict[str, None] = {}
        for id in await self._before(log.chat.id, first):
            before = await self._journal.entries(id)
            used.update(dict.fromkeys(_called(before)))
            skills.update(dict.fromkeys(_chosen(before)))
        return Leaning(words[:_LONGEST], tuple(used)[:_MOST_USED], tuple(skills)[:_MOST_USED])

    async def _before(self, chat: int, first: Entry) -> Sequence[str]:
        """Returns the last conversations that were closed before this entry."""
        closed = await self._chats.conversations(chat, _MOST_CLOSED)
        return [
            one.id for one in closed if one.closed_at is not None and one.closed_at <= first.at
        ][:_MOST_READ]


def _called(entries: Sequence[Entry]) -> Iterator[str]:
    """Yields the tools of servers that these entries called with success, the newest first."""
    results = (e.body.result for e in reversed(entries) if isinstance(e.body, ResultBody))
    for result in results:
        if result.status is Status.SUCCESS and is_lent(result.tool):
            yield result.tool


def _chosen(entries: Sequence[Entry]) -> Iterator[str]:
    """Yields the skills that were in use in these entries, the newest first."""
    for entry in reversed(entries):
        match entry.body:
            case SkillBody(name=name) if name:
                yield name
            case ResultBody(result=result) if result.skill:
                yield result.skill
            case _:
                pass
