"""Reads the settings: environment before .env before steward.toml before the default."""

import dataclasses
import difflib
import os
from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from bot.domain.budget import Budgets, Limit, Scope
from bot.domain.errors import SettingError
from bot.domain.hook import SECRET_PREFIX
from bot.domain.limits import (
    BundleBounds,
    EnclosureBounds,
    GoalBounds,
    InboxBounds,
    Limits,
    ModelTimes,
    Rate,
    ReadingBounds,
    ScheduleBounds,
    SendRates,
    UndoBounds,
    WebBounds,
)
from bot.domain.model import Price
from bot.domain.money import nano_of
from bot.domain.provider import OPENAI_URL
from bot.domain.tier import Tiers
from bot.settings import forms
from bot.settings.fields import PREFIX, Fields, setting_name
from bot.settings.layers import (
    MODELS,
    PROVIDERS,
    SERVERS,
    Layer,
    dotenv_file,
    environment,
    toml_file,
    toml_layer,
)
from bot.settings.models import read_models
from bot.settings.providers import provider_warnings, read_providers
from bot.settings.servers import read_servers, server_warnings
from bot.settings.values import (
    AnthropicAccess,
    DiscordAccess,
    HearAccess,
    LogSettings,
    MeaningAccess,
    OpenAIAccess,
    SearchAccess,
    SettingLine,
    Settings,
    SpeakAccess,
    TelegramAccess,
    WebAccess,
    WebhookAccess,
)
from bot.shipped.model_table import embedder_prices

_Numbers: TypeAlias = (
    Limits
    | ModelTimes
    | BundleBounds
    | EnclosureBounds
    | InboxBounds
    | ReadingBounds
    | ScheduleBounds
    | GoalBounds
    | UndoBounds
    | WebBounds
)
_TESTS = "STEWARD_TEST_"
_NAMES = {setting_name(field): field for field in Fields.model_fields}
_ENDINGS = [name.removeprefix(PREFIX) for name in _NAMES if name.startswith(PREFIX)]
_WISHES = {
    "int_parsing": "it should be a whole number",
    "int_from_float": "it should be a whole number",
    "float_parsing": "it should be a number",
    "bool_parsing": "it should be true or false",
}
_SECRET = frozenset(
    {
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "STEWARD_EMBED_KEY",
        "STEWARD_HEAR_KEY",
        "STEWARD_SPEAK_KEY",
        "STEWARD_SEARCH_KEY",
        "DISCORD_BOT_TOKEN",
        "TELEGRAM_BOT_TOKEN",
        "TELEGRAM_WEBHOOK_SECRET",
    }
)
_PRIVATE = _SECRET | {"STEWARD_DATABASE_URL"}
"""Settings whose file nobody else may read."""

_WITH_PASSWORD = frozenset(
    {
        "STEWARD_DATABASE_URL",
        "STEWARD_EMBED_URL",
        "STEWARD_CHROMA_URL",
        "STEWARD_HEAR_URL",
        "STEWARD_SPEAK_URL",
        "STEWARD_SEARCH_URL",
        "ANTHROPIC_BASE_URL",
        "OPENAI_BASE_URL",
        "DISCORD_API_URL",
        "TELEGRAM_API_URL",
    }
)


def read_settings(
    environ: Mapping[str, str], folder: Path, *, look: bool = True, without: Collection[str] = ()
) -> Settings:
    """Reads all settings; `folder` is where .env and steward.toml lie. Raises SettingError.

    Without `look` nobody asks whether home and workspace can be folders. Settings named by
    `without` are read as not set.
    """
    content = toml_file(folder)
    layers = _layers(environ, folder, content, without)
    fields = _fields(layers)
    settings = _settings(fields, folder.absolute())
    variables = ChainMap(*(dict(layer.values) for layer in layers[:2]))
    tables = content.get(SERVERS, {})
    servers = read_servers(tables, variables, folder.absolute())
    providers = read_providers(content.get(PROVIDERS, {}), variables)
    models, described, odd = read_models(content.get(MODELS, {}))
    hidden = [SecretStr(secret) for each in (*servers, *providers) for secret in each.secrets]
    named = {n: SecretStr(str(v)) for n, v in variables.items() if n.startswith(SECRET_PREFIX)}
    if look:
        _check_folders(settings)
    _check_apart(settings, folder)
    return dataclasses.replace(
        settings,
        lines=_lines(fields, settings, layers),
        warnings=(
            *_unknown(layers),
            *server_warnings(tables, servers),
            *provider_warnings(content.get(PROVIDERS, {}), providers),
            *odd,
        ),
        servers=servers,
        providers=providers,
        models=models,
        model_names=described,
        hook_secrets=named,
        secrets=(*settings.secrets, *hidden, *named.values()),
    )


