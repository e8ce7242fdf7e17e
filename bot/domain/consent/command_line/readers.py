"""Programs known to read only, each with the options that keep it so.

A wider standing rule covers these and no others. The list names harmless commands, because a
list of harmful ones is never complete: programs run or write because of arguments that nobody
expects. A program, a subcommand or an option that is missing here asks each time.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bot.domain.consent.command_line.programs import names
from bot.domain.value import field, frozen


@frozen
class ReadingForms:
    """The ways to call one program, or one subcommand, that only read."""

    flags: frozenset[str] = frozenset()
    """Options without a value: single letters, or long names without their dashes."""
    values: frozenset[str] = frozenset()
    """Options with a value: a long one has it behind `=`, a letter as the next word.

    A letter that is also a flag has an optional value, which is never the next word: the next word
    is judged like any other word.
    """
    getopt: bool = False
    """True for a program that reads its options with getopt, or just as getopt does.

    There a value may also stand right behind its letter, and the letter behind others. Other
    programs may read `-Io x` as two letters with a value each, so there such a letter stands alone.
    """
    numbers: frozenset[str] = frozenset()
    """Letters that may have a number right behind them without getopt: `git log -n5`."""
    ends: bool = False
    """True when `--` ends the options, as it always does with getopt."""
    operands: int | None = None
    """The most operands it may have; None for any number. A program may write to one more."""
    sign: str = ""
    """The character that each operand begins with, if other operands would change something."""
    counts: bool = False
    """True when a number behind a dash is a count: `head -20`."""
    long_words: bool = False
    """True when one dash stands before a whole word, as in find."""
    refused: re.Pattern[str] | None = None
    """A pattern that no word may hold: it makes a harmless option run a program."""
    subcommands: Mapping[str, "ReadingForms"] = field(default_factory=dict[str, "ReadingForms"])


def only_reads(words: Sequence[str]) -> bool:
    """Returns True when a simple command of these words is known to read and do nothing else."""
    reader = READERS.get(words[0]) if words else None
    rest = list(words[1:])
    if reader is not None and reader.subcommands:
        reader = reader.subcommands.get(rest[0]) if rest else None
        rest = rest[1:]
    return reader is not None and fits(reader, rest)


def reading_programs() -> tuple[str, ...]:
    """Returns the names of all programs that are known to read."""
    return tuple(sorted(READERS))


def reading_subcommands(program: str) -> tuple[str, ...]:
    """Returns the subcommands of a program that only read; none for a program without any."""
    reader = READERS.get(program)
    return () if reader is None else tuple(sorted(reader.subcommands))


def fits(reader: ReadingForms, words: Sequence[str]) -> bool:
    if reader.refused is not None and any(map(reader.refused.search, words)):
        return False
    operands, ended = 0, False
    following = iter(words)
    for word in following:
        if word == "--" and not ended:
            ended = reader.getopt or reader.ends
        elif word.startswith("-") and word != "-" and not ended:
            if not _is_known(reader, word, following):
                return False
        elif not word.startswith(reader.sign):
            return False
        else:
            operands += 1
    return reader.operands is None or operands <= reader.operands


def parted(reader: ReadingForms, words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the operands of words that fit, and the words that are values of options."""
    operands: list[str] = []
    values: list[str] = []
    ended, at = False, 0
    while at < len(words):
        word, at = words[at], at + 1
        if word == "--" and not ended:
            ended = reader.getopt or reader.ends
        elif word.startswith("-") and word != "-" and not ended:
            rest = iter(words[at:])
            _is_known(reader, word, rest)
            taken = len(words) - at - sum(1 for _ in rest)
            values += words[at : at + taken]
            at += taken
        else:
            operands.append(word)
    return tuple(operands), tuple(values)


def _is_known(reader: ReadingForms, word: str, following: Iterator[str]) -> bool:
    """Returns True for a known option; one that takes the next word as its value consumes it."""
    if reader.counts and word[1:].isdecimal():
        return True
    if word.startswith("--"):
        name, glued, _ = word[2:].partition("=")
        return name in (reader.values if glued else reader.flags)
    if reader.long_words:
        if word[1:] in reader.values:
            return next(following, None) is not None
        return word[1:] in reader.flags
    return _is_cluster(reader, word[1:], following)


