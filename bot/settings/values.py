"""What the program is told by its settings, as frozen values."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from bot.domain.budget import Limits, ModelTimes, SendRates
from bot.domain.rights import UNBOUND, Pace


@dataclass(frozen=True, slots=True)
class AnthropicAccess:
    """The way to the Messages API; without a key the demo model answers."""

    key: SecretStr | None = None
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class WebhookAccess:
    """The way of Telegram to us: `url` is public, `port` is one of 127.0.0.1 behind a proxy.

    A `secret` of None means a new one at each start.
    """

    url: str
    secret: SecretStr | None
    port: int


@dataclass(frozen=True, slots=True)
class TelegramAccess:
    """The way to the Bot API; methods are at `api_url`/bot<token>/<method>.

    Without a `webhook` updates are polled.
    """

    token: SecretStr | None = None
    api_url: str = "https://api.telegram.org"
    webhook: WebhookAccess | None = None


@dataclass(frozen=True, slots=True)
class LogSettings:
    format: Literal["text", "json"] = "text"
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"


@dataclass(frozen=True, slots=True)
class SettingLine:
    """One setting as `steward config` prints it; a secret's value is already masked."""

    name: str
    value: str
    origin: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a run.

    `owners` and `allowed` are account keys (`channel:id`). `send_rates` of None turns the flood
    gate off. `context_window` of None means the model's own. `lanes` is how many chats are worked
    on at once, `send_seconds` how long a channel may take to send.
    """

    home: Path
    workspace: Path
    model: str
    database_url: str = field(repr=False)
    owners: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    member_pace: Pace = UNBOUND
    fallback_models: tuple[str, ...] = ()
    context_window: int | None = None
    anthropic: AnthropicAccess = AnthropicAccess()
    telegram: TelegramAccess = TelegramAccess()
    limits: Limits = field(default_factory=Limits)
    model_times: ModelTimes = field(default_factory=ModelTimes)
    send_rates: SendRates | None = field(default_factory=SendRates)
    send_seconds: float = 30.0
    lanes: int = 256
    sandbox_network: bool = False
    log: LogSettings = LogSettings()
    secrets: tuple[SecretStr, ...] = ()
    lines: tuple[SettingLine, ...] = ()
    warnings: tuple[str, ...] = ()
