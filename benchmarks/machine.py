"""Describes the machine and the moment of the figures."""

import platform
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import psutil

from benchmarks.figure import median
from benchmarks.process import ROOT

_COMMITS = 50


def description() -> str:
    """Returns the machine with its disk, the interpreter and the commit, in two lines."""
    memory = psutil.virtual_memory().total / 1e9
    machine = f"{_processor()}, {psutil.cpu_count()} cores, {memory:.0f} GB, {platform.system()}"
    now = datetime.now(UTC)
    python = f"Python {platform.python_version()}"
    disk = f"a durable commit takes {1000 * median(_durable_commits()):.1f} ms"
    return f"{machine}, {python}, {disk}\n{_commit()}, measured {now:%Y-%m-%d %H:%M} UTC"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _durable_commits() -> Iterator[float]:
    """Yields the seconds of SQLite's durable commits, on the disk of the figures."""
    with (
        tempfile.TemporaryDirectory(prefix="steward-bench-") as folder,
        closing(sqlite3.connect(Path(folder) / "commits.db", isolation_level=None)) as database,
    ):
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE kept (words TEXT)")
        for _ in range(_COMMITS):
            begun = time.perf_counter()
            database.execute("INSERT INTO kept VALUES ('A line of a log.')")
            yield time.perf_counter() - begun


def _commit() -> str:
    try:
        told = subprocess.run(
            ["git", "log", "-1", "--format=commit %h of %cI"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        changed = subprocess.run(
            ["git", "diff", "--quiet", "HEAD", "--", "bot"], cwd=ROOT, check=False
        )
    except (OSError, subprocess.CalledProcessError):
        return "not a git checkout"
    return told.stdout.strip() + (" with changes" if changed.returncode else "")
