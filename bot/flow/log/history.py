"""The only writer of the log; it keeps the entries in memory, so no turn reads them again."""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.domain.change import AddAudit, Append, Change, Fence, Retract, SaveFileChange, Show, Write
from bot.domain.money.model import ModelProfile
from bot.domain.talk.chat import Chat
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.in_view import InView, R, newest_after
from bot.domain.turn.known_addresses import KnownAddresses, texts_of
from bot.domain.turn.transcript import Body, Entry, ReplyBody
from bot.flow.log.request_view import ViewFold, any_view
from bot.ports.clock import Clock
from bot.ports.journal import Journal

_AT_ONCE = 20_000
"""Characters whose addresses are read in the event loop; more are read in a thread."""


class ChatLog:
    """The log of one chat, held by the chat's owner; its entries are those of one conversation."""

    def __init__(self, chat: Chat, fence: Fence, journal: Journal, clock: Clock) -> None:
        self.chat = chat
        self.fence = fence
        self._journal = journal
        self._clock = clock
        self.end = chat.last_seq
        """The number of the newest entry, written or held."""
        self.conversation = ""
        self._entries: list[Entry] = []
        self.of_turns: defaultdict[str, list[Entry]] = defaultdict(list)
        """The entries at hand of each turn."""
        self._held: list[Write] = []
        self.view: ViewFold | None = None
        """The view of the last request, as it was last brought up to date."""
        self._in_view: dict[type[Any], InView[Any]] = {}
        self._known = KnownAddresses()
        self._known_to = 0
        self.call_ids: set[str] = set()

    @property
    def holds(self) -> bool:
        """Returns True when entries or writes are held in memory and not stored yet."""
        return bool(self._held)

    def stands(self, chat: Chat) -> bool:
        """Returns False when the store has gone another way than this log.

        Another one claimed the chat, it was erased, or a server that died forgot what was last
        written: then its numbers are lower.
        """
        same_end = self.holds or chat.last_seq == self.end
        return chat.fence == self.fence.number and same_end

    async def read(self, conversation: str) -> None:
        """Switches to this conversation; reads its entries unless they are in memory."""
        if conversation == self.conversation:
            return
        self._entries = list(await self._journal.entries(conversation))
        self.of_turns.clear()
        for entry in self._entries:
            self.of_turns[entry.turn].append(entry)
        self.conversation = conversation
        self.view = None
        self._in_view.clear()
        self._known, self._known_to = KnownAddresses(), 0
        await self.learn()
        self.call_ids = {c.id for e in self._entries for c in _calls(e)}

    def entries(self, turn: str | None = None) -> Sequence[Entry]:
        """Returns the entries at hand, or those of one turn; a rest may have put others between."""
        return self._entries if turn is None else tuple(self.of_turns[turn])

    def ends_with(self, turn: str) -> bool:
        """Returns true when the newest entry at hand belongs to the turn."""
        return bool(self._entries) and self._entries[-1].turn == turn

    def fold(self, profile: ModelProfile, images: int, overhead: int) -> ViewFold:
        """Returns the view of this log for a model, brought up to date."""
        if self.view is None or self.view.profile != profile:
            self.view = ViewFold(profile, images, overhead)
        self.view.extend(reversed(newest_after(self._entries, self.view.last_seq)))
        return self.view

    def foreign_to(self, person: int) -> str | None:
        """Returns the source of content in view that is foreign to turns of this person."""
        if self.view is None:
            self.view = any_view()
        self.view.extend(reversed(newest_after(self._entries, self.view.last_seq)))
        return self.view.untrusted_for(person)

    def in_view(self, of: type[R]) -> R:
        """Returns what a reader of this kind knows of the entries in view, brought up to date."""
        reader: InView[R] = self._in_view.setdefault(of, InView(of))
        return reader.of(self._entries)

    @property
    def addresses(self) -> KnownAddresses:
        """Returns the known addresses of the whole conversation; only new entries are read."""
        self._learn()
        return self._known

    async def learn(self) -> None:
        """Reads the addresses of new entries, beside the event loop where there is much to read."""
        new = newest_after(self._entries, self._known_to)
        if sum(len(text) for entry in new for text in texts_of(entry)) > _AT_ONCE:
            await asyncio.to_thread(self._learn)
        self._learn()

    def _learn(self) -> None:
        for entry in reversed(newest_after(self._entries, self._known_to)):
            self._known.take(entry)
            self._known_to = entry.seq

    async def write(
        self,
        turn: str,
        bodies: Sequence[Body],
        also: Sequence[Write] = (),
        *,
        durable: bool = False,
    ) -> tuple[Entry, ...]:
        """Appends bodies to the conversation and stores them with the held and the other writes."""
        entries = self._numbered(turn, bodies)
        append = (Append(self.chat.id, entries),) if entries else ()
        # Emptied before the commit: a cancel is raised only after it, and the code that cleans up
        # must not write the same entries again.
        held, self._held = self._held, []
        writes = (*held, *append, *self._on_screen(also))
        await self._journal.commit(Change(writes, self.fence, durable))
        self._take(entries)
        return entries

    async def note(self, write: Write) -> None:
        """Writes something beside the log, and nothing that is held."""
        await self._journal.commit(Change(self._on_screen((write,)), self.fence))

    def _on_screen(self, writes: Sequence[Write]) -> tuple[Write, ...]:
        """Returns the writes; what happens in a home is shown and on record in its screen."""
        home, screen = self.chat.id, self.chat.screen
        if screen is None:
            return tuple(writes)
        return tuple(_shown_in(screen, home, write) for write in writes)

    def hold(self, turn: str, bodies: Sequence[Body], also: Sequence[Write]) -> None:
        """Appends bodies in memory; the next write stores them in its transaction."""
        entries = self._numbered(turn, bodies)
        self._held += (Append(self.chat.id, entries), *self._on_screen(also))
        self._take(entries)

    def _numbered(self, turn: str, bodies: Sequence[Body]) -> tuple[Entry, ...]:
        now = self._clock.now()
        return tuple(
            Entry(self.end + 1 + n, self.conversation, turn, now, body)
            for n, body in enumerate(bodies)
        )

    def _take(self, entries: Sequence[Entry]) -> None:
        self.end += len(entries)
        self._entries.extend(entries)
        for entry in entries:
            self.of_turns[entry.turn].append(entry)


