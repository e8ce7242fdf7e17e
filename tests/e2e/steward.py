"""The program as a process of its own, between the two stand-ins."""

import asyncio
import json
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from bot.flow.commanding.choices import CHOICES
from tests.e2e.hands import TelegramHands
from tests.e2e.launching import Launch, Process, Start, surroundings
from tests.e2e.records import Records, ServerRecords
from tests.e2e.ways import DiscordWay, TelegramWay
from tests.patience import PATIENCE
from tests.standins.bot_api import TOKEN, BotApi, Person, Press, ShownMessage
from tests.standins.bot_api.methods import RICH
from tests.standins.messages_api import MessagesApi, ReceivedRequest, Reply
from tests.words import EVENT_LOOP, REDO, STOP, UNDO

T = TypeVar("T")

KEY = "sk-ant-e2e-a-key-nobody-may-ever-see"

_ASKING = ("getUpdates", "setWebhook")
_LOOK_EVERY = 0.02


class Steward(TelegramHands):
    """One home with its process, which can be killed and started again; Ann (42) owns it.

    `settings` are the environment of the next start, `module` is what is started. `foreseen` are
    words of refusals, of what is left behind, and of who held the loop, that the test itself brings
    about.
    """

    def __init__(self, folder: Path, telegram: BotApi, model: MessagesApi, launch: Launch) -> None:
        self.telegram = telegram
        self.model = model
        self.folder = folder
        self.home = folder / "home"
        self.workspace = self.home / "workspace"
        self.workspace.mkdir(parents=True)
        self.records = Records(self.home / "steward.db")
        self.ann = telegram.person(42, "Ann", username="ann")
        telegram.private_chat(self.ann)
        self.foreseen: list[str] = []
        self.way: TelegramWay | DiscordWay = TelegramWay(telegram, self._foresee)
        self.excused: Callable[[str], bool] = lambda _: False
        """Tells of a line about a held loop if the machine itself explains it."""
        self.settings: dict[str, str] = {}
        self.secrets: list[str] = [KEY, TOKEN]
        """Words that no file and no output may hold."""
        self.module = "bot"
        self.failed = False
        """True once the test has failed: then nothing is waited for or judged any more."""
        self._launch = launch
        self._output = folder / "output.txt"
        self._process: Process | None = None
        self._beside: Sequence[tuple[str, Sequence[str]]] = ()
        self._company: list[Process] = []
        self._tidy = False

    def reached_at(self, telegram_url: str, model_url: str) -> None:
        """Take the addresses of the stand-ins into the settings, with all that tests share."""
        self.settings |= surroundings() | {
            "STEWARD_HOME": str(self.home),
            "STEWARD_OWNERS": "telegram:42",
            "STEWARD_SEND_RATES": "off",
            "STEWARD_TIMEZONE": "UTC",
            "STEWARD_MODEL_BACKOFF_SECONDS": "0.05",
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": telegram_url,
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": model_url,
        }

    @property
    def output(self) -> str:
        """All that any life of the process has printed."""
        return self._output.read_text(errors="replace") if self._output.exists() else ""

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self, **settings: object) -> None:
        """Start the process and wait until it takes updates; settings stay for later starts."""
        self.settings |= {name: str(value) for name, value in settings.items()}
        if self._process is not None:
            # Who goes on with a session hears again of a press that the former one has answered.
            self._foresee("already been acknowledged")
        listening = self._listening()
        for name, roles in () if self._company else self._beside:
            self._share_home(name)
            self._company.append(
                await self.launched("run", *roles, STEWARD_HOME=str(self.folder / name))
            )
        self._process = await self.launched("run")
        await self.until(listening)

    def shares(self, url: str) -> None:
        """Have two more processes on this database: one works, and one does all but receive."""
        self.records = ServerRecords(url)
        self.settings |= {
            "STEWARD_DATABASE_URL": url,
            "STEWARD_WORKSPACE": str(self.workspace),
            "STEWARD_ROLE": "receive,web",
        }
        self._beside = (
            ("working", ("--role", "work")),
            ("delivering", ("--role", "deliver", "--role", "schedule")),
        )

    def _share_home(self, name: str) -> None:
        """Give another process a home with the same files of people."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        for known in ("skills", "plans", "hooks", "persona.md"):
            if not (home / known).is_symlink():
                (home / known).symlink_to(self.home / known)

    def _listening(self) -> Callable[[], object]:
        """A condition that comes true when the next process takes updates."""
        asked = len(self.telegram.calls_of(*_ASKING))
        return lambda: len(self.telegram.calls_of(*_ASKING)) > asked

    async def exit_code(self, *arguments: str) -> int:
        """Run the program with these arguments to its end, beside the other one."""
        process = await self.launched(*arguments)
        try:
            async with asyncio.timeout(PATIENCE):
                return await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def printed_by(self, *arguments: str, **settings: str) -> tuple[int, str]:
        """Run the program with these arguments to its end; its exit code and what it has printed.

        The settings are for this process alone.
        """
        printed = self.folder / "printed.txt"
        with printed.open("wb") as output:
            start = Start(arguments, self.settings | settings, self.folder)
            process = await self._launch(start, output)
            async with asyncio.timeout(PATIENCE):
                return await process.wait(), printed.read_text()

    async def launched(self, *arguments: str, **settings: str) -> Process:
        """A process of the program with these arguments; whoever asks for it waits for its end.

        The settings are for this process alone.
        """
        with self._output.open("ab") as output:
            start = Start(arguments, self.settings | settings, self.folder, self.module)
            return await self._launch(start, output)

    async def ended(self, within: float = PATIENCE) -> int:
        """The exit code of the process, once it has ended."""
        assert self._process is not None
        async with asyncio.timeout(within):
            return await self._process.wait()

    async def kill(self) -> None:
        """End the process as a power cut would: SIGKILL."""
        self._foresee("message is not modified")
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.kill()
        assert await self.ended() == -signal.SIGKILL, "the process had ended before"

    async def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        """Ask the process to end by a signal, which it follows with code 0."""
        self.tell(by)
        assert await self.ended() == 0

    def tell(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        assert self._process is not None
        os.kill(self._process.pid, number)

    async def restart(self, **settings: object) -> None:
        """Kill the process and start it again."""
        await self.kill()
        await self.start(**settings)

    def script(self, *replies: Reply) -> None:
        """What the model answers next."""
        self.model.script.add(*replies)

    def _foresee(self, words: str) -> None:
        self.foreseen.append(words)

    def press(
        self, card: ShownMessage, label: str, person: Person | None = None, *, nth: int = 0
    ) -> Press:
        """Press the card's button whose label begins so."""
        data = [b.data for row in card.buttons for b in row if b.text.startswith(label)]
        return self.telegram.press(person or self.ann, card, data[nth] or "", forged=True)

    def edit(self, message: Any, text: str) -> None:
        """Change a message that Ann has sent."""
        self.telegram.edit(self.ann, message, text)

    def react(self, message: Any, emoji: str, *, gone: bool = False) -> None:
        """Put Ann's reaction on a message, in place of another one, or take it away."""
        self.telegram.react(self.ann, message, None if gone else emoji)

    @property
    def shown(self) -> list[ShownMessage]:
        """The bot's messages in Ann's chat."""
        return self.screen()

    @property
    def voice_notes(self) -> list[ShownMessage]:
        """The bot's voice messages to Ann."""
        return [one for one in self.shown if one.file is not None and one.file.kind == "voice"]

    def showing(self, text: str, at: Any = None) -> list[ShownMessage]:
        return [message for message in self.screen(at) if text in message.text]

    @property
    def cards(self) -> list[ShownMessage]:
        """Cards that can still be decided, oldest first."""
        return self.cards_at(None)

    def cards_at(self, at: Any) -> list[ShownMessage]:
        shown = (message for message in self.screen(at) if message.buttons)
        return [one for one in shown if not (self._is_menu(one) or _leads_back(one))]

    def _is_menu(self, message: ShownMessage) -> bool:
        """Tells if its buttons are choices below the answer to a command."""
        return any(
            (b.data or "").startswith(f"{CHOICES.letter}:") for row in message.buttons for b in row
        )

    async def _waited(self, condition: Callable[[], T | None], within: float) -> T | None:
        return await self.telegram.wait_for(condition, within)

    async def until(self, condition: Callable[[], T | None], within: float = PATIENCE) -> T:
        """The first truthy value; looked at whenever something happens on the platform."""
        try:
            value = await self._waited(condition, within)
        except TimeoutError:
            seen = "\n".join(f"  {message.text!r}" for message in self.shown)
            ended = "" if self.running else "; the process does not run"
            told = f"it never came true{ended}; the screen shows:\n{seen}"
            if isinstance(self.records, ServerRecords):
                ends = [one.returncode for one in self._company]
                told = f"{told}\nthe others ended with {ends}, and hold:\n{self.records.tell()}"
            raise AssertionError(f"{told}\nand it printed last:\n{self.output[-2_000:]}") from None
        assert value is not None
        return value

    async def sees(self, text: str, times: int = 1, at: Any = None) -> ShownMessage:
        """Wait until so many of the bot's messages hold the text; the newest of them."""
        return (await self.until(lambda: self.showing(text, at)[times - 1 :]))[-1]

    async def card(self, nth: int = 1, at: Any = None, *, about: str = "") -> ShownMessage:
        """Wait until so many open cards with these words are shown; the newest of them.

        A decided card keeps its keys for a moment, so a second card of a test needs its words.
        """
        return (
            await self.until(
                lambda: [one for one in self.cards_at(at) if about in one.text][nth - 1 :]
            )
        )[0]

    async def asked(self, count: int) -> ReceivedRequest:
        """Wait until the model has been asked so often in all; the latest request."""
        async with asyncio.timeout(PATIENCE):
            return await self.model.received(count)

    async def answered(self, press: Press) -> str:
        """The private notice a press got."""
        await self.until(lambda: press.answer)
        assert press.answer is not None
        return press.answer.text

    async def notified(self, press: Press) -> str:
        """The private notice of a press that changed nothing, on every platform."""
        return await self.answered(press)

    async def counted(self, press: Any, words: str) -> None:
        """Wait until a press is decided that is no refusal, and its notice says these words."""
        assert await self.answered(press) == words
        assert not press.answer.show_alert

    async def refused(self, press: Any) -> str:
        """The words of a refusal, which nobody can overlook."""
        told = await self.answered(press)
        assert press.answer.show_alert
        return told

    async def question(self, press: Any, words: str) -> Any:
        """Wait until a press has asked for words."""
        assert await self.answered(press) == ""
        asked = await self.sees(words)
        assert asked.asks == words
        # A reply is known by the question's message id, which the program learns after it is seen.
        await self.recorded()
        return asked

    def reply(self, question: Any, words: str) -> None:
        """Answer what a press has asked."""
        self.say(words, reply_to=question)

    async def recorded(self) -> None:
        """Wait until the program knows of everything that is on the screen."""
        await self.eventually(lambda: not self.records.owed)

    async def eventually(self, condition: Callable[[], T | None], within: float = PATIENCE) -> T:
        """The first truthy value of what only the file system tells."""
        until = asyncio.get_running_loop().time() + within
        while not (value := condition()):
            assert asyncio.get_running_loop().time() < until, "it never came true"
            # Nobody tells what another process writes into its files.
            await asyncio.sleep(_LOOK_EVERY)
        return value

    async def finish(self) -> None:
        """Wait until all is tidy, end the process, and judge all that was seen of it.

        SIGKILL is its quickest end, and a legal one: an orderly end has tests of its own.
        """
        await self.settled()
        await self.abandon()
        unforeseen = self._unforeseen()
        assert unforeseen == [], unforeseen
        assert self._unmet() == 0, "an ordered fault was never met"
        self.model.assert_exhausted()
        leaks = self._leaks()
        assert leaks == [], leaks
        held = [line for line in self._but_foreseen(self.holds) if not self.excused(line)]
        assert held == [], "\n".join(held)

    async def settled(self) -> None:
        """Judge, once, that all becomes tidy.

        One look decides: what comes behind it and meets the kill is work for the next start, so a
        second look could find it new.
        """
        if self._tidy or not self.records.there:
            return
        try:
            await self.eventually(lambda: not self._untidy())
        except AssertionError:
            untidy = self._untidy()
            assert untidy == [], untidy
        self._tidy = True

    async def abandon(self) -> None:
        """End the process whatever it does, and all beside it."""
        for process in self._company:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        self._company.clear()
        if self.running:
            await self.kill()

    @property
    def holds(self) -> list[str]:
        """What any life of the process said of who kept everybody waiting."""
        return [line for line in self.output.splitlines() if EVENT_LOOP in line]

    def _unforeseen(self) -> list[str]:
        refused = [f"model: {status} {words}" for status, words in self.model.refusals]
        return self._but_foreseen(refused + self.refusals())

    def _unmet(self) -> int:
        """How many ordered faults no call has met."""
        return self.telegram.faults.unused

    def refusals(self) -> list[str]:
        """What the platform would not do."""
        return [
            f"{call.method}: {call.status} {call.description}"
            for call in self.telegram.calls
            if call.status is not None
            and call.status >= 400
            # A server that is too old for rich messages is found by one try.
            and not (call.method in RICH and call.status == 404)
            # The refusal tells what stands there.
            and call.method != "stopMessageLiveLocation"
        ]

    def _untidy(self) -> list[str]:
        return self._but_foreseen(self.records.untidy())

    def _but_foreseen(self, found: list[str]) -> list[str]:
        return [one for one in found if not any(words in one for words in self.foreseen)]

    def _leaks(self) -> list[str]:
        """Files and requests to the model with a secret; the Bot API's address has the token."""
        secrets = [word.encode() for word in (*self.secrets, TOKEN.partition(":")[2])]
        files = [self._output, *(path for path in self.home.rglob("*") if path.is_file())]
        bodies = [json.dumps(request.body).encode() for request in self.model.requests]
        held = [(path.name, path.read_bytes()) for path in files if path.exists()]
        held += [("a request to the model", body) for body in bodies]
        return [name for name, told in held if any(secret in told for secret in secrets)]


def results_in(request: ReceivedRequest) -> dict[str, str]:
    """The texts of the tool results in a request's last message, by call id."""
    last = request.body["messages"][-1]
    found = [block for block in last["content"] if block["type"] == "tool_result"]
    return {block["tool_use_id"]: _text(block["content"]) for block in found}


def words_in(request: ReceivedRequest) -> str:
    """All text of a request's last message."""
    last = request.body["messages"][-1]
    return "\n".join(block["text"] for block in last["content"] if block["type"] == "text")


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


def _leads_back(message: ShownMessage) -> bool:
    """Whether it is a decided card whose change can be undone, or the offer to stop a long turn."""
    labels = [b.text for row in message.buttons for b in row]
    return all(one in (REDO, STOP) or one.startswith(UNDO) for one in labels)