def _is_cluster(reader: ReadingForms, letters: str, following: Iterator[str]) -> bool:
    """Returns True for known letters behind a dash; a value is the rest, or the next word."""
    if not reader.getopt and not reader.values.isdisjoint(letters) and len(letters) > 1:
        return letters[0] in reader.numbers and letters[1:].isdecimal()
    for at, letter in enumerate(letters, start=1):
        if letter in reader.values:
            optional = letter in reader.flags
            return optional or at < len(letters) or next(following, None) is not None
        if letter not in reader.flags:
            return False
    return True


# %G? and its kin, also as %+G?, %-G? and "% G?", check a signature with a program of the settings.
_SIGNATURE = re.compile(r"%[-+ ]*G")
_GIT_LOG = ReadingForms(
    names(
        "z oneline graph stat shortstat numstat dirstat summary name-only name-status all branches "
        "tags remotes decorate no-decorate no-merges merges first-parent reverse color no-color "
        "pretty abbrev no-patch s abbrev-commit no-abbrev-commit date-order topo-order left-right "
        "show-pulls i regexp-ignore-case E extended-regexp F fixed-strings"
    ),
    names(
        "n max-count skip since until after before author committer grep format pretty date "
        "diff-filter abbrev stat stat-width color decorate"
    ),
    numbers=names("n"),
    ends=True,
    counts=True,
    refused=_SIGNATURE,
)
_GIT: Mapping[str, ReadingForms] = {
    "log": _GIT_LOG,
    "shortlog": ReadingForms(
        names("s n e c numbered summary email"), names("since until author"), ends=True
    ),
    "describe": ReadingForms(
        names("all tags long always contains"), names("abbrev match exclude"), ends=True
    ),
    "rev-parse": ReadingForms(
        names(
            "short verify q quiet abbrev-ref symbolic-full-name show-toplevel is-bare-repository"
        ),
        names("short"),
        ends=True,
    ),
    "ls-tree": ReadingForms(names("r d t l z name-only name-status full-tree long"), ends=True),
}
"""Subcommands that tell of the history alone, without a patch.

A repository names programs in its own settings: filters for all that compares the work tree
(`status`, `diff`, `ls-files`, `blame`), converters and drivers for all that shows a patch (`show`,
`log -p`, `log -S`). Their names are free, so no setting of ours switches them off. What else a
repository may name, `QUIET` (quiet.py) switches off.
"""

# Where tail has one file, it takes `-cf` and `+1f` for its old way to say that it never ends.
_FOLLOWING = re.compile(r"^\+\d*[bcl]?f$")

_getopt = partial(ReadingForms, getopt=True)
_SUMS = _getopt(names("b t c check quiet status strict warn tag z"))

