"""The operator's values for variables of skills: from a file of the home and the environment."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from bot.adapters.skill_folder.front_matter import Malformed

FILE = "skills.toml"


class GivenValues:
    """Finds values: one for this skill wins over one for all skills, and over the environment."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self._common: Mapping[str, str] = {}
        self._by_skill: Mapping[str, Mapping[str, str]] = {}

    def read(self, file: Path) -> None:
        """Takes the values of the file; without a file there are none. Raises Malformed."""
        self._common, self._by_skill = {}, {}
        try:
            told = tomllib.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError) as fault:
            raise Malformed(_line(str(fault)), str(fault)) from None
        self._common = _texts(told.get("vars", {}), "vars")
        tables = _table(told.get("skills", {}), "skills")
        self._by_skill = {name: _texts(v, f"skills.{name}") for name, v in tables.items()}

    def of(self, skill: str, name: str) -> str | None:
        own = self._by_skill.get(skill, {})
        return own.get(name, self._common.get(name, self.environ.get(name)))


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Malformed(0, f"{what}: should be a table")
    return cast("dict[str, Any]", value)


def _texts(value: Any, what: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, one in _table(value, what).items():
        if isinstance(one, dict | list):
            raise Malformed(0, f"{what}: {name} should be one value")
        found[name] = str(one).lower() if isinstance(one, bool) else str(one)
    return found


def _line(fault: str) -> int:
    """Returns the line in a parser's text, such as `… (at line 3, column 5)`."""
    _, _, behind = fault.partition("at line ")
    number = behind.partition(",")[0]
    return int(number) if number.isdigit() else 0
