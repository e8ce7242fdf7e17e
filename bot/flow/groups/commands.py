"""Commands about what the bot does in a group."""

import logging
from collections.abc import Mapping, Sequence

from bot.domain.change import ReleaseHeard
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import ChannelError
from bot.flow.commanding.switches import ACTIVATION, CONTEXT, THREADS
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.ports.channel import Channel
from bot.ports.groups import Groups

_LOG = logging.getLogger(__name__)

_NOT_YOURS = "Only the owner of this group, or my owner, can change this."
_UNKNOWN = "I could not find out who owns this group. Try again, or ask my owner to do it."
_ALONE = "This command is for groups. In a private chat I answer every message."
_NO_THREADS = "A message opens no thread here."
_NO_RIGHT = (
    "I may not open threads here. Nothing was changed. Give my role the right “Create Public "
    "Threads”, then try again."
)
_RIGHT_UNKNOWN = "I could not find out if I may open threads here. Nothing was changed. Try again."


class GroupCommands:
    """For owners of the bot, and in a group for its own owner if they may talk to the bot."""

    def __init__(self, groups: Mapping[str, Groups], channels: Mapping[str, Channel]) -> None:
        self._groups = groups
        self._channels = channels

    @property
    def table(self) -> Sequence[Command]:
        return (
            ACTIVATION.command(self.activation),
            CONTEXT.command(self.context),
            THREADS.command(self.threads, where=self._has_threads),
        )

    def _has_threads(self, chat: Chat) -> bool:
        channel = self._channels.get(chat.address.channel)
        # Any number does: where one message can open a thread, each can.
        return channel is not None and channel.thread_at(chat.address, "1") is not None

    async def _refusal(self, asked: Invocation) -> str | None:
        """Returns the reason for a refusal; the platform is asked for the owner each time."""
        if asked.chat.private:
            return _ALONE
        if asked.person.is_owner:
            return None
        groups = self._groups.get(asked.chat.address.channel)
        try:
            owns = groups is not None and await groups.owned_by(
                asked.chat.address, asked.message.sender
            )
        except ChannelError as fault:
            _LOG.warning("whose group it is was not told: %s", fault)
            return _UNKNOWN
        return None if owns else _NOT_YOURS

    async def activation(self, asked: Invocation) -> Answer:
        if (refusal := await self._refusal(asked)) is not None:
            return Answer(refusal)
        to = ACTIVATION.wanted(asked)
        return ACTIVATION.told(asked) if to is None else ACTIVATION.turned(asked, to)

    async def context(self, asked: Invocation) -> Answer:
        if (refusal := await self._refusal(asked)) is not None:
            return Answer(refusal)
        to = CONTEXT.wanted(asked)
        if to is None:
            return CONTEXT.told(asked)
        gone = () if to.value else (ReleaseHeard(asked.chat.id, asked.row),)
        return CONTEXT.turned(asked, to, *gone)

    async def threads(self, asked: Invocation) -> Answer:
        if (refusal := await self._refusal(asked)) is not None:
            return Answer(refusal)
        if not self._has_threads(asked.chat):
            return Answer(_NO_THREADS)
        to = THREADS.wanted(asked)
        if to is None:
            return THREADS.told(asked)
        missing = await self._right_missing(asked) if to.value else None
        return THREADS.turned(asked, to) if missing is None else Answer(missing)

    async def _right_missing(self, asked: Invocation) -> str | None:
        groups = self._groups.get(asked.chat.address.channel)
        try:
            allowed = groups is not None and await groups.may_open_threads(asked.chat.address)
        except ChannelError as fault:
            _LOG.warning("whether threads may be opened was not told: %s", fault)
            return _RIGHT_UNKNOWN
        return None if allowed else _NO_RIGHT
