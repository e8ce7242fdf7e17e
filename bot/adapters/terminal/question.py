"""One question from the command line, asked and answered without a talk around it."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from uuid import uuid4

from bot.adapters.terminal.ansi import encoded
from bot.adapters.terminal.board import OpenCard
from bot.adapters.terminal.dialogue import Accept
from bot.adapters.terminal.error_stream import ErrorStream
from bot.adapters.terminal.fragments import joined
from bot.adapters.terminal.late_renderer import LateRenderer
from bot.adapters.terminal.layout import Layout
from bot.adapters.terminal.look import look_of
from bot.adapters.terminal.question_channel import QuestionChannel
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.terminal import account
from bot.adapters.terminal.typed import Begun, Left, Misread, Pressed, Said, Typed, read_typed
from bot.adapters.terminal.update import NAME, Writer
from bot.domain.consent.approval import Verb
from bot.domain.talk.errors import FileWithheld
from bot.domain.talk.message import Address, Attachment, Markdown
from bot.domain.talk.person import Sender
from bot.domain.value import frozen
from bot.ports.clock import Clock

_LOOK_EVERY = 0.5
"""Seconds after which is looked again whether the turn is over, if nothing was shown."""

_LONGEST_DECISION = 5.0
"""Seconds to wait for a decision to be shown."""

_DENIALS = (Verb.DENY, Verb.STOP)
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_UNASKED = "There is no terminal to ask in, so I denied this: {name}"
_REASON = "There is no terminal to ask in. An action that needs approval cannot run here."
_KEYS_ALONE = "Here only the keys of the card count, or words that say what should be different."


@frozen
class Wish:
    """The words of a question, and the text that was piped into the program beside them."""

    words: str
    piped: bytes = b""


class Question:
    """Asks in a chat of its own, which nothing was said in before.

    Cards are decided by keys where there is a terminal. Where there is none they are denied.
    """

    def __init__(self, wish: Wish, clock: Clock) -> None:
        self._wish = wish
        self._clock = clock
        self.address = Address(NAME, f"ask-{uuid4().hex[:12]}")
        self._writer = Writer(*account(), self.address.chat)
        self._stream = ErrorStream()
        self._layout = Layout(LateRenderer())
        self._screen = Screen(self._stream, self._layout, decides=self._stream.is_terminal)
        self.channel = QuestionChannel(self._screen, self.address)
        self.denied: list[str] = []
        self.gave_up = False
        self._refused: set[str] = set()
        self.told: signal.Signals | None = None

    @property
    def sender(self) -> Sender:
        """Returns the person who asks."""
        return Sender(NAME, self._writer.user, self._writer.name)

    @property
    def answer(self) -> str:
        """Returns the answer, in Markdown."""
        return "\n\n".join(self.channel.answers)

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Returns the piped text; it stands in the message as its attachment."""
        if not self._wish.piped or attachment.size != len(self._wish.piped):
            raise FileWithheld("was piped into a program that has ended")
        return self._wish.piped[:most]

    async def hold(self, accept: Accept, over: Callable[[], Awaitable[bool]]) -> None:
        """Asks, has cards decided, and returns when `over` says that all is answered."""
        loop = asyncio.get_running_loop()
        for number in _STOPS:
            loop.add_signal_handler(number, self._interrupt, number)
        at, piped = self._clock.now(), len(self._wish.piped)
        self._stream.wait()
        await accept((self._writer.message(self._wish.words, at, piped=piped),))
        stopping = False
        while True:
            self.channel.changed.clear()
            if self.told is not None and not stopping:
                stopping = True
                await self._stop(accept)
            elif self._screen.board and not stopping:
                await self._decide(accept)
            elif await over():
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.channel.changed.wait(), _LOOK_EVERY)

    def _interrupt(self, number: signal.Signals) -> None:
        """Has the turn stopped; a second signal ends the program at once."""
        loop = asyncio.get_running_loop()
        for known in _STOPS:
            loop.remove_signal_handler(known)
        self.told = number
        self.channel.changed.set()

    async def _decide(self, accept: Accept) -> None:
        card = self._screen.board.cards[0]
        if not self._stream.is_terminal:
            await self._deny(card, accept)
            return
        match await self._typed():
            case Pressed(pressed, data):
                if data in (b.data for k, b in pressed.buttons.items() if k in _DENIALS):
                    self.denied.append(pressed.name)
                await self._press(pressed, data, accept)
            case Said(text, OpenCard() as replied):
                self.denied.append(replied.name)
                await self._reply(replied, text, accept)
            case Left():
                await self._deny(card, accept)
            case Misread(hint):
                await self._screen.line(hint)
            case Said():
                await self._screen.line(_KEYS_ALONE)
            case None:
                pass

    async def _deny(self, card: OpenCard, accept: Accept) -> None:
        """Denies a card; one that cannot be denied ends with its turn."""
        key = next((key for key in _DENIALS if key in card.buttons), None)
        if key is None or card.message_id in self._refused:
            self.gave_up = True
            await self._stop(accept)
            return
        self.denied.append(card.name)
        self._refused.add(card.message_id)
        # Words beside the card of a plan would change the plan; such a card has no Stop.
        if key == Verb.DENY and Verb.STOP in card.buttons:
            await self._reply(card, _REASON, accept)
        else:
            if not self._stream.is_terminal:
                await self._screen.line(_UNASKED.format(name=card.name))
            await self._press(card, card.buttons[key].data, accept)

    async def _stop(self, accept: Accept) -> None:
        await accept((self._writer.message("/stop", self._clock.now()),))
        for card in self._screen.board:
            await self._closed(card)

    async def _reply(self, card: OpenCard, words: str, accept: Accept) -> None:
        at = self._clock.now()
        await accept((self._writer.message(words, at, card.message_id, card.title),))
        await self._closed(card)

    async def _press(self, card: OpenCard, data: str, accept: Accept) -> None:
        await accept((self._writer.press(data, self._clock.now(), card.message_id),))
        await self._closed(card)

    async def _closed(self, card: OpenCard) -> None:
        """Waits until a decision is on the screen, but not for ever: it may have come too late."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_DECISION):
                while self._screen.board.is_open(card):
                    self.channel.changed.clear()
                    await self.channel.changed.wait()

    async def _typed(self) -> Typed | None:
        """Reads a line from the terminal; None when nothing is left to decide meanwhile."""
        board = self._screen.board
        begun: Begun = ()

        def begin() -> None:
            nonlocal begun
            begun = board.shown

        reading = asyncio.create_task(self._stream.read(self._screen.live, begin), name="key")
        try:
            while board and self.told is None and not reading.done():
                self.channel.changed.clear()
                changed = asyncio.ensure_future(self.channel.changed.wait())
                await asyncio.wait((reading, changed), return_when=asyncio.FIRST_COMPLETED)
                changed.cancel()
            return read_typed(reading.result(), begun, board) if reading.done() else None
        except EOFError:
            return Left()
        except KeyboardInterrupt:
            self._interrupt(signal.SIGINT)
            return None
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError, EOFError, KeyboardInterrupt):
                await reading

    async def finish(self) -> None:
        """Prints the steps that are not printed yet, before the answer."""
        await self._screen.finish()
        self._stream.end()

    def print_answer(self) -> None:
        """Prints the answer: laid out on a terminal, and as it was written anywhere else."""
        if not self.answer:
            return
        if sys.stdout.isatty():
            look = look_of(os.environ, *shutil.get_terminal_size())
            lines = self._layout.block(Markdown(self.answer), look.width)
            sys.stdout.write(encoded(joined(lines), look))
        else:
            sys.stdout.write(f"{self.answer}\n")
        sys.stdout.flush()
