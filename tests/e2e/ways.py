"""What happens on the way between the program and a platform when a test orders it.

Both ways have the same hands. Each foresees the refusals that it brings about.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal

from tests.standins.bot_api import BotApi, Rates
from tests.standins.discord import Discord, Fault, Interaction
from tests.standins.gate import Gate
from tests.standins.serving import serving

_VOICE = 1 << 13
_GATEWAY_PAYLOADS = (
    "no JSON at all",
    "[]",
    "{}",
    '{"op": 0, "t": "MESSAGE_CREATE", "s": "x", "d": 7}',
    '{"op": 0, "t": "MESSAGE_CREATE", "d": {"id": "1", "author": []}}',
    '{"op": 0, "t": "INTERACTION_CREATE", "d": {"type": 3, "data": "x"}}',
    '{"op": 0, "t": "GUILD_CREATE", "d": {"id": "5", "channels": 5, "roles": [1]}}',
    '{"op": 0, "t": "MESSAGE_CREATE", "d": ' + "[" * 5_000,
)
_UPDATES = (
    {"message": "no object"},
    {"message": {"message_id": "x", "chat": 7, "from": [], "text": {}}},
    {"message": {"message_id": 10**30, "date": -1, "chat": {"id": 42}, "text": "?"}},
    {"callback_query": {"id": 5, "data": None}},
    {"edited_message": None},
    {"something_new": {"of": "tomorrow"}},
    {},
    ["not", "an", "object"],
    None,
)


class TelegramWay:
    """The way to and from the Bot API."""

    sending = "sendMessage"

    def __init__(self, telegram: BotApi, foresee: Callable[[str], None]) -> None:
        self._telegram = telegram
        self._foresee = foresee

    def hold_message(self, *, after_work: bool = False) -> Gate:
        """Hold the next message of the program, before or after people see it."""
        return self._telegram.hold("sendMessage", after_work=after_work)

    def hold_document(self) -> Gate:
        """Hold the next file that the program sends."""
        return self._telegram.hold("sendDocument")

    def served(self, port: int) -> AbstractAsyncContextManager[str]:
        """Serves the platform at a port for a while; yields the address."""
        return serving(self._telegram.app, port)

    def hold_voice(self) -> Gate:
        """Hold the next voice message that the program sends."""
        return self._telegram.hold("sendVoice")

    def hold_acknowledgement(self, *, after_work: bool = False) -> Gate:
        """Hold the program where it has stored a press and tells the app so."""
        return self._telegram.hold("answerCallbackQuery", after_work=after_work)

    @property
    def fetched(self) -> bool:
        """Whether the last file was handed to the program."""
        return self._telegram.calls_of("getFile")[-1].status == 200

    @property
    def reacted(self) -> int:
        """How often the program put a reaction on a message, or tried to."""
        return len(self._telegram.calls_of("setMessageReaction"))

    async def listened(self) -> None:
        """Wait until what happens next reaches the program at once."""
        await self._telegram.wait_for(lambda: self._telegram.updates.polling)

    async def delivered(self) -> None:
        """Wait until what has happened reached the program, which may not have stored it."""
        await self._telegram.wait_for(lambda: not self._telegram.updates.polling)

    def press_again_if_lost(self, press: Any) -> None:
        """Press once more where a press is lost that came to no program."""

    def hold_file(self) -> Gate:
        """Hold the next file that the program fetches."""
        return self._telegram.hold("getFile")

    def hold_member(self) -> Gate:
        """Hold the next question about a group and who is in it."""
        return self._telegram.hold("getChatMember")

    def break_member(self) -> None:
        """Have the next question about a group and who is in it fail."""
        self._foresee("getChatMember: 500")
        self._telegram.fail_next("getChatMember", 500, "Internal Server Error")

    def refuse_message(self) -> None:
        """Take the next message in no form."""
        self._foresee("REFUSED")
        # With its formatting and without it.
        self._telegram.fail_next("sendMessage", 400, "Bad Request: REFUSED", times=2)

    def spoil_message(self, how: Literal["limited", "broken", "dropped", "lost"]) -> None:
        """Have the next sending fail; `lost` is an answer to a message that people see."""
        match how:
            case "limited":
                told = "Too Many Requests: retry after 1"
                self._foresee("Too Many Requests")
                self._telegram.fail_next("sendMessage", 429, told, retry_after=1)
            case "broken":
                self._foresee("sendMessage: 502")
                self._telegram.bad_gateway_next("sendMessage")
            case "dropped":
                self._telegram.drop_request_next("sendMessage")
            case "lost":
                # What is found is made sure of by an edit.
                self._foresee("message is not modified")
                self._telegram.drop_answer_next("sendMessage")

    def hold_to_rates(self) -> None:
        """Refuse more messages than the platform takes."""
        self._telegram.rates = Rates()

    @property
    def floods(self) -> int:
        """How many messages were refused for being too many."""
        return self._telegram.floods

    def break_files(self) -> None:
        """Have the next file not come, however often it is asked for."""
        self._foresee("getFile: 500")
        self._telegram.fail_next("getFile", 500, "Internal Server Error", times=3)

    def close(self, person: Any) -> None:
        """Let no message come to a person any more."""
        self._foresee("blocked by the user")
        self._telegram.block(person)

    def open(self, person: Any) -> None:
        self._telegram.unblock(person)

    async def send_nonsense(self) -> None:
        """Bring the program what it cannot read."""
        self._foresee("inbox: ")
        for body in _UPDATES:
            self._telegram.push_update(body)

    async def bring_again(self, message: Any) -> None:
        """Bring the program a message of a person once more."""
        told = message.to_json()
        brought = self._telegram.updates.brought
        number = next(number for number, body in brought if body.get("message") == told)
        self._telegram.push_update({"update_id": number, "message": told}, again=True)

    @property
    def done(self) -> list[str]:
        """What the program has called, but for what it asks again and again."""
        return [call.method for call in self._telegram.calls if call.method != "getUpdates"]


class DiscordWay:
    """The way to and from Discord's API and its gateway."""

    sending = "POST messages"

    def __init__(self, discord: Discord, foresee: Callable[[str], None]) -> None:
        self._discord = discord
        self._foresee = foresee

    def hold_message(self, *, after_work: bool = False) -> Gate:
        return self._held("POST", r"/messages$", after_work, _is_owed)

    def hold_document(self) -> Gate:
        return self._held("POST", r"/messages$", False, lambda body: bool(body.get("attachments")))

    def served(self, port: int) -> AbstractAsyncContextManager[str]:
        return self._discord.serving(port)

    def hold_voice(self) -> Gate:
        return self._held("POST", r"/messages$", about=_is_voice)

    def hold_acknowledgement(self, *, after_work: bool = False) -> Gate:
        # A press that a kill left unanswered takes no words for its person any more.
        self._foresee("Unknown Webhook")
        return self._held("POST", r"/callback$", after_work)

    @property
    def fetched(self) -> bool:
        calls = self._discord.calls
        return any(call.path.startswith("/files/") and call.status == 200 for call in calls)

    @property
    def reacted(self) -> int:
        calls = self._discord.calls
        return sum(call.method == "PUT" and "/reactions/" in call.path for call in calls)

    async def listened(self) -> None:
        gateway = self._discord.gateway
        await self._discord.wait_for(lambda: [one for one in gateway.connections if one.session])
        await self._discord.sent()

    async def delivered(self) -> None:
        await self._discord.sent()

    def press_again_if_lost(self, press: Any) -> None:
        # The app tells its person that the press has failed.
        self._discord.sent_off(Interaction(3, press.user, press.message, press.data))

    def hold_file(self) -> Gate:
        return self._held("GET", r"^/files/")

    def hold_member(self) -> Gate:
        return self._held("GET", r"^/guilds/\d+")

    def _held(
        self,
        method: str,
        path: str,
        after_work: bool = False,
        about: Callable[[Any], bool] = lambda _: True,
    ) -> Gate:
        gate = Gate(after_work)
        self._discord.faults.order(Fault(method, path, "held", gate=gate, about=about))
        return gate

    def break_member(self) -> None:
        self._foresee("503")
        self._discord.faults.order(Fault("GET", r"^/guilds/\d+", "broken"))

    def refuse_message(self) -> None:
        self._foresee("REFUSED")
        self._ordered("refused")

    def spoil_message(self, how: Literal["limited", "broken", "dropped", "lost"]) -> None:
        if how == "limited":
            self._foresee("429")
        if how == "broken":
            self._foresee("503")
        self._ordered(how)

    def _ordered(self, how: Literal["limited", "broken", "dropped", "lost", "refused"]) -> None:
        self._discord.faults.order(Fault("POST", r"/messages$", how, about=_is_owed))

    def hold_to_rates(self) -> None:
        self._discord.rates.bounds["/messages"] = (5, 5.0)

    @property
    def floods(self) -> int:
        return sum(call.status == 429 for call in self._discord.calls)

    def break_files(self) -> None:
        self._foresee("503")
        self._discord.faults.order(Fault("GET", r"^/files/", "broken", times=3))

    def close(self, person: Any) -> None:
        self._foresee("Cannot send messages to this user")
        person.blocks = True

    def open(self, person: Any) -> None:
        person.blocks = False

    async def send_nonsense(self) -> None:
        self._foresee("inbox: ")
        for payload in _GATEWAY_PAYLOADS:
            await self._discord.gateway.tell_raw(payload)

    async def bring_again(self, message: Any) -> None:
        self._discord.event("MESSAGE_CREATE", message.json([]))

    @property
    def done(self) -> list[str]:
        made = ((one.method, one.path) for one in self._discord.calls if one.method != "GET")
        return [f"{method} {path.rpartition('/')[2]}" for method, path in made]


def _is_owed(body: Any) -> bool:
    """Tells a message from an answer that still grows, by its name."""
    return bool(body.get("enforce_nonce")) and not str(body["nonce"]).startswith("grows-")


def _is_voice(body: Any) -> bool:
    return bool((body.get("flags") or 0) & _VOICE)
