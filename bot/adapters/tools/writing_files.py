"""The tools that change files: write_file, edit_file, delete_file."""

import hashlib
from typing import Annotated, TypeVar

from pydantic import Field

from bot.adapters.tools.before import Before
from bot.adapters.tools.difference import file_difference, passage_difference
from bot.adapters.tools.thread_work import StopSign, in_thread
from bot.adapters.tools.workspace import FileState, Workspace, located
from bot.domain.consent.rules import DOCUMENTS, is_document, is_guarded
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Block, CodeBlock, Plain
from bot.domain.talk.reach import Reach
from bot.domain.text.visible_text import shown_name, size, visible
from bot.domain.tools.deed_words import file_name
from bot.domain.tools.file_change import ABSENT, Replaced, token_of
from bot.domain.tools.tool import Effect, ExactRule, Preview, Replay, ToolOutput, ToolSpec
from bot.domain.value import frozen, replace
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.tool import Place, Seen

_WHERE = "in the workspace"


@frozen
class _Change:
    """A change of a file in words."""

    verb: str
    done: str


_CREATE, _REPLACE = _Change("Create", "created"), _Change("Replace", "replaced")
_EDIT, _DELETE = _Change("Edit", "edited"), _Change("Delete", "deleted")
_EDITABLE = 5_000_000
_EXECUTABLE = 0o111

A = TypeVar("A", bound=Arguments)


class _WritingTool(ArgumentsTool[A]):
    """Changes a file, and hands its old content on so that the change can be taken back."""

    effect = Effect.WRITE
    replay = Replay.ONCE

    def __init__(self, documents: frozenset[str] = DOCUMENTS, keep: int = 0) -> None:
        """Takes `keep`: the most bytes of an old content that is handed on with the result."""
        self._documents = documents
        self._keep = min(keep, _EDITABLE)

    def completed(self, spec: ToolSpec) -> ToolSpec:
        return replace(spec, reach=Reach.FOLDER)


class WriteFileArguments(Arguments):
    path: Annotated[Text, Field(description="File in the workspace; folders are made.")]
    content: Annotated[Text, Field(description="The whole new content.")]


_NO_CHANGE = (Plain("No change: the file holds exactly this already."),)
_SAME = "the file has this content already"
"""The note of a preview after which nothing is written."""


class WriteFile(_WritingTool[WriteFileArguments]):
    """Creates a file or replaces one."""

    name = "write_file"
    summary = "create or replace a file"
    description = (
        "Create a text file in the workspace or replace it as a whole. To change a part of an "
        "existing file use edit_file."
    )
    takes = WriteFileArguments

    async def foresee(
        self, arguments: WriteFileArguments, place: Place, exact: ExactRule
    ) -> Preview:
        workspace, names = located(place.workspace, arguments.path)
        old = await in_thread(lambda _: workspace.state(names))
        if old is not None and old.token == token_of(arguments.content.encode()):
            blocks = _NO_CHANGE
            card = _card(self.spec, place, _REPLACE, names, old, blocks, None)
            return replace(card, effect=Effect.READ, seen=_SAME)
        always = exact if is_document(names[-1], self._documents) else None
        if old is None:
            content = visible(arguments.content)
            shown = CodeBlock(content, _language(names), folds=True)
            blocks = (shown if content else Plain("(an empty file)"),)
            return _card(self.spec, place, _CREATE, names, old, blocks, always)
        blocks = await in_thread(lambda _: _replaced(workspace, names, old, arguments.content))
        card = _card(self.spec, place, _REPLACE, names, old, blocks, always)
        return replace(card, document=f"{card.document}.diff")

    async def perform(self, arguments: WriteFileArguments, place: Place, seen: Seen) -> ToolOutput:
        workspace, names = located(place.workspace, arguments.path)
        content = arguments.content.encode()
        if seen == _SAME:
            return await in_thread(lambda _: _left_alone(workspace, names, content))

        def write(sign: StopSign) -> Replaced | None:
            before = Before.of(workspace, names, seen, self._keep)
            workspace.write(names, content, before.token, sign.heed)
            return before.replaced(token_of(content))

        replaced = await in_thread(write)
        return ToolOutput(f"Wrote {size(len(content))} to {_shown(names)}.", replaced=replaced)


