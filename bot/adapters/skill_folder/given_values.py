"""The values that an operator gives to the variables of skills: from a file, or the environment."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from bot.adapters.markdown_folder import Wrong

FILE = "skills.toml"


class GivenValues:
    """Looks up values: first for one skill, then for all skills, then in the environment.

    The environment also holds keys of the program: a skill sees a variable of it only when the
    operator has allowed that skill that name.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self._common: Mapping[str, str] = {}
        self._by_skill: Mapping[str, Mapping[str, str]] = {}
        self._allowed: Mapping[str, frozenset[str]] = {}

    def read(self, file: Path) -> None:
        """Replaces the values by those in the file, if there is one; raises Wrong."""
        self._common, self._by_skill, self._allowed = {}, {}, {}
        try:
            told = tomllib.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except OSError as fault:
            raise Wrong(0, fault.strerror or "it cannot be read") from None
        except ValueError as fault:
            raise Wrong(_line(str(fault)), str(fault)) from None
        except RecursionError:
            raise Wrong(0, "it is nested too deep") from None
        self._common = _texts(told.get("vars", {}), "vars")
        tables = _table(told.get("skills", {}), "skills")
        self._by_skill = {name: _texts(v, f"skills.{name}") for name, v in tables.items()}
        allowed = _table(told.get("allow", {}), "allow")
        self._allowed = {name: _names(v, f"allow.{name}") for name, v in allowed.items()}

    def may_see(self, skill: str, name: str) -> bool:
        """Returns True when a skill may have this variable of the environment."""
        return name in self._allowed.get(skill, ())

    def of(self, skill: str, name: str) -> str | None:
        around = self.environ.get(name) if self.may_see(skill, name) else None
        own = self._by_skill.get(skill, {})
        return own.get(name, self._common.get(name, around))


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Wrong(0, f"{what}: should be a table")
    return cast("dict[str, Any]", value)


def _texts(value: Any, what: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, one in _table(value, what).items():
        if isinstance(one, dict | list):
            raise Wrong(0, f"{what}: {name} should be one value")
        found[name] = str(one).lower() if isinstance(one, bool) else str(one)
    return found


def _names(value: Any, what: str) -> frozenset[str]:
    names: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not all(isinstance(name, str) for name in names):
        raise Wrong(0, f"{what}: should be names of variables")
    return frozenset(names)


def _line(fault: str) -> int:
    """Returns the line number in a parser's message: `… (at line 3, column 5)`."""
    _, _, behind = fault.partition("at line ")
    number = behind.partition(",")[0]
    return int(number) if number.isdigit() else 0
