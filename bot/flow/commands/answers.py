"""Commands about how answers look in a chat."""

from collections.abc import Mapping, Sequence

from bot.domain.talk.chat import Chat
from bot.flow.commanding.switches import AS_FILE, LONG, PLAIN
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.ports.channel import Channel


class AnswerCommands:
    def __init__(self, long_answer: int, channels: Mapping[str, Channel]) -> None:
        self._long = long_answer
        self._switch = LONG.worded(length=f"{long_answer:,}")
        self._channels = channels

    @property
    def table(self) -> Sequence[Command]:
        long = self._switch.command(
            self.long, fixed=lambda chat: self._always_above(chat) is not None
        )
        return (long, *(one.command() for one in PLAIN))

    async def long(self, asked: Invocation) -> Answer:
        if (always := self._always_above(asked.chat)) is not None:
            return Answer(
                f"Here an answer of more than {always:,} characters always comes "
                f"{AS_FILE}. This cannot be changed."
            )
        to = self._switch.wanted(asked)
        return self._switch.told(asked) if to is None else self._switch.turned(asked, to)

    def _always_above(self, chat: Chat) -> int | None:
        """Returns the characters above which a platform takes a file in any case, or None."""
        channel = self._channels.get(chat.address.channel)
        always = None if channel is None else channel.folds_above
        return always if always is not None and always <= self._long else None