def _left_alone(workspace: Workspace, names: tuple[str, ...], content: bytes) -> ToolOutput:
    """Says that a file has its content already; writes nothing, as nobody was asked."""
    found = workspace.state(names)
    if found is None or found.token != token_of(content):
        raise ToolFailure(f"{_shown(names)} has just changed; write it again")
    return ToolOutput(f"{_shown(names)} has exactly this content already. Nothing was changed.")


class EditFileArguments(Arguments):
    path: Annotated[Text, Field(description="File in the workspace.")]
    old_text: Annotated[
        Text, Field(min_length=1, description="Text to replace; must occur exactly once.")
    ]
    new_text: Annotated[Text, Field(description="Text to put there; may be empty.")]


class EditFile(_WritingTool[EditFileArguments]):
    """Replaces one passage of a file."""

    name = "edit_file"
    summary = "change a part of a file"
    description = (
        "Replace one passage of a text file in the workspace. old_text must match the file "
        "exactly, white space included, and only once: add surrounding lines if needed."
    )
    takes = EditFileArguments

    async def foresee(
        self, arguments: EditFileArguments, place: Place, exact: ExactRule
    ) -> Preview:
        workspace, names = located(place.workspace, arguments.path)
        edit = await in_thread(lambda _: _edit(workspace, names, arguments))
        always = exact if is_document(names[-1], self._documents) else None
        blocks = (CodeBlock(visible(edit.shown), "diff", folds=True),)
        card = _card(self.spec, place, _EDIT, names, edit.before, blocks, always)
        return replace(card, seen=edit.token, once=True, document=f"{card.document}.diff")

    async def perform(self, arguments: EditFileArguments, place: Place, seen: Seen) -> ToolOutput:
        workspace, names = located(place.workspace, arguments.path)

        def change(sign: StopSign) -> Replaced | None:
            edit = _edit(workspace, names, arguments)
            if seen is not None and seen != edit.token:
                told = "the lines around this passage have changed since they were shown"
                raise ToolFailure(f"{_shown(names)}: {told}; look at it again")
            token = ABSENT if edit.before is None else edit.before.token
            before = Before.of(workspace, names, token, self._keep)
            content = edit.text.encode()
            workspace.write(names, content, token, sign.heed)
            return before.replaced(token_of(content))

        replaced = await in_thread(change)
        return ToolOutput(f"Changed {_shown(names)}.", replaced=replaced)


class DeleteFileArguments(Arguments):
    path: Annotated[Text, Field(description="File in the workspace; not a folder.")]


class DeleteFile(_WritingTool[DeleteFileArguments]):
    """Removes one file."""

    name = "delete_file"
    summary = "delete a file"
    takes = DeleteFileArguments

    def __init__(self, documents: frozenset[str] = DOCUMENTS, keep: int = 0) -> None:
        super().__init__(documents, keep)
        self.description = (
            "Delete one file of the workspace. A person can undo that for a while with /undo, "
            "unless the file is large."
            if self._keep
            else "Delete one file of the workspace. It cannot be brought back."
        )

    async def foresee(
        self, arguments: DeleteFileArguments, place: Place, exact: ExactRule
    ) -> Preview:
        workspace, names = located(place.workspace, arguments.path)
        state = await in_thread(lambda _: workspace.state(names))
        if state is None:
            raise ToolFailure(f"{_shown(names)}: there is no such file")
        always = exact if is_document(names[-1], self._documents) else None
        kept = state.size <= self._keep
        back = ". /undo can bring it back for a while." if kept else " and cannot be brought back."
        blocks = (Plain(f"It has {size(state.size)}{back}"),)
        return replace(_card(self.spec, place, _DELETE, names, state, blocks, always), once=True)

    async def perform(self, arguments: DeleteFileArguments, place: Place, seen: Seen) -> ToolOutput:
        workspace, names = located(place.workspace, arguments.path)

        def delete(sign: StopSign) -> Replaced | None:
            before = Before.of(workspace, names, seen, self._keep)
            sign.heed()
            workspace.delete(names, before.token)
            return before.replaced(ABSENT)

        replaced = await in_thread(delete)
        return ToolOutput(f"Deleted {_shown(names)}.", replaced=replaced)


