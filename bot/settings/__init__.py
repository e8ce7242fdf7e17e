"""Settings: read once at the edge, handed down as small frozen values."""

from bot.settings.reading import read_settings
from bot.settings.values import (
    AnthropicAccess,
    LogSettings,
    SettingLine,
    Settings,
    TelegramAccess,
    WebhookAccess,
)

__all__ = [
    "AnthropicAccess",
    "LogSettings",
    "SettingLine",
    "Settings",
    "TelegramAccess",
    "WebhookAccess",
    "read_settings",
]
