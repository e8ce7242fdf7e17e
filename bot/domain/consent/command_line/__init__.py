"""Judges shell commands by their text, without running them.

Four questions, each answered on the careful side: is it one simple command whose words are known
(`parse_simple`), does it do something grave (`is_dangerous`), is it known to read only
(`only_reads`, which a wider standing rule needs), and may a rule for exactly this command be
offered (`may_have_rule`)? The language read is that of `bash -c` with a clean environment: no
aliases, no history, no functions from outside.
"""

from bot.domain.consent.command_line.danger import is_dangerous
from bot.domain.consent.command_line.quiet import QUIET
from bot.domain.consent.command_line.readers import (
    only_reads,
    reading_programs,
    reading_subcommands,
)
from bot.domain.consent.command_line.reading_here import Reads, is_git_status, reads_of
from bot.domain.consent.command_line.simple import MAX_COMMAND, may_have_rule, parse_simple

__all__ = [
    "MAX_COMMAND",
    "QUIET",
    "Reads",
    "is_dangerous",
    "is_git_status",
    "may_have_rule",
    "only_reads",
    "parse_simple",
    "reading_programs",
    "reading_subcommands",
    "reads_of",
]
