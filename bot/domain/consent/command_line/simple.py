"""One simple command: its words, and the check if a standing rule may cover it."""

import string
from collections.abc import Sequence

from bot.domain.consent.command_line.programs import (
    BUILDERS,
    CONTAINERS,
    EDITORS,
    EVALUATORS,
    INTERPRETERS,
    PRIVILEGE,
    REMOTE,
    SHELLS,
    WRAPPERS,
    names,
    program,
)

MAX_COMMAND = 100_000
"""Characters; longer commands are neither parsed nor taken for harmless."""

_BARE = frozenset(string.ascii_letters + string.digits + "_./:@%+,=-")
_RESERVED = names(
    "if then else elif fi do done case esac while until for in function time coproc select "
    "{ } ! [[ ]]"
)
_NO_RULE = (
    SHELLS | INTERPRETERS | WRAPPERS | EVALUATORS | EDITORS | REMOTE | CONTAINERS
    | PRIVILEGE | BUILDERS
)  # fmt: skip

_RUNNING_OPTIONS = {
    "find": (
        "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls",
    ),
    "fd": ("--exec", "--exec-batch", "-x", "-X"),
    "rg": ("--pre", "--hostname-bin"),
    "split": ("--filter",),
    "sort": ("--compress-program", "--output", "-o"),
    "pytest": ("--config-file", "--override-ini", "--basetemp", "--pdbcls", "-c", "-o", "-p"),
    "mypy": ("--python-executable", "--config-file"),
    "pandoc": ("--filter", "--lua-filter", "--pdf-engine", "-F", "-L"),
    "ctags": ("--options",),
    "tcpdump": ("-z",),
    "nmap": ("--script",),
    "hg": ("--config",),
    "git": (
        "--output", "--exec", "--upload-pack", "--receive-pack", "--ext-diff", "--textconv",
        "--open-files-in-pager", "--template", "--config", "--edit", "-O", "-c", "-e",
    ),
}  # fmt: skip
"""Options that make a plain program run another one or write anywhere."""

_PLAIN_GIT = names(
    "status log diff show add commit branch switch tag fetch pull push merge stash restore mv "
    "blame shortlog describe rev-parse ls-files"
)


def parse_simple(command: str) -> tuple[str, ...] | None:
    """Returns the words of one simple command as bash passes them on; None when in doubt."""
    if len(command) > MAX_COMMAND:
        return None
    words: list[str] = []
    at = 0
    while True:
        while at < len(command) and command[at] in " \t":
            at += 1
        if at == len(command):
            break
        found = _plain_word(command, at)
        if found is None:
            return None
        word, at = found
        words.append(word)
    if not words or not words[0] or words[0] in _RESERVED or "=" in words[0] or words[0][0] == "%":
        return None
    return tuple(words)


def _plain_word(command: str, at: int) -> tuple[str, int] | None:
    parts: list[str] = []
    while at < len(command) and command[at] not in " \t":
        char = command[at]
        if char in "'\"":
            end = command.find(char, at + 1)
            inside = command[at + 1 : end]
            if end < 0 or not _is_literal(inside, char):
                return None
            parts.append(inside)
            at = end + 1
        elif char in _BARE:
            parts.append(char)
            at += 1
        else:
            return None
    return "".join(parts), at


def _is_literal(inside: str, quote: str) -> bool:
    return inside.isprintable() and (quote == "'" or not set(inside) & set("$`\\!"))


def may_have_rule(words: Sequence[str]) -> bool:
    """Returns False for programs that run others, evaluate text or reach out, and for paths."""
    if not words or "/" in words[0]:
        return False
    name = program(words[0])
    if name in _NO_RULE or name.startswith("mkfs"):
        return False
    if name == "git" and (len(words) < 2 or words[1] not in _PLAIN_GIT):
        return False
    running = _RUNNING_OPTIONS.get(name, ())
    return not any(_is_option(word, option) for word in words[1:] for option in running)


def _is_option(word: str, option: str) -> bool:
    """Returns True for the option, also shortened, or attached to its value or to other options."""
    if option.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and option.startswith(name)
    if len(option) > 2:
        return word == option
    return word.startswith("-") and not word.startswith("--") and option[1] in word
