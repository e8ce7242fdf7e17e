"""The tools that look at files: list_files, read_file, search_files."""

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Annotated, TypeVar

from pydantic import Field

from bot.adapters.tools.file_walk import Found, Walk, glob_matches
from bot.adapters.tools.ignored import IgnoreRules
from bot.adapters.tools.other_chats import OtherChats
from bot.adapters.tools.sent_files import SentFiles
from bot.adapters.tools.thread_work import StopSign, in_thread
from bot.adapters.tools.workspace import Workspace, located
from bot.domain.consent.secret_names import is_secret
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import CodeBlock
from bot.domain.talk.reach import Reach
from bot.domain.text.visible_text import shown_name, size, visible
from bot.domain.tools.tool import Effect, ExactRule, Preview, ToolOutput
from bot.domain.value import frozen, replace
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.ledger import KeptTexts
from bot.ports.tool import Place, Seen, Tool


@frozen
class ReadLimits:
    """The bounds of the reading tools.

    A reply holds `page_bytes` of text. Of one file `scan_bytes` are read. A walk looks at `entries`
    of folders within `seconds`, and `shown` entries or hits are shown.
    """

    page_bytes: int = 28_000
    scan_bytes: int = 64_000_000
    search_bytes: int = 200_000_000
    entries: int = 50_000
    shown: int = 400
    seconds: float = 10.0


A = TypeVar("A", bound=Arguments)

_LINE = 2_000
_HIT = 240
_CHUNK = 1 << 18
_TOLD = 5
"""Names of files left out that are told to the model."""


class _ReadingTool(ArgumentsTool[A]):
    """Looks at files within its limits, and says which of them are of foreign origin."""

    def __init__(
        self,
        limits: ReadLimits | None = None,
        others: OtherChats | None = None,
        sent: SentFiles | None = None,
    ) -> None:
        self._limits = limits or ReadLimits()
        self._others = others or OtherChats()
        self._sent = sent or SentFiles()

    async def _source(self, place: Place, shown: Sequence[Sequence[str]]) -> str | None:
        """Returns the foreign source of what was shown of these files; None when it has none."""
        source = self._others.seen_from(place).origin_of(shown)
        return source or await self._sent.seen_from(place).of(place.workspace, shown)

    async def foresee(self, arguments: A, place: Place, exact: ExactRule) -> Preview:
        """Returns the preview of a call; one that opens a file with a secret name asks."""
        known = await super().foresee(arguments, place, exact)
        given = arguments.model_dump().get("path") or ""
        try:
            _, names = located(place.workspace, given)
        except ToolFailure:  # Nothing is read outside, so nobody has to decide about it.
            return known
        if not is_secret("/".join(names)):
            return known
        path = visible(given)
        return replace(
            known,
            effect=Effect.WRITE,
            blocks=(CodeBlock(path),),
            why="A file with this name often holds passwords, which the model would read",
            always=exact,
            reach=Reach.TALK if place.own else Reach.BEYOND,
            done=f"{path} read",
        )

    def _walk(self, workspace: Workspace, sign: StopSign) -> Walk:
        """Returns a walk that leaves out what `.gitignore` does; a path may still name it."""
        limits, rules = self._limits, IgnoreRules(workspace)
        most, seconds = limits.entries, limits.seconds
        return Walk(workspace, most=most, seconds=seconds, heed=sign.heed, rules=rules)


class ListFilesArguments(Arguments):
    path: Annotated[Text | None, Field(description="Folder; default: the workspace.")] = None
    pattern: Annotated[
        Text | None,
        Field(max_length=500, description="Glob below path, e.g. *.md or **/*.py. Default *."),
    ] = None


class ListFiles(_ReadingTool[ListFilesArguments]):
    """Lists names and sizes of the entries of a folder."""

    summary = "list files and folders"
    name = "list_files"
    description = (
        "List files and folders of the workspace with sizes. `**` in the pattern goes into "
        "subfolders (not into .git, .venv, node_modules, __pycache__, nor what .gitignore leaves "
        "out, unless path names them)."
    )
    takes = ListFilesArguments

    async def perform(self, arguments: ListFilesArguments, place: Place, seen: Seen) -> ToolOutput:
        return await in_thread(lambda sign: self._list(arguments, place, sign))

    def _list(self, arguments: ListFilesArguments, place: Place, sign: StopSign) -> ToolOutput:
        workspace, start = located(place.workspace, arguments.path or ".")
        pattern = workspace.names(arguments.pattern or "*")
        limits, walk = self._limits, self._walk(workspace, sign)
        found = walk.below(start) if "**" in pattern else walk.below(start, len(pattern))
        lines: list[str] = []
        shown: list[Sequence[str]] = []
        more = 0
        for entry in found:
            if not glob_matches(entry.names[len(start) :], pattern):
                continue
            if len(lines) < limits.shown:
                lines.append(_line(entry))
                shown.append(entry.names)
            else:
                more += 1
        notes = [f"[{more} more; use a narrower path or pattern]"] if more else []
        notes += ["[not everything was looked at: too many files]"] if walk.cut else []
        notes += [_ignored(walk.ignored)] if walk.ignored else []
        text = "\n".join([*lines, *notes]) or "Nothing matches."
        source = self._others.seen_from(place).origin_of(shown)
        source = source or self._sent.seen_from(place).origin_of(shown)
        return ToolOutput(text, untrusted=source)


