"""Keeping the reason of each failure in the last lines of a run: CI shows no more than those."""

import sys

import pytest

_COLUMNS = 200


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Makes the lines of the summary wide where no screen shows them."""
    if not sys.stdout.isatty():
        terminalreporter.config.get_terminal_writer().fullwidth = _COLUMNS
