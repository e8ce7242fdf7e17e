"""The guarded door through which a change of a file is taken back."""

from pathlib import Path

from bot.adapters.tools.difference import file_difference
from bot.adapters.tools.thread_work import StopSign, in_thread
from bot.adapters.tools.workspace import Workspace
from bot.domain.talk.message import Block, CodeBlock, Plain
from bot.domain.text.visible_text import size, visible
from bot.domain.tools.file_change import ABSENT
from bot.ports.file_changes import PresentFile


class PutBack:
    """Opens files as the tools do: step by step, without links; keeps at most `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most

    async def look(self, root: str, path: str) -> PresentFile:
        workspace = Workspace(Path(root))
        names = workspace.names(path)
        found = await in_thread(lambda _: workspace.kept(names, self._most))
        if found is None:
            return PresentFile(ABSENT, 0, 0, None, kept=True)
        state, content = found.state, found.content
        return PresentFile(state.token, state.size, state.mode, content, kept=content is not None)

    async def put(self, root: str, path: str, content: bytes | None, mode: int, seen: str) -> None:
        workspace = Workspace(Path(root))
        names = workspace.names(path)

        def put(sign: StopSign) -> None:
            if content is not None:
                workspace.write(names, content, seen, sign.heed, mode)
                return
            sign.heed()
            workspace.delete(names, seen)

        await in_thread(put)

    def told(self, now: PresentFile, then: bytes | None) -> tuple[Block, ...]:
        old = b"" if now.token == ABSENT else now.content
        try:
            if old is None:
                raise UnicodeError
            shown = file_difference(old.decode(), (then or b"").decode())
        except UnicodeError:
            return (Plain(f"Now: {_of(now)}. Then: {_size(then)}."),)
        if not shown:
            return (Plain(f"Now: {_of(now)}. Then: {_size(then)}."),)
        return (CodeBlock(visible(shown), "diff", folds=True),)


def _of(found: PresentFile) -> str:
    return "no file" if found.token == ABSENT else size(found.size)


def _size(content: bytes | None) -> str:
    return "no file" if content is None else size(len(content))
