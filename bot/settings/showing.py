"""Shows the settings: each with its value, and where that comes from, and no secret."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import SecretStr

from bot.domain.talk.limits import Rate, SendRates
from bot.settings import forms
from bot.settings.fields import FIELDS, told
from bot.settings.layers import Layer
from bot.settings.sections import SettingLine

ADDRESSES = frozenset(name for name in FIELDS if name.endswith("_URL"))
"""Settings with an address, in which a password may stand."""


def _is_secret(annotation: Any) -> bool:
    return annotation is SecretStr or any(_is_secret(part) for part in get_args(annotation))


_KEYS = frozenset(name for name, field in FIELDS.items() if _is_secret(field.type))
HIDDEN = _KEYS | ADDRESSES
"""Settings whose text is never quoted."""

_PRIVATE = _KEYS | {"STEWARD_DATABASE_URL"}
"""Settings whose file nobody else may read."""


DEFAULT = "default"
"""The origin of what no layer sets."""


def origin_of(name: str, layers: Sequence[Layer]) -> str:
    """Returns the name of the layer that sets it."""
    return next((layer.origin for layer in layers if name in layer.values), DEFAULT)


def lines_of(values: Mapping[str, Any], layers: Sequence[Layer]) -> tuple[SettingLine, ...]:
    return tuple(
        SettingLine(
            name,
            _shown(name, values[name]),
            origin_of(name, layers),
            told(field).sentence,
            name in _PRIVATE,
        )
        for name, field in FIELDS.items()
    )


def secrets_of(values: Mapping[str, Any]) -> tuple[SecretStr, ...]:
    """Returns every key and token, and the passwords of all addresses."""
    keys = (value for value in values.values() if isinstance(value, SecretStr) and value)
    urls = (values[name] for name in FIELDS if name in ADDRESSES and values[name])
    return (*keys, *(SecretStr(word) for url in urls if (word := forms.password_of(url))))


def _shown(name: str, value: Any) -> str:
    match value:
        case SendRates():
            parts = (("chat", value.chat), ("group", value.group), ("all", value.all))
            rates = ",".join(f"{part}={_rate(rate)}" for part, rate in parts)
            return f"{rates},burst={value.burst}"
        case None:
            return "off" if name == "STEWARD_SEND_RATES" else ""
        case SecretStr():
            return forms.masked(value.get_secret_value())
        case tuple():
            return ",".join(_part(part) for part in value)
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case str() if name in ADDRESSES:
            return forms.without_password(value)
        case _:
            return str(value)


def _part(part: Any) -> str:
    """Returns one of several as it is written; a pair has a sign between its two."""
    if isinstance(part, tuple):
        return "=".join(part)
    return f"{part:g}" if isinstance(part, float) else part


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return "off"
    return f"{rate.count}" + {1.0: "", 60.0: "/min", 3600.0: "/h"}[rate.seconds]
