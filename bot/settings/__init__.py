"""Settings: read once at the edge, handed down as small frozen values."""

from bot.settings.fields import FIRST_MODEL, FIRST_OF_OPENAI
from bot.settings.reading import given, read_settings
from bot.settings.values import (
    AnthropicAccess,
    LogSettings,
    MeaningAccess,
    OpenAIAccess,
    SettingLine,
    Settings,
    TelegramAccess,
    WebhookAccess,
)

__all__ = [
    "FIRST_MODEL",
    "FIRST_OF_OPENAI",
    "AnthropicAccess",
    "LogSettings",
    "MeaningAccess",
    "OpenAIAccess",
    "SettingLine",
    "Settings",
    "TelegramAccess",
    "WebhookAccess",
    "given",
    "read_settings",
]
