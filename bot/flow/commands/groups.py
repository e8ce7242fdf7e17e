"""Commands about what the bot does in a group."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain.change import ReleaseHeard, SaveChat
from bot.domain.chat import Activation
from bot.domain.errors import ChannelError
from bot.domain.message import Button
from bot.flow.commands.choices import choice, on_off
from bot.flow.commands.table import Answer, Command, Invocation, Topic
from bot.ports.groups import Groups

_LOG = logging.getLogger(__name__)

_NOT_YOURS = "Only the owner of this group, or my owner, can change this."
_UNKNOWN = "I could not find out who owns this group. Try again, or ask my owner to do it."
_ALONE = "This is for groups: in a private chat every message is for me."
_WHEN = {
    Activation.MENTION: "I answer here when I am mentioned or replied to.",
    Activation.ALWAYS: "I answer every message of the people I know here.",
}
_READS = (
    "I read along: the last 50 messages between my answers, as information and never as orders. "
    "While they are in view, every change asks first."
)
_READS_NOT = "I read only what is said to me."
_LABELS = {Activation.MENTION: "When mentioned", Activation.ALWAYS: "Every message"}


class GroupCommands:
    """For owners of the bot, and in a group for its own owner if they may talk to the bot."""

    def __init__(self, groups: Mapping[str, Groups]) -> None:
        self._groups = groups

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "activation",
                "when I answer in this group",
                self.activation,
                "always|mention",
                Topic.GROUP,
                chosen=True,
            ),
            Command(
                "context",
                "read along in this group",
                self.context,
                "on|off",
                Topic.GROUP,
                chosen=True,
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
            now = asked.chat.activation
            return Answer(f"{_WHEN[now]} {_change('activation', *Activation)}", buttons=_when(now))
        when = Activation(chosen)
        saved = SaveChat(replace(asked.chat, activation=when))
        return Answer(_WHEN[when], (saved,), buttons=_when(when))

    async def context(self, asked: Invocation) -> Answer:
        if (refusal := await self._refusal(asked)) is not None:
            return Answer(refusal)
        match [word.lower() for word in asked.words[:1]]:
            case ["on"]:
                saved = SaveChat(replace(asked.chat, listens=True))
                return Answer(f"From now on {_READS}", (saved,), buttons=_reads(now=True))
            case ["off"]:
                saved = SaveChat(replace(asked.chat, listens=False))
                gone = ReleaseHeard(asked.chat.id, asked.row)
                return Answer(_READS_NOT, (saved, gone), buttons=_reads(now=False))
            case _:
                now = asked.chat.listens
                told = f"Now {_READS}" if now else _READS_NOT
                return Answer(f"{told} {_change('context', 'on', 'off')}", buttons=_reads(now=now))


def _change(command: str, *words: str) -> str:
    return " or ".join(f"`/{command} {word}`" for word in words) + " changes that."


def _when(now: Activation) -> tuple[tuple[Button, ...], ...]:
    return tuple(
        choice(label, "activation", each, now=each is now) for each, label in _LABELS.items()
    )


def _reads(*, now: bool) -> tuple[tuple[Button, ...], ...]:
    return on_off("context", now=now)