class ReadFileArguments(Arguments):
    path: Annotated[Text, Field(description="File in the workspace.")]
    offset: Annotated[int | None, Field(ge=1, description="First line, from 1.")] = None
    limit: Annotated[int | None, Field(ge=1, description="Number of lines.")] = None


ARTIFACT = "artifact:"
"""A path that begins so names the stored whole of a shortened result."""


class ReadFile(_ReadingTool[ReadFileArguments]):
    """Reads lines of a text file, or of a result that was too long to be shown whole."""

    summary = "read a file"
    name = "read_file"
    description = (
        "Read a text file of the workspace, or the whole of a cut result (artifact:<name>). "
        "The first line of the result tells which lines follow; go on with offset when there "
        "are more."
    )
    takes = ReadFileArguments

    def __init__(
        self,
        ledger: KeptTexts,
        limits: ReadLimits | None = None,
        others: OtherChats | None = None,
        sent: SentFiles | None = None,
    ) -> None:
        super().__init__(limits, others, sent)
        self._ledger = ledger

    async def perform(self, arguments: ReadFileArguments, place: Place, seen: Seen) -> ToolOutput:
        if arguments.path.startswith(ARTIFACT):
            return await self._artifact(arguments, place)
        names = Workspace(place.workspace).names(arguments.path)
        text = await in_thread(lambda sign: self._page(arguments, place, sign))
        return ToolOutput(text, untrusted=await self._source(place, [names]))

    async def _artifact(self, arguments: ReadFileArguments, place: Place) -> ToolOutput:
        """Reads an artifact, which is always untrusted: its text may come from outside."""
        whole = await self._ledger.artifact(place.chat, arguments.path.removeprefix(ARTIFACT))
        if whole is None:
            raise ToolFailure(f"there is no {arguments.path} in this chat")
        page = _Page(arguments.offset or 1, arguments.limit, self._limits.page_bytes)
        for line in whole.encode().splitlines():
            page.take(line)
        return ToolOutput(page.text(arguments.path, more=False), untrusted="a stored result")

    def _page(self, arguments: ReadFileArguments, place: Place, sign: StopSign) -> str:
        workspace, names = located(place.workspace, arguments.path)
        with workspace.opened(names) as (descriptor, found):
            title = f"{shown_name('/'.join(names))} · {size(found.st_size)}"
            if b"\0" in os.pread(descriptor, 8192, 0):
                return f"{title} · a binary file, not shown"
            page = _Page(arguments.offset or 1, arguments.limit, self._limits.page_bytes)
            for line in _lines(descriptor, self._limits.scan_bytes, sign):
                page.take(line)
        return page.text(title, found.st_size > self._limits.scan_bytes)


class _Page:
    """Collects the wanted lines and counts the rest."""

    def __init__(self, first: int, limit: int | None, room: int) -> None:
        self._first = first
        self._limit = limit
        self._room = room
        self._total = 0
        self._lines: list[str] = []

    def take(self, line: bytes) -> None:
        self._total += 1
        wanted = self._total == self._first + len(self._lines)
        if not wanted or (self._limit is not None and len(self._lines) >= self._limit):
            return
        text = line.decode(errors="replace")
        text = text if len(text) <= _LINE else f"{text[:_LINE]} [line of {size(len(line))}, cut]"
        if self._lines and len(text.encode()) > self._room:
            return
        self._room -= len(text.encode()) + 1
        self._lines.append(text)

    def text(self, title: str, more: bool) -> str:
        total = f"more than {self._total}" if more else str(self._total)
        if not self._total:
            return f"{title} · empty"
        if not self._lines:
            raise ToolFailure(f"the file has {total} lines; there is no line {self._first}")
        last = self._first + len(self._lines) - 1
        onward = f" · go on with offset={last + 1}" if more or last < self._total else ""
        header = f"{title} · lines {self._first}-{last} of {total}{onward}"
        return "\n".join([header, *self._lines])


class SearchFilesArguments(Arguments):
    query: Annotated[Text, Field(min_length=1, max_length=500, description="Plain text.")]
    path: Annotated[Text | None, Field(description="File or folder; default: the workspace.")] = (
        None
    )


