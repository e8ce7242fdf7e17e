"""Reads secrets that stand in files: those that `NAME_FILE` names, and systemd's credentials."""

import re
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from bot.domain.assignments.hook import SECRET_PREFIX
from bot.domain.talk.errors import SettingError
from bot.settings.layers import PROVIDERS, Layer
from bot.settings.tables import REFERENCE

FOLDER = "CREDENTIALS_DIRECTORY"
"""The variable in which systemd names the folder of a service's credentials."""

CREDENTIALS = "credentials"
FILE = " (file)"
"""The end of the origin of what stands in a file that a variable names."""

_ENDING = "_FILE"
_MOST = 64_000
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


def credentials(environ: Mapping[str, str]) -> Layer:
    """Returns the files of the folder of credentials whose name can be that of a variable."""
    folder = Path(environ.get(FOLDER) or "/nowhere")
    try:
        files = sorted(folder.iterdir()) if environ.get(FOLDER) else []
    except OSError as error:
        raise SettingError(f"{FOLDER} cannot be read: {error.strerror}.") from error
    found = {one.name: _content(one.name, one) for one in files if _NAME.fullmatch(one.name)}
    return Layer(CREDENTIALS, {n: text for n, text in found.items() if text}, tuple(files))


def from_files(layer: Layer, secrets: Collection[str]) -> tuple[Layer, Layer]:
    """Returns the layer without the variables that name the file of a secret, and those secrets.

    A variable of a hook counts only with a whole path: its own name may end like that.
    """
    values, found, files = dict(layer.values), dict[str, str](), list[Path]()
    for name in layer.values:
        secret, path = name.removesuffix(_ENDING), Path(str(layer.values[name]).strip())
        hooks = secret.startswith(SECRET_PREFIX) and path.is_absolute()
        if not name.endswith(_ENDING) or not (secret in secrets or hooks):
            continue
        if secret in layer.values:
            raise SettingError(f"{secret} and {name} ({layer.origin}) are both set: choose one.")
        if not path.is_absolute():
            raise SettingError(f"{name} ({layer.origin}) should be a whole path, from / on.")
        del values[name]
        files.append(path)
        found[secret] = _content(name, path)
        if not found[secret]:
            raise SettingError(f"{name} cannot be used: {path} is empty.")
    return Layer(layer.origin, values), Layer(f"{layer.origin}{FILE}", found, tuple(files))


def referred(content: Mapping[str, Any]) -> frozenset[str]:
    """Returns the variables that the tables of `steward.toml` refer to."""
    ways = content.get(PROVIDERS)
    tables = ways.values() if isinstance(ways, dict) else ()
    keys = (table.get("key") for table in tables if isinstance(table, dict))
    within = (name for text in _texts(content) for name in REFERENCE.findall(text))
    return frozenset((*(key for key in keys if isinstance(key, str)), *within))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
        case _:
            pass


def _content(name: str, path: Path) -> str:
    """Returns the text of a file; a SettingError tells its path and nothing of the text."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SettingError(f"{name} cannot be used: {path} is not a file.")
        with path.open("rb") as file:
            raw = file.read(_MOST + 1)
        text = raw.decode("utf-8-sig").strip()
    except OSError as error:
        raise SettingError(f"{name} cannot be used: {path}: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise SettingError(f"{name} cannot be used: {path} is not UTF-8 text.") from None
    if len(raw) > _MOST:
        raise SettingError(f"{name} cannot be used: {path} has more than 64 kB.")
    return text
