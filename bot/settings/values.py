"""Settings as frozen values, as the program uses them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from bot.domain.budget import (
    BundleBounds,
    EnclosureBounds,
    Limits,
    ModelTimes,
    ReadingBounds,
    SendRates,
)
from bot.domain.folding import LONG_ANSWER
from bot.domain.rights import UNBOUND, Pace
from bot.domain.rules import RULE_DOCUMENTS
from bot.domain.server import ServerSpec
from bot.domain.skill import SKILL_LIST


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
    secret: bool = False
    """True for a value that no other user of the machine may read."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    `owners` and `allowed` are account keys (`channel:id`), `shared_folders` chats (written so
    too, perhaps with `/thread`) and their folder below the workspace. `send_rates` of None turns
    the flood gate off. `context_window` of None means the model's own. `lanes` is how many chats
    are worked on at once, `send_seconds` how long a channel may take to send. An answer of more
    than `long_answer` characters is long. A standing rule for a folder covers files that end in one
    of `rule_documents`. `servers` lend their tools to every chat. With
    `plan_explore` reading tools run while a plan is collected.
    """

    home: Path
    workspace: Path
    model: str
    database_url: str = field(repr=False)
    shared_folders: tuple[tuple[str, str], ...] = ()
    owners: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    member_pace: Pace = UNBOUND
    long_answer: int = LONG_ANSWER
    plan_explore: bool = True
    fallback_models: tuple[str, ...] = ()
    context_window: int | None = None
    anthropic: AnthropicAccess = AnthropicAccess()
    telegram: TelegramAccess = TelegramAccess()
    limits: Limits = field(default_factory=Limits)
    model_times: ModelTimes = field(default_factory=ModelTimes)
    bundles: BundleBounds = field(default_factory=BundleBounds)
    enclosures: EnclosureBounds = field(default_factory=EnclosureBounds)
    reading: ReadingBounds = field(default_factory=ReadingBounds)
    send_rates: SendRates | None = field(default_factory=SendRates)
    send_seconds: float = 30.0
    lanes: int = 256
    sandbox_network: bool = False
    skills: Path | None = None
    skill_list_bytes: int = SKILL_LIST
    rule_documents: tuple[str, ...] = RULE_DOCUMENTS
    log: LogSettings = LogSettings()
    servers: tuple[ServerSpec, ...] = ()
    secrets: tuple[SecretStr, ...] = ()
    lines: tuple[SettingLine, ...] = ()
    warnings: tuple[str, ...] = ()
