"""The state behind the methods: who may call, what was called, what waits for an answer."""

import re
from dataclasses import dataclass, field
from typing import Any

from tests.standins.bot_api.faults import Faults
from tests.standins.bot_api.parameters import Parameters, Upload
from tests.standins.bot_api.pulse import Clock, Pulse
from tests.standins.bot_api.rates import FloodGate, Rates
from tests.standins.bot_api.refusal import Refusal, bad_request, forbidden, upgraded
from tests.standins.bot_api.update_queue import UpdateQueue
from tests.standins.bot_api.webhook import Courier
from tests.standins.bot_api.world import Chat, Person, World


@dataclass(eq=False)
class Call:
    """One call as it arrived; `status` stays None where no answer was given."""

    number: int
    method: str
    params: dict[str, Any]
    uploads: dict[str, Upload]
    at: float
    status: int | None = None
    description: str | None = None


@dataclass(frozen=True)
class CallbackAnswer:
    text: str
    show_alert: bool


@dataclass(eq=False)
class Press:
    """A pressed button; `answer` is None until the bot answers it."""

    id: str
    person: Person
    chat_id: int
    message_id: int
    data: str
    at: float
    answer: CallbackAnswer | None = None
    refused_answers: int = 0


@dataclass(eq=False)
class Service:
    token: str
    bot: Person
    rates: Rates | None
    first_update_id: int
    reads_all: bool = False
    rich: bool = False
    rejected: int = 0
    calls: list[Call] = field(default_factory=list[Call])
    presses: dict[str, Press] = field(default_factory=dict[str, Press])
    profile: dict[str, str] = field(default_factory=dict[str, str])
    commands: dict[tuple[str, str], list[Any]] = field(
        default_factory=dict[tuple[str, str], list[Any]]
    )

    def __post_init__(self) -> None:
        self.pulse = Pulse()
        self.clock = Clock()
        self.faults = Faults()
        self.world = World(self.bot)
        self.updates = UpdateQueue(self.pulse, self.first_update_id)
        self.courier = Courier(self.updates, self.pulse, self.clock)
        self.flood = FloodGate(self.rates, self.clock)

    @property
    def date(self) -> int:
        return int(self.clock.now())

    def record(self, method: str, parameters: Parameters) -> Call:
        values = {name: _readable(parameters, name) for name in parameters.values}
        uploads = dict(parameters.uploads)
        call = Call(len(self.calls) + 1, method, values, uploads, self.clock.now())
        self.calls.append(call)
        self.pulse.beat()
        return call

    def chat(self, parameters: Parameters) -> Chat:
        """The chat a call means, if the bot may look at it."""
        wanted = parameters.text("chat_id").strip()
        if not wanted:
            raise bad_request("chat_id is empty")
        chat = self._find(wanted)
        if chat is None:
            raise bad_request("chat not found")
        if chat.upgraded_to is not None:
            raise upgraded(chat.upgraded_to)
        if not chat.is_private and self.bot.id not in chat.members:
            was = "was kicked from" if self.bot.id in chat.banned else "is not a member of"
            raise forbidden(f"bot {was} the {chat.type} chat")
        return chat

    def open_chat(self, parameters: Parameters) -> Chat:
        """The chat a call means, if the bot may write there."""
        wanted = parameters.integer("chat_id")
        if wanted not in self.world.chats and self._meets(wanted):
            raise forbidden("bot can't initiate conversation with a user")
        chat = self.chat(parameters)
        if chat.blocked:
            raise forbidden("bot was blocked by the user")
        if not chat.started:
            raise forbidden("bot can't initiate conversation with a user")
        if self.bot.id in chat.muted:
            raise bad_request("not enough rights to send text messages to the chat")
        return chat

    def _find(self, wanted: str) -> Chat | None:
        if wanted.startswith("@"):
            public = (chat for chat in self.world.chats.values() if not chat.is_private)
            return next((chat for chat in public if chat.username == wanted[1:]), None)
        number = int(wanted) if re.fullmatch(r"-?\d{1,18}", wanted) else 0
        return self.world.chats.get(number)

    def _meets(self, person_id: int) -> bool:
        chats = self.world.chats.values()
        return any(person_id in chat.members and self.bot.id in chat.members for chat in chats)


def _readable(parameters: Parameters, name: str) -> Any:
    """A parameter as JSON where it is JSON, so that tests need not care how it was encoded."""
    value = parameters.values[name]
    if isinstance(value, str) and name not in ("text", "caption") and value[:1] in ("{", "["):
        try:
            return parameters.json(name)
        except Refusal:
            return value
    return value
