"""A chat with the running program, looked at as on a phone."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from pictures.session import Bubble, ChatMoment, Run
from pictures.starting import STARTS
from pictures.steady import steady
from tests.e2e.steward import KEY, Steward
from tests.standins.bot_api import BotApi, Chat, Entity, ShownMessage
from tests.standins.messages_api import MessagesApi
from tests.standins.serving import serving


class Phone:
    """A chat's screen, and the moments of it that were kept."""

    def __init__(self, steward: Steward) -> None:
        self.steward = steward
        self.shell: list[str] = []
        self.chat: Chat | None = None
        """The chat on the screen; the owner's own when None."""
        self.moments: list[ChatMoment] = []
        self.dated = False
        """True in a play that sets the clock, whose dates are the same in every run."""
        self._hidden = 0

    def clear(self) -> None:
        """Leaves out of the pictures what stands on the screen now."""
        self._hidden = len(self._messages)

    def look(self, seconds: float, pressed: str = "", notice: str = "") -> None:
        """Keeps what stands on the screen now."""
        shown = tuple(self._bubble(message) for message in self._messages[self._hidden :])
        moment = ChatMoment(
            seconds, shown, pressed, notice, tuple(self.shell), self.steward.running
        )
        self.moments.append(moment)

    async def settled(self) -> None:
        """Waits until everything that the program owes is on the screen."""
        await self.steward.recorded()
        await self.steward.until(lambda: not self._screen.drafts)

    @property
    def _screen(self):
        return self.steward.telegram.screen(self._chat_id)

    @property
    def _chat_id(self) -> int:
        return self.chat.id if self.chat else self.steward.ann.id

    @property
    def _messages(self) -> list[ShownMessage]:
        return list(self._screen.messages)

    def _bubble(self, message: ShownMessage) -> Bubble:
        mine = message.sender_id == self.steward.ann.id
        # An app shows the command of a link that was opened, and not its code.
        text = "/start" if mine and message.text.startswith("/start") else message.text
        runs = runs_of(text, message.entities)
        sender = "Steward" if message.from_bot and self.chat else ""
        return Bubble(
            tuple(
                (steady(words, self.steward.folder, dated=self.dated), style)
                for words, style in runs
            ),
            mine=mine,
            sender=sender,
            file=message.file.name if message.file else "",
            buttons=tuple(tuple(button.text for button in row) for row in message.buttons),
        )


def runs_of(text: str, entities: Iterable[Entity]) -> list[Run]:
    """Returns the text in pieces of one style each; offsets count UTF-16 units."""
    encoded = text.encode("utf-16-le")
    spans = [one for one in entities if one.offset * 2 < len(encoded)]
    borders = {0, len(encoded) // 2, *(one.offset for one in spans), *(one.end for one in spans)}
    ordered = sorted(borders)
    runs: list[Run] = []
    for begin, end in pairwise(ordered):
        styles = [_style(one) for one in spans if one.offset <= begin < one.end]
        words = encoded[begin * 2 : end * 2].decode("utf-16-le")
        runs.append((words, " ".join(dict.fromkeys(styles))))
    return runs


def _style(entity: Entity) -> str:
    return f"{entity.type}:{entity.language}" if entity.language else entity.type


@asynccontextmanager
async def phone(**settings: str) -> AsyncGenerator[Phone]:
    """Serves the stand-ins of Telegram and of the model around a program that is not started."""
    telegram, model = BotApi(reads_all_group_messages=True), MessagesApi(api_key=KEY)
    with TemporaryDirectory(prefix="steward-picture-") as folder:
        steward = Steward(Path(folder), telegram, model, STARTS.get().launch)
        async with serving(telegram.app) as telegram_url, serving(model.app) as model_url:
            steward.reached_at(telegram_url, model_url)
            steward.settings |= settings
            try:
                yield Phone(steward)
            finally:
                await steward.abandon()
