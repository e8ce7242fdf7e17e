"""Finds the settings in their sections, checks what people wrote, and fills the sections."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any

import pydantic
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, create_model

from bot.domain.setting import MARK, Section, Setting
from bot.settings import forms
from bot.settings.sections import Settings

PREFIX = "STEWARD_"


def setting_name(name: str) -> str:
    """Returns the name people write: with the prefix, except for the providers' own names."""
    provider = name.startswith(("anthropic_", "openai_", "telegram_", "discord_"))
    return name.upper() if provider else PREFIX + name.upper()


def _name(one: "Field[Any]", prefix: str) -> str:
    return setting_name(told(one).name or prefix + one.name)


def told(one: "Field[Any]") -> Setting:
    """Returns what is known of a setting beside its type."""
    return one.metadata[MARK]


def _fields(kind: type, prefix: str = "") -> Iterator[tuple[str, "Field[Any]"]]:
    """Yields every setting of a class and of the sections in it, by its name."""
    for one in fields(kind):
        match one.metadata.get(MARK):
            case Section() as inner:
                yield from _fields(inner.kind, inner.prefix)
            case Setting():
                yield _name(one, prefix), one
            case _:
                pass  # filled by the reading


FIELDS: Mapping[str, "Field[Any]"] = dict(_fields(Settings))
"""The field of each setting by the name that people know."""


def _as_written(one: "Field[Any]") -> tuple[Any, Any]:
    """Returns the type of a setting with its checks, and its default."""
    known, checks = told(one), list[Any]()
    if one.type is float:
        checks.append(pydantic.AllowInfNan(False))
    if known.bounds:
        checks.append(pydantic.Field(**dict[str, Any](known.bounds)))
    if known.check is not None:
        checks.append(AfterValidator(known.check))
    if (read := known.read) is not None:
        checks.append(BeforeValidator(lambda value: read(str(forms.joined(value)))))
    default = None if one.default is MISSING else one.default
    return (Annotated[one.type, *checks] if checks else one.type), default


_TYPES: dict[str, Any] = {name: _as_written(one) for name, one in FIELDS.items()}
_CONFIG = ConfigDict(extra="ignore", str_strip_whitespace=True)
_AsWritten: type[BaseModel] = create_model("_AsWritten", __config__=_CONFIG, **_TYPES)


def checked(written: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the value of each setting by its name; raises ValidationError or ValueError."""
    values = dict(_AsWritten.model_validate(written))
    for name, one in FIELDS.items():
        most = told(one).most and setting_name(told(one).most)
        if most and values[name] > values[most]:
            high, low = f"{most} ({values[most]:g})", f"{name} ({values[name]:g})"
            raise ValueError(f"{low} should not be above {high}")
    return values


def filled(kind: type, values: Mapping[str, Any], prefix: str = "") -> Any:
    """Returns the section with the values of its settings."""
    found: dict[str, Any] = {}
    for one in fields(kind):
        match one.metadata.get(MARK):
            case Section(inner, begins, needs):
                missing = bool(needs) and values[setting_name(needs)] is None
                found[one.name] = None if missing else filled(inner, values, begins)
            case Setting():
                found[one.name] = values[_name(one, prefix)]
            case _:
                pass  # filled by the reading
    return kind(**found)