READERS: Mapping[str, ReadingForms] = {
    "git": ReadingForms(subcommands=_GIT),
    "ls": _getopt(
        names(
            "a A l h r R t S X U d F i n o g p q s Q B G k c u v x 1 all almost-all human-readable "
            "recursive reverse size inode directory classify group-directories-first full-time "
            "color numeric-uid-gid no-group"
        ),
        names("I w ignore sort time time-style width color"),
    ),
    "cat": _getopt(names("A b e E n s t T u v number number-nonblank show-all squeeze-blank")),
    "tac": _getopt(),
    "nl": _getopt(values=names("b w s v i")),
    "head": _getopt(names("q v z quiet verbose"), names("n c lines bytes"), counts=True),
    "tail": ReadingForms(
        names("q v z quiet verbose"),
        names("n c lines bytes"),
        numbers=names("n c"),
        ends=True,
        counts=True,
        refused=_FOLLOWING,
    ),
    "wc": _getopt(names("c m l L w bytes chars lines words max-line-length")),
    "grep": _getopt(
        names(
            "E F G P i n l L c w x v o r s q H h a I z count ignore-case line-number recursive "
            "files-with-matches files-without-match word-regexp line-regexp invert-match "
            "only-matching extended-regexp fixed-strings perl-regexp no-messages no-filename "
            "with-filename quiet text color"
        ),
        names(
            "e A B C m regexp after-context before-context context max-count include exclude "
            "exclude-dir color"
        ),
    ),
    "egrep": _getopt(names("i n l L c w x v o r s q H h a"), names("e A B C m include exclude")),
    "fgrep": _getopt(names("i n l L c w x v o r s q H h a"), names("e A B C m include exclude")),
    "rg": _getopt(
        names(
            "i s S n N l c w x v F o p files count ignore-case smart-case line-number no-heading "
            "heading files-with-matches files-without-match fixed-strings word-regexp invert-match "
            "only-matching hidden no-ignore stats trim multiline U json no-config"
        ),
        names(
            "e A B C g t T m M regexp glob type type-not max-count max-depth after-context "
            "before-context context max-columns color"
        ),
    ),
    "find": ReadingForms(
        names(
            "L P H empty not prune print print0 ls o a and or true false depth mount xdev daystart "
            "readable writable executable"
        ),
        names(
            "name iname path ipath type maxdepth mindepth size mtime mmin atime amin ctime cmin "
            "newer perm user group regex iregex regextype links inum"
        ),
        long_words=True,
    ),
    "sort": _getopt(
        names(
            "b d f g h i M n R r s u V z c C m numeric-sort reverse unique version-sort stable "
            "human-numeric-sort ignore-case check"
        ),
        names("k t key field-separator"),
    ),
    "uniq": _getopt(
        names("c d D i u z count repeated unique ignore-case"),
        names("f s w skip-fields skip-chars check-chars"),
        operands=1,
    ),
    "cut": _getopt(
        names("s z n complement only-delimited"),
        names("b c d f bytes characters delimiter fields output-delimiter"),
    ),
    "tr": _getopt(names("c C d s t complement delete squeeze-repeats")),
    "comm": _getopt(names("1 2 3 z total check-order nocheck-order"), names("output-delimiter")),
    "join": _getopt(names("i z header"), names("1 2 j o a v e t")),
    "paste": _getopt(names("s z serial"), names("d delimiters")),
    "fold": _getopt(names("b s bytes spaces"), names("w width")),
    "rev": _getopt(),
    "column": _getopt(names("t table"), names("s o c separator")),
    "diff": _getopt(
        names(
            "q s u r N a b B i w y E Z t brief recursive new-file ignore-case ignore-all-space "
            "ignore-space-change ignore-blank-lines side-by-side suppress-common-lines unified text"
        ),
        names("U C W I x unified context width exclude ignore-matching-lines color"),
    ),
    "cmp": _getopt(names("b l s verbose silent quiet print-bytes"), names("n i")),
    "od": _getopt(names("a b c d f i l o s x v w"), names("A t N j w")),
    "file": _getopt(names("b i L h brief mime mime-type mime-encoding dereference no-dereference")),
    "stat": _getopt(names("L f t dereference terse"), names("c format printf")),
    "du": _getopt(
        names("a h s c k m b x L all human-readable summarize total bytes one-file-system"),
        names("d max-depth exclude"),
    ),
    "df": _getopt(names("h H T i k a human-readable print-type inodes")),
    "free": _getopt(names("b k m g h t human")),
    "tree": ReadingForms(
        names("a d f i s h p u g D r t n C dirsfirst noreport prune"),
        names("L I P filelimit"),
        numbers=names("L"),
        ends=True,
    ),
    "pwd": _getopt(names("L P"), operands=0),
    "basename": _getopt(names("a z multiple"), names("s suffix")),
    "dirname": _getopt(names("z zero")),
    "realpath": _getopt(names("e m s z L P no-symlinks"), names("relative-to relative-base")),
    "readlink": _getopt(names("f e m n z canonicalize no-newline")),
    "echo": ReadingForms(names("n e E")),
    "seq": _getopt(names("w"), names("s f")),
    "date": _getopt(
        names("u R I utc rfc-email iso-8601"), names("d I date iso-8601 rfc-3339"), sign="+"
    ),
    "uname": _getopt(names("a s r m n p o v all"), operands=0),
    "whoami": _getopt(operands=0),
    "id": _getopt(names("u g n G r"), operands=0),
    "nproc": _getopt(names("all"), operands=0),
    "uptime": _getopt(names("p s"), operands=0),
    "true": ReadingForms(operands=0),
    "false": ReadingForms(operands=0),
    "which": _getopt(names("a")),
    "md5sum": _SUMS,
    "sha1sum": _SUMS,
    "sha256sum": _SUMS,
    "sha512sum": _SUMS,
    "b2sum": _SUMS,
    "cksum": _getopt(),
}
"""Readers by the exact name of the program: a path or another spelling does not count."""
