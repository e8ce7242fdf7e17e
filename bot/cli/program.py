"""The work behind the commands, which the composition root puts together."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from bot.doctor import Finding
from bot.domain.value import frozen
from bot.logs import Secrets
from bot.settings import Settings
from bot.setup import Probes

CommandRun: TypeAlias = Coroutine[Any, Any, int]
"""Runs to its end and returns the exit code of the process."""

Say: TypeAlias = Callable[[str], None]
"""Prints a line."""


class Ask(Protocol):
    """Asks one question; returns the exit code that `steward ask` documents."""

    def __call__(
        self,
        settings: Settings,
        words: str,
        *,
        folder: Path | None = None,
        yes_to: Sequence[str] = (),
        piped: bytes = b"",
        as_json: bool = False,
    ) -> CommandRun: ...


class Chat(Protocol):
    """Talks in the terminal of this process, about a folder or in the workspace.

    Or it shows a private chat of a platform, which the running program serves `beside` it.
    """

    def __call__(
        self, settings: Settings, *, folder: Path | None = None, beside: str = ""
    ) -> CommandRun: ...


class SearchMemory(Protocol):
    """Prints what is remembered with some words; returns 1 when nothing is."""

    def __call__(
        self,
        settings: Settings,
        words: str,
        say: Say,
        *,
        limit: int,
        as_json: bool = False,
        person: str | None = None,
    ) -> CommandRun: ...


class ImportMemory(Protocol):
    """Takes answers from a file; returns 1 when parts of it could not be read."""

    def __call__(
        self, settings: Settings, file: Path, say: Say, *, person: str | None = None
    ) -> CommandRun: ...


class ExportFeedback(Protocol):
    """Prints what people think of answers, as JSON Lines or as counts."""

    def __call__(
        self, settings: Settings, since: datetime | None, say: Say, *, as_json: bool
    ) -> CommandRun: ...


class Service(Protocol):
    """A service of systemd, whose unit can be printed and installed."""

    def unit(self) -> str: ...

    def install(self) -> Path:
        """Writes the unit as root, makes missing folders, and returns the file."""
        ...


class MakeService(Protocol):
    """Makes the service of a user, with secrets from files and further folders to write to."""

    def __call__(
        self,
        environ: Mapping[str, str],
        standing: Path,
        user: str | None,
        credentials: Sequence[str],
        further: Sequence[Path],
    ) -> Service: ...


@frozen
class MemoryWork:
    """The work behind `steward memory`."""

    search: SearchMemory
    take: ImportMemory
    reindex: Callable[[Settings, Say], CommandRun]


class BackUp(Protocol):
    """Copies everything to a file, or to one in the home; secrets only with a passphrase."""

    def __call__(
        self,
        settings: Settings,
        file: Path | None,
        say: Say,
        *,
        folder: Path,
        environ: Mapping[str, str],
        passphrase: str | None = None,
        by_service: bool = False,
    ) -> int: ...


class Verify(Protocol):
    """Proves a home or a backup; returns 1 when something does not hold."""

    def __call__(
        self, settings: Settings, place: Path | None, say: Say, *, fix: bool = False
    ) -> int: ...


class Restore(Protocol):
    """Brings a backup back into an empty home; `folder` gets its settings if it has none."""

    def __call__(
        self,
        settings: Settings,
        file: Path,
        say: Say,
        *,
        folder: Path,
        into: Path | None = None,
        passphrase: str = "",
    ) -> int: ...


class RollBack(Protocol):
    """Goes back to the copy from before the last upgrade, when that is agreed to."""

    def __call__(self, settings: Settings, say: Say, *, agreed: Callable[[], bool]) -> int: ...


class Update(Protocol):
    """Brings the program up to date when that is agreed to, or back; returns the exit code."""

    def __call__(
        self,
        settings: Settings,
        say: Say,
        *,
        folder: Path,
        source: Path | None,
        agreed: Callable[[], bool],
        wait: float,
    ) -> int: ...


@frozen
class BackupWork:
    """The work behind `steward backup` and the commands about backups."""

    back_up: BackUp
    verify: Verify
    restore: Restore
    roll_back: RollBack
    move: Callable[[Settings, str, Say], int]
    """Moves all rows to the other kind of database."""
    set_times: Callable[[Settings, str, int, Say], int]
    """Says how often a running program makes a backup, and how many it keeps."""


@frozen
class HookWork:
    """The work behind `steward hook`."""

    listed: Callable[[Settings, Say], CommandRun]
    """Prints every hook; returns 1 when a file is broken."""
    tried: Callable[[Settings, str, bytes, Say], CommandRun]
    """Calls a hook of the running program, and waits for the end of its run."""


@frozen
class Program:
    """The work behind the commands, as the composition root put it together."""

    serve: Callable[[Settings], CommandRun]
    """Serves every platform that is set up."""
    chat: Chat
    """Talks in the terminal of this process."""
    ask: Ask
    """Asks one question and prints the answer."""
    examine: Callable[[Settings, Path], Coroutine[Any, Any, Sequence[Finding]]]
    """Returns the report of the doctor; the folder is where .env and steward.toml lie."""
    unserved: Callable[[Settings], Sequence[tuple[str, str]]]
    """Returns each platform with the setting it lacks, or nothing if a platform is served."""
    secrets: Secrets
    environ: Mapping[str, str]
    folder: Path
    """The folder that the person stands in."""
    probes: Probes
    """The ways to try a token and a key for real."""
    new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    """Makes the event loop of a run that serves."""
    memory: MemoryWork | None = None
    """Searches and fills the memory."""
    hooks: HookWork | None = None
    """Lists hooks, and tries them out."""
    feedback: ExportFeedback | None = None
    """Prints what people think of answers."""
    login: Callable[[Settings, Say], CommandRun] | None = None
    """Prints a link that signs in the person at this machine on the page."""
    backups: BackupWork | None = None
    """Makes, proves and brings back copies of everything."""
    service: MakeService | None = None
    """Makes the service that systemd runs."""
    repair: Callable[[Settings, Path, Say], str] | None = None
    """Fixes what is safe to fix, before the doctor looks; returns what it did not touch."""
    update: Update | None = None
    """Brings the program itself up to date."""
