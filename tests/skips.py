"""Telling each reason for which tests were skipped once, at the end of a run."""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints a line for each reason, with the number of tests that were skipped for it."""
    skipped = Counter(_reason_of(report) for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        terminalreporter.section("skipped", sep="=")
        for told, count in skipped.most_common():
            terminalreporter.write_line(f"{count} skipped: {told}")


def _reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    where = report.longrepr
    text = where[2] if isinstance(where, tuple) else str(where)
    return " ".join(text.removeprefix("Skipped: ").split())
