"""Writes values into `.env` and keeps everything else that stands there."""

import io
import os
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

from dotenv.parser import Binding, parse_stream

from bot.domain.talk.errors import SettingError
from bot.settings.layers import DOTENV

_PLAIN = re.compile(r"[A-Za-z0-9_.:/+=-]+")
_COMMENT = re.compile(r"[\"']?([ \t]+#[^\r\n]*)")
_NEW = ".new"


def write_env(folder: Path, values: Mapping[str, str]) -> Path:
    """Sets these values in the `.env` of a folder, for its user alone, and returns the file.

    The file is replaced as a whole or not at all. Raises SettingError when it cannot be written.
    """
    return rewritten(folder / DOTENV, lambda before: with_values(before, values))


def rewritten(file: Path, change: Callable[[str], str]) -> Path:
    """Changes the text of a file that may be missing; returns the file, raises SettingError."""
    file = file.resolve()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        before = file.read_bytes().decode("utf-8") if file.exists() else ""
        _put(file, change(before))
    except UnicodeDecodeError as error:
        raise SettingError(f"{file} cannot be read: it is not UTF-8 text.") from error
    except OSError as error:
        why = error.strerror or "no reason given"
        raise SettingError(f"{file} cannot be written: {why}. Nothing was saved.") from error
    return file


def with_values(text: str, values: Mapping[str, str]) -> str:
    """Returns the text of an `.env` with these values in it.

    A name that is set already keeps its line and the comment behind it. A new one comes below a
    line that shows it as an example, or at the end.
    """
    for name, value in values.items():
        text = _with_value(text, name, value)
    return text


def without_values(text: str, names: Collection[str]) -> str:
    """Returns the text of an `.env` in which these names are not set."""
    bindings = parse_stream(io.StringIO(text, newline=""))
    return "".join(one.original.string for one in bindings if one.key not in names)


def _with_value(text: str, name: str, value: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    bindings = list(parse_stream(io.StringIO(text.removeprefix(mark), newline="")))
    last = max((n for n, binding in enumerate(bindings) if binding.key == name), default=None)
    if last is None:
        return _added(text, f"{name}={_quoted(value)}", name, end)
    lines = [
        _changed(binding, value, end) if n == last else binding.original.string
        for n, binding in enumerate(bindings)
        # An earlier line of the same name never counted.
        if n == last or binding.key != name
    ]
    return mark + "".join(lines)


def _added(text: str, line: str, name: str, end: str) -> str:
    example = re.search(rf"^#[ \t]*{name}=[^\r\n]*(\r?\n|$)", text, re.MULTILINE)
    at = example.end() if example else len(text)
    before, after = text[:at], text[at:]
    if before and not before.endswith("\n"):
        before += end
    return f"{before}{line}{end}{after}"


def _changed(binding: Binding, value: str, end: str) -> str:
    """Returns the line with another value, and with what stands before and behind the old one."""
    old = binding.original.string
    head, _, tail = old.partition("=")
    comment = _COMMENT.match(tail.partition(binding.value)[2]) if binding.value else None
    closing = end if old.endswith("\n") else ""
    return f"{head.rstrip()}={_quoted(value)}{comment[1] if comment else ''}{closing}"


def _quoted(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _put(file: Path, text: str) -> None:
    """Puts the text in place of the file, so that an end at any moment leaves one of the two.

    The file is for its user alone then.
    """
    new = file.with_name(f"{file.name}{_NEW}")
    new.unlink(missing_ok=True)
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as target:
            target.write(text)
            target.flush()
            os.fsync(target.fileno())
        new.replace(file)
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)
