"""Reads the settings: environment before .env before steward.toml before the default."""

import dataclasses
import difflib
from collections import ChainMap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from bot.domain.budget import (
    BundleBounds,
    EnclosureBounds,
    Limits,
    ModelTimes,
    Rate,
    ReadingBounds,
    SendRates,
)
from bot.domain.errors import SettingError
from bot.settings import forms
from bot.settings.fields import PREFIX, Fields, setting_name
from bot.settings.layers import (
    SERVERS,
    Layer,
    dotenv_file,
    environment,
    toml_file,
    toml_layer,
)
from bot.settings.servers import read_servers, server_warnings
from bot.settings.values import (
    AnthropicAccess,
    LogSettings,
    SettingLine,
    Settings,
    TelegramAccess,
    WebhookAccess,
)

_Numbers: TypeAlias = Limits | ModelTimes | BundleBounds | EnclosureBounds | ReadingBounds
_TESTS = "STEWARD_TEST_"
_NAMES = {setting_name(field): field for field in Fields.model_fields}
_ENDINGS = [name.removeprefix(PREFIX) for name in _NAMES if name.startswith(PREFIX)]
_WISHES = {
    "int_parsing": "it should be a whole number",
    "int_from_float": "it should be a whole number",
    "float_parsing": "it should be a number",
    "bool_parsing": "it should be true or false",
}
_SECRET = frozenset({"ANTHROPIC_API_KEY", "TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET"})
_PRIVATE = _SECRET | {"STEWARD_DATABASE_URL"}
"""Settings whose file nobody else may read."""

_WITH_PASSWORD = frozenset({"STEWARD_DATABASE_URL", "ANTHROPIC_BASE_URL", "TELEGRAM_API_URL"})


def read_settings(environ: Mapping[str, str], folder: Path) -> Settings:
    """Reads all settings; `folder` is where .env and steward.toml lie. Raises SettingError."""
    content = toml_file(folder)
    layers = (
        environment(environ),
        dotenv_file(folder),
        toml_layer(content, frozenset(_NAMES)),
    )
    fields = _fields(layers)
    settings = _settings(fields, folder.absolute())
    variables = ChainMap(*(dict(layer.values) for layer in layers[:2]))
    tables = content.get(SERVERS, {})
    servers = read_servers(tables, variables, folder.absolute())
    hidden = (SecretStr(secret) for server in servers for secret in server.secrets)
    _check_folder("STEWARD_HOME", settings.home)
    _check_folder("STEWARD_WORKSPACE", settings.workspace)
    _check_apart(settings, folder)
    return dataclasses.replace(
        settings,
        lines=_lines(fields, settings, layers),
        warnings=(*_unknown(layers), *server_warnings(tables, servers)),
        servers=servers,
        secrets=(*settings.secrets, *hidden),
    )


def _fields(layers: Sequence[Layer]) -> Fields:
    first_wins = ChainMap(*(dict(layer.values) for layer in layers))
    try:
        return Fields.model_validate(dict(first_wins))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Without its cause, which quotes every value, secrets too.
        raise SettingError(_sentence(first, layers)) from None


def _sentence(error: ErrorDetails, layers: Sequence[Layer]) -> str:
    why = str(error.get("ctx", {}).get("error", "")) or _WISHES.get(error["type"], error["msg"])
    why = why.replace("Input should be", "it should be")
    if not error["loc"]:
        return f"{why}."
    name = str(error["loc"][0])
    value = "" if name in _SECRET | _WITH_PASSWORD else f" “{str(error['input'])[:80]}”"
    return f"{name} ({_origin(name, layers)}) cannot be{value or ' used'}: {why}."


def _origin(name: str, layers: Sequence[Layer]) -> str:
    return next((layer.origin for layer in layers if name in layer.values), "default")


