"""Standing rules: the calls they cover, and the wider rules that a person may choose."""

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from fnmatch import translate
from pathlib import PurePosixPath
from typing import Any, cast

from bot.domain.consent.approval import Rule
from bot.domain.consent.command_line import (
    is_dangerous,
    only_reads,
    parse_simple,
    reading_programs,
    reading_subcommands,
)
from bot.domain.consent.command_line.programs import names
from bot.domain.text.visible_text import shown_name
from bot.domain.tools.deed_words import file_name
from bot.domain.tools.deeds import deed_of
from bot.domain.tools.server import is_servers_tool
from bot.domain.tools.tool import (
    CommandRule,
    ExactRule,
    OriginRule,
    PathRule,
    ReadingRule,
    RulePattern,
    ToolRule,
    canonical,
)

_COMMANDS = "run_command"
_WHOLE = "."
_LONGEST_OPTION = 200
_MOST_WORDS = 20
"""The first words of a command that a rule may name; each number of them is judged by itself."""

_LONGEST_COVERED = 4_000
"""Characters of a command or a path that a wider rule may cover: each word of it is judged."""

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
    "*.prompt.md *.mdc llms*.txt agent*.md qwen.md warp.md crush.md codex.md copilot*.md "
    "conventions.md cmake*.txt entry_points.txt requirements constraints"
)
"""Lower-case names of files that control what tools run: no rule for a folder covers them."""

_IS_GUARDED = re.compile("|".join((r"\..*", *map(translate, sorted(_GUARDED)))), re.DOTALL)


RULE_DOCUMENTS = (".md", ".txt", ".rst", ".csv", ".tsv", ".log")
"""Endings of documents, unless the operator names others."""

_ENDING = re.compile(r"\.[a-z0-9]{1,16}")

DOCUMENTS = frozenset(RULE_DOCUMENTS)
"""Endings of files that people read and no tool runs; a rule for a folder covers these alone."""


def read_endings(text: str) -> tuple[str, ...]:
    """Reads `.md,.txt`: endings of file names, in lower case; raises ValueError."""
    found = [ending.strip().lower() for ending in text.split(",") if ending.strip()]
    for ending in found:
        if not _ENDING.fullmatch(ending):
            raise ValueError(f"“{ending}” should be a dot and letters or digits, as in .md")
    return tuple(dict.fromkeys(found))


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
            covered = _covers_command(pattern.words, arguments.get("command"))
            return tool == _COMMANDS and bool(pattern.words) and covered
        case ReadingRule():
            return tool == _COMMANDS and _covers_command(pattern.words, arguments.get("command"))
        case PathRule():
            ours = tool != _COMMANDS and not is_servers_tool(tool)
            return ours and _covers_path(pattern.folder, arguments.get("path"), documents)
        case ToolRule():
            return is_servers_tool(tool) and offered == pattern
        case OriginRule():
            return False


def trusted_origins(rules: Iterable[Rule]) -> frozenset[str]:
    """Returns the origins whose texts pause no rule."""
    patterns = (rule.pattern for rule in rules)
    return frozenset(each.origin for each in patterns if isinstance(each, OriginRule))


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
            return _outer_folders(path) if is_document(path, documents) else ()
        case CommandRule():
            return _shorter_commands(pattern.words, full=False)
        case PathRule():
            return _outer_folders(pattern.folder)
        case ToolRule() | ReadingRule() | OriginRule():
            return ()


def describe(tool: str, pattern: RulePattern) -> str:
    """Returns in words what a rule lets run, for lists and the record."""
    match pattern:
        case ExactRule():
            return _exactly(tool, _decoded(pattern.arguments))
        case CommandRule():
            return f"Run `{shown_name(shlex.join(pattern.words))} …`"
        case PathRule():
            verb = deed_of(tool, {"path": _WHOLE}).partition(" ")[0]
            return f"{verb} documents in {file_name(pattern.folder)}/"
        case ToolRule():
            return f"{deed_of(tool, {})}, any call"
        case ReadingRule():
            return _reading(pattern)
        case OriginRule():
            return f"Trust {pattern.origin}"


def allowed_by(rule: Rule) -> str:
    """Returns the part of a sentence about a call that ran because of this rule.

    Empty for a rule about commands that only read: nothing changed that is worth a line.
    """
    if isinstance(rule.pattern, ReadingRule):
        return ""
    if rule.under:
        return "as you allowed for this skill"
    return f"as your rule for {_subject(rule.pattern)} allows"


