"""Commands about people, and the greeting."""

from collections.abc import Callable, Sequence

from bot.domain.change import AddAudit
from bot.domain.person import AT_THE_MACHINE, Role, Sender
from bot.flow.commands.table import Answer, Command, Invocation
from bot.ports.clock import Clock
from bot.ports.people import People


class PeopleCommands:
    """`everything` gives the whole table when the help is asked for."""

    def __init__(
        self, people: People, clock: Clock, everything: Callable[[], Sequence[Command]]
    ) -> None:
        self._people = people
        self._clock = clock
        self._everything = everything

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("start", "say hello", self.start),
            Command("help", "list the commands", self.help),
            Command("allow", "let someone in", self.allow, "<id | channel:id>", owner_only=True),
            Command("revoke", "take someone's access back", self.revoke, "<id | channel:id>", True),
        )

    async def start(self, asked: Invocation) -> Answer:
        return Answer(f"Hello, {asked.person.name}. Write to me, or see /help.")

    async def help(self, asked: Invocation) -> Answer:
        owner = asked.person.is_owner
        lines = [f"{c.form}: {c.summary}" for c in self._everything() if owner or not c.owner_only]
        return Answer("\n".join(f"- {line}" for line in lines))

    async def allow(self, asked: Invocation) -> Answer:
        sender = self._meant(asked)
        if sender is None:
            return Answer(
                "Usage: /allow <numeric id>, or /allow telegram:<numeric id>. "
                "A user name is not enough: it can change hands."
            )
        person = await self._people.admit(sender, Role.MEMBER)
        audit = AddAudit(
            self._clock.now(), asked.chat.id, asked.person.id, "person.allowed", sender.key, {}
        )
        return Answer(f"{sender.key} may talk to me now ({person.role}).", (audit,))

    async def revoke(self, asked: Invocation) -> Answer:
        sender = self._meant(asked)
        if sender is None:
            return Answer("Usage: /revoke <numeric id>, or /revoke telegram:<numeric id>.")
        if sender.key == asked.message.sender.key:
            return Answer("You cannot revoke yourself.")
        person = await self._people.revoke(sender.key)
        if person is None:
            return Answer(f"{sender.key} had no access.")
        audit = AddAudit(
            self._clock.now(), asked.chat.id, asked.person.id, "person.revoked", sender.key, {}
        )
        return Answer(f"{sender.key} has no access any more.", (audit,))

    def _meant(self, asked: Invocation) -> Sender | None:
        """The account that is meant: a numeric id, on the channel of the command or a named one."""
        channel, _, number = ":".join(asked.words).rpartition(":")
        if not (number.isascii() and number.isdecimal()):
            return None
        channel = channel or asked.message.address.channel
        if channel == AT_THE_MACHINE or not channel.isalpha():
            return None
        return Sender(channel, str(int(number)), f"{channel}:{int(number)}")
