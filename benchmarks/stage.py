"""The stage of one bot: its process, and stand-ins for Telegram and the model."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.process import MeasuredProcess, started
from benchmarks.scripted_model import ANSWER, two_rounds
from tests.standins.bot_api import TOKEN, BotApi, Call, Person, Rates
from tests.standins.messages_api import MessagesApi
from tests.standins.messages_api.script import Respond
from tests.standins.serving import serving

REAL_RATES = {"STEWARD_SEND_RATES": "chat=1,group=20/min,all=30"}
"""The rates of the platform, which are also the program's default."""

QUESTION = "What time is it?"
_KEY = "test-key"
_START_SECONDS = 240.0
_ANSWER_SECONDS = 120.0
_NO_WINDOW = "20000000"
"""Tokens; so large that no history of these benchmarks is shortened."""


class Stage:
    """The services and the folder of a bot, which may be started several times."""

    def __init__(
        self, folder: Path, bot_api: BotApi, model: MessagesApi, urls: tuple[str, str]
    ) -> None:
        self.folder = folder
        self.bot_api = bot_api
        self.model = model
        self._urls = urls

    @asynccontextmanager
    async def steward(
        self,
        people: Iterable[Person],
        changes: Mapping[str, str] | None = None,
        module: str = "bot",
    ) -> AsyncGenerator[MeasuredProcess]:
        """Runs the program with these owners and changed settings; yields after its first poll.

        The module starts it.
        """
        settings = {
            "STEWARD_HOME": "data",
            "STEWARD_OWNERS": ",".join(f"telegram:{person.id}" for person in people),
            "STEWARD_SEND_RATES": "off",
            # Else each person is asked for a clock once, which is no part of any figure.
            "STEWARD_TIMEZONE": "UTC",
            "STEWARD_CONTEXT_WINDOW": _NO_WINDOW,
            **(changes or {}),
        }
        async with started([module, "run"], self.folder, self.access() | settings) as process:
            await self.polled(process)
            yield process

    @asynccontextmanager
    async def bare_bot(self) -> AsyncGenerator[MeasuredProcess]:
        """Runs the bare SDKs; yields after their first poll."""
        async with started(["benchmarks.bare_bot"], self.folder, self.access()) as process:
            await self.polled(process)
            yield process

    async def polled(self, process: MeasuredProcess) -> float:
        """Waits for the first poll; returns the seconds from the start of the process to it."""
        polls = await self.bot_api.wait_for(
            lambda: [
                call for call in self.bot_api.calls_of("getUpdates") if call.at >= process.started
            ],
            _START_SECONDS,
        )
        return polls[0].at - process.started

    def people(self, count: int) -> list[Person]:
        return [self.bot_api.person() for _ in range(count)]

    async def turn(self, person: Person, text: str = QUESTION) -> float:
        """Sends a message; returns the milliseconds from its offer to the answer."""
        since = len(self.bot_api.calls)
        message = self.bot_api.say(person, text)
        offered = time.time()
        answers = await self.answers(1, since)
        assert int(answers[0].params["chat_id"]) == message.chat_id
        return (answers[0].at - offered) * 1000

    async def answers(self, count: int, since: int) -> list[Call]:
        """Waits until `count` answers were sent after the call numbered `since`."""
        seen, found = since, list[Call]()

        def enough() -> bool:
            nonlocal seen
            found.extend(call for call in self.bot_api.calls[seen:] if _is_answer(call))
            seen = len(self.bot_api.calls)
            return len(found) >= count

        await self.bot_api.wait_for(enough, _ANSWER_SECONDS)
        return found

    def access(self) -> dict[str, str]:
        """Returns the settings that lead to the stand-ins."""
        telegram, model = self._urls
        return {
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": telegram,
            "ANTHROPIC_API_KEY": _KEY,
            "ANTHROPIC_BASE_URL": model,
        }


@asynccontextmanager
async def stage(
    folder: Path,
    respond: Respond = two_rounds,
    *,
    strict: bool = False,
    rates: Rates | None = None,
) -> AsyncGenerator[Stage]:
    """Serves stand-ins on free ports; a strict model checks requests and accounts for its cache.

    With `rates` the Bot API refuses faster messages, and counts them.
    """
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    bot_api = BotApi(rates=rates, reads_all_group_messages=True)
    model = MessagesApi(respond=respond, api_key=_KEY, strict=strict, context_window=10**9, keep=4)
    async with serving(bot_api.app) as telegram, serving(model.app) as anthropic:
        yield Stage(folder, bot_api, model, (telegram, anthropic))


def _is_answer(call: Call) -> bool:
    return call.method == "sendMessage" and ANSWER in str(call.params.get("text", ""))
