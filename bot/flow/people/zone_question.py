"""Asks a person once which clock they use, when a time first matters to them."""

from collections.abc import Mapping

from bot.domain.change import Show
from bot.domain.loop.contribution import Ended
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from bot.domain.talk.person import AT_THE_MACHINE, Person
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import AskerBody
from bot.domain.value import frozen
from bot.flow.commanding.table import Invocation
from bot.flow.log.companion import Companion, Results
from bot.flow.log.concern import without_needed_zone
from bot.flow.log.work import Work
from bot.flow.people.personal import zone_buttons
from bot.ports.channel import Channel
from bot.ports.outbox import Outbox
from bot.ports.people import People

_QUESTION = (
    "Which clock do you use? Until I know it, my times are UTC. Choose a city that has your time."
)


@frozen
class ZoneQuestion:
    """Asks in private chats, in the transaction of the answer or of the task, and never again.

    At the machine's own terminal nobody is asked: its buttons would be keys in the way of a line.
    """

    _people: People
    _outbox: Outbox
    _channels: Mapping[str, Channel]

    @property
    def answers(self) -> Companion:
        return Companion(without_needed_zone, ended=self.ended)

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        if finish.stop_reason is not StopReason.FINAL_ANSWER:
            return Ended()
        person = await self._people.get(work.turn.asker)
        return Ended(await self.of(person, work.log.chat, _language(work)))

    async def with_command(self, asked: Invocation) -> tuple[Show, ...]:
        """Returns the question beside the answer to a command for which a time matters."""
        return await self.of(asked.person, asked.chat, asked.message.language)

    async def of(self, person: Person | None, chat: Chat, language: str) -> tuple[Show, ...]:
        """Returns the question, if nobody has asked it and nothing tells the clock."""
        if not chat.private or chat.address.channel == AT_THE_MACHINE or person is None:
            return ()
        if person.timezone is not None or chat.settings.timezone is not None:
            return ()
        key = f"zone:{person.id}"
        if await self._outbox.row(key) is not None:
            return ()
        channel = self._channels.get(chat.address.channel)
        located = channel is not None and channel.locates
        rows = zone_buttons(language, located=located)
        question = Outbound(OutboundKind.MENU, (Markdown(_QUESTION),), rows, silent=True)
        return (Show(key, chat.id, question),)


def _language(work: Work) -> str:
    bodies = (entry.body for entry in reversed(work.log.entries(work.turn.id)))
    return next((body.language for body in bodies if isinstance(body, AskerBody)), "")
