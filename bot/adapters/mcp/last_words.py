"""The cause of a server's end: how it ended, and what it wrote to its standard error last."""

import re
import signal

_LONGEST = 300
_KEPT = 8_000
_SIGNALLED = 128
"""An exit code above it means a signal, as shells say it."""

_FAULT = re.compile(r"(?:[\w.]+\.)?\w*(?:Error|Exception|Fault|Exit|panic)\b[^:]{0,40}: \S")
_FRAME = re.compile(r"[\s|+-]*")
_TOLD_TO_END = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")


class LastWords:
    """The end of a server's standard error."""

    def __init__(self) -> None:
        self._text = ""

    def add(self, text: str) -> None:
        self._text = (self._text + text)[-_KEPT:]

    def forget(self) -> None:
        """Drops all words so far: what a server says at a good start is no cause of its end."""
        self._text = ""

    def cause(self, exit_code: int | None) -> str:
        """Returns the cause of the end in a sentence; `exit_code` is None while nobody knows it."""
        how = _how(exit_code)
        # A process that is told to end has nothing to say about it.
        words = "" if how.endswith(_TOLD_TO_END) else _end_of(self._text)
        if words:
            return f"{words} ({how})" if how else words
        return f"it ended with {how}" if how else ""


def _how(exit_code: int | None) -> str:
    if exit_code is None:
        return ""
    number = -exit_code if exit_code < 0 else exit_code - _SIGNALLED
    try:
        return f"signal {signal.Signals(number).name}"
    except ValueError:
        return f"exit code {exit_code}"


def _end_of(text: str) -> str:
    """Returns the line that names the fault and the lines after it, or else the last lines."""
    lines = [_FRAME.sub("", line, count=1).rstrip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("at ")]
    named = [n for n, line in enumerate(lines) if _FAULT.match(line)]
    if named:
        told = " ".join(" ".join(lines[named[-1] :]).split())
        return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"
    end: list[str] = []
    room = _LONGEST
    for line in reversed(lines):
        room -= len(line) + 1
        if end and room < 0:
            break
        end.insert(0, line)
    told = " ".join(" ".join(end).split())
    return told if len(told) <= _LONGEST else f"…{told[1 - _LONGEST :]}"
