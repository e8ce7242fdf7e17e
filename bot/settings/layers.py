"""Reads the places that settings come from, each as raw values by name."""

import io
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotenv.parser import parse_stream

from bot.domain.talk.errors import SettingError
from bot.domain.value import frozen
from bot.settings.fields import PREFIX, setting_name

ENVIRONMENT, DOTENV, TOML = "environment", ".env", "steward.toml"
SERVERS = "mcp"
"""The table of `steward.toml` with a table for each tool server."""

PROVIDERS = "providers"
"""The table of `steward.toml` with a table for each provider of models."""

MODELS = "models"
"""The table of `steward.toml` with a table for each model that is described there."""

_TABLES = (SERVERS, PROVIDERS, MODELS)


@frozen
class Layer:
    """The values of one place; an empty value counts as missing."""

    origin: str
    values: Mapping[str, Any]
    files: tuple[Path, ...] = ()
    """The files that hold its values, each a secret."""


def environment(environ: Mapping[str, str]) -> Layer:
    return Layer(ENVIRONMENT, _set(environ))


def dotenv_file(folder: Path) -> Layer:
    """Reads `.env` as it is: no value refers to another."""
    values: dict[str, str] = {}
    for binding in parse_stream(io.StringIO(_text(folder / DOTENV))):
        if binding.error:
            # Its text is not quoted: it may hold a secret.
            raise SettingError(
                f"{DOTENV} has a line nobody can read: line {binding.original.line}."
            )
        if binding.key is not None:
            values[binding.key] = binding.value or ""
    return Layer(DOTENV, _set(values))


def is_there(file: Path) -> bool:
    """Returns True for a file that can be seen; nobody may look into the folder of some."""
    try:
        return file.exists()
    except OSError:
        return False


def toml_file(folder: Path) -> Mapping[str, Any]:
    """Reads `steward.toml` as it is."""
    try:
        return tomllib.loads(_text(folder / TOML))
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"{TOML} cannot be read: {error}.") from error


def toml_layer(content: Mapping[str, Any], known: frozenset[str]) -> Layer:
    """Returns the settings of the file, whose names may be small and without the prefix."""
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key in _TABLES and isinstance(value, dict):
            continue
        name = _name(key, known)
        if name in values:
            raise SettingError(f"{TOML} sets {name} twice.")
        if isinstance(value, dict):
            raise SettingError(f"{TOML} has a table [{key}], but settings stand outside of tables.")
        values[name] = value
    return Layer(TOML, _set(values))


def _name(key: str, known: frozenset[str]) -> str:
    full = key.upper()
    return full if full in known or full.startswith(PREFIX) else setting_name(key.lower())


def _set(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if str(value).strip()}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except OSError as error:
        if not os.access(path.parent, os.X_OK):  # Whoever needs the folder tells what is wrong.
            return ""
        raise SettingError(f"{path.name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SettingError(f"{path.name} cannot be read: it is not UTF-8 text.") from error
