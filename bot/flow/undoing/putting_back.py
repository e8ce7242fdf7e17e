"""Puts one file back, so that a death at any moment leaves it to be finished."""

from bot.domain.change import SaveFileChange
from bot.domain.talk.errors import ToolFailure
from bot.domain.tools.file_change import FileChange, Stage
from bot.domain.value import frozen
from bot.flow.log.work import Work
from bot.flow.undoing.wording import GONE
from bot.ports.file_changes import FileChanges, PresentFile, WorkspaceDoor


@frozen
class Put:
    """The end of one change: put back, met by another one, or failed with a reason."""

    change: FileChange
    found: PresentFile | None = None
    """The file as it is, when somebody else has changed it."""
    why: str = ""


class PuttingBack:
    """First the row tells what is replaced, then the file changes, then the row tells the end.

    The token of the file says which of the three was reached when the program died.
    """

    def __init__(self, changes: FileChanges, door: WorkspaceDoor) -> None:
        self._changes = changes
        self._door = door

    async def put(self, work: Work, change: FileChange) -> Put:
        try:
            return await self._put(work, change)
        except ToolFailure as fault:
            newest = await self._changes.get(change.id)
            if newest is None:
                return Put(change, why=str(fault))
            idle = newest.amended(stage=Stage.NONE, spare=None, spare_now="", agreed=False)
            await self._save(work, idle)
            return Put(idle, why=str(fault))

    async def _put(self, work: Work, change: FileChange) -> Put:
        if change.stage is Stage.DONE:
            return Put(change)
        found = await self._door.look(change.root, change.path)
        if found.token == change.target:
            return await self._there(work, change)
        if found.token not in _expected(change):
            met = change.amended(stage=Stage.MET, met=found.token, agreed=False)
            await self._save(work, met)
            return Put(met, found)
        if change.stage is not Stage.BEGUN:
            change = change.amended(
                stage=Stage.BEGUN,
                spare=found.content,
                spare_now=found.token,
                spare_mode=found.mode,
                spare_kept=found.kept,
            )
            await self._save(work, change)
        path, content = change.path, change.content
        await self._door.put(change.root, path, content, change.mode, change.spare_now)
        return await self._over(work, change)

    async def _there(self, work: Work, change: FileChange) -> Put:
        """Ends a change whose content is in its place, put there before a death or by others."""
        if change.stage is not Stage.BEGUN:
            # Nobody knows what stood there: there is nothing that could be done again.
            change = change.amended(spare=None, spare_kept=False)
        return await self._over(work, change)

    async def _over(self, work: Work, change: FileChange) -> Put:
        flipped = change.flipped()
        await self._save(work, flipped)
        return Put(flipped)

    async def _save(self, work: Work, change: FileChange) -> None:
        known = await self._changes.get(change.id)
        if known is None:
            raise ToolFailure(GONE)
        await work.write(also=(SaveFileChange(change, known.version),), durable=True)


def _expected(change: FileChange) -> tuple[str, ...]:
    """Returns the tokens of the contents that may be replaced."""
    if change.stage is Stage.BEGUN:
        return (change.spare_now,)
    return (change.now, change.met) if change.agreed else (change.now,)
