"""Settings as frozen values, as the program uses them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from bot.domain.consent.rules import RULE_DOCUMENTS
from bot.domain.memory.recalled import RECALL_TOKENS
from bot.domain.money.budget import Budgets, Limit, Scope
from bot.domain.money.model import Price
from bot.domain.money.provider import OPENAI_URL, ProviderSpec
from bot.domain.money.traits import Traits
from bot.domain.skills.skill import SKILL_LIST
from bot.domain.talk.limits import (
    BundleBounds,
    EnclosureBounds,
    GoalBounds,
    InboxBounds,
    Limits,
    ModelTimes,
    ReadingBounds,
    ScheduleBounds,
    SendRates,
    UndoBounds,
    WebBounds,
)
from bot.domain.talk.rights import UNBOUND, Pace
from bot.domain.tools.server import ServerSpec
from bot.domain.tools.tool_choice import TOOL_BYTES
from bot.domain.turn.folding import LONG_ANSWER
from bot.domain.turn.tier import Tiers


@dataclass(frozen=True, slots=True)
class AnthropicAccess:
    """The way to the Messages API; without a key the demo model answers."""

    key: SecretStr | None = None
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class OpenAIAccess:
    """The way to OpenAI; without a key none of its models answers."""

    key: SecretStr | None = None
    base_url: str = OPENAI_URL


@dataclass(frozen=True, slots=True)
class MeaningAccess:
    """The way to the embedder and to its index; without a `model` words serve alone."""

    model: str | None = None
    """The model of the embedder; `local` is Chroma's own."""
    url: str = OPENAI_URL
    key: SecretStr | None = None
    index_url: str | None = None
    """The server of the index; None for a folder."""
    price: Price | None = None
    """The price of the embedder's tokens; None when nobody knows it."""


@dataclass(frozen=True, slots=True)
class HearAccess:
    """The way to a service that hears voice messages, at `url`/audio/transcriptions."""

    url: str
    model: str
    key: SecretStr | None = None
    minute: Decimal | None = None
    """Dollars for a minute of sound."""
    seconds: float = 60.0
    """Seconds that one message may take."""


@dataclass(frozen=True, slots=True)
class SpeakAccess:
    """The way to a service that speaks answers, at `url`/audio/speech."""

    url: str
    model: str
    voice: str
    key: SecretStr | None = None
    price: Decimal | None = None
    """Dollars for a million characters."""
    seconds: float = 60.0
    """Seconds that one answer may take."""


@dataclass(frozen=True, slots=True)
class WebAccess:
    """The hosts that pages are fetched from: `only` these, if any, and none that is `denied`."""

    fetch: bool = True
    only: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    bounds: WebBounds = field(default_factory=WebBounds)


@dataclass(frozen=True, slots=True)
class SearchAccess:
    """The way to a service that searches the web; without a `url` it is the service's own."""

    service: Literal["brave", "tavily", "searxng", "anthropic"]
    key: SecretStr | None = None
    url: str | None = None

    @property
    def fault(self) -> str:
        """Returns the setting that is missing; empty when the service can be asked."""
        if self.service == "searxng":
            return "" if self.url else "STEWARD_SEARCH_URL"
        if self.service == "anthropic":
            return ""  # the key of the model serves
        return "" if self.key else "STEWARD_SEARCH_KEY"


@dataclass(frozen=True, slots=True)
class WebhookAccess:
    """The address for Telegram's calls; a proxy passes them from `url` to `port` of 127.0.0.1.

    With a `secret` of None there is a new one at each start.
    """

    url: str
    secret: SecretStr | None
    port: int


@dataclass(frozen=True, slots=True)
class TelegramAccess:
    """The way to the Bot API; methods are at `api_url`/bot<token>/<method>.

    Without a `webhook` updates are polled. `rich` allows rich messages, where the server has them.
    """

    token: SecretStr | None = None
    api_url: str = "https://api.telegram.org"
    webhook: WebhookAccess | None = None
    rich: bool = True


