"""Judges shell commands by their text, without running them.

Three questions, each answered on the careful side: is it one simple command whose words are known
(`parse_simple`), does it do something grave (`is_dangerous`), and may a standing rule cover a
command with these words (`may_have_rule`)? The language read is that of `bash -c` with a clean
environment: no aliases, no history, no functions from outside.
"""

from bot.domain.command_line.danger import is_dangerous
from bot.domain.command_line.simple import MAX_COMMAND, may_have_rule, parse_simple

__all__ = ["MAX_COMMAND", "is_dangerous", "may_have_rule", "parse_simple"]
