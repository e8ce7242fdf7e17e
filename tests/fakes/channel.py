"""A channel that remembers what it was told, and fails when a test says so."""

import asyncio
import re
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from bot.domain.talk.errors import ChannelError, ContentRefused, RecipientGone
from bot.domain.talk.message import (
    Address,
    Block,
    CallBlock,
    Inbound,
    Markdown,
    Outbound,
    Piece,
    Press,
    RawUpdate,
    Sign,
    Unreadable,
)
from bot.domain.tools.web_links import behind
from bot.domain.turn.folding import folded
from bot.ports.channel import NEW_DRAFT, DraftPlace, Growth, Links
from bot.ports.sightings import Pace, Traces, unhurried

_ESCAPED_OR_LINK = re.compile(r"\\.|!?\[([^\[\]\n]*)\]\(([^()\s]+)\)")
_NOTHING = "(nothing)"


def _words(block: Block) -> str:
    """Returns what a block shows; of a call its input and output too."""
    if isinstance(block, CallBlock):
        return "\n".join(part for part in (block.text, block.given, block.result) if part)
    return _read(block.text, block.hideable) if isinstance(block, Markdown) else block.text


def _read(text: str, links: Collection[str] | None) -> str:
    """Returns a text as a platform shows it that reads escapes and one form of a link."""

    def told(found: re.Match[str]) -> str:
        shown = behind(found[1], found[2], links) if found[2] else ""
        return f"{found[1]}{shown}" if shown else found[0]

    return _ESCAPED_OR_LINK.sub(told, text)


def _open_way() -> asyncio.Event:
    way = asyncio.Event()
    way.set()
    return way


@dataclass(frozen=True, slots=True)
class Shown:
    """A message on the screen of a chat; `edits` counts how often it changed."""

    id: str
    address: Address
    piece: Piece
    edits: int = 0

    @property
    def text(self) -> str:
        return str(self.piece.body["text"])


@dataclass(frozen=True, slots=True)
class _Fault:
    fault: ChannelError
    done: bool


@dataclass(slots=True)
class FakeChannel:
    """Splits at `limit` characters; `screen` holds what people see, oldest first.

    Groups, whose numbers are negative, have no drafts: a message shows them, and it is told once
    `draft_answers` is set.
    """

    name: str = "fake"
    drafts: bool = True
    gated: bool = False
    instant: bool = True
    growth: Growth = field(default_factory=Growth)
    locates: bool = True
    folds_above: int | None = None
    limit: int = 4096
    threaded: bool = False
    screen: dict[str, Shown] = field(default_factory=dict[str, Shown])
    sent_drafts: list[tuple[Address, str]] = field(default_factory=list[tuple[Address, str]])
    signs: list[tuple[Address, Sign, str | None]] = field(
        default_factory=list[tuple[Address, Sign, str | None]]
    )
    draft_answers: asyncio.Event = field(default_factory=_open_way)
    sign_faults: deque[ChannelError] = field(default_factory=deque[ChannelError])
    acknowledging: asyncio.Event = field(default_factory=_open_way)
    """Set while presses are answered at once."""
    acknowledged: list[tuple[Press, str]] = field(default_factory=list[tuple[Press, str]])
    refusals: list[str] = field(default_factory=list[str])
    """Answers to presses that did nothing."""
    gone: set[Address] = field(default_factory=set[Address])
    """Where nobody is reached any more."""
    parsed: list[str] = field(default_factory=list[str])
    """Updates in the order in which they were read, as often as they were."""
    _known: dict[str, Inbound] = field(default_factory=dict[str, Inbound])
    _faults: deque[_Fault] = field(default_factory=deque[_Fault])
    _ids: "count[int]" = field(default_factory=count)

    def update(self, inbound: Inbound) -> RawUpdate:
        """The raw update that reads as this value."""
        key = str(len(self._known) + 1)
        self._known[key] = inbound
        return RawUpdate(key, key)

    def fail_next(self, fault: ChannelError, *, done: bool = False) -> None:
        """Has the next send or edit raise; `done` after doing its work, as a lost answer does."""
        self._faults.append(_Fault(fault, done))

    def texts(self, address: Address) -> list[str]:
        return [shown.text for shown in self.screen.values() if shown.address == address]

    def parse(self, body: str) -> Inbound:
        self.parsed.append(body)
        return self._known.get(body, Unreadable("an update nobody made"))

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        """Groups, whose numbers are negative, have threads."""
        opens = address.chat.startswith("-") and address.thread is None and self.threaded
        return Address(self.name, address.chat, message_id) if opens else None

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        if content.folded:
            content = folded(content)
        text = "\n\n".join(map(_words, content.blocks))
        parts = [text[at : at + self.limit] for at in range(0, len(text), self.limit)]
        if not parts and not content.files:
            parts = [_NOTHING]
        bodies = [dict[str, object](text=part) for part in parts]
        bodies += [
            dict[str, object](text=file.caption, file=file.path or file.text)
            for file in content.files
        ]
        if content.buttons:
            last = max(len(parts), 1) - 1
            bodies[last]["buttons"] = [
                [{"label": button.label, "data": button.data} for button in row]
                for row in content.buttons
            ]
        if content.reply_to is not None:
            bodies[0]["reply_to"] = content.reply_to
        for body in bodies if content.silent else bodies[1:]:
            body["silent"] = True
        return [Piece(body) for body in bodies]

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        if to in self.gone:
            raise RecipientGone("the bot was blocked by the user")
        fault = self._fault()
        message_id = str(next(self._ids) + 1)
        self.screen[message_id] = Shown(message_id, to, piece)
        if fault is not None:
            raise fault
        return message_id

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        known = {(one.address, one.message_id) for one in traces.seen}
        async with pace():
            for shown in self.screen.values():
                unknown = (shown.address, shown.id) not in known and shown.id not in traces.before
                wanted = shown.piece == piece
                if piece is None:
                    wanted = bool(shown.piece.body.get("passing"))
                if shown.address == to and unknown and wanted:
                    return shown.id
        return None

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        fault = self._fault()
        shown = self.screen.get(message_id)
        if piece is None:
            self.screen.pop(message_id, None)
            return
        if shown is None or shown.address != to:
            raise ContentRefused("message to edit not found")
        if shown.piece != piece:
            self.screen[message_id] = replace(shown, piece=piece, edits=shown.edits + 1)
        if fault is not None:
            raise fault

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        text = _read(text, links)
        self.sent_drafts.append((to, text))
        if not to.chat.startswith("-"):
            return None
        body: dict[str, object] = {"text": text, "reply_to": place.reply_to, "passing": True}
        if place.button is not None:
            body["buttons"] = [[{"label": place.button.label, "data": place.button.data}]]
        if place.message_id is None:
            shown = await self.send(to, Piece(body))
            await self.draft_answers.wait()
            return shown
        await self.edit(to, place.message_id, Piece(body))
        return place.message_id

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        if message_id is not None and self.sign_faults:
            raise self.sign_faults.popleft()
        self.signs.append((to, sign, message_id))

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        await self.acknowledging.wait()
        self.acknowledged.append((press, text))
        self.refusals += [text] if refused else []

    def _fault(self) -> ChannelError | None:
        """Raises a fault that comes before the work; returns one that comes after it."""
        if not self._faults:
            return None
        ordered = self._faults.popleft()
        if ordered.done:
            return ordered.fault
        raise ordered.fault
