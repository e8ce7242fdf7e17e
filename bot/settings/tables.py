"""Parts of the tables of `steward.toml`: references to variables, and words for their faults."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.domain.talk.errors import SettingError
from bot.domain.text.visible_text import one_line
from bot.settings.layers import TOML

FormT = TypeVar("FormT", bound=BaseModel)

_LONGEST_NAME = 32
REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WISHES = {
    "missing": "it is missing",
    "string_type": "it should be a text",
    "list_type": "it should be a list of texts",
    "dict_type": "it should be a table of texts",
    "bool_type": "it should be true or false",
    "bool_parsing": "it should be true or false",
}


def quoted(name: str) -> str:
    return one_line(name, _LONGEST_NAME)


def _sentence(error: ValidationError) -> str:
    """Returns the first fault of a table, without any value: it may be a secret."""
    first = error.errors(include_url=False)[0]
    why = str(first.get("ctx", {}).get("error", "")) or _WISHES.get(first["type"], first["msg"])
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {why}" if where else why


def validated(table: Any, form: type[FormT]) -> FormT:
    """Returns a table in its form; a SettingError names its first fault."""
    if not isinstance(table, dict):
        raise SettingError("it should be a table")
    try:
        return form.model_validate(table)
    except ValidationError as error:
        # Without its cause, which quotes every value, secrets too.
        raise SettingError(_sentence(error)) from None


def unknown_keys(
    kind: str, what: str, tables: Mapping[str, Any], known: Collection[str]
) -> Iterator[str]:
    """Yields a sentence for each key of the tables [kind.<name>] that nobody knows."""
    for name, table in tables.items():
        for key in table if isinstance(table, dict) else ():
            if key not in known:
                where = f"{TOML}: [{kind}.{quoted(name)}]"
                yield f"{where} has {quoted(key)}, which is no key of {what}: {', '.join(known)}."
