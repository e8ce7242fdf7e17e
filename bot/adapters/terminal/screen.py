"""Shows finished lines above the prompt, and changing ones beside it."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Protocol

from bot.adapters.terminal.board import Board, OpenCard
from bot.adapters.terminal.box import box, ends, inner_width, keys, outcome, progress
from bot.adapters.terminal.contents import (
    begins_with_step,
    buttons_of,
    call_line,
    is_said,
    points,
    without_advice,
)
from bot.adapters.terminal.draft import Draft, DraftPart, Step, Words
from bot.adapters.terminal.fragments import Fragments, Lines, joined, styled
from bot.adapters.terminal.layout import Layout
from bot.adapters.terminal.look import Look, prose_width
from bot.adapters.terminal.visible import visible
from bot.adapters.to_its_end import to_its_end
from bot.domain.talk.message import (
    Block,
    Button,
    CallBlock,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
)

_BETWEEN = (OutboundKind.NOTICE, OutboundKind.OPTION)
"""Messages that may come between an answer and its draft, and end neither."""

_REMEMBERED = 100
_WELL = "✅"
_UNDER_LIVE = 4
"""Rows of the terminal that stay free below the lines that change."""

_COUNT = re.compile(r"(?: \d+)?\.?$")
"""The end of a sentence such as `Approved 3.`, whose cards were each told in a line."""

_SENTENCE = re.compile(r"\S.*?(?:\.(?= )|$)")
WAITING = "… (Ctrl-C stops)"


class Console(Protocol):
    """The terminal itself."""

    @property
    def look(self) -> Look:
        """Returns the size and the abilities that it has now."""
        ...

    async def show(self, fragments: Fragments) -> None:
        """Prints whole lines above the prompt."""
        ...

    def refresh(self) -> None:
        """Draws the prompt again, because the lines beside it changed."""
        ...


class Screen:
    """Shows contents in the order they come; each line is printed once.

    A draft's settled pieces are printed at once, the others stand in `live` until they settle.
    So does the newest progress message, until something else is shown. News about cards waits
    until the words that are being written have ended.
    """

    def __init__(self, console: Console, layout: Layout, *, decides: bool = True) -> None:
        """Prints cards without their keys unless somebody `decides` about them here."""
        self._console = console
        self.decides = decides
        self._layout = layout
        self._lock = asyncio.Lock()
        self._known: dict[str, tuple[str, ...]] = {}
        self._progress: tuple[str, Outbound] | None = None
        self._draft = Draft(layout.borders)
        self._news: list[str | Lines | CallBlock] = []
        self._told: list[str] = []
        self._steps: set[str] = set()
        self._titles: set[str] = set()
        self._newest = ""
        self._called: dict[str, int] = {}
        self._late: list[DraftPart] = []
        self._at_card = False
        self._pressed = False
        self._new_keys: Lines = []
        self._answer = ""
        self._typing = False
        self._expected = False
        self._last: Literal["", "block", "line"] = ""
        self._live: tuple[Look, Fragments] | None = None
        self.board = Board()

    @property
    def busy(self) -> bool:
        """Tells if an answer is due."""
        return self._expected

    def live(self) -> Fragments:
        """Returns the lines between printed lines and prompt, the first of them empty.

        The prompt asks several times for each drawing.
        """
        look = self._console.look
        if self._live is None or self._live[0] != look:
            self._live = look, self._changing(look)
        return self._live[1]

    def _changing(self, look: Look) -> Fragments:
        lines: Lines = []
        if self._progress is not None:
            lines += self._layout.short(self._progress[1], look.width)
        pieces = self._draft.rest()
        for piece in pieces:
            lines += self._layout.piece(piece, look.width)
        if (self._expected or self._typing) and not lines and not self.board:
            lines = [[("dim", WAITING)]]
        most = max(1, look.rows - _UNDER_LIVE)
        if len(lines) > most:
            lines = [[("dim", "…")], *lines[1 - most :]]
        lines += self._waiting_cards(look.width)
        goes_on = self._progress is None and pieces and _follows(pieces[0])
        return joined(lines if goes_on or not self._last else [[], *lines])

    def expect(self, *, pressed: bool = False) -> None:
        """Notes that an answer is due; after a press, new keys stand below the words about it."""
        self._pressed = pressed
        if not pressed:
            self.board.go_on()
        self._steps.clear()
        self._titles.clear()
        self._told.clear()
        self._draft.leave()
        self._expected, self._answer = True, ""
        self.heard()

    def heard(self) -> None:
        """Notes that a line was typed: what comes next stands apart from it."""
        self._last, self._live, self._at_card = "block", None, False

    def typing(self, *, on: bool) -> None:
        """Turns the sign of typing on or off."""
        self._expected = on
        self._live = None
        if self._typing is not on:
            self._typing = on
            self._refresh()

    async def line(self, text: str) -> None:
        """Prints a passing remark."""
        async with self._lock:
            lines = self._layout.plain(text, self._width)
            await self._print([styled(line, "italic") for line in lines], "line")

    async def acknowledge(self, text: str) -> None:
        """Prints the answer to a press, without what the line about its card has just said.

        The text may be empty: then the card alone tells what came of the press.
        """
        told = " ".join(self._told).lower()
        self._told.clear()
        news = [one for one in _SENTENCE.findall(text) if _COUNT.sub("", one).lower() not in told]
        if news:
            await self.line(" ".join(news))
        async with self._lock:
            # Only a turn that goes on has more to say.
            self._pressed, self._expected = False, self._typing
            self._live = None
            if self._new_keys:
                self._news.append(self._new_keys)
                self._new_keys = []
            await self._tell_news()

    async def greet(self, lines: Lines) -> None:
        """Prints the first lines of a talk."""
        async with self._lock:
            await self._print(lines, "block")

    async def draft(self, text: str) -> None:
        """Shows how far an answer is: `text` is all of it so far, with its tools."""
        async with self._lock:
            # The end of a turn cancels its drafts: pieces that were taken have to be printed.
            await to_its_end(self._grow(visible(text)))

    async def _grow(self, text: str) -> None:
        if self._answer.startswith(text.strip()) and not (self._draft.moves and not text):
            return  # a straggler: the answer itself is on the screen already
        self._expected, self._answer = True, ""
        if pieces := self._draft.grow(text):
            await self._end_progress()
            await self._print_pieces(pieces)
        await self._tell_news()
        self._refresh()

    async def show(self, message_id: str, content: Outbound) -> None:
        """Shows a new message."""
        async with self._lock:
            if content.kind is OutboundKind.CALLS:
                await self._show_calls(message_id, content)
                return
            self._at_card = self._at_card and content.kind is OutboundKind.CARD
            content = self._without_told(content)
            if not content.blocks and not content.files and not content.buttons:
                if content.kind is OutboundKind.ANSWER:
                    self._expected = self._typing = False
                await self._print_pieces(self._draft.end())
                await self._tell_news()
                self._refresh()
                return
            if content.kind is OutboundKind.PROGRESS:
                await self._show_progress(message_id, content)
                return
            self._expected = self._typing = False
            await self._end_progress()
            self._remember(message_id, content)
            if content.kind is OutboundKind.ANSWER:
                await self._show_answer(content)
                await self._show_ways(message_id, content)
            else:
                between = content.kind in _BETWEEN
                await self._print_pieces(self._draft.interrupt() if between else self._draft.end())
                await self._show_all(message_id, content)
            await self._tell_news()
            self._refresh()

    def _without_told(self, content: Outbound) -> Outbound:
        """Returns the content without words that are printed already.

        They were printed when they were said, or the news of a card or the line of a tool says the
        same.
        """
        blocks = [
            b
            for b in content.blocks
            if not (points(b) or self._was_said(b) or begins_with_step(b, self._steps))
        ]
        return (
            content
            if len(blocks) == len(content.blocks)
            else replace(content, blocks=tuple(blocks))
        )

    def _was_said(self, block: Block) -> bool:
        return is_said(block) and self._draft.told(visible(block.text))

    async def change(self, message_id: str, content: Outbound) -> None:
        """Shows new content of a message: in its place while it changes, else the new lines."""
        async with self._lock:
            if content.kind is OutboundKind.CALLS:
                await self._show_calls(message_id, content)
                return
            self._at_card = False
            await self._print_pieces(())
            before = self._known.get(message_id)
            self._remember(message_id, content)
            if self._progress is not None and self._progress[0] == message_id:
                self._progress = (message_id, content)
                self._refresh()
                return
            await self._end_progress()
            if before is None:
                await self._show_anew(message_id, content)
            else:
                self._note_news(message_id, content, before)
                await self._tell_news()
            self._refresh()

    async def finish(self) -> None:
        """Prints the lines that were still changing, before the screen is closed."""
        async with self._lock:
            self._at_card = False
            await self._print_pieces(self._draft.end())
            await self._end_progress()
            await self._tell_news()

    async def _show_calls(self, message_id: str, content: Outbound) -> None:
        """Shows the calls that a message has beyond those it had before.

        A line that the tool has left here already is not shown again, and the other way round.
        """
        known = self._called.get(message_id, 0)
        # The words that follow a call may come first: they wait below it while none is printed.
        above = self._draft.speaks and not self._draft.amid and not self._news
        for block in content.blocks[known:]:
            called = isinstance(block, CallBlock)
            self._titles |= {call_line(block)} if called else set()
            self._news.append(block if called else self._layout.block(block, self._width))
        self._called.pop(message_id, None)
        self._called[message_id] = len(content.blocks)
        while len(self._called) > _REMEMBERED:
            del self._called[next(iter(self._called))]
        await (self._print_news() if above else self._tell_news())
        self._refresh()

    async def _show_progress(self, message_id: str, content: Outbound) -> None:
        await self._print_pieces(self._draft.end())
        await self._end_progress()
        self._expected = True
        self._progress = (message_id, content)
        self._remember(message_id, content)
        self._refresh()

    async def _show_answer(self, content: Outbound) -> None:
        """Shows an answer without the pieces that its draft has printed."""
        first = content.blocks[0] if content.blocks else Plain("")
        text = visible(first.text)
        self._answer = text.strip()
        self.board.note_answer(text)
        rest = self._draft.complete(text) if isinstance(first, Markdown) else None
        if rest is None:
            await self._print_pieces(self._draft.end_unlike())
            await self._print(await self._layout.whole(content, self._width), "block")
            return
        await self._print_pieces(rest)
        more = [
            one for block in content.blocks[1:] for one in self._layout.block(block, self._width)
        ]
        await self._print([*more, *self._layout.files(content, self._width)], "block")

    async def _show_ways(self, message_id: str, content: Outbound) -> None:
        """Prints the keys of the buttons below an answer."""
        if not (buttons := buttons_of(content)) or not self.decides:
            return
        lines = self._layout.sentences(content)
        card = self.board.put(message_id, lines, buttons, leads_on=True)
        await self._print(keys(card, self.board, prose_width(self._width)), "block")

    async def _show_all(self, message_id: str, content: Outbound) -> None:
        """Prints a message; one with buttons is a card, with its keys below."""
        if not (buttons := buttons_of(content)):
            if content.asks and self.decides:
                self.board.ask(message_id, self._layout.sentences(content))
            await self._print(await self._layout.whole(content, self._width), "block")
            return
        if content.kind is OutboundKind.OPTION:
            await self._show_option(message_id, content, buttons)
            return
        look = self._console.look
        if not self.decides:
            content = without_advice(content)
        card = self.board.put(message_id, self._layout.sentences(content), buttons)
        body = await self._layout.whole(content, inner_width(look), titled=True)
        await self._print(box(body, card, self.board, look) if self.decides else body, "block")
        self._at_card = True

    async def _show_option(
        self, message_id: str, content: Outbound, buttons: Sequence[Button]
    ) -> None:
        """Prints news, and in the line below it the keys of its buttons."""
        lines = await self._layout.whole(content, self._width)
        if self.decides:
            option = self._offered(message_id, content, buttons)
            lines += keys(option, self.board, prose_width(self._width)) if option else []
        await self._print(lines, "block")

    def _offered(
        self, message_id: str, content: Outbound, buttons: Sequence[Button]
    ) -> OpenCard | None:
        """Gives the buttons of news their keys, for as long as they count."""
        lines = self._layout.sentences(content)
        if content.waits:
            return self.board.put(message_id, lines, buttons, leads_on=True)
        self.board.drop(message_id)
        return self.board.option(message_id, lines, buttons)

    async def _show_anew(self, message_id: str, content: Outbound) -> None:
        """Prints a message that this process has not printed yet."""
        if content.kind is OutboundKind.ANSWER:
            await self._print(await self._layout.whole(content, self._width), "block")
            await self._show_ways(message_id, content)
        else:
            await self._show_all(message_id, content)

    def _note_news(self, message_id: str, content: Outbound, before: Sequence[str]) -> None:
        now = self._layout.sentences(content)
        known = self.board.known(message_id)
        if known is not None and known.leads_on and not content.buttons:
            self.board.close(message_id)
            self._news += [line for line in now if line not in set(before)]
        elif content.kind is OutboundKind.OPTION and (buttons := buttons_of(content)):
            option = self._offered(message_id, content, buttons)
            self._news += now
            self._news += [self._keys(option)] if option else []
        elif buttons := buttons_of(content):
            card = self.board.put(message_id, now, buttons)
            self._news += progress(before, now, self._steps)
            if known is None or list(known.buttons) != list(card.buttons):
                self._note_keys(self._keys(card))
        elif closed := self.board.close(message_id):
            self._new_keys = []
            self._news += outcome(closed.name, before, now)
        elif not (now and before and now[0].startswith(_WELL) and before[0].startswith(_WELL)):
            # What went well is told by the lines of its tools and by the answer.
            self._news += ends(before, now)

    def _keys(self, card: OpenCard) -> Lines:
        return keys(card, self.board, prose_width(self._width), advises=False)

    def _note_keys(self, lines: Lines) -> None:
        if self._pressed:
            self._new_keys = lines
        else:
            self._news.append(lines)

    async def _tell_news(self) -> None:
        if self._news and not self._draft.speaks:
            await self._print_news()

    async def _print_news(self) -> None:
        news, self._news = self._news, []
        await self._print([line for one in news for line in self._told_of(one)], "line")
        self._told += [one for one in news if isinstance(one, str)]

    def _told_of(self, news: str | Lines | CallBlock) -> Lines:
        """Returns the lines of news, without the words that stand right above them."""
        before, self._newest = self._newest, news if isinstance(news, str) else ""
        match news:
            case str():
                return self._layout.plain(_reason_alone(news, before), self._width)
            case CallBlock():
                line = call_line(news)
                own = bool(before) and (before.startswith(line) or line.startswith(before))
                whole = self._layout.called if own else self._layout.block
                return whole(news, self._width)
            case _:
                return news

    async def _end_progress(self) -> None:
        if self._progress is not None:
            (_, content), self._progress = self._progress, None
            await self._print(self._layout.short(content, self._width), "line")

    async def _print_pieces(self, pieces: Sequence[DraftPart]) -> None:
        """Prints pieces; lines of tools that come later than their card wait for what follows it.

        A card is the last thing to read until somebody answers.
        """
        if self._at_card and all(isinstance(piece, Step) for piece in pieces):
            self._late += pieces
            return
        pieces, self._late = [*self._late, *pieces], []
        for piece in pieces:
            if isinstance(piece, Step) and piece.line.replace("`", "") in self._titles:
                continue
            kind = "block" if isinstance(piece, Words) else "line"
            if isinstance(piece, Step):
                self._steps.add(piece.line.replace("`", ""))
            shown = self._layout.piece(piece, self._width)
            await self._print(shown, kind, follows=_follows(piece))
            self._newest = piece.line.replace("`", "") if isinstance(piece, Step) else ""

    async def _print(
        self, lines: Lines, kind: Literal["block", "line"], *, follows: bool = False
    ) -> None:
        """Prints lines; an empty line parts blocks from each other and from single lines."""
        if not lines:
            return
        apart = bool(self._last) and "block" in (kind, self._last) and not follows
        self._last, self._at_card = kind, False
        self._live = None
        await self._console.show(joined([[], *lines] if apart else lines))

    def _refresh(self) -> None:
        self._live = None
        self._console.refresh()

    def _waiting_cards(self, width: int) -> Lines:
        """Returns a line about the open cards, since one key is not enough to name one."""
        cards = [card for card in self.board if not card.leads_on]
        if len(cards) < 2:
            return []
        named = ", ".join(f"{card.number} {self.board.told(card)}" for card in cards)
        lines = self._layout.plain(f"{len(cards)} cards are open: {named}", width)
        return [styled(line, "dim") for line in lines[:2]]

    @property
    def _width(self) -> int:
        return self._console.look.width

    def _remember(self, message_id: str, content: Outbound) -> None:
        self._known.pop(message_id, None)
        self._known[message_id] = tuple(self._layout.sentences(content))
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]


def _reason_alone(line: str, before: str) -> str:
    """Returns the reason of a failure right below the line that names what failed."""
    return line.removeprefix(f"{before}: ") if before.startswith("✗ ") else line


def _follows(piece: DraftPart) -> bool:
    return isinstance(piece, Words) and piece.follows