@dataclass(frozen=True, slots=True)
class DiscordAccess:
    """The way to Discord; paths of its HTTP API are below `api_url`.

    `shards` is the number of connections among which the servers are shared.
    """

    token: SecretStr | None = None
    api_url: str = "https://discord.com/api/v10"
    shards: int = 1


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
    """The settings of a run."""

    home: Path
    """The folder of everything that Steward keeps."""
    workspace: Path
    """The folder in which the tools work."""
    model: str
    """The model that answers, as `provider/name`."""
    database_url: str = field(repr=False)
    """The address of the database, with its password if it needs one."""
    shared_folders: tuple[tuple[str, str], ...] = ()
    """Chats (`channel:id`, perhaps with `/thread`) and their folders below the workspace."""
    owners: tuple[str, ...] = ()
    """Accounts of the owners (`channel:id`)."""
    allowed: tuple[str, ...] = ()
    """Accounts of the members (`channel:id`)."""
    member_pace: Pace = UNBOUND
    """The messages that a member may send in a minute, an hour and a day."""
    long_answer: int = LONG_ANSWER
    """Characters above which an answer counts as long."""
    plan_explore: bool = True
    """True when reading tools run while a plan collects steps."""
    fallback_models: tuple[str, ...] = ()
    """Models that take over when one fails, in this order."""
    context_window: int | None = None
    """Tokens that the model may see; None means the model's own window."""
    anthropic: AnthropicAccess = AnthropicAccess()
    """The way to the Messages API."""
    openai: OpenAIAccess = OpenAIAccess()
    """The way to OpenAI."""
    providers: tuple[ProviderSpec, ...] = ()
    """Other providers of models, those that cannot be used too."""
    models: Mapping[str, Traits] = field(default_factory=dict[str, Traits])
    """Known traits of models, by their whole name."""
    model_names: tuple[str, ...] = ()
    """Models that a table of `steward.toml` describes."""
    tiers: Tiers = field(default_factory=Tiers)
    """The model of each tier."""
    hear: HearAccess | None = None
    """The way to a service that hears; None leaves voice messages unheard."""
    speak: SpeakAccess | None = None
    """The way to a service that speaks; None leaves answers unspoken."""
    web: WebAccess = field(default_factory=WebAccess)
    """The hosts that pages are fetched from, and the bounds."""
    search: SearchAccess | None = None
    """The way to a service that searches the web; None leaves the tool away."""
    telegram: TelegramAccess = TelegramAccess()
    discord: DiscordAccess = DiscordAccess()
    """The way to the Bot API."""
    limits: Limits = field(default_factory=Limits)
    """The bounds of a turn."""
    model_times: ModelTimes = field(default_factory=ModelTimes)
    """The bounds of one model call and of its retries."""
    bundles: BundleBounds = field(default_factory=BundleBounds)
    """The bounds of a message that comes in pieces."""
    enclosures: EnclosureBounds = field(default_factory=EnclosureBounds)
    """The bounds of fetching the files of a message."""
    timezone: str | None = None
    """The time zone of people who have not chosen one; None asks each person once."""
    inbox: InboxBounds = field(default_factory=InboxBounds)
    """The bounds of the folder for files that people send."""
    undo: UndoBounds = field(default_factory=UndoBounds)
    """The bounds of old contents of files."""
    reading: ReadingBounds = field(default_factory=ReadingBounds)
    """The bounds of reading one file."""
    send_rates: SendRates | None = field(default_factory=SendRates)
    """The rates of sending messages; None switches the flood gate off."""
    send_seconds: float = 30.0
    """Seconds that a channel may take to send one message."""
    schedules: ScheduleBounds = field(default_factory=ScheduleBounds)
    """The bounds of tasks that run at their times."""
    goals: GoalBounds = field(default_factory=GoalBounds)
    """The bounds that goals begin with."""
    hooks_listen: int | None = None
    """The port on which calls of hooks are taken; None means that none is taken."""
    hook_secrets: Mapping[str, SecretStr] = field(default_factory=dict[str, SecretStr])
    """The variables that begin with `HOOK_`, which hold the secrets of hooks."""
    lanes: int = 256
    """Chats that are worked on at the same time."""
    sandbox_network: bool = False
    """True when commands in the sandbox reach the network."""
    skills: Path | None = None
    """A folder of skills; None means the skills of the program."""
    skill_list_bytes: int = SKILL_LIST
    """Bytes of the list of skills in the system text."""
    recall_tokens: int = RECALL_TOKENS
    """Tokens of earlier answers that come with a message."""
    meaning: MeaningAccess = MeaningAccess()
    """The way to find answers by their meaning."""
    budgets: Budgets = field(default_factory=dict[Scope, Limit])
    """The budgets that count as long as no owner sets others in a chat."""
    tool_bytes: int = TOOL_BYTES
    """Bytes of tools that a request may offer."""
    rule_documents: tuple[str, ...] = RULE_DOCUMENTS
    """Endings of files that a standing rule for a folder covers."""
    log: LogSettings = LogSettings()
    """The form and the level of the program's log."""
    servers: tuple[ServerSpec, ...] = ()
    """Tool servers whose tools every chat may use."""
    secrets: tuple[SecretStr, ...] = ()
    """Keys, tokens and passwords that no log may show."""
    lines: tuple[SettingLine, ...] = ()
    """Every setting, as `steward config` prints it."""
    warnings: tuple[str, ...] = ()
    """Sentences about unknown settings, for the operator."""

    @property
    def has_model(self) -> bool:
        """Returns True when there is a key or a server for at least one real model."""
        keys = (self.anthropic.key, self.openai.key)
        return any(keys) or any(not provider.fault for provider in self.providers)
