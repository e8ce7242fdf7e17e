"""The command that shows tool calls with their input and output in a chat."""

import asyncio
import logging
from collections.abc import Mapping, Sequence

from bot.domain.change import Show
from bot.domain.talk.errors import ChannelError
from bot.domain.talk.message import FileRef, Outbound, OutboundKind
from bot.domain.tools.call_words import CALLS, Conceal, whole_text
from bot.domain.value import frozen, replace
from bot.flow.commanding.choices import choice
from bot.flow.commanding.switches import VERBOSE
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.verbose.newest_calls import NewestCalls
from bot.ports.groups import Groups

_LOG = logging.getLogger(__name__)

_LAST = "last"
_EVERYBODY = "Everybody in this group sees them, files and outputs of commands too."
_WHO = "Only the owner and the administrators of this group, and my owners, can change this."
_NOT_YOURS = f"{_WHO} Nothing was changed."
_UNKNOWN = "I could not find out who runs this group. Try again, or ask my owner to do it."
_NO_CALLS = "I have not used a tool in this conversation yet, so there is nothing to send."
_FILE = "calls.txt"
_MOST = 500_000
"""Characters of the file with the calls of a turn."""


@frozen
class VerboseCommands:
    """In a group it is for the people who run it, since everybody there sees the calls."""

    _groups: Mapping[str, Groups]
    _calls: NewestCalls
    _conceal: Conceal

    @property
    def table(self) -> Sequence[Command]:
        return (VERBOSE.command(self.verbose),)

    async def verbose(self, asked: Invocation) -> Answer:
        """Turns it on or off, sends the newest calls, or tells how it is."""
        to = VERBOSE.wanted(asked)
        last = asked.words[:1] != () and asked.words[0].lower() == _LAST
        if to is None and not last:
            return _with_more(asked, VERBOSE.told(asked), now=asked.chat.settings.verbose)
        if (refusal := await self._refusal(asked)) is not None:
            return Answer(refusal)
        if to is None:
            return await self._last(asked)
        return _with_more(asked, VERBOSE.turned(asked, to), now=bool(to.value))

    async def _refusal(self, asked: Invocation) -> str | None:
        """Returns the reason for a refusal; the platform is asked each time."""
        if asked.chat.private or asked.person.is_owner:
            return None
        groups = self._groups.get(asked.chat.address.channel)
        try:
            runs = groups is not None and await groups.run_by(
                asked.chat.address, asked.message.sender
            )
        except ChannelError as fault:
            _LOG.warning("who runs a group was not told: %s", fault)
            return _UNKNOWN
        return None if runs else _NOT_YOURS

    async def _last(self, asked: Invocation) -> Answer:
        turn, made = await self._calls.newest(asked.chat.conversation)
        if not made:
            return Answer(_NO_CALLS)
        text = await asyncio.to_thread(whole_text, made, self._conceal, _MOST)
        file = FileRef("", _FILE, text=text)
        content = Outbound(OutboundKind.NOTICE, (), files=(file,), silent=True)
        shown = Show(f"{CALLS}{turn}:all:{asked.row}", asked.chat.id, content, about=turn)
        calls = sum(len(one.pairs) for one in made)
        count = "1 call" if calls == 1 else f"{calls} calls"
        return Answer(f"These are the newest tool calls: {count}.", (shown,))


def _with_more(asked: Invocation, answer: Answer, *, now: bool) -> Answer:
    """Returns the answer with the button of the newest calls, and in a group with who is meant."""
    buttons = (*answer.buttons, choice("Show the newest calls whole", "verbose", _LAST))
    told = answer.text
    if not asked.chat.private:
        told = f"{told}\n\n{_EVERYBODY} {_WHO}" if now else f"{told}\n\n{_WHO}"
    return replace(answer, text=told, buttons=buttons)
