"""Commands about what the bot does in a group."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain.change import ReleaseHeard, SaveChat
from bot.domain.chat import Activation
from bot.domain.errors import ChannelError
from bot.flow.commands.table import Answer, Command, Invocation
from bot.ports.groups import Groups

_LOG = logging.getLogger(__name__)

_NOT_YOURS = "This is for the owner of this group, or an owner of mine."
_UNKNOWN = "I could not ask whose group this is. Try again, or let an owner of mine do it."
_ALONE = "This is for groups: in a private chat every message is for me."


class GroupCommands:
    """For owners of the bot, and in a group for its own owner if they may talk to the bot."""

    def __init__(self, groups: Mapping[str, Groups]) -> None:
        self._groups = groups

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "activation",
                "which messages of a group are for me",
                self.activation,
                "always|mention",
            ),
            Command(
                "context",
                "whether I read what a group says to others",
                self.context,
                "on|off",
            ),
        )

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
        chosen = asked.words[0].lower() if asked.words else ""
        if chosen not in set(Activation):
            return Answer(f"Now: `{asked.chat.activation}`. Usage: /activation always|mention")
        saved = SaveChat(replace(asked.chat, activation=Activation(chosen)))
        if chosen == Activation.ALWAYS:
            return Answer("I answer every message of those I know here.", (saved,))
        return Answer("I answer here when I am mentioned or replied to.", (saved,))

    async def context(self, asked: Invocation) -> Answer:
        if (refusal := await self._refusal(asked)) is not None:
            return Answer(refusal)
        match [word.lower() for word in asked.words[:1]]:
            case ["on"]:
                saved = SaveChat(replace(asked.chat, context=True))
                told = (
                    "From now on I read the last 50 messages between my turns, as data and not as "
                    "orders. While they are in view every change asks first."
                )
                return Answer(told, (saved,))
            case ["off"]:
                saved = SaveChat(replace(asked.chat, context=False))
                gone = ReleaseHeard(asked.chat.id, asked.row)
                return Answer("I read only what is said to me.", (saved, gone))
            case _:
                now = "on" if asked.chat.context else "off"
                return Answer(f"Now: `{now}`. Usage: /context on|off")
