"""Says what a command reads that is known to only read, as far as its words tell it.

Without a sandbox such a command may run without a card where every path of it lies in the
workspace. What these words leave in doubt is None: it asks. `adapters/tools/reads_within.py` looks
at the files.
"""

from collections.abc import Sequence

from bot.domain.consent.command_line.programs import names
from bot.domain.consent.command_line.readers import READERS, ReadingForms, fits, only_reads, parted
from bot.domain.value import frozen

_SEARCHING = names("grep egrep fgrep rg")
"""Programs whose first operand is a pattern, unless an option has it."""

_TELL_CONTENTS = _SEARCHING | names(
    "cat tac nl head tail wc sort uniq cut diff cmp od file "
    "md5sum sha1sum sha256sum sha512sum b2sum cksum"
)
_TELL_NAMES = names("ls find stat du tree pwd basename dirname")
_ALWAYS_BELOW = names("rg find du tree")
_HAVE_OTHER_L = _SEARCHING | names("tree pwd wc")
"""Programs in which the letters `L` and `H` follow no links."""

_SUMS = names("md5sum sha1sum sha256sum sha512sum b2sum")
_GIT_STATUS = ReadingForms(
    names(
        "s short b branch long z porcelain u untracked-files ignored show-stash ahead-behind "
        "no-ahead-behind renames no-renames column no-column"
    ),
    names("porcelain untracked-files ignored"),
    ends=True,
)


@frozen
class Reads:
    """The paths that a command may read, and how."""

    paths: tuple[str, ...]
    """Its words that may be paths; the folder where it runs is `.`."""
    below: bool = False
    """True when it goes into folders, and into those in them."""
    contents: bool = False
    """True when it tells contents of files, and not names alone."""
    follows: bool = False
    """True when it follows the links that it meets below a folder."""
    repository: bool = False
    """True for git: the repository in the workspace decides what it does."""


def is_git_status(words: Sequence[str]) -> bool:
    """Returns True for `git status` in forms that show no difference."""
    return tuple(words[:2]) == ("git", "status") and fits(_GIT_STATUS, words[2:])


def reads_of(words: Sequence[str]) -> Reads | None:
    """Returns what a command reads; None for one that has to ask."""
    if is_git_status(words):
        paths, _ = parted(_GIT_STATUS, words[2:])
        return Reads((*paths, "."), repository=True)
    if not only_reads(words):
        return None
    if words[0] == "git":
        return Reads((".",), repository=True)
    if words[0] not in _TELL_CONTENTS | _TELL_NAMES or _follows(words) or _lists_files(words):
        return None
    return _of_program(words[0], words[1:])


def _of_program(program: str, rest: Sequence[str]) -> Reads:
    operands, values = parted(READERS[program], rest)
    below = program in _ALWAYS_BELOW or _has(rest, "rR", "--recursive")
    known = program in _SEARCHING and not _has(rest, "e", "--regexp", "--files")
    paths = operands[1:] if known else operands
    # Where an option may hold the pattern, one operand may still be it.
    bare = not paths or (program in _SEARCHING and not known and len(paths) < _PATTERN_AND_PATH)
    if program == "find":
        paths = (*paths, *values)
        bare = bare or not operands
    here = (".",) if bare and (below or program in _TELL_NAMES) else ()
    contents = program in _TELL_CONTENTS
    return Reads((*paths, *here), below, contents, follows=program == "diff")


_PATTERN_AND_PATH = 2


def _follows(words: Sequence[str]) -> bool:
    """Returns True for options that make a program follow links."""
    return words[0] not in _HAVE_OTHER_L and _has(words[1:], "LH", "--dereference")


def _lists_files(words: Sequence[str]) -> bool:
    """Returns True for sums that are checked: they read the files that another file lists."""
    return words[0] in _SUMS and _has(words[1:], "c", "--check")


def _has(words: Sequence[str], letters: str, *long: str) -> bool:
    """Returns True when an option may be one of these; false in no doubt."""
    for word in words:
        if word.startswith("--"):
            if word.partition("=")[0] in long:
                return True
        elif word.startswith("-") and not set(letters).isdisjoint(word):
            return True
    return False
