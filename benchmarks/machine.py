"""Where and when figures were taken."""

import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import psutil

from benchmarks.process import ROOT


def description() -> str:
    """The machine, the interpreter and the commit, in two lines."""
    memory = psutil.virtual_memory().total / 1e9
    machine = f"{_processor()}, {psutil.cpu_count()} cores, {memory:.0f} GB, {platform.system()}"
    now = datetime.now(UTC)
    python = f"Python {platform.python_version()}"
    return f"{machine}, {python}\n{_commit()}, measured {now:%Y-%m-%d %H:%M} UTC"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


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
