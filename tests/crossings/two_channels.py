"""A stage with two channels, on which the same people have an account each."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from bot.domain.change import Change, LinkAccount
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address, InboundMessage, Press, Quote
from bot.domain.talk.person import Sender
from bot.flow.world import World
from bot.ports.tool import Tool
from tests.crossings.talked import Talked
from tests.fakes.channel import FakeChannel, Shown
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import Stage

OTHER = "other"


class TwoChannels(Stage):
    """The flow over two channels; whoever speaks is told by the channel of the place."""

    def __init__(self, model: Talked, tools: Sequence[Tool], skills: FakeSkills) -> None:
        self.other = FakeChannel(name=OTHER)
        self._updates = count(1)
        super().__init__(model, tools, Limits(), skills=skills)

    def _world(self) -> World:
        world = super()._world()
        return replace(
            world,
            channels={**world.channels, OTHER: self.other},
            files={**world.files, OTHER: self.files},
            groups={**world.groups, OTHER: self.groups},
        )

    @property
    def screens(self) -> Sequence[Shown]:
        """Returns the messages on both screens, each channel's oldest first."""
        return [*self.channel.screen.values(), *self.other.screen.values()]

    def at(self, address: Address) -> FakeChannel:
        return self.other if address.channel == OTHER else self.channel

    async def link(self, sender: Sender) -> None:
        """Gives a person the same account on the other channel."""
        person = await self.store.people.by_sender(sender)
        assert person is not None
        account = LinkAccount(f"{OTHER}:{sender.user_id}", person.id)
        await self.store.journal.commit(Change((account,)))

    async def told(
        self, at: Address, sender: Sender, words: str, *, reply_to: Shown | None, **fields: Any
    ) -> str:
        """Hands a message in as an update of the channel of its place; returns its number."""
        id = str(fields.pop("message_id", "") or f"m{next(self._updates)}")
        private = not at.chat.startswith("-")
        quote = None
        if reply_to is not None:
            quote = Quote(reply_to.text, "Steward", own=True, message_id=reply_to.id)
        message = InboundMessage(
            at,
            replace(sender, channel=at.channel),
            id,
            words,
            self.clock.now(),
            quote=quote,
            private=private,
            addressed=True,
            title="" if private else "Team",
            **fields,
        )
        channel = self.at(at)
        await self.application.parts.intake.accept(channel.name, (channel.update(message),))
        return id

    async def pressed(self, data: str, sender: Sender, message: str, at: Address) -> None:
        """Hands a press in, and waits until it is answered."""
        channel = self.at(at)
        told = len(channel.acknowledged)
        by = replace(sender, channel=at.channel)
        press = Press(at, by, data, f"h{next(self._updates)}", message)
        await self.application.parts.intake.accept(channel.name, (channel.update(press),))
        await self.until(lambda: len(channel.acknowledged) > told)
