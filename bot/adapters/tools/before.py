"""A file just before a tool changes it, so that the change can be taken back."""

from bot.adapters.tools.workspace import Workspace
from bot.domain.tools.file_change import Replaced, token_of
from bot.domain.value import frozen


@frozen
class Before:
    path: str
    token: str | None
    """The token that must still hold when the file is changed; None where nobody asks."""
    content: bytes | None = None
    mode: int = 0
    kept: bool = False

    @classmethod
    def of(
        cls, workspace: Workspace, names: tuple[str, ...], seen: str | None, keep: int
    ) -> "Before":
        """Reads a file that is about to be changed; blocks."""
        path = "/".join(names)
        if not keep:
            return cls(path, seen)
        found = workspace.kept(names, keep)
        if found is None:
            return cls(path, seen, kept=True)
        content = found.content
        return cls(path, seen, content, found.state.mode, kept=content is not None)

    def replaced(self, now: str) -> Replaced | None:
        """Returns what the change has replaced; None where it was not kept.

        A file whose content is as it was has nothing to take back.
        """
        if not self.kept or token_of(self.content) == now:
            return None
        return Replaced(self.path, self.content, self.mode, now)
