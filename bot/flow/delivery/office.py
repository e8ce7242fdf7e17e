"""Tells who delivers to a chat: of several processes one does, and the others ring it."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from bot.domain.talk.errors import NoSuchChat
from bot.domain.talk.person import AT_THE_MACHINE
from bot.domain.talk.session import PAGE
from bot.ports.bell import Answerer, Bell, Peal, Posts
from bot.ports.chats import Chats
from bot.ports.duties import Duty

_POST = "delivering"
_HERE = {AT_THE_MACHINE: Duty.RECEIVE, PAGE: Duty.WEB}
"""The channels that belong to no platform, with the duty of a process that serves each."""

_SHARED = frozenset({PAGE})
"""Those of them that any number of processes serve: a person may look at each."""

_SHOWN_HERE = {AT_THE_MACHINE: "what grows in terminals", PAGE: "what grows on the page"}
"""The post of showing there what others are writing, as the log names it."""

_MOST_KNOWN = 10_000


class DeliveryOffice:
    """Holds the post of delivering to platforms, if this process has it.

    So one process alone counts against the rates of a platform. A terminal and the page belong to
    the process that serves them.
    """

    def __init__(
        self, chats: Chats, bell: Bell, posts: Posts, duties: Collection[Duty], *, alone: bool
    ) -> None:
        self._chats = chats
        self._bell = bell
        self._posts = posts
        self._duties = duties
        self._alone = self._elected = alone
        self._channels: dict[int, str] = {}

    async def elsewhere(self, chat: int) -> bool:
        if self._elected and {*self._duties} >= {*_HERE.values()}:
            return False
        return self.leaves(await self._channel(chat))

    def ring(self, chat: int) -> None:
        self._bell.ring(Peal.OWED, chat)

    async def keep(self, elected: Callable[[], Awaitable[None]], answerer: Answerer) -> None:
        """Holds the post until cancelled; `elected` is called each time that it is gained.

        Meanwhile questions of other processes are answered.
        """
        if Duty.DELIVER in self._duties:
            self._posts.answer(_POST, answerer)
            await self._posts.keep(_POST, lambda: self._hold(elected))

    @property
    def own(self) -> Sequence[str]:
        """The channels of this process on which others may have something shown."""
        return () if self._alone else [one for one, duty in _HERE.items() if duty in self._duties]

    async def keep_own(self, channel: str, answerer: Answerer) -> None:
        """Answers questions of other processes about a channel of its own, until cancelled."""
        if channel in _SHARED:
            self._posts.share(_SHOWN_HERE[channel], answerer)
            await _for_good()
        self._posts.answer(_SHOWN_HERE[channel], answerer)
        await self._posts.keep(_SHOWN_HERE[channel], _for_good)

    def heard_anyway(self, channel: str) -> bool:
        """Returns True for a channel whose processes all hear what they are asked to show there."""
        return channel in _SHARED and self.leaves(channel)

    def tell_pages(self, words: str) -> None:
        """Tells the other processes that serve the page."""
        self._posts.tell(_SHOWN_HERE[PAGE], words)

    async def _hold(self, elected: Callable[[], Awaitable[None]]) -> None:
        self._elected = True
        try:
            await elected()
            await _for_good()
        finally:
            self._elected = self._alone

    async def ask(self, channel: str, question: str) -> str:
        """Asks the process that delivers on a channel; raises TimeoutError without an answer."""
        return await self._posts.ask(_SHOWN_HERE.get(channel, _POST), question)

    def leaves(self, channel: str) -> bool:
        """Returns True for a channel on which another process delivers."""
        return _HERE[channel] not in self._duties if channel in _HERE else not self._elected

    async def _channel(self, chat: int) -> str:
        if chat not in self._channels:
            if len(self._channels) >= _MOST_KNOWN:
                self._channels.clear()
            try:
                self._channels[chat] = (await self._chats.get(chat)).address.channel
            except NoSuchChat:
                return ""
        return self._channels[chat]


async def _for_good() -> None:
    await asyncio.Event().wait()