def given(environ: Mapping[str, str], folder: Path, name: str) -> tuple[str, str]:
    """Returns the raw text of a setting and its origin; empty when it is not set."""
    layers = _layers(environ, folder, toml_file(folder), ())
    found = next((layer for layer in layers if name in layer.values), None)
    return ("", "") if found is None else (str(found.values[name]).strip(), found.origin)


def _layers(
    environ: Mapping[str, str], folder: Path, content: Mapping[str, Any], without: Collection[str]
) -> Sequence[Layer]:
    layers = (environment(environ), dotenv_file(folder), toml_layer(content, frozenset(_NAMES)))
    return [
        Layer(layer.origin, {n: v for n, v in layer.values.items() if n not in without})
        for layer in layers
    ]


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
    database = fields.database_url or f"sqlite+aiosqlite:///{home / 'steward.db'}"
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
        tiers=Tiers(
            fields.fast_model, fields.balanced_model, fields.deep_model, raises=fields.tier_raise
        ),
        timezone=fields.timezone,
        send_rates=fields.send_rates,
        send_seconds=fields.send_seconds,
        schedules=ScheduleBounds(**_numbers(fields, ScheduleBounds, "task_")),
        goals=GoalBounds(**_numbers(fields, GoalBounds, "goal_")),
        hooks_listen=fields.hooks_listen,
        lanes=fields.lanes,
        sandbox_network=fields.sandbox_network,
        skills=folder / fields.skills if fields.skills else None,
        skill_list_bytes=fields.skill_list_bytes,
        recall_tokens=fields.recall_tokens,
        budgets=_budgets(fields),
        tool_bytes=fields.tool_bytes,
        rule_documents=fields.rule_documents,
        log=LogSettings(fields.log, fields.log_level),
        secrets=_secrets(fields, database),
        **_services(fields),
        **_bounds(fields),
    )


def _secrets(fields: Fields, database: str) -> tuple[SecretStr, ...]:
    """Returns every key and token, and the passwords of all addresses."""
    keys = (
        *(fields.anthropic_api_key, fields.openai_api_key, fields.embed_key),
        *(fields.hear_key, fields.speak_key, fields.search_key),
        *(fields.telegram_bot_token, fields.telegram_webhook_secret, fields.discord_bot_token),
    )
    urls = (
        *(database, fields.anthropic_base_url, fields.openai_base_url),
        *(fields.telegram_api_url, fields.discord_api_url),
        *(fields.embed_url, fields.chroma_url, fields.hear_url, fields.speak_url),
        fields.search_url,
    )
    passwords = (SecretStr(word) for url in urls if url and (word := forms.password_of(url)))
    return (*(key for key in keys if key), *passwords)


class _Services(TypedDict):
    anthropic: AnthropicAccess
    openai: OpenAIAccess
    hear: HearAccess | None
    speak: SpeakAccess | None
    web: WebAccess
    search: SearchAccess | None
    telegram: TelegramAccess
    discord: DiscordAccess
    meaning: MeaningAccess


class _Bounds(TypedDict):
    limits: Limits
    model_times: ModelTimes
    bundles: BundleBounds
    enclosures: EnclosureBounds
    inbox: InboxBounds
    undo: UndoBounds
    reading: ReadingBounds


