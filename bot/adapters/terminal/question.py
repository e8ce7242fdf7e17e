"""One question from the command line, asked and answered without a talk around it."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

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
from bot.adapters.terminal.update import NAME, Writer, question_in
from bot.domain.consent.approval import Verb
from bot.domain.consent.assent import is_assent, is_question, is_refusal
from bot.domain.consent.own_search import is_offer
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
_NO_WAIT = "Nobody can be asked here, so I do not wait. Ask again later."
_UNASKED = "There is no terminal to ask in, so I denied this: {name}"
_REASON = "There is no terminal to ask in. An action that needs approval cannot run here."
_UNSEARCHED = (
    "The web was not searched: its search is off. /tools search on in a chat switches it on."
)
_NO_SEARCH = (
    "Nobody is here who could switch the search on. Answer with what you know, and say that the "
    "web was not searched."
)
_KEYS_ALONE = "Here only the keys of the card count, or words that say what should be different."


@frozen
class Wish:
    """The words of a question, and the text that was piped into the program beside them."""

    words: str
    piped: bytes = b""
    yes_to: tuple[str, ...] = ()
    """The names of standing rules: a card that one of them covers is approved."""
    folder: Path | None = None
    """The folder that it is about; None for the workspace."""


class Question:
    """Asks in a chat of its own, which nothing was said in before.

    Cards are decided by keys where there is a terminal. Where there is none they are denied. A card
    that offers a search is turned down: the answer comes without it, and nothing counts as denied.
    """

    def __init__(self, wish: Wish, clock: Clock, address: Address | None = None) -> None:
        self._wish = wish
        self._clock = clock
        self.address = address or question_in(wish.folder)
        self._writer = Writer(*account(), self.address.chat)
        self._stream = ErrorStream()
        self._layout = Layout(LateRenderer())
        self._screen = Screen(self._stream, self._layout, decides=self._stream.is_terminal)
        command = wish.words.startswith("/") and not wish.piped
        self.channel = QuestionChannel(self._screen, self.address, command=command)
        self.denied: list[str] = []
        self.gave_up = False
        self._unsearched = False
        self._refused: set[str] = set()
        self._judged: set[str] = set()
        self.told: signal.Signals | None = None

    @property
    def sender(self) -> Sender:
        """Returns the person who asks."""
        return Sender(NAME, self._writer.user, self._writer.name)

    @property
    def yes_to(self) -> tuple[str, ...]:
        """Returns the names of the rules that approve cards."""
        return self._wish.yes_to

    @property
    def answer(self) -> str:
        """Returns the answer, in Markdown; words on the end of a question given up are none."""
        if self.gave_up:
            return ""
        return "\n\n".join(self.channel.answers)

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Returns the piped text; it stands in the message as its attachment."""
        if not self._wish.piped or attachment.size != len(self._wish.piped):
            raise FileWithheld("was piped into a program that has ended")
        return self._wish.piped[:most]

    async def hold(
        self,
        accept: Accept,
        over: Callable[[], Awaitable[bool]],
        covered: Callable[[str], Awaitable[bool]],
    ) -> None:
        """Asks, has cards decided, and returns when `over` says that all is answered.

        `covered` tells of the button of a card if one of the named rules covers its call.
        """
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
            elif self.channel.offers and not stopping:
                await self._turn_down(self.channel.offers.pop(0), accept)
            elif self._screen.board and not stopping:
                if not await self._approved(accept, covered):
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

    async def _approved(self, accept: Accept, covered: Callable[[str], Awaitable[bool]]) -> bool:
        """Approves the first card if a named rule covers it; returns False for any other one."""
        card = self._screen.board.cards[0]
        yes = card.buttons.get(Verb.APPROVE)
        if not self._wish.yes_to or yes is None or card.message_id in self._judged:
            return False
        self._judged.add(card.message_id)
        if not await covered(yes.data):
            return False
        await self._press(card, yes.data, accept)
        return True

    async def _decide(self, accept: Accept) -> None:
        card = self._screen.board.cards[0]
        if not self._stream.is_terminal:
            await self._deny(card, accept)
            return
        match await self._typed():
            case Pressed(pressed, data):
                if data in (b.data for k, b in pressed.buttons.items() if k in _DENIALS):
                    self._note_denied(pressed)
                await self._press(pressed, data, accept)
            case Said(text, OpenCard() as replied):
                self._note_denied(replied)
                await self._reply(replied, text, accept)
            case Left():
                await self._deny(card, accept)
            case Misread(hint):
                await self._screen.line(hint)
            case Said(text):
                await self._take_words(text, accept)
            case None:
                pass

    async def _take_words(self, text: str, accept: Accept) -> None:
        """Takes words without a number: no message can follow here, so they are for the card."""
        cards = self._screen.board.cards
        if len(cards) != 1 or is_assent(text) or is_question(text) or text.startswith("/"):
            await self._screen.line(_KEYS_ALONE)
        elif is_refusal(text):
            await self._deny(cards[0], accept)
        else:
            self._note_denied(cards[0])
            await self._reply(cards[0], text, accept)

    async def _deny(self, card: OpenCard, accept: Accept) -> None:
        """Denies a card; one that cannot be denied ends with its turn."""
        key = next((key for key in _DENIALS if key in card.buttons), None)
        if key is None or card.message_id in self._refused:
            self.gave_up = True
            if not self._stream.is_terminal:
                await self._screen.line(_NO_WAIT)
            await self._stop(accept)
            return
        self._note_denied(card)
        self._refused.add(card.message_id)
        # Words beside the card of a plan would change the plan; such a card has no Stop.
        planned = Verb.CHANGE in card.buttons and Verb.STOP not in card.buttons
        if key == Verb.DENY and not planned:
            await self._reply(card, _REASON, accept)
        else:
            if not self._stream.is_terminal:
                await self._screen.line(_UNASKED.format(name=card.name))
            await self._press(card, card.buttons[key].data, accept)

    def _note_denied(self, card: OpenCard) -> None:
        """Notes an action that was denied; a search that stays off is none."""
        if not is_offer(button.label for button in card.buttons.values()):
            self.denied.append(card.name)

    async def _turn_down(self, message_id: str, accept: Accept) -> None:
        """Answers an offer of a search that nobody is there to take, and says so once."""
        if not self._unsearched:
            self._unsearched = True
            await self._screen.line(_UNSEARCHED)
        at = self._clock.now()
        await accept((self._writer.message(_NO_SEARCH, at, message_id),))

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

    async def say(self, text: str) -> None:
        """Prints a passing remark."""
        await self._screen.line(text)

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
