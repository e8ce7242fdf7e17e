"""Contents as lines: their blocks one below the other, then their files."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from bot.adapters.terminal.draft import DraftPart, Step
from bot.adapters.terminal.fragments import Lines, plain, styled
from bot.adapters.terminal.look import UNBROKEN, box_prose
from bot.adapters.terminal.paths import path_lines
from bot.adapters.terminal.renderer import Border, Renderer
from bot.adapters.terminal.visible import visible
from bot.domain.talk.message import (
    HOW_TO_PRESS,
    REPLY_WITH,
    Block,
    CallBlock,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    Plain,
)

_LONG = 2_000
"""Letters above which a content is laid out beside the event loop."""

_WEIGHTS = {"title": "bold", "aside": "dim", "line": ""}
_REPLY = "Reply "
"""The beginning of advice for platforms on which people reply to a message."""

_HOW_TO_TYPE = "To approve, type the key on the card. Or type c and a change, as in “c: …”."
_OR_WRITE = ", or write "

_STYLES = {"✓": "green", "✗": "red"}
_IN, _OUT = "   in ", "  out "
_MOST_IN, _MOST_OUT = 5, 10
"""Lines of a call's input and output; a command shows the others."""

_LEAST = 20
"""Columns that a text of a call has at least."""


class Layout:
    """Lays out whole contents, and the pieces of those that are still being written."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer

    def borders(self, text: str) -> Sequence[Border]:
        return self._renderer.borders(text)

    async def whole(self, content: Outbound, width: int, *, titled: bool = False) -> Lines:
        """Returns a content in lines; `titled` sets the first line in bold and apart."""
        texts = (*(b.text for b in content.blocks), *(f.text or "" for f in content.files))
        if sum(map(len, texts)) > _LONG:
            return await asyncio.to_thread(self.short, content, width, titled=titled)
        return self.short(content, width, titled=titled)

    def short(self, content: Outbound, width: int, *, titled: bool = False) -> Lines:
        """Returns a short content in lines."""
        lines: Lines = []
        # A beginning is left out where the whole of it stands below.
        blocks = [
            _asked_here(b) for b in content.blocks if not any(_begins(b, f) for f in content.files)
        ]
        before: Block | None = None
        for n, block in enumerate(map(_typed, blocks) if titled else blocks):
            room = box_prose(width) if titled and not isinstance(block, CodeBlock) else width
            shown = self.block(block, room) if block.text else []
            above = CodeBlock if titled else Markdown
            step = isinstance(block, Plain) and block.style == "title" and n > 1
            if shown and isinstance(block, Plain) and (isinstance(before, above) or step):
                # Our own words look like another line of a content right above them, and the next
                # step of a plan like another line of the step before it.
                lines.append([])
            lines += self._titled(block, shown, room) if titled and n == 0 else shown
            before = block if shown else before
        return [*lines, *self.files(content, width)]

    def block(self, block: Block, width: int) -> Lines:
        match block:
            case Markdown(text):
                # White space at its ends says nothing, and a draft comes without.
                return self._renderer.markdown(text.strip(), width)
            case CodeBlock(text, language):
                return self._renderer.code(text, language, width)
            case CallBlock():
                return [*self._call_line(block, width), *self.called(block, width)]
            case Plain(text, style=""):
                return self._renderer.plain(text, width)
            case Plain(text, style=weight):
                lines = self._renderer.plain(text, width, code=True)
                return [styled(line, _WEIGHTS[weight]) for line in lines]

    def _call_line(self, call: CallBlock, width: int) -> Lines:
        lines = self._renderer.plain(call.text, width, code=True)
        return [styled(line, _STYLES.get(call.text[:1], "dim")) for line in lines]

    def called(self, call: CallBlock, width: int) -> Lines:
        """Returns what a tool was given and what it told, each cut after a few lines.

        A text that its line tells as a whole is left out.
        """
        lines, where = Lines(), f": {call.more}" if call.more else ""
        for label, text, most in ((_IN, call.given, _MOST_IN), (_OUT, call.result, _MOST_OUT)):
            if not text.strip() or (label is _IN and text.strip() in call.text):
                continue
            shown = self._renderer.code(text, "", max(width - len(label), _LEAST))
            left = len(shown[most:])
            margins = [label, *[" " * len(label)] * len(shown)]
            lines += [[("", m), *line] for m, line in zip(margins, shown[:most], strict=False)]
            if left:
                count = "1 more line" if left == 1 else f"{left} more lines"
                lines.append([("", f"{' ' * len(_OUT)}  … {count}{where}")])
        return [styled(line, "dim") for line in lines]

    def files(self, content: Outbound, width: int) -> Lines:
        """Names the files; our own document is shown whole, since it cannot be opened elsewhere."""
        return [line for file in content.files for line in self._file(file, width)]

    def plain(self, text: str, width: int) -> Lines:
        return self._renderer.plain(text, width)

    def piece(self, piece: DraftPart, width: int) -> Lines:
        if isinstance(piece, Step):
            lines = self._renderer.plain(piece.line, width, code=True)
            return [styled(line, _STYLES.get(piece.line[:1], "dim")) for line in lines]
        return self._renderer.markdown(piece.text, width, piece.start, piece.end)

    def sentences(self, content: Outbound) -> list[str]:
        """Returns the lines of a content as they were written, without the empty ones."""
        lines = [plain(line) for line in self.short(content, UNBROKEN)]
        return [line for line in lines if line.strip()]

    def _titled(self, block: Block, shown: Lines, width: int) -> Lines:
        """Sets the first line of a block in bold and apart, however many lines it is wrapped to."""
        first = block.text.partition("\n")[0]
        until = len(self.block(replace(block, text=first), width))
        return [*(styled(line, "bold") for line in shown[:until]), [], *shown[until:]]

    def _file(self, file: FileRef, width: int) -> Lines:
        caption = f" – {file.caption}" if file.caption else ""
        named = visible(f"📎 {file.name}{caption}").replace("\n", " ")
        if file.text is None:
            where = visible(file.origin or file.path).replace("\n", " ")
            beside = self._renderer.plain(f"{named} ({where})", width)
            if len(beside) == 1:
                return beside
            path = ([("", line)] for line in path_lines(where, width))
            return [*self._renderer.plain(named, width), *path]
        head = self._renderer.plain(f"{named}, the whole of it:", width)
        return [*head, *self._renderer.code(file.text, "", width)]


def _typed(block: Block) -> Block:
    """Returns a block of a card without the advice to reply: here people just type."""
    if not isinstance(block, Plain) or not block.text.startswith(_REPLY) or block.style != "aside":
        return block
    return replace(block, text="")


def _asked_here(block: Block) -> Block:
    """Returns a block that asks for a reply as it is meant here, where people just type."""
    if isinstance(block, Plain) and HOW_TO_PRESS in block.text:
        return replace(block, text=block.text.replace(HOW_TO_PRESS, _HOW_TO_TYPE))
    if isinstance(block, CodeBlock) or not block.text.startswith(REPLY_WITH):
        return block
    wanted = block.text.removeprefix(REPLY_WITH)
    _, other, command = wanted.partition(_OR_WRITE)
    return replace(block, text=f"Write {command}" if other else f"Type {wanted}")


def _begins(block: Block, file: FileRef) -> bool:
    """Returns True for a block that is cut from the beginning of a document."""
    cut = isinstance(block, CodeBlock) and block.text.endswith("…")
    return cut and file.text is not None and file.text.startswith(block.text[:-1])
