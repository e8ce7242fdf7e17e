"""Recognises files that people sent: by their place, and copies of them by their content.

What a command makes of such a file is put on record like a copy, so the mark follows the content.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from bot.adapters.tools.file_walk import Found, Walk, glob_matches
from bot.adapters.tools.thread_work import StopSign, in_thread
from bot.adapters.tools.workspace import Workspace
from bot.domain.change import Change, SaveReceived
from bot.domain.consent.command_line.programs import names as words_of
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.received import INBOX, ReceivedFile
from bot.domain.text.names import brief_name
from bot.domain.value import frozen, replace
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.received import Received
from bot.ports.tool import Place

A_SENT_FILE = "a file that somebody sent"
_MOST_FILES = 500
_CHUNK = 1 << 18
_WORD = re.compile(r"[^\s'\"`|&;<>()=,]+")
_WALKERS = words_of("grep egrep fgrep zgrep rg ag ack find fd tar zip rsync cp")
"""Programs that read a whole folder that is named, or the one where they start."""

_PATTERN = re.compile(r"[*?\[]")
_MOST_MADE = 2_000
_MADE_BYTES = 500_000_000
_ENTRIES = 50_000
_SECONDS = 10.0
_SLACK_NS = 50_000_000
"""The clock of a file system goes in steps and may be this much behind."""

_MENTION = re.compile(rf"(?<!\w){INBOX}(?!\w)", re.IGNORECASE)


@frozen
class SentFiles:
    """Names the source of such a file; without a record copies are not recognised.

    With a journal and a clock it also puts on record what commands make of such files.
    """

    _received: Received | None = None
    _journal: Journal | None = None
    _clock: Clock | None = None
    _inbox: bool = True
    """True where files come into the folder of the inbox, so that their place tells of them."""

    def seen_from(self, place: Place) -> "SentFiles":
        """Returns the files as they are seen from a place; a project has no inbox of ours."""
        return replace(self, _inbox=False) if place.project else self

    def origin_of(self, paths: Iterable[Sequence[str]]) -> str | None:
        """Returns the source of the first path in the inbox; None when there is none."""
        for names in paths if self._inbox else ():
            steps = [name for name in names if name != "."]
            # A file system may take INBOX for the same folder.
            if len(steps) > 1 and steps[0].casefold() == INBOX:
                return _named(steps[-1])
        return None

    async def of(self, workspace: Path, paths: Iterable[Sequence[str]]) -> str | None:
        """Returns the source of the first such file among these; looks at 500 at most."""
        files = list(dict.fromkeys(tuple(names) for names in paths if names))[:_MOST_FILES]
        return self.origin_of(files) or await self._copied(Workspace(workspace), files)

    async def of_command(
        self, workspace: Path, command: str, output: str, hidden: Sequence[Path] = ()
    ) -> str | None:
        """Returns the source of the first such file that a command or its output names.

        `hidden` are folders that the command did not see.
        """
        if self._inbox and (_MENTION.search(command) or f"{INBOX}/" in output):
            return A_SENT_FILE
        seen = await in_thread(lambda sign: _named_in(command, workspace, hidden, sign))
        return await self.of(workspace, seen)

    def unnamed(self, workspace: Path, command: str) -> tuple[Path, ...]:
        """Returns the inbox if there is one that the command does not name; blocks."""
        folder = workspace / INBOX
        if (
            not self._inbox
            or _MENTION.search(command)
            or not folder.is_dir()
            or folder.is_symlink()
        ):
            return ()
        return (folder,)

    async def record_made(self, place: Place, since_ns: int, hidden: Sequence[Path] = ()) -> None:
        """Puts the files of the workspace on record that were written since then."""
        if self._journal is None or self._clock is None:
            return
        now = self._clock.now()
        begun = since_ns - _SLACK_NS
        made = await in_thread(lambda sign: _made(place.workspace, begun, hidden, sign))
        rows = (
            SaveReceived(
                ReceivedFile(
                    *(place.chat, f"made/{digest}", str(place.workspace), path, length, digest),
                    now,
                    swept=True,
                )
            )
            for path, length, digest in made
        )
        if writes := tuple(rows):
            await self._journal.commit(Change(writes, durable=True))

    async def _copied(self, workspace: Workspace, files: Sequence[Sequence[str]]) -> str | None:
        if self._received is None or not files:
            return None
        sizes = await in_thread(lambda sign: _sizes(workspace, files, sign))
        known = await self._received.digests(set(sizes.values())) if sizes else ()
        suspects = [names for names, size in sizes.items() if size in {size for size, _ in known}]
        if not suspects:
            return None
        digests = {digest for _, digest in known}
        found = await in_thread(lambda sign: _first_of(workspace, suspects, digests, sign))
        return None if found is None else _named(found)


def _named(name: str) -> str:
    return f"{A_SENT_FILE} ({brief_name(name)})"


def _named_in(
    command: str, workspace: Path, hidden: Sequence[Path], sign: StopSign
) -> list[Sequence[str]]:
    """Returns the files that a command names: by words, by patterns, or by their folders."""
    within, found = Workspace(workspace), list[Sequence[str]]()
    words = list(dict.fromkeys(_WORD.findall(command)))
    walks = any(word.rpartition("/")[2] in _WALKERS for word in words)
    folders = [PurePosixPath(word) for word in words] if walks else []
    for word in words:
        if (pattern := _PATTERN.search(word)) is not None:
            fixed = PurePosixPath(word[: pattern.start()].rpartition("/")[0] or ".")
            steps = PurePosixPath(word).parts
            found += (f.names for f in _below(within, fixed, sign) if glob_matches(f.names, steps))
            continue
        try:
            found.append(within.names(word))
        except (ToolFailure, ValueError):
            continue
    if folders and not any(_is_folder(within, str(folder)) for folder in folders):
        folders = [PurePosixPath(".")]
    below = (f.names for folder in dict.fromkeys(folders) for f in _below(within, folder, sign))
    seen = (
        names for names in chain(found, below) if not _lies_in(workspace.joinpath(*names), hidden)
    )
    return list(islice(seen, _MOST_FILES))


def _lies_in(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _is_folder(within: Workspace, path: str) -> bool:
    try:
        with within.folder(within.names(path)):
            return True
    except (ToolFailure, ValueError):
        return False


def _below(within: Workspace, folder: PurePosixPath, sign: StopSign) -> Iterator[Found]:
    if _is_folder(within, str(folder)):
        walk = Walk(within, most=_ENTRIES, seconds=_SECONDS, heed=sign.heed)
        yield from (found for found in walk.below(within.names(str(folder))) if found.is_file)


def _made(
    workspace: Path, since_ns: int, hidden: Sequence[Path], sign: StopSign
) -> list[tuple[str, int, str]]:
    """Returns path, size and digest of the files that were written since then, within bounds."""
    within, room = Workspace(workspace), _MADE_BYTES
    nothing: frozenset[str] = frozenset()
    walk = Walk(within, most=_ENTRIES, seconds=_SECONDS, heed=sign.heed, left_out=nothing)
    new = (
        file
        for file in walk.below(())
        if file.is_file and file.size and file.changed_ns >= since_ns
        if not _lies_in(workspace.joinpath(*file.names), hidden)
    )
    found: list[tuple[str, int, str]] = []
    for file in islice(new, _MOST_MADE):
        room -= file.size
        if room < 0:
            break
        with suppress(ToolFailure):
            found.append(("/".join(file.names), file.size, _digest(within, file, sign)))
    return found


def _digest(within: Workspace, file: Found, sign: StopSign) -> str:
    with within.opened(file.names) as (descriptor, _):
        return _digest_of(descriptor, sign)


def _digest_of(descriptor: int, sign: StopSign) -> str:
    digest = hashlib.sha256()
    while chunk := os.read(descriptor, _CHUNK):
        sign.heed()
        digest.update(chunk)
    return digest.hexdigest()


def _sizes(
    workspace: Workspace, files: Sequence[Sequence[str]], sign: StopSign
) -> dict[Sequence[str], int]:
    """Returns the sizes of those that are files with content."""
    found: dict[Sequence[str], int] = {}
    for names in files:
        sign.heed()
        try:
            with workspace.opened(names) as (_, stat):
                found[names] = stat.st_size
        except ToolFailure:
            continue
    return {names: size for names, size in found.items() if size}


def _first_of(
    workspace: Workspace, files: Sequence[Sequence[str]], digests: set[str], sign: StopSign
) -> str | None:
    for names in files:
        try:
            with workspace.opened(names) as (descriptor, _):
                digest = _digest_of(descriptor, sign)
        except ToolFailure:
            continue
        if digest in digests:
            return names[-1]
    return None