def _shown_in(screen: int, home: int, write: Write) -> Write:
    if isinstance(write, Show | Retract | AddAudit) and write.chat == home:
        return replace(write, chat=screen)
    if isinstance(write, SaveFileChange) and write.change.chat == home:
        return replace(write, change=replace(write.change, chat=screen))
    return write


def _calls(entry: Entry) -> tuple[ToolCall, ...]:
    return entry.body.calls if isinstance(entry.body, ReplyBody) else ()


class History:
    """Keeps the logs of the `keep` chats used last; the others are read from the store again."""

    def __init__(self, journal: Journal, clock: Clock, keep: int = 256) -> None:
        self._journal = journal
        self._clock = clock
        self._keep = keep
        self._logs: OrderedDict[int, ChatLog] = OrderedDict()
        self._claimed: dict[int, Fence] = {}
        """The chats that were claimed, and of which nothing was read since."""

    async def own(self, chat: Chat) -> ChatLog | None:
        """Returns the log of a chat that is ours; None when it was claimed by this call.

        Its last owner may have written until then, so whatever was read of it before is read again.
        A log in memory is void once the chat was claimed by somebody else, or erased.
        """
        log = self._logs.get(chat.id)
        if log is not None and log.stands(chat):
            log.chat = chat
        else:
            fence = self._claimed.pop(chat.id, None)
            if fence is None or fence.number != chat.fence:
                self._claimed[chat.id] = await self._journal.claim(chat.id)
                return None
            log = self._logs[chat.id] = ChatLog(chat, fence, self._journal, self._clock)
            while len(self._logs) > self._keep:
                self._logs.popitem(last=False)
        self._logs.move_to_end(chat.id)
        return log

    def forget(self, chat: int) -> None:
        """Drops a log after a fault, because memory and store may differ."""
        self._logs.pop(chat, None)
        self._claimed.pop(chat, None)
