"""Commands about what the bot does in a group."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain.change import ReleaseHeard, SaveChat
from bot.domain.talk.chat import Activation, Chat
from bot.domain.talk.errors import ChannelError
from bot.domain.talk.message import Button
from bot.flow.commanding.choices import choice, no_choice, on_off
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.ports.channel import Channel
from bot.ports.groups import Groups

_LOG = logging.getLogger(__name__)

_NOT_YOURS = "Only the owner of this group, or my owner, can change this."
_UNKNOWN = "I could not find out who owns this group. Try again, or ask my owner to do it."
_ALONE = "This command is for groups. In a private chat I answer every message."
_WHEN = {
    Activation.MENTION: "I answer here when I am mentioned or replied to.",
    Activation.ALWAYS: "I answer every message of the people I know here.",
}
_READS = (
    "I read along: the last 50 messages between my answers, as information and never as orders. "
    "While they are in view, every change asks first."
)
_READS_NOT = "I read only what is said to me."
_MAY_READ = "`/context on` lets me read along, so that I know what you are talking about."
_MAY_STOP = "`/context off` ends that."
_LABELS = {Activation.MENTION: "When mentioned", Activation.ALWAYS: "Every message"}


_THREADS = {
    True: "Each message that calls me here opens a thread of its own. There nobody has to call me.",
    False: "I answer in this channel itself.",
}
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
            Command(
                "threads",
                "a thread for each task in this channel",
                self.threads,
                "on|off",
                Topic.GROUP,
                chosen=True,
                where=self._has_threads,
            ),
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
        chosen = asked.words[0].lower() if asked.words else ""
        if chosen not in set(Activation):
            now = asked.chat.activation
            told = f"{no_choice(asked.words)}{_WHEN[now]}"
            return Answer(f"{told} {_change('activation', *Activation)}", buttons=_when(now))
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
                told = f"Now {_READS} {_MAY_STOP}" if now else f"{_READS_NOT} {_MAY_READ}"
                return Answer(f"{no_choice(asked.words)}{told}", buttons=_reads(now=now))

    async def threads(self, asked: Invocation) -> Answer:
        if (refusal := await self._refusal(asked)) is not None:
            return Answer(refusal)
        if not self._has_threads(asked.chat):
            return Answer(_NO_THREADS)
        match [word.lower() for word in asked.words[:1]]:
            case ["on"]:
                if (missing := await self._right_missing(asked)) is not None:
                    return Answer(missing)
                now = True
            case ["off"]:
                now = False
            case _:
                now = asked.chat.threads
                told = f"{no_choice(asked.words)}{_THREADS[now]} {_change('threads', 'on', 'off')}"
                return Answer(told, buttons=on_off("threads", now=now))
        saved = SaveChat(replace(asked.chat, threads=now))
        return Answer(_THREADS[now], (saved,), buttons=on_off("threads", now=now))

    async def _right_missing(self, asked: Invocation) -> str | None:
        groups = self._groups.get(asked.chat.address.channel)
        try:
            allowed = groups is not None and await groups.may_open_threads(asked.chat.address)
        except ChannelError as fault:
            _LOG.warning("whether threads may be opened was not told: %s", fault)
            return _RIGHT_UNKNOWN
        return None if allowed else _NO_RIGHT


def _change(command: str, *words: str) -> str:
    return " or ".join(f"`/{command} {word}`" for word in words) + " changes that."


def _when(now: Activation) -> tuple[tuple[Button, ...], ...]:
    return tuple(
        choice(label, "activation", each, now=each is now) for each, label in _LABELS.items()
    )


def _reads(*, now: bool) -> tuple[tuple[Button, ...], ...]:
    return on_off("context", now=now)