def writing_tools(
    documents: frozenset[str] = DOCUMENTS, keep: int = 0
) -> tuple[WriteFile, EditFile, DeleteFile]:
    """Returns the tools that change files.

    Cards offer a standing rule for files that end in one of `documents`. Old contents of up to
    `keep` bytes are handed on, so that a change can be taken back.
    """
    return WriteFile(documents, keep), EditFile(documents, keep), DeleteFile(documents, keep)


@frozen
class _Edit:
    """One passage of a file replaced by another."""

    before: FileState | None
    """The file as it was found."""
    text: str
    """The whole text of the file after the edit."""
    shown: str
    """The lines that change, with two lines around them, as a card shows them."""

    @property
    def token(self) -> str:
        """Returns a digest of the lines on the card, wherever in the file they stand by now."""
        lines = self.shown.partition("\n")[2]
        return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()


def _edit(workspace: Workspace, names: tuple[str, ...], arguments: EditFileArguments) -> _Edit:
    """Reads the file and makes the edit in memory; blocks."""
    before = workspace.state(names)
    try:
        text = workspace.read(names, _EDITABLE).decode()
    except UnicodeDecodeError:
        raise ToolFailure(f"{_shown(names)}: not a UTF-8 text file") from None
    old, new = arguments.old_text, arguments.new_text
    if old == new:
        raise ToolFailure("the new text is the same as the old one")
    at = text.find(old)
    if at < 0:
        hint = " (the file ends its lines with CR LF)" if "\r\n" in text and "\n" in old else ""
        raise ToolFailure(f"{_shown(names)}: the text to replace is not in it{hint}")
    if text.find(old, at + 1) >= 0:
        twice = "the text to replace is there more than once; add lines around it"
        raise ToolFailure(f"{_shown(names)}: {twice}")
    changed = text[:at] + new + text[at + len(old) :]
    return _Edit(before, changed, passage_difference(text, at, old, new))


def _replaced(
    workspace: Workspace, names: tuple[str, ...], old: FileState, content: str
) -> tuple[Block, ...]:
    """Returns what changes in a file that is replaced as a whole; blocks."""
    new = content.encode()
    whole = CodeBlock(visible(content), _language(names), folds=True)
    if old.size > _EDITABLE:
        return (Plain(f"{size(old.size)} → {size(len(new))}, the new content:"), whole)
    found = workspace.read(names, _EDITABLE)
    if found == new:
        return _NO_CHANGE
    try:
        shown = file_difference(found.decode(), content)
    except UnicodeDecodeError:
        told = f"The old file is not text. {size(old.size)} → {size(len(new))}, the new content:"
        return (Plain(told), whole)
    return (CodeBlock(visible(shown), "diff", folds=True),)


def _card(
    spec: ToolSpec,
    place: Place,
    change: "_Change",
    names: tuple[str, ...],
    state: FileState | None,
    blocks: tuple[Block, ...],
    always: ExactRule | None,
) -> Preview:
    """Returns the preview of a change; no rule is offered for what tools may run or obey."""
    runs = state is not None and state.mode & _EXECUTABLE != 0
    always = None if runs or is_guarded("/".join(names)) else always
    name = file_name("/".join(names))
    return Preview(
        title=f"{change.verb} {name}",
        subject=f"{change.verb} {name}",
        effect=spec.effect,
        blocks=blocks,
        where=_WHERE,
        seen=ABSENT if state is None else state.token,
        why="The file is a program, so this always asks" if runs else "",
        always=always,
        reach=place.reach(spec.reach),
        done=f"{name} {change.done}",
        document=file_name(names[-1]),
    )


def _language(names: tuple[str, ...]) -> str:
    suffix = names[-1].rpartition(".")[2] if "." in names[-1] else ""
    return suffix if suffix.isascii() and suffix.isalnum() and len(suffix) <= 12 else ""


def _shown(names: tuple[str, ...]) -> str:
    return shown_name("/".join(names)) or "."