def _settings(fields: Fields, folder: Path) -> Settings:
    home = folder / fields.home
    key, token = fields.anthropic_api_key, fields.telegram_bot_token
    secrets = (key, token, fields.telegram_webhook_secret)
    database = fields.database_url or f"sqlite+aiosqlite:///{home / 'steward.db'}"
    urls = (database, fields.anthropic_base_url or "", fields.telegram_api_url)
    passwords = (SecretStr(word) for url in urls if (word := forms.password_of(url)))
    return Settings(
        home=home,
        workspace=folder / fields.workspace if fields.workspace else home / "workspace",
        database_url=database,
        model=fields.model,
        fallback_models=fields.fallback_models,
        shared_folders=tuple(_pair(line) for line in fields.shared_folders),
        owners=fields.owners,
        allowed=fields.allowed,
        member_pace=fields.member_pace,
        long_answer=fields.long_answer,
        plan_explore=fields.plan_explore,
        context_window=fields.context_window,
        anthropic=AnthropicAccess(key, fields.anthropic_base_url),
        telegram=TelegramAccess(token, fields.telegram_api_url, _webhook(fields)),
        limits=Limits(**_numbers(fields, Limits)),
        model_times=ModelTimes(**_numbers(fields, ModelTimes, "model_")),
        bundles=BundleBounds(**_numbers(fields, BundleBounds, "bundle_")),
        enclosures=EnclosureBounds(**_numbers(fields, EnclosureBounds, "enclosure_")),
        reading=ReadingBounds(**_numbers(fields, ReadingBounds, "reading_")),
        send_rates=fields.send_rates,
        send_seconds=fields.send_seconds,
        lanes=fields.lanes,
        sandbox_network=fields.sandbox_network,
        skills=folder / fields.skills if fields.skills else None,
        skill_list_bytes=fields.skill_list_bytes,
        tool_bytes=fields.tool_bytes,
        rule_documents=fields.rule_documents,
        log=LogSettings(fields.log, fields.log_level),
        secrets=(*(secret for secret in secrets if secret), *passwords),
    )


def _pair(line: str) -> tuple[str, str]:
    chat, _, folder = line.partition("=")
    return chat, folder


def _webhook(fields: Fields) -> WebhookAccess | None:
    url = fields.telegram_webhook_url
    if url is None:
        return None
    return WebhookAccess(url, fields.telegram_webhook_secret, fields.webhook_port)


def _numbers(fields: Fields, kind: type[_Numbers], prefix: str = "") -> dict[str, Any]:
    return {f.name: getattr(fields, prefix + f.name) for f in dataclasses.fields(kind)}


def _check_folder(name: str, path: Path) -> None:
    """Raises SettingError unless the path is a folder or can become one; makes no folder."""
    for place in (path, *path.parents):
        try:
            if place.is_dir():
                return
            if place.exists():
                raise SettingError(f"{name} cannot be {path}: {place} is not a folder.")
        except OSError as error:
            raise SettingError(f"{name} cannot be {path}: {error.strerror}.") from error


def _check_apart(settings: Settings, folder: Path) -> None:
    """Refuses a workspace that holds secrets or records, since tools read all of it unasked."""
    workspace = settings.workspace.resolve()
    files = (folder / name for name in (".env", "steward.toml"))
    for ours in (settings.home, *(file for file in files if file.exists())):
        if ours.resolve().is_relative_to(workspace):
            raise SettingError(f"STEWARD_WORKSPACE cannot be {workspace}: it holds {ours.name}.")


def _lines(fields: Fields, settings: Settings, layers: Sequence[Layer]) -> tuple[SettingLine, ...]:
    derived = {
        "STEWARD_HOME": settings.home,
        "STEWARD_WORKSPACE": settings.workspace,
        "STEWARD_DATABASE_URL": settings.database_url,
    }
    return tuple(
        SettingLine(
            name,
            _shown(name, derived.get(name, getattr(fields, field))),
            _origin(name, layers),
            Fields.model_fields[field].description or "",
            name in _PRIVATE,
        )
        for name, field in _NAMES.items()
    )


def _shown(name: str, value: Any) -> str:
    match value:
        case SendRates():
            parts = (("chat", value.chat), ("group", value.group), ("all", value.all))
            return ",".join(f"{part}={_rate(rate)}" for part, rate in parts)
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
        case str() if name in _WITH_PASSWORD:
            return forms.without_password(value)
        case _:
            return str(value)


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return "off"
    return f"{rate.count}" + {1.0: "", 60.0: "/min", 3600.0: "/h"}[rate.seconds]


def _unknown(layers: Sequence[Layer]) -> tuple[str, ...]:
    """Returns a warning for each unknown name with our prefix, and a name that is near to it."""
    found: list[str] = []
    for layer in layers:
        for name in sorted(layer.values):
            if name in _NAMES or not name.startswith(PREFIX) or name.startswith(_TESTS):
                continue
            near = difflib.get_close_matches(name.removeprefix(PREFIX), _ENDINGS, 1, 0.7)
            meant = f"; did you mean {PREFIX}{near[0]}?" if near else "."
            found.append(f"{name} ({layer.origin}) is no setting of this version{meant}")
    return tuple(found)
