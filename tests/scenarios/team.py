"""A group of three on a stage: Ann owns the bot, Bob may talk to it, nobody knows Eve."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from bot.domain.change import InboundState
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, Inbound, InboundMessage
from bot.domain.talk.person import Role, Sender
from bot.domain.turn.transcript import AskerBody
from bot.domain.turn.view import ModelRequest
from tests.fakes.model import Step
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.tools import ScenarioTool

TEAM = Address("fake", "-100")
EVE = Sender("fake", "3", "Eve")
PEOPLE = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


class Group:
    """The team's group on a stage; what is said there is addressed to the bot when `to_bot`."""

    def __init__(self, scene: Stage) -> None:
        self.scene = scene
        self._number = 0

    async def say(
        self,
        text: str,
        sender: Sender = ANN,
        *,
        to_bot: bool = False,
        anonymous: bool = False,
        topic: str | None = None,
        title: str = "Team",
        chat: str = "-100",
        **fields: Any,
    ) -> str:
        self._number += 1
        message = InboundMessage(
            Address("fake", chat, topic),
            sender,
            f"g{self._number}",
            text,
            self.scene.clock.now(),
            private=False,
            addressed=to_bot,
            anonymous=anonymous,
            title=title,
            **fields,
        )
        await self.happens(message)
        return message.message_id

    async def happens(self, *inbound: Inbound) -> None:
        """Hands these in as updates of the platform."""
        updates = [self.scene.channel.update(one) for one in inbound]
        await self.scene.application.parts.intake.accept("fake", updates)

    async def ask(self, text: str, sender: Sender = ANN, **how: Any) -> str:
        return await self.say(text, sender, to_bot=True, **how)

    async def command(self, text: str, sender: Sender = ANN) -> str:
        """Gives a command and returns its answer."""
        before = len(self.texts)
        await self.ask(text, sender)
        await self.scene.until(lambda: len(self.texts) > before)
        return self.texts[-1]

    @property
    def texts(self) -> list[str]:
        return self.scene.channel.texts(TEAM)

    @property
    def chat(self) -> Chat:
        return next(c for c in self.scene.store.rows.chats.values() if not c.private)

    @property
    def askers(self) -> list[AskerBody]:
        return [b for b in self.scene.bodies if isinstance(b, AskerBody)]

    def states(self) -> list[InboundState]:
        return [r.state for r in self.scene.store.rows.inbox.values()]


@asynccontextmanager
async def group(*script: Step, tools: Sequence[ScenarioTool] = ()) -> AsyncGenerator[Group]:
    async with stage(*script, tools=tools, people=PEOPLE) as scene:
        yield Group(scene)


def blocks(request: ModelRequest) -> list[str]:
    """The text of every block of a request, in order."""
    return [getattr(p, "text", "") for m in request.messages for p in m.parts]
