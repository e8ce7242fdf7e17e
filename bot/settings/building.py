"""Builds the settings from the checked fields."""

import dataclasses
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from pydantic import SecretStr

from bot.domain.money.budget import Budgets, Limit, Scope
from bot.domain.money.model import Price
from bot.domain.money.money import nano_of
from bot.domain.money.provider import OPENAI_URL
from bot.domain.talk.limits import (
    BundleBounds,
    EnclosureBounds,
    GoalBounds,
    InboxBounds,
    Limits,
    ModelTimes,
    ReadingBounds,
    ScheduleBounds,
    UndoBounds,
    WebBounds,
)
from bot.domain.turn.tier import Tiers
from bot.settings import forms
from bot.settings.fields import Fields
from bot.settings.showing import ADDRESSES
from bot.settings.values import (
    AnthropicAccess,
    DiscordAccess,
    HearAccess,
    LogSettings,
    MeaningAccess,
    OpenAIAccess,
    SearchAccess,
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


def settings_from(fields: Fields, folder: Path) -> Settings:
    """Returns what the fields say; `folder` is where paths begin that do not begin at the root."""
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
    values = [(field, getattr(fields, field)) for field in Fields.model_fields]
    keys = (value for _, value in values if isinstance(value, SecretStr))
    urls = (database, *(value for field, value in values if field in ADDRESSES and value))
    passwords = (SecretStr(word) for url in urls if (word := forms.password_of(url)))
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
