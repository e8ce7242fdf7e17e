"""Logging: one line an event, to standard error, with no secret in it."""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote, quote_plus

_HOUR = 3600.0
_MOST_AN_HOUR = 5
_PLACES = 512
_HIDDEN = "[secret]"
_SHORTEST_SECRET = 6
_NOISY = (
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "telegram",
    "discord",
    "aiohttp",
    "anthropic",
    "openai",
    "alembic",
    "sqlalchemy",
    "aiosqlite",
    "asyncio",
    "mcp",
    "client",
)


@dataclass(slots=True)
class _Traces:
    name: Callable[[str], str] | None = None
    """Returns the trace of a turn, while traces are sent."""


_traces = _Traces()
_context: ContextVar[Mapping[str, Any] | None] = ContextVar("log_context", default=None)


class Secrets:
    """Holds texts that no log line may show, also as addresses and JSON spell them."""

    def __init__(self) -> None:
        self._forms: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def add(self, *secrets: str) -> None:
        """Hides these texts from now on; a text too short to be a secret is left alone."""
        with self._lock:
            forms = set(self._forms)
            for secret in secrets:
                if len(secret) >= _SHORTEST_SECRET:
                    forms |= {secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}
                    forms |= {json.dumps(secret)[1:-1], repr(secret)[1:-1]}
            # The longest first: a form may be part of another one.
            self._forms = tuple(sorted(forms, key=len, reverse=True))

    def hidden(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, _HIDDEN)
        return text


@contextmanager
def traces_named(name: Callable[[str], str]) -> Iterator[None]:
    """Has each line about a turn name its trace meanwhile."""
    _traces.name = name
    try:
        yield
    finally:
        _traces.name = None


@contextmanager
def log_context(**values: Any) -> Iterator[None]:
    """Adds values (`chat=…`, `turn=…`) to every log line written inside, tasks included."""
    token = _context.set({**(_context.get() or {}), **values})
    try:
        yield
    finally:
        _context.reset(token)


class Repeats(logging.Filter):
    """Leaves out what one place of the program says again and again: a fault may last for a night.

    Of warnings and worse, five an hour of each place are written; the next hour tells the others.
    """

    def __init__(self) -> None:
        super().__init__()
        self._hours: OrderedDict[tuple[str, str], _Hour] = OrderedDict()
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        place = (record.name, str(record.msg))
        with self._lock:
            hour = self._hours.get(place)
            if hour is None or not 0 <= record.created - hour.began < _HOUR:
                left_out = hour.count - _MOST_AN_HOUR if hour else 0
                hour = self._hours[place] = _Hour(record.created)
                if left_out > 0:
                    record.msg = f"{record.msg} ({left_out} more like it before were left out)"
            hour.count += 1
            self._hours.move_to_end(place)
            if len(self._hours) > _PLACES:
                self._hours.popitem(last=False)
            return hour.count <= _MOST_AN_HOUR


@dataclass(slots=True)
class _Hour:
    began: float
    count: int = 0


def start_logging(
    handler: logging.Handler, secrets: Secrets, *, style: Literal["text", "json"], level: str
) -> None:
    """Sends every log line to this handler alone, in place of any earlier arrangement."""
    # A line that cannot be written, on a full disk, must not spill its trace into the chat.
    logging.raiseExceptions = False
    handler.filters[:] = [Repeats()]
    handler.setFormatter(_JsonLine(secrets) if style == "json" else _TextLine(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for logger in map(logging.getLogger, _NOISY):
        # Each change of a level goes through all loggers there are.
        if logger.level != logging.WARNING:
            logger.setLevel(logging.WARNING)


def _about(record: logging.LogRecord) -> dict[str, Any]:
    """Returns chat and turn of a record: its own `extra` before the context it was written in."""
    own = {name: value for name in ("chat", "turn") if (value := getattr(record, name, None))}
    about = {**(_context.get() or {}), **own}
    if _traces.name is not None and "turn" in about:
        about["trace_id"] = _traces.name(str(about["turn"]))
    return about


def _printable(text: str, keep: str = "") -> str:
    """Writes control and invisible characters out, so that foreign text cannot forge a line."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in keep else ascii(letter)[1:-1] for letter in text
    )


class _Line(logging.Formatter):
    """Returns the cleaned message and trace, which both styles share."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def _message(self, record: logging.LogRecord) -> str:
        return _printable(self._secrets.hidden(_told(record)))

    def _trace(self, record: logging.LogRecord) -> str:
        parts = [self.formatException(record.exc_info)] if record.exc_info else []
        if record.stack_info:
            parts.append(self.formatStack(record.stack_info))
        return _printable(self._secrets.hidden("\n".join(parts)), keep="\n")

    def _value(self, value: Any) -> str:
        return _printable(self._secrets.hidden(str(value)))


class _TextLine(_Line):
    """For people: `12:00:00 INFO bot.flow.turn.turns: what happened (chat=1)`."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        about = " ".join(f"{name}={self._value(value)}" for name, value in _about(record).items())
        line = f"{time} {record.levelname} {record.name}: {self._message(record)}"
        line += f" ({about})" if about else ""
        # Indented, no line of a trace can be taken for an event of its own.
        return "\n    ".join([line, *self._trace(record).splitlines()])


class _JsonLine(_Line):
    """For programs: one object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": self._message(record),
        }
        for name, value in _about(record).items():
            line[name] = value if isinstance(value, int) else self._value(value)
        if trace := self._trace(record):
            line["trace"] = trace
        return json.dumps(line, ensure_ascii=False)


def _told(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg} {record.args}"
