"""Shows finished lines above the prompt, and changing ones beside it."""

import asyncio
from typing import Protocol

from bot.adapters.terminal.board import Board
from bot.adapters.terminal.draft import Draft
from bot.adapters.terminal.text import Fragments, block_fragments, plain, visible
from bot.domain.message import (
    Block,
    Button,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
)

_TAIL = 240
_REMEMBERED = 100


class Console(Protocol):
    """The terminal itself."""

    async def show(self, fragments: Fragments) -> None:
        """Prints whole lines above the prompt."""
        ...

    def refresh(self) -> None:
        """Draws the prompt again, because the lines beside it changed."""
        ...


class Screen:
    """Shows contents in the order they come; each line is printed once.

    A draft's settled lines are printed at once, the others stand in `live` until they settle.
    So does the newest progress message, until something else is shown. News about cards waits
    until the words that are being written have ended.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = asyncio.Lock()
        self._known: dict[str, tuple[str, ...]] = {}
        self._progress: tuple[str, Fragments] | None = None
        self._draft = Draft()
        self._news: list[str] = []
        self._answer = ""
        self._typing = False
        self._expected = False
        self.board = Board()

    @property
    def busy(self) -> bool:
        """Tells if a turn seems to run, or waits for a card."""
        return self._expected or len(self.board) > 0

    def live(self) -> str:
        """Returns the text between printed lines and prompt; empty or ended by a newline."""
        parts: list[str] = []
        if self._progress is not None:
            parts.append(plain(self._progress[1]).rstrip("\n"))
        if tail := self._draft.tail:
            parts.append(visible(tail if len(tail) <= _TAIL else f"…{tail[-_TAIL:]}"))
        if self._typing and not parts:
            parts.append("…")
        return "".join(f"{part}\n" for part in parts)

    def expect(self) -> None:
        """Notes that an answer is due."""
        self._expected, self._answer = True, ""

    def typing(self, *, on: bool) -> None:
        """Turns the sign of typing on or off."""
        self._expected = on
        if self._typing is not on:
            self._typing = on
            self._console.refresh()

    async def line(self, text: str) -> None:
        """Prints a passing remark."""
        async with self._lock:
            await self._console.show([("italic", visible(text) + "\n")])

    async def draft(self, text: str) -> None:
        """Shows how far an answer is: `text` is all of it so far, with its tools."""
        async with self._lock:
            if self._answer.startswith(text.strip()):
                return  # a straggler: the answer itself is on the screen already
            self._expected, self._answer = True, ""
            if lines := self._draft.grow(text):
                await self._end_progress()
                await self._console.show(lines)
            await self._tell_news()
            self._console.refresh()

    async def show(self, message_id: str, content: Outbound) -> None:
        """Shows a new message."""
        async with self._lock:
            if content.kind is OutboundKind.PROGRESS:
                await self._show_progress(message_id, content)
                return
            self._expected = self._typing = False
            await self._end_progress()
            self._remember(message_id, _fragments(content))
            if content.kind is OutboundKind.ANSWER:
                await self._show_answer(message_id, content)
            else:
                await self._end_draft()
                await self._show_all(message_id, content, _fragments(content))
            await self._tell_news()
            self._console.refresh()

    async def change(self, message_id: str, content: Outbound) -> None:
        """Shows new content of a message: in its place while it changes, else the new lines."""
        async with self._lock:
            fragments = _fragments(content)
            if self._progress is not None and self._progress[0] == message_id:
                self._progress = (message_id, fragments)
                self._remember(message_id, fragments)
                self._console.refresh()
                return
            before = self._known.get(message_id)
            self._remember(message_id, fragments)
            await self._end_progress()
            if before is None:
                await self._show_all(message_id, content, fragments)
            else:
                self._note_news(message_id, content, set(before))
                await self._tell_news()
            self._console.refresh()

    async def finish(self) -> None:
        """Prints the lines that were still changing, before the screen is closed."""
        async with self._lock:
            await self._end_draft()
            await self._end_progress()
            await self._tell_news()

    async def _show_progress(self, message_id: str, content: Outbound) -> None:
        await self._end_draft()
        await self._end_progress()
        self._expected = True
        self._progress = (message_id, _fragments(content))
        self._remember(message_id, self._progress[1])
        self._console.refresh()

    async def _show_answer(self, message_id: str, content: Outbound) -> None:
        """Shows an answer without the lines that its draft has printed."""
        first = content.blocks[0] if content.blocks else Plain("")
        self._answer = first.text.strip()
        rest = self._draft.complete(first.text) if isinstance(first, Markdown) else None
        if rest is None:
            await self._end_draft()
            await self._show_all(message_id, content, _fragments(content))
            return
        rest += _of_blocks(content.blocks[1:]) + _files(content)
        await self._show_all(message_id, content, rest)

    async def _show_all(self, message_id: str, content: Outbound, fragments: Fragments) -> None:
        """Prints the fragments of a message, with the keys of its buttons below."""
        if buttons := _buttons(content):
            card = self.board.put(message_id, _title(fragments), buttons)
            fragments = [*fragments, ("bold", f"{visible(card.hints())}\n")]
        await self._console.show([*fragments, ("", "\n")])

    def _note_news(self, message_id: str, content: Outbound, before: set[str]) -> None:
        fragments = _fragments(content)
        news = [line for line in _lines(fragments) if line not in before]
        if buttons := _buttons(content):
            card = self.board.put(message_id, _title(fragments), buttons)
            news.append(card.hints())
        elif closed := self.board.close(message_id):
            told = [line.strip() for line in news]
            named = "" if _title(fragments) in told else f"{closed.title} — "
            news = [f"↳ {named}{' · '.join(told) or 'closed'}"]
        self._news += news

    async def _tell_news(self) -> None:
        if self._news and not self._draft.speaks:
            news, self._news = self._news, []
            await self._console.show([("", visible("\n".join(news)) + "\n")])

    async def _end_progress(self) -> None:
        if self._progress is not None:
            (_, fragments), self._progress = self._progress, None
            await self._console.show(fragments)

    async def _end_draft(self) -> None:
        """Prints the rest of a draft that no answer followed: words beside a call."""
        if rest := self._draft.end():
            await self._console.show(rest)

    def _remember(self, message_id: str, fragments: Fragments) -> None:
        self._known.pop(message_id, None)
        self._known[message_id] = tuple(_lines(fragments))
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]


def _fragments(content: Outbound) -> Fragments:
    return _of_blocks(content.blocks) + _files(content)


def _buttons(content: Outbound) -> list[Button]:
    return [button for row in content.buttons for button in row]


def _of_blocks(blocks: tuple[Block, ...]) -> Fragments:
    return [fragment for block in blocks for fragment in block_fragments(block)]


def _files(content: Outbound) -> Fragments:
    """Names the files; a document of ours is shown whole, since nobody could open it elsewhere."""
    return [fragment for file in content.files for fragment in _file(file)]


def _file(file: FileRef) -> Fragments:
    caption = f" – {file.caption}" if file.caption else ""
    if file.text is None:
        line = f"📎 {file.name}{caption} ({file.path})"
        return [("", visible(line).replace("\n", " ") + "\n")]
    head = visible(f"📎 {file.name}{caption}, the whole of it:").replace("\n", " ")
    return [("", f"{head}\n"), *block_fragments(CodeBlock(file.text))]


def _lines(fragments: Fragments) -> list[str]:
    return [line for line in plain(fragments).split("\n") if line.strip()]


def _title(fragments: Fragments) -> str:
    return next(iter(_lines(fragments)), "").strip()
