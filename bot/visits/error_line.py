"""Writes one line to standard error, for a person or for a script."""

import os
import sys
from textwrap import fill

_NARROWEST = 20
"""Columns of a terminal that tells none, or very few."""


def print_error(line: str) -> None:
    """Writes a line; in a terminal it breaks between words, and paths and options stay whole."""
    if sys.stderr is None:
        return
    if sys.stderr.isatty():
        columns = max(os.get_terminal_size(sys.stderr.fileno()).columns, _NARROWEST)
        line = fill(line, columns, break_long_words=False, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")