def _services(fields: Fields) -> _Services:
    """Returns the ways to the services that the program talks to."""
    return {
        "anthropic": AnthropicAccess(fields.anthropic_api_key, fields.anthropic_base_url),
        "openai": OpenAIAccess(fields.openai_api_key, fields.openai_base_url),
        "hear": _hearing(fields),
        "speak": _speaking(fields),
        "web": WebAccess(
            fields.web,
            fields.web_hosts,
            fields.web_denied,
            WebBounds(**_numbers(fields, WebBounds, "web_")),
        ),
        "search": _search(fields),
        "telegram": TelegramAccess(
            fields.telegram_bot_token,
            fields.telegram_api_url,
            _webhook(fields),
            fields.telegram_rich_messages,
        ),
        "discord": DiscordAccess(
            fields.discord_bot_token, fields.discord_api_url, fields.discord_shards
        ),
        "meaning": _meaning(fields),
    }


def _bounds(fields: Fields) -> _Bounds:
    """Returns the bounds of the parts of the program, each from the fields of its prefix."""
    return {
        "limits": Limits(**_numbers(fields, Limits)),
        "model_times": ModelTimes(**_numbers(fields, ModelTimes, "model_")),
        "bundles": BundleBounds(**_numbers(fields, BundleBounds, "bundle_")),
        "enclosures": EnclosureBounds(**_numbers(fields, EnclosureBounds, "enclosure_")),
        "inbox": InboxBounds(**_numbers(fields, InboxBounds, "inbox_")),
        "undo": UndoBounds(**_numbers(fields, UndoBounds, "undo_")),
        "reading": ReadingBounds(**_numbers(fields, ReadingBounds, "reading_")),
    }


def _meaning(fields: Fields) -> MeaningAccess:
    """Returns the way to the embedder: where no server is named, it is OpenAI with its key."""
    url, key = fields.embed_url, fields.embed_key
    if url is None:
        url, key = fields.openai_base_url, key or fields.openai_api_key
    price = _embed_price(fields)
    return MeaningAccess(fields.embed_model, url, key, fields.chroma_url, price)


def _embed_price(fields: Fields) -> Price | None:
    """Returns the price that the settings state, or that OpenAI is known to take."""
    dollars, dated = fields.embed_price, ""
    if dollars is None and fields.embed_url in (None, OPENAI_URL):
        dollars, dated = embedder_prices().get(fields.embed_model or "", (None, ""))
    if dollars is None:
        return None
    return Price(dollars, Decimal(0), dollars, dollars, dated)


def _hearing(fields: Fields) -> HearAccess | None:
    if fields.hear_url is None:
        return None
    price, seconds = fields.hear_price, fields.hear_seconds
    return HearAccess(fields.hear_url, fields.hear_model, fields.hear_key, price, seconds)


def _speaking(fields: Fields) -> SpeakAccess | None:
    if fields.speak_url is None:
        return None
    key, price, seconds = fields.speak_key, fields.speak_price, fields.speak_seconds
    return SpeakAccess(
        fields.speak_url, fields.speak_model, fields.speak_voice, key, price, seconds
    )


def _search(fields: Fields) -> SearchAccess | None:
    if fields.search is None:
        return None
    return SearchAccess(fields.search, fields.search_key, fields.search_url)


def _budgets(fields: Fields) -> Budgets:
    given = (
        (Scope.DAY, fields.budget_day),
        (Scope.PERSON, fields.budget_person),
        (Scope.TURN, fields.budget_turn),
    )
    return {scope: Limit(nano_of(dollars)) for scope, dollars in given if dollars is not None}


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


def _check_folders(settings: Settings) -> None:
    _check_folder("STEWARD_HOME", settings.home)
    home = settings.home
    if home.is_dir() and not os.access(home, os.R_OK | os.X_OK):
        # The workspace is below it as a rule, and would be blamed.
        raise SettingError(f"STEWARD_HOME cannot be {home}: your user may not read that folder.")
    _check_folder("STEWARD_WORKSPACE", settings.workspace)


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
