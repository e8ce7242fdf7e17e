"""Leaves a chat to the workers that have its files, and tells people while these are away."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from bot.domain.change import Change, Show
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.flow.activities import ActivityOwner
from bot.flow.world import Workspaces, never
from bot.ports.bell import Posts
from bot.ports.clock import Clock
from bot.ports.folder_places import FolderPlaces
from bot.ports.journal import Agenda, Journal

_LOG = logging.getLogger(__name__)

_LEAVING_SECONDS = 0.05
"""Seconds in which the lane of a chat is left, so that another process can take it."""


class FilesHere(ActivityOwner):
    """Tells of a chat with work if this worker has its files; if not, it calls one that has them.

    The files of a folder are where the first turn with it ran. `tags` name what this worker has:
    its machine, or a storage that several machines mount.
    """

    def __init__(
        self,
        places: FolderPlaces,
        workspaces: Workspaces,
        name_of: Callable[[Path], str],
        tags: Sequence[str],
        posts: Posts,
        journal: Journal,
        clock: Clock,
        wake: Callable[[int], None],
    ) -> None:
        super().__init__()
        self._places = places
        self._workspaces = workspaces
        self._name_of = name_of
        self._tags = tags
        self._posts = posts
        self._journal = journal
        self._clock = clock
        self._wake = wake
        self._known: set[str] = set()
        self._calling: set[int] = set()

    async def here(self, agenda: Agenda) -> bool:
        """Returns False for a chat that another worker works on."""
        asker = _asker(agenda)
        if asker is None:
            return True
        folder = self._name_of((await self._workspaces(agenda.chat, asker)).path)
        if folder in self._known:
            return True
        tag = await self._places.claim(folder, self._tags[0])
        if tag in self._tags:
            self._known.add(folder)
            return True
        if agenda.chat.id not in self._calling and self.open:
            self._calling.add(agenda.chat.id)
            self.start(self._call(agenda, tag), f"call to {tag}")
        return False

    async def keep(self, tag: str) -> None:
        """Takes calls for the files of a tag, until it is cancelled; one worker of several does."""
        post = _post(tag)
        self._posts.answer(post, self._called)
        await self._posts.keep(post, never)

    async def _called(self, chat: str) -> str:
        self._wake(int(chat))
        return chat

    async def _call(self, agenda: Agenda, tag: str) -> None:
        chat = agenda.chat.id
        try:
            await self._clock.sleep(_LEAVING_SECONDS)
            await self._posts.ask(_post(tag), str(chat))
        except TimeoutError:
            await self._tell(_away(agenda, tag))
        finally:
            self._calling.discard(chat)

    async def _tell(self, away: Show) -> None:
        try:
            await self._journal.commit(Change((away,)))
        except StoreError as fault:
            _LOG.warning("a chat is not told that its files are away: %s", fault)


def _post(tag: str) -> str:
    return f"files of {tag}"


def _asker(agenda: Agenda) -> int | None:
    turns = (*agenda.unfinished, *agenda.queued)
    people = (*(turn.asker for turn in turns), *(row.person for row in agenda.waiting))
    return next((one for one in people if one is not None), None)


def _away(agenda: Agenda, tag: str) -> Show:
    """Returns the words that the work of a chat waits for its files, once for the same work."""
    turn = next(iter((*agenda.unfinished, *agenda.queued)), None)
    about = turn.id if turn is not None else ""
    told = (
        f"The files of this chat are on “{tag}”, and I cannot reach it now. Nothing is lost: your"
        " message waits, and I answer when it is back."
    )
    return Show(
        f"away:{about or agenda.waiting[0].id}",
        agenda.chat.shown_in,
        Outbound(OutboundKind.NOTICE, (Plain(told),)),
        about=about,
    )
