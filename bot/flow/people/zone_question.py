"""A companion of turns that asks a person once which clock they use, below their first answer."""

from collections.abc import Mapping

from bot.domain.change import Show
from bot.domain.loop.contribution import Ended
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from bot.domain.talk.person import AT_THE_MACHINE
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import AskerBody
from bot.domain.value import frozen
from bot.flow.log.companion import Companion, Results, without_zone
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
    """Asks in private chats, in the transaction of the answer, and never again.

    At the machine's own terminal nobody is asked: its buttons would be keys in the way of a line.
    """

    _people: People
    _outbox: Outbox
    _channels: Mapping[str, Channel]

    @property
    def answers(self) -> Companion:
        return Companion(without_zone, ended=self.ended)

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        chat = work.log.chat
        answered = finish.stop_reason is StopReason.FINAL_ANSWER
        if not answered or not chat.private or chat.address.channel == AT_THE_MACHINE:
            return Ended()
        person = await self._people.get(work.turn.asker)
        if person is None or person.timezone is not None or chat.settings.timezone is not None:
            return Ended()
        key = f"zone:{person.id}"
        if await self._outbox.row(key) is not None:
            return Ended()
        channel = self._channels.get(chat.address.channel)
        located = channel is not None and channel.locates
        rows = zone_buttons(_language(work), located=located)
        question = Outbound(OutboundKind.MENU, (Markdown(_QUESTION),), rows)
        return Ended((Show(key, chat.id, question),))


def _language(work: Work) -> str:
    bodies = (entry.body for entry in reversed(work.log.entries(work.turn.id)))
    return next((body.language for body in bodies if isinstance(body, AskerBody)), "")
