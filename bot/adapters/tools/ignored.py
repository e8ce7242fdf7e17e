"""Reads the `.gitignore` files of a workspace, and says which entries a listing leaves out."""

from collections.abc import Sequence

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

from bot.adapters.tools.workspace import Workspace
from bot.domain.talk.errors import ToolFailure
from bot.domain.value import frozen

_FILE = ".gitignore"
_MOST_BYTES = 64_000
_MOST_RULES = 1_000
_MOST_STARS, _MOST_IN_STEP = 3, 2
"""Stars of a rule and of one step of it; with more, a name can be chosen that takes minutes."""

_MOST_COSTLY = 60
"""Rules with several stars that hold in one folder: each may take half a millisecond a name."""

_LONGEST_PATH = 300
"""Characters of a path that is compared, for the same reason."""


@frozen
class _Rules:
    """The rules of one folder."""

    folder: tuple[str, ...]
    spec: GitIgnoreSpec

    def ignores(self, names: Sequence[str], *, folder: bool) -> bool | None:
        """Returns what the rules say of an entry below the folder; None if they say nothing."""
        path = "/".join(names[len(self.folder) :]) + ("/" if folder else "")
        return None if len(path) > _LONGEST_PATH else self.spec.check_file(path).include


@frozen
class IgnoreRules:
    """The rules that hold in a folder: its own come first, then those of the folders above."""

    workspace: Workspace
    _rules: tuple[_Rules, ...] = ()
    _room: int = _MOST_COSTLY

    def within(self, folder: tuple[str, ...]) -> "IgnoreRules":
        """Returns the rules that hold in a folder below; blocks."""
        lines = _lines(self.workspace, folder)
        if not lines:
            return self
        kept, room = list[str](), self._room
        for line in lines:
            costs = line.count("*") > 1
            if _is_rule(line) and (room or not costs):
                kept.append(line)
                room -= costs
        spec = GitIgnoreSpec.from_lines(kept)
        return IgnoreRules(self.workspace, (_Rules(folder, spec), *self._rules), room)

    def at(self, start: tuple[str, ...]) -> "IgnoreRules":
        """Returns the rules for a walk that begins in a folder; blocks.

        Those of the folders above hold too, unless they leave out the folder itself.
        """
        rules = self
        for depth in range(len(start)):
            rules = rules.within(start[:depth])
            if rules.ignores(start[: depth + 1], folder=True):
                return self
        return rules

    def ignores(self, names: Sequence[str], *, folder: bool) -> bool:
        """Returns True for an entry that the nearest rule about it leaves out."""
        said = (rules.ignores(names, folder=folder) for rules in self._rules)
        return next((one for one in said if one is not None), False)


def _lines(workspace: Workspace, folder: Sequence[str]) -> Sequence[str]:
    """Reads the rules of a folder; empty where there are none, or none that can be read."""
    try:
        text = workspace.read((*folder, _FILE), _MOST_BYTES).decode(errors="replace")
    except ToolFailure:
        return ()
    return text.splitlines()[:_MOST_RULES]


def _is_rule(line: str) -> bool:
    steps = (step.count("*") for step in line.split("/") if step.strip("*"))
    if line.count("*") > _MOST_STARS or max(steps, default=0) > _MOST_IN_STEP:
        return False
    try:
        GitIgnoreSpec.from_lines([line])
    except GitIgnorePatternError:
        return False
    return True