class SearchFiles(_ReadingTool[SearchFilesArguments]):
    """Finds lines that contain a text."""

    summary = "search in files"
    name = "search_files"
    description = (
        "Find lines that contain a text (not a pattern; upper and lower case are equal) in the "
        "text files of the workspace, but for what .gitignore leaves out. Results: path:line: text."
    )
    takes = SearchFilesArguments

    async def perform(
        self, arguments: SearchFilesArguments, place: Place, seen: Seen
    ) -> ToolOutput:
        text, shown = await in_thread(lambda sign: self._search(arguments, place, sign))
        return ToolOutput(text, untrusted=await self._source(place, shown))

    def _search(
        self, arguments: SearchFilesArguments, place: Place, sign: StopSign
    ) -> tuple[str, list[Sequence[str]]]:
        """Returns the hits, and the files that they are from."""
        if "\n" in arguments.query:
            raise ToolFailure("the query must be a single line")
        workspace, start = located(place.workspace, arguments.path or ".")
        limits, walk = self._limits, self._walk(workspace, sign)
        hits: list[str] = []
        shown: list[Sequence[str]] = []
        withheld: list[str] = []
        query = arguments.query.casefold()
        for names, hit in self._hits(query, workspace, start, walk, sign, withheld):
            hits.append(hit)
            shown.append(names)
            if len(hits) >= limits.shown:
                hits.append(f"[the first {limits.shown} lines; use a narrower query or path]")
                break
        text = "\n".join(hits) or "No line contains it."
        notes = ["[not everything was searched: too much for one search]"] if walk.cut else []
        notes += [_withheld(withheld)] if withheld else []
        return "\n".join([text, *notes]), shown

    def _hits(
        self,
        query: str,
        workspace: Workspace,
        start: tuple[str, ...],
        walk: Walk,
        sign: StopSign,
        withheld: list[str],
    ) -> Iterator[tuple[Sequence[str], str]]:
        """Yields the hits; files whose names are those of secrets are `withheld`."""
        if not workspace.is_folder(start):
            yield from self._hits_in(query, workspace, start, walk, sign)
            return
        room = self._limits.search_bytes
        # Somebody has agreed to a search in a folder of secrets: then what is in it counts alone.
        agreed = len(start) if is_secret("/".join(start)) else 0
        for entry in walk.below(start):
            if not entry.is_file:
                continue
            if is_secret("/".join(entry.names[agreed:])):
                withheld.append(shown_name("/".join(entry.names)))
                continue
            room -= min(entry.size, self._limits.scan_bytes)
            if room < 0:
                walk.cut = True
                return
            try:
                yield from self._hits_in(query, workspace, entry.names, walk, sign)
            except ToolFailure:
                continue  # vanished, unreadable or with a second name: not shown

    def _hits_in(
        self, query: str, workspace: Workspace, names: tuple[str, ...], walk: Walk, sign: StopSign
    ) -> Iterator[tuple[Sequence[str], str]]:
        shown = shown_name("/".join(names))
        with workspace.opened(names) as (descriptor, _):
            if b"\0" in os.pread(descriptor, 8192, 0):
                return
            lines = _lines(descriptor, self._limits.scan_bytes, sign)
            for number, line in enumerate(lines, 1):
                if number % 1000 == 0 and walk.spent():
                    return
                text = line.decode(errors="replace")
                at = text.casefold().find(query)
                if at >= 0:
                    yield names, f"{shown}:{number}: {_around(text.strip(), at)}"


def _around(text: str, at: int) -> str:
    start = 0 if len(text) <= _HIT else max(0, min(at - _HIT // 3, len(text) - _HIT))
    piece = text[start : start + _HIT]
    return f"{'…' if start else ''}{piece}{'…' if start + _HIT < len(text) else ''}"


def _lines(descriptor: int, most: int, sign: StopSign) -> Iterator[bytes]:
    """Yields lines of the first `most` bytes without line ends; a very long line is cut."""
    held = b""
    while most > 0 and (chunk := os.read(descriptor, min(_CHUNK, most))):
        sign.heed()
        most -= len(chunk)
        *whole, rest = chunk.split(b"\n")
        if whole:
            whole[0] = held + whole[0]
            held = b""
            yield from (line.removesuffix(b"\r") for line in whole)
        held = (held + rest)[: 4 * _CHUNK]
    if held:
        yield held.removesuffix(b"\r")


def _ignored(entries: Sequence[Found]) -> str:
    names = ", ".join(_line(entry).partition("  ")[0] for entry in entries)
    return f"[left out by .gitignore: {names}; name one as path to look into it]"


def _withheld(names: Sequence[str]) -> str:
    told = ", ".join(names[:_TOLD])
    return f"[not searched, since such files often hold secrets: {told}; name one as path to ask]"


def _line(entry: Found) -> str:
    name = shown_name("/".join(entry.names))
    if entry.is_folder:
        return f"{name}/"
    if entry.is_file:
        return f"{name}  {size(entry.size)}"
    kind = "link, not followed" if stat.S_ISLNK(entry.mode) else "special file"
    return f"{name}  ({kind})"


def reading_tools(
    ledger: KeptTexts, others: OtherChats | None = None, sent: SentFiles | None = None
) -> tuple[Tool, ...]:
    """Returns the tools that look at files."""
    return (
        ListFiles(others=others, sent=sent),
        ReadFile(ledger, others=others, sent=sent),
        SearchFiles(others=others, sent=sent),
    )
