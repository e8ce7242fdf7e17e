"""Shows the settings: each with its value, and where that comes from, and no secret."""

from collections.abc import Sequence
from typing import Any, get_args

from pydantic import SecretStr

from bot.domain.talk.limits import Rate, SendRates
from bot.settings import forms
from bot.settings.fields import Fields, setting_name
from bot.settings.layers import Layer
from bot.settings.values import SettingLine, Settings

NAMES = {setting_name(field): field for field in Fields.model_fields}
"""Each field by the name that people know."""

ADDRESSES = frozenset(field for field in Fields.model_fields if field.endswith("_url"))
"""Fields with an address, in which a password may stand."""


def _is_secret(annotation: Any) -> bool:
    return annotation is SecretStr or any(_is_secret(part) for part in get_args(annotation))


_KEYS = frozenset(
    field for field, info in Fields.model_fields.items() if _is_secret(info.annotation)
)
HIDDEN = frozenset(name for name, field in NAMES.items() if field in _KEYS | ADDRESSES)
"""Settings whose text is never quoted."""

_PRIVATE = frozenset(name for name, field in NAMES.items() if field in _KEYS) | {
    "STEWARD_DATABASE_URL"
}
"""Settings whose file nobody else may read."""


def origin_of(name: str, layers: Sequence[Layer]) -> str:
    """Returns the name of the layer that sets it."""
    return next((layer.origin for layer in layers if name in layer.values), "default")


def lines_of(
    fields: Fields, settings: Settings, layers: Sequence[Layer]
) -> tuple[SettingLine, ...]:
    derived = {
        "STEWARD_HOME": settings.home,
        "STEWARD_WORKSPACE": settings.workspace,
        "STEWARD_DATABASE_URL": settings.database_url,
    }
    return tuple(
        SettingLine(
            name,
            _shown(name, derived.get(name, getattr(fields, field))),
            origin_of(name, layers),
            Fields.model_fields[field].description or "",
            name in _PRIVATE,
        )
        for name, field in NAMES.items()
    )


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
            return ",".join(f"{part:g}" if isinstance(part, float) else part for part in value)
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case str() if NAMES[name] in ADDRESSES:
            return forms.without_password(value)
        case _:
            return str(value)


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return "off"
    return f"{rate.count}" + {1.0: "", 60.0: "/min", 3600.0: "/h"}[rate.seconds]
