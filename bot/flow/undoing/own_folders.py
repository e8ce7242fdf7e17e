"""Tells how far it reaches to put a file back."""

from bot.domain.talk.reach import Reach
from bot.domain.tools.file_change import FileChange
from bot.flow.world import Workspaces
from bot.ports.chats import Chats


class OwnFolders:
    """Knows the folders that belong to one chat alone."""

    def __init__(self, chats: Chats, workspaces: Workspaces) -> None:
        self._chats = chats
        self._workspaces = workspaces

    async def reach(self, change: FileChange) -> Reach:
        """Returns the reach of putting a file back in the folder where it was changed."""
        chat = await self._chats.get(change.chat)
        folder = await self._workspaces(chat, change.asker)
        own = folder.own and str(folder.path) == change.root
        return Reach.FOLDER if own else Reach.BEYOND
