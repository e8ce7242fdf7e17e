"""Standing rules: the calls they cover, and the wider rules that a person may choose."""

import json
import shlex
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, cast

from bot.domain.command_line import is_dangerous, only_reads, parse_simple
from bot.domain.command_line.programs import names
from bot.domain.server import is_servers_tool
from bot.domain.tool import CommandRule, ExactRule, PathRule, RulePattern, ToolRule, canonical

_COMMANDS = "run_command"
_WHOLE = "."
_LONGEST_OPTION = 200

_GUARDED = names(
    "makefile gnumakefile *.mk *.mak *.cmake cmakelists.txt meson.build wscript sconstruct "
    "justfile rakefile gemfile guardfile procfile vagrantfile jenkinsfile dockerfile* *.dockerfile "
    "containerfile* docker-compose* compose*.yml compose*.yaml taskfile.y*ml *.toml *.ini *.cfg "
    "*.lock setup.* requirements*.txt constraints*.txt conftest.py noxfile.py tasks.py fabfile.py "
    "dodo.py sitecustomize.py usercustomize.py *.pth manage.py package*.json npm-shrinkwrap.json "
    "tsconfig*.json jsconfig*.json *.config.js *.config.ts *.config.mjs *.config.cjs gruntfile.* "
    "gulpfile.* *.gradle *.gradle.kts gradlew* pom.xml build.xml build.rs go.mod go.sum go.work "
    "*.bazel *.bzl azure-pipelines.y*ml appveyor.yml cloudbuild.y*ml *.sln *.csproj "
    "*.props *.targets composer.json mix.exs build.sbt "
    # Documents by their ending that tools still obey or run; pytest runs test*.txt.
    "*requirements*.txt *constraints*.txt meson_options.txt conanfile.txt packages.txt bindep.txt "
    "runtime.txt test*.txt claude*.md agents*.md gemini*.md skill.md *instructions*.md "
    "*.prompt.md *.mdc llms*.txt"
)
"""Lower-case names of files that control what tools run: no rule for a folder covers them."""


RULE_DOCUMENTS = (".md", ".txt", ".rst", ".csv", ".tsv", ".log")
"""Endings of documents, unless the operator names others."""

DOCUMENTS = frozenset(RULE_DOCUMENTS)
"""Endings of files that people read and no tool runs; a rule for a folder covers these alone."""


def matches(
    pattern: RulePattern,
    tool: str,
    arguments: Mapping[str, Any],
    documents: frozenset[str] = DOCUMENTS,
    offered: RulePattern | None = None,
) -> bool:
    """Returns true when a rule for this tool covers the call; false in any doubt.

    `offered` is the rule that a card for the call would offer. A rule for a whole tool counts only
    while it is the same one, so a server that is no longer trusted asks again.
    """
    match pattern:
        case ExactRule():
            return pattern.arguments == canonical(arguments)
        case CommandRule():
            return tool == _COMMANDS and _covers_command(pattern.words, arguments.get("command"))
        case PathRule():
            ours = tool != _COMMANDS and not is_servers_tool(tool)
            return ours and _covers_path(pattern.folder, arguments.get("path"), documents)
        case ToolRule():
            return is_servers_tool(tool) and offered == pattern


def widenings(
    tool: str, pattern: RulePattern, documents: frozenset[str] = DOCUMENTS
) -> tuple[RulePattern, ...]:
    """Returns the wider rules that a person may choose instead of this one, narrowest first."""
    match pattern:
        case ExactRule():
            arguments = _decoded(pattern.arguments)
            if tool == _COMMANDS:
                return _shorter_commands(parse_simple(_text(arguments, "command")) or (), full=True)
            if is_servers_tool(tool):
                return ()  # the meaning of a server's `path` is unknown
            path = _text(arguments, "path")
            return _outer_folders(path) if _is_document(path, documents) else ()
        case CommandRule():
            return _shorter_commands(pattern.words, full=False)
        case PathRule():
            return _outer_folders(pattern.folder)
        case ToolRule():
            return ()


