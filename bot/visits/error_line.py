"""Writes one line to standard error, for a person or for a script."""

import os
import sys

from bot.domain.text.broken_lines import broken


def print_error(line: str) -> None:
    """Writes a line; in a terminal it breaks between words, and paths and options stay whole."""
    if sys.stderr is None:
        return
    if sys.stderr.isatty():
        line = broken(line, os.get_terminal_size(sys.stderr.fileno()).columns)
    sys.stderr.write(f"{line}\n")