def _subject(pattern: RulePattern) -> str:
    match pattern:
        case PathRule():
            whole = pattern.folder == _WHOLE
            return "all documents" if whole else f"{file_name(pattern.folder)}/"
        case CommandRule():
            return f"`{shown_name(shlex.join(pattern.words))} …`"
        case ToolRule():
            return "any call of this tool"
        case _:
            return "exactly this"


def allowed_line(told: str, times: int) -> str:
    """Returns the line about a call that ran because of a rule, so many times."""
    return f"✓ {told}" if times == 1 else f"✓ {told} ({times} times)"


def _exactly(tool: str, arguments: Mapping[str, Any]) -> str:
    if tool == _COMMANDS:
        return f"Run `{shown_name(_text(arguments, 'command'))}`"
    match tool:
        case "write_file":
            return f"Write exactly this content in {file_name(_text(arguments, 'path'))}"
        case "delete_file":
            return deed_of(tool, arguments)
        case _:
            return f"{deed_of(tool, arguments)}, with exactly these values"


def _reading(pattern: ReadingRule) -> str:
    if not pattern.words:
        return f"Run commands that only read ({', '.join(reading_programs())})"
    known = ", ".join(reading_subcommands(pattern.words[0])) or "with options that only read"
    return f"Run `{shlex.join(pattern.words)}`, where it only reads ({known})"


def folder_rule(
    tool: str, pattern: RulePattern | None, documents: frozenset[str] = DOCUMENTS
) -> PathRule | None:
    """Returns the rule for the folder of the document that an exact rule is about."""
    if not isinstance(pattern, ExactRule):
        return None
    wider = widenings(tool, pattern, documents)
    return next((rule for rule in wider if isinstance(rule, PathRule)), None)


def is_guarded(path: str) -> bool:
    """Returns True for dot files, build and test configuration, and paths that may lead out.

    So it does for a path too long to be judged at once.
    """
    if len(path) > _LONGEST_COVERED:
        return True
    normal = normal_path(path)
    return normal is None or any(_is_guarded_name(part) for part in PurePosixPath(normal).parts)


def _is_guarded_name(name: str) -> bool:
    return _IS_GUARDED.match(name.lower()) is not None


def normal_path(path: str) -> str | None:
    """Returns the path without `.` and doubled slashes; None when it may leave the workspace."""
    if not path or not path.isprintable() or path.startswith(("/", "~")):
        return None
    pure = PurePosixPath(path)
    return None if ".." in pure.parts else str(pure)


def _covers_command(prefix: tuple[str, ...], command: object) -> bool:
    if not isinstance(command, str) or len(command) > _LONGEST_COVERED:
        return False
    words = parse_simple(command)
    if not words or words[: len(prefix)] != prefix:
        return False
    if any(_reaches_guarded(word) for word in words[max(1, len(prefix)) :]):
        return False
    return only_reads(words) and is_dangerous(command) is None


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
    if not isinstance(path, str) or is_guarded(path) or not is_document(path, documents):
        return False
    outer, inner = normal_path(folder), normal_path(path)
    if outer is None or inner is None or inner == _WHOLE:
        return False
    return outer == _WHOLE or PurePosixPath(outer) in PurePosixPath(inner).parents


def _shorter_commands(words: tuple[str, ...], *, full: bool) -> tuple[RulePattern, ...]:
    """Returns rules for the first words of a command that only reads; else an empty tuple."""
    if sum(map(len, words)) > _LONGEST_COVERED or not only_reads(words):
        return ()
    longest = min(len(words) if full else len(words) - 1, _MOST_WORDS)
    shorter = (words[:count] for count in range(longest, 0, -1))
    return tuple(CommandRule(part) for part in shorter if stands_alone(part))


def stands_alone(words: tuple[str, ...]) -> bool:
    """Returns True where a rule may end: behind a complete option, and not at bare `git`."""
    return only_reads(words) and not words[-1].startswith("--")


def _outer_folders(path: str) -> tuple[RulePattern, ...]:
    if not path or is_guarded(path):
        return ()
    normal = normal_path(path) or _WHOLE
    parents = (str(parent) for parent in PurePosixPath(normal).parents)
    return tuple(PathRule(parent) for parent in parents if parent != _WHOLE)


def is_document(path: str, documents: frozenset[str]) -> bool:
    """Returns True for a file that people read and no tool runs, by the ending of its name."""
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