def describe(tool: str, pattern: RulePattern) -> str:
    """Returns a rule in words, for lists and buttons."""
    match pattern:
        case ExactRule():
            arguments = _decoded(pattern.arguments)
            subject = _text(arguments, "command" if tool == _COMMANDS else "path")
            return f"{tool}: exactly {subject or pattern.arguments}"
        case CommandRule():
            return f"{tool}: {shlex.join(pattern.words)} …"
        case PathRule():
            return f"{tool}: documents in {pattern.folder}/"
        case ToolRule():
            return f"{tool}: any call"


def is_guarded(path: str) -> bool:
    """Returns True for dot files, build and test configuration, and paths that may lead out."""
    normal = _normal(path)
    return normal is None or any(_is_guarded_name(part) for part in PurePosixPath(normal).parts)


def _is_guarded_name(name: str) -> bool:
    lower = name.lower()
    return lower.startswith(".") or any(fnmatchcase(lower, pattern) for pattern in _GUARDED)


def _normal(path: str) -> str | None:
    """Returns the path without `.` and doubled slashes; None when it may leave the workspace."""
    if not path or not path.isprintable() or path.startswith(("/", "~")):
        return None
    pure = PurePosixPath(path)
    return None if ".." in pure.parts else str(pure)


def _covers_command(prefix: tuple[str, ...], command: object) -> bool:
    words = parse_simple(command) if isinstance(command, str) else None
    if not words or not prefix or words[: len(prefix)] != prefix:
        return False
    if any(_reaches_guarded(word) for word in words[len(prefix) :]):
        return False
    return only_reads(words) and is_dangerous(str(command)) is None


def _reaches_guarded(word: str) -> bool:
    """Returns True when a word or an option's value (`--o=value`, `-ovalue`) is guarded."""
    if word.startswith("-") and len(word) > _LONGEST_OPTION:
        return True
    values = [word.partition("=")[2], *_glued(word)] if word.startswith("-") else [word]
    return any(value not in ("", _WHOLE) and is_guarded(value) for value in values)


def _glued(word: str) -> tuple[str, ...]:
    """Returns each rest of a short option that may be a value: `-abc` may be `-a bc`."""
    return () if word.startswith("--") else tuple(word[at:] for at in range(2, len(word)))


def _covers_path(folder: str, path: object, documents: frozenset[str]) -> bool:
    if not isinstance(path, str) or is_guarded(path) or not _is_document(path, documents):
        return False
    outer, inner = _normal(folder), _normal(path)
    if outer is None or inner is None or inner == _WHOLE:
        return False
    return outer == _WHOLE or PurePosixPath(outer) in PurePosixPath(inner).parents


def _shorter_commands(words: tuple[str, ...], *, full: bool) -> tuple[RulePattern, ...]:
    """Returns rules for the first words of a command that only reads; else an empty tuple."""
    if not only_reads(words):
        return ()
    longest = len(words) if full else len(words) - 1
    shorter = (words[:count] for count in range(longest, 0, -1))
    return tuple(CommandRule(part) for part in shorter if _stands_alone(part))


def _stands_alone(words: tuple[str, ...]) -> bool:
    """Returns True where a rule may end: behind a complete option, and not at bare `git`."""
    return only_reads(words) and not words[-1].startswith("--")


def _outer_folders(path: str) -> tuple[RulePattern, ...]:
    if not path or is_guarded(path):
        return ()
    normal = _normal(path) or _WHOLE
    parents = (str(parent) for parent in PurePosixPath(normal).parents)
    return tuple(PathRule(parent) for parent in parents if parent != _WHOLE)


def _is_document(path: str, documents: frozenset[str]) -> bool:
    return PurePosixPath(path).suffix.lower() in documents


def _decoded(arguments: str) -> Mapping[str, Any]:
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""
