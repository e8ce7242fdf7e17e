"""The stand-in as a test holds it."""

from collections.abc import Callable
from typing import Any, TypeVar

from tests.standins.bot_api.faults import (
    BAD_GATEWAY_PAGE,
    AnswerRaw,
    DropAnswer,
    DropRequest,
    Refuse,
    Stall,
)
from tests.standins.bot_api.person_actions import PersonActions
from tests.standins.bot_api.rates import Rates
from tests.standins.bot_api.screen import Screen, show
from tests.standins.bot_api.server import build_app
from tests.standins.bot_api.service import Call, Service
from tests.standins.bot_api.webhook import Webhook
from tests.standins.bot_api.world import Person
from tests.standins.gate import Gate

TOKEN = "4200:stand-in_token-AAE"
T = TypeVar("T")


class BotApi(PersonActions):
    """A Bot API server with one bot, its people and chats; serve `app` to reach it.

    Everything lives in the event loop that serves the app. Flood limits are off unless
    `rates` are given. With `rich` it has rich messages, as servers have from Bot API 10.1 on.
    """

    def __init__(
        self,
        *,
        token: str = TOKEN,
        username: str = "steward_bot",
        rates: Rates | None = None,
        first_update_id: int = 500_001,
        reads_all_group_messages: bool = False,
        rich: bool = False,
    ) -> None:
        bot = Person(int(token.partition(":")[0]), "Steward", username, is_bot=True)
        service = Service(token, bot, rates, first_update_id, reads_all_group_messages, rich)
        super().__init__(service)
        self.token = token
        self.bot = bot
        self.app = build_app(service)
        self.calls = service.calls
        self.updates = service.updates
        self.courier = service.courier
        self.faults = service.faults
        self.commands = service.commands

    def replace_token(self) -> str:
        """The owner of the bot revokes its token: the old one is refused from now on."""
        self.token = self._service.token = f"{self.bot.id}:another_stand-in_token"
        self._service.updates.end_polls()
        return self.token

    @property
    def rejected(self) -> int:
        """How many calls came with a token that is not the bot's."""
        return self._service.rejected

    @property
    def floods(self) -> int:
        """How many calls got a 429 for being too many."""
        return self._service.flood.floods

    @property
    def rates(self) -> Rates | None:
        return self._service.flood.rates

    @rates.setter
    def rates(self, rates: Rates | None) -> None:
        self._service.flood.rates = rates

    def calls_of(self, *methods: str) -> list[Call]:
        return [call for call in self.calls if call.method in methods]

    def screen(self, chat_id: int) -> Screen:
        """What the chat shows now; a chat nobody has opened shows nothing."""
        chat = self._world.chats.get(chat_id)
        if chat is None:
            return Screen((), (), None)
        return show(chat, self._service.clock.now())

    @property
    def rich(self) -> bool:
        """Whether the server has rich messages."""
        return self._service.rich

    @rich.setter
    def rich(self, rich: bool) -> None:
        self._service.rich = rich

    @property
    def webhook(self) -> Webhook | None:
        return self._service.courier.webhook

    def route(self, public_origin: str, local_url: str) -> None:
        """Play name service and proxy: calls of webhooks at that origin go to the local URL."""
        self._service.courier.routes[public_origin] = local_url

    def push_update(self, body: Any, *, again: bool = False) -> int:
        """Queue any JSON value as an update; see `UpdateQueue.push`."""
        return self.updates.push(body, again=again)

    def stop_clock(self) -> None:
        """Let time pass by `advance` alone, so that rates do not depend on the machine's pace."""
        self._service.clock.stop()

    def advance(self, seconds: float) -> None:
        """Move the service's clock: drafts, typing, rates and the age of buttons follow it."""
        self._service.clock.advance(seconds)
        self._service.pulse.beat()

    async def wait_for(
        self,
        condition: Callable[[], T],
        seconds: float = 10,
    ) -> T:
        """Return the first truthy value; looked at on every change, TimeoutError at the end."""
        return await self._service.pulse.until(condition, seconds)

    def fail_next(
        self,
        method: str,
        status: int,
        description: str,
        *,
        retry_after: int | None = None,
        times: int = 1,
    ) -> None:
        self.faults.order(method, Refuse(status, description, retry_after), times)

    def drop_request_next(self, method: str, times: int = 1) -> None:
        """Close the connection before anything is done."""
        self.faults.order(method, DropRequest(), times)

    def drop_answer_next(self, method: str, times: int = 1) -> None:
        """Do the work, then close the connection without an answer."""
        self.faults.order(method, DropAnswer(), times)

    def answer_raw_next(
        self, method: str, body: str, *, status: int = 200, after_work: bool = False
    ) -> None:
        """Answer with any body, malformed JSON for instance."""
        self.faults.order(method, AnswerRaw(status, body, after_work=after_work))

    def bad_gateway_next(self, method: str, times: int = 1) -> None:
        """Answer with the HTML page of a 502; nothing is done."""
        self.faults.order(method, AnswerRaw(502, BAD_GATEWAY_PAGE, "text/html"), times)

    def stall_next(self, method: str) -> None:
        """Take the call and never answer it."""
        self.faults.order(method, Stall())

    def hold(self, method: str, *, after_work: bool = False) -> Gate:
        """Hold the next call until the gate is released."""
        gate = Gate(after_work)
        self.faults.order(method, gate)
        return gate
