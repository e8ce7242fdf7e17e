"""Settings: read once at the edge, handed down as small frozen values."""

from bot.flow.policy import FIRST_MODEL, FIRST_OF_OPENAI
from bot.settings.reading import given, read_settings
from bot.settings.sections import (
    AnthropicAccess,
    DiscordAccess,
    HearAccess,
    LogSettings,
    MeaningAccess,
    OpenAIAccess,
    SettingLine,
    Settings,
    SpeakAccess,
    TelegramAccess,
    WebhookAccess,
)

__all__ = [
    "FIRST_MODEL",
    "FIRST_OF_OPENAI",
    "AnthropicAccess",
    "DiscordAccess",
    "HearAccess",
    "LogSettings",
    "MeaningAccess",
    "OpenAIAccess",
    "SettingLine",
    "Settings",
    "SpeakAccess",
    "TelegramAccess",
    "WebhookAccess",
    "given",
    "read_settings",
]
