"""Standing rules that a skill asks for, as far as a person could give such a rule."""

from collections.abc import Iterator, Sequence

from bot.domain.consent.command_line import only_reads, parse_simple, reading_subcommands
from bot.domain.consent.pre_approval import PreApproved
from bot.domain.consent.rules import is_guarded, normal_path, stands_alone
from bot.domain.tools.tool import (
    CommandRule,
    ExactRule,
    PathRule,
    ReadingRule,
    RulePattern,
    canonical,
)

MOST = 12
"""Rules of one offer: a person must be able to read them all."""

COMMANDS = "run_command"

_FILES = ("write_file", "edit_file")
_ANY, _BELOW = " *", "/**"
_MOST_WISHES = 200
"""Wishes of one skill that are looked at."""

_LONGEST = 100
"""Characters of a wish that is looked at."""


def asked_rules(wishes: Sequence[PreApproved]) -> tuple[tuple[str, RulePattern], ...]:
    """Returns the rules for these wishes, each with its tool; none for a wish without one.

    A rule is never wider than the wish, nor than the rules that people can make: commands that are
    known to only read, and documents in a folder. Calls that only read need no rule.
    """
    found = tuple(dict.fromkeys(_rules(wishes[:_MOST_WISHES])))
    if (COMMANDS, ReadingRule()) in found:
        found = tuple(r for r in found if r[0] != COMMANDS or r[1] == ReadingRule())
    return found[:MOST]


def _rules(wishes: Sequence[PreApproved]) -> Iterator[tuple[str, RulePattern]]:
    for wish in wishes:
        if len(wish.pattern) > _LONGEST:
            continue
        rule = _command(wish.pattern) if wish.tool == COMMANDS else None
        rule = _folder(wish.pattern) if wish.tool in _FILES else rule
        if rule is not None:
            yield wish.tool, rule


def _command(pattern: str) -> RulePattern | None:
    """Returns the rule for any command, for the beginning of one, or for exactly one."""
    if not pattern:
        return ReadingRule()
    words = parse_simple(pattern.removesuffix(_ANY))
    if words is None:
        return None
    if not pattern.endswith(_ANY):
        return ExactRule(canonical({"command": pattern})) if only_reads(words) else None
    if len(words) == 1 and reading_subcommands(words[0]):
        return ReadingRule(words)
    return CommandRule(words) if stands_alone(words) else None


def _folder(pattern: str) -> RulePattern | None:
    """Returns the rule for the documents in a folder, written as `notes/**`."""
    if not pattern.endswith(_BELOW):
        return None
    folder = normal_path(pattern.removesuffix(_BELOW))
    if folder in (None, ".") or is_guarded(folder) or set(folder) & set("*?[]{}!"):
        return None
    return PathRule(folder)
