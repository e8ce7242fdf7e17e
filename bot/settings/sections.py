"""The settings in frozen sections: what is read, checked, shown and used is what stands here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from bot.domain.money.model import Price
from bot.domain.money.provider import OPENAI_URL, OWN_SEARCHES, ProviderSpec
from bot.domain.money.traits import Traits
from bot.domain.setting import needed, optional_section, section, setting
from bot.domain.talk.limits import ReadingBounds, SendRates, WebBounds
from bot.domain.tools.server import ServerSpec
from bot.domain.value import frozen
from bot.flow.policy import Policy
from bot.ports.duties import EVERY_DUTY, Duty
from bot.settings import forms


def _secret(check: Any) -> AfterValidator:
    return AfterValidator(lambda secret: SecretStr(check(secret.get_secret_value())))


Folder = Annotated[Path, AfterValidator(forms.folder)]
ServiceUrl = Annotated[str, AfterValidator(forms.service_url)]
Key = Annotated[SecretStr, _secret(forms.key)]
Dollars = Annotated[Decimal, Field(ge=0, lt=1_000_000)]
Name = Annotated[str, Field(min_length=1)]
Lower = BeforeValidator(lambda value: str(value).lower())
Upper = BeforeValidator(lambda value: str(value).upper())


@frozen
class AnthropicAccess:
    """The way to the Messages API."""

    key: Key | None = setting(
        None,
        "The key of the Messages API; without one the demo model answers.",
        name="anthropic_api_key",
    )
    base_url: ServiceUrl | None = setting(
        None, "Another address of the Messages API than the provider's own."
    )


@frozen
class OpenAIAccess:
    """The way to OpenAI."""

    key: Key | None = setting(
        None,
        "The key of OpenAI; with it models such as openai/gpt-5.1 can answer.",
        name="openai_api_key",
    )
    base_url: ServiceUrl = setting(
        OPENAI_URL, "Another address of OpenAI's Chat Completions, up to and with /v1."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningAccess:
    """The way to the embedder and to its index; without a `model` words serve alone."""

    model: Annotated[str, AfterValidator(forms.embed_model)] | None = setting(
        None,
        "The model that finds by meaning: answers, skills, tools; local for one without a server.",
    )
    url: ServiceUrl = needed(
        "Its OpenAI-compatible server, up to and with /v1; OpenAI itself when not set."
    )
    key: Key | None = setting(
        None, "The key of that server; OPENAI_API_KEY for OpenAI when not set."
    )
    dollars: Dollars | None = setting(
        None,
        "Dollars for a million of its tokens; known for OpenAI's, otherwise unknown.",
        name="embed_price",
    )
    index_url: ServiceUrl | None = setting(
        None,
        "A Chroma server for the index of meaning; a folder below home when not set.",
        name="chroma_url",
    )
    price: Price | None = None
    """The price of the embedder's tokens; None when nobody knows it."""


@frozen
class HearAccess:
    """The way to a service that hears voice messages, at `url`/audio/transcriptions."""

    url: ServiceUrl = needed(
        "The address of a service that hears voice messages, up to and with /v1."
    )
    model: Name = setting("whisper-1", "The model that hears voice messages.")
    key: Key | None = setting(None, "The key of the service that hears, if it wants one.")
    price: Dollars | None = setting(
        None, "Dollars that a minute of sound costs there; unknown when not set."
    )
    seconds: float = setting(60.0, "Seconds that hearing one voice message may take.", gt=0)


@frozen
class SpeakAccess:
    """The way to a service that speaks answers, at `url`/audio/speech."""

    url: ServiceUrl = needed("The address of a service that speaks answers, up to and with /v1.")
    model: Name = setting("tts-1", "The model that speaks answers.")
    voice: Name = setting("alloy", "The voice in which it speaks, as the service names it.")
    key: Key | None = setting(None, "The key of the service that speaks, if it wants one.")
    price: Dollars | None = setting(
        None, "Dollars that a million characters cost there; unknown when not set."
    )
    seconds: float = setting(60.0, "Seconds that speaking one answer may take.", gt=0)


@frozen
class WebAccess:
    """The hosts that pages are fetched from: `hosts` alone, if any, and none that is `denied`."""

    fetch: bool = setting(True, "Whether pages of the web can be fetched.", name="web")
    hosts: tuple[str, ...] = setting(
        (),
        "Only these hosts are fetched from; host:port allows one place even if it is private.",
        read=forms.web_hosts,
    )
    denied: tuple[str, ...] = setting(
        (), "Hosts that are never fetched from, as in example.org.", read=forms.web_hosts
    )
    bounds: WebBounds = section(WebBounds, "web_")


_SearchService = Literal["brave", "tavily", "searxng", "anthropic", "openai"]


@frozen
class SearchAccess:
    """The way to a service that searches the web; without a `url` it is the service's own."""

    service: Annotated[Literal["brave", "tavily", "searxng", "anthropic", "openai"], Lower] = (
        needed(
            "The service that searches the web: brave, tavily, searxng, anthropic or openai.",
            name="search",
        )
    )
    key: Key | None = setting(None, "The key of that service; SearXNG needs none.")
    url: ServiceUrl | None = setting(
        None, "The address of a SearXNG server, or another one of the service."
    )

    @property
    def fault(self) -> str:
        """Returns the setting that is missing; empty when the service can be asked."""
        if self.service == "searxng":
            return "" if self.url else "STEWARD_SEARCH_URL"
        if self.service in OWN_SEARCHES:
            return ""  # the key of the model serves
        return "" if self.key else "STEWARD_SEARCH_KEY"


@frozen
class PageAccess:
    """The page in a browser, on a port of 127.0.0.1, or behind a proxy at `public_url`."""

    port: int = setting(
        8787,
        "The port of 127.0.0.1 that has the page in the browser; 0 turns it off.",
        ge=0,
        le=65535,
    )
    public_url: Annotated[str, AfterValidator(forms.page_url)] | None = setting(
        None, "The address of the page behind a proxy; it then answers under no other one."
    )
    proxies: tuple[str, ...] = setting(
        ("127.0.0.1",), "The addresses from which the page is asked.", read=forms.addresses
    )

    @property
    def address(self) -> str:
        """Returns its address, without a slash at its end; empty when it is off."""
        return (self.public_url or f"http://127.0.0.1:{self.port}") if self.port else ""


@frozen
class WebhookAccess:
    """The address for Telegram's calls; a proxy passes them from `url` to `port` of 127.0.0.1."""

    url: Annotated[str, AfterValidator(forms.webhook_url)] = needed(
        "The public https address that Telegram calls; when not set, Steward asks Telegram."
    )
    secret: Annotated[SecretStr, _secret(forms.webhook_secret)] | None = setting(
        None, "The secret that Telegram sends with each call; a new one at each start when not set."
    )
    port: int = setting(
        8080,
        "The port of 127.0.0.1 to which a proxy hands these calls on.",
        name="webhook_port",
        ge=1,
        le=65535,
    )


@frozen
class TelegramAccess:
    """The way to the Bot API; methods are at `api_url`/bot<token>/<method>.

    Without a `webhook` updates are polled. `rich` counts where the server has such messages.
    """

    token: Annotated[SecretStr, _secret(forms.bot_token)] | None = setting(
        None,
        "The token of the Telegram bot; with it Telegram is served.",
        name="telegram_bot_token",
    )
    api_url: ServiceUrl = setting(
        "https://api.telegram.org", "The address of the Bot API; change it for your own server."
    )
    webhook: WebhookAccess | None = optional_section(
        WebhookAccess, "telegram_webhook_", "telegram_webhook_url"
    )
    rich: bool = setting(
        True,
        "Tables and formulas as Telegram shows them; false for apps that cannot.",
        name="telegram_rich_messages",
    )


@frozen
class DiscordAccess:
    """The way to Discord; paths of its HTTP API are below `api_url`."""

    token: Annotated[SecretStr, _secret(forms.discord_token)] | None = setting(
        None, "The token of the Discord bot; with it Discord is served.", name="discord_bot_token"
    )
    api_url: ServiceUrl = setting(
        "https://discord.com/api/v10", "The address of Discord's API; change it for a test server."
    )
    shards: int = setting(1, "Connections to Discord; one serves up to 2,500 servers.", ge=1, le=64)


@frozen
class TracesAccess:
    """The collector that traces of turns are sent to."""

    url: ServiceUrl = needed(
        "The OpenTelemetry collector, by OTLP over HTTP, as in http://127.0.0.1:4318/v1/traces."
    )
    key: Key | None = setting(None, "The key of that collector, sent as a bearer token.")
    content: bool = setting(
        False, "Whether traces hold what people and models said, and inputs and outputs of tools."
    )


@frozen
class LogSettings:
    """The form and the level of the program's log."""

    format: Annotated[Literal["text", "json"], Lower] = setting(
        "text", "The form of log lines: text, or json with one object a line.", name="log"
    )
    level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], Upper] = setting(
        "INFO", "The lowest level of log lines that are written."
    )


@frozen
class SettingLine:
    """One setting as `steward config` prints it; a secret's value is already masked."""

    name: str
    value: str
    origin: str
    sentence: str
    secret: bool = False
    """True for a value that no other user of the machine may read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a run; a field without a setting's sentence is filled by the reading."""

    home: Folder = setting(Path("data"), "The folder of everything Steward keeps.")
    workspace: Folder = needed("The folder its tools work in; workspace below home.")
    shared_folders: tuple[tuple[str, str], ...] = setting(
        (),
        "Chats that work in a folder others may share, as in telegram:-1001=team.",
        read=forms.shared_folders,
    )
    """Chats (`channel:id`, perhaps with `/thread`) and their folders below the workspace."""
    owners: tuple[str, ...] = setting(
        (), "The owners of this Steward, as in telegram:42,discord:7.", read=forms.accounts
    )
    allowed: tuple[str, ...] = setting(
        (), "The other people who may talk to it, written the same way.", read=forms.accounts
    )
    database_url: Annotated[str, AfterValidator(forms.database_url)] = needed(
        "The database; a SQLite file below home, or postgresql://user:password@host/name.",
        hidden=True,
    )
    skills: Folder | None = setting(None, "A folder of skills; those of the program when not set.")
    meaning: MeaningAccess = section(MeaningAccess, "embed_")
    role: tuple[str, ...] = setting(
        (),
        "The roles of this process: receive,work,deliver,schedule,web; all if not set.",
        read=forms.roles,
    )
    worker_tags: tuple[str, ...] = setting(
        (),
        "Names of the files that this worker has, as in garage; with several machines.",
        read=forms.tags,
    )
    lanes: int = setting(256, "Chats worked on at once; the others wait.", ge=1)
    sandbox_network: bool = setting(False, "Whether commands in the sandbox reach the network.")
    context_window: int | None = setting(
        None, "Tokens the model may see; its own window when not set.", ge=4000
    )
    anthropic: AnthropicAccess = section(AnthropicAccess, "anthropic_")
    openai: OpenAIAccess = section(OpenAIAccess, "openai_")
    hear: HearAccess | None = optional_section(HearAccess, "hear_", "hear_url")
    speak: SpeakAccess | None = optional_section(SpeakAccess, "speak_", "speak_url")
    telegram: TelegramAccess = section(TelegramAccess, "telegram_")
    discord: DiscordAccess = section(DiscordAccess, "discord_")
    page: PageAccess = section(PageAccess, "web_")
    hooks_listen: int | None = setting(
        None,
        "The port of 127.0.0.1 on which other programs call hooks; off when not set.",
        ge=1,
        le=65535,
    )
    metrics_listen: int | None = setting(
        None,
        "The port of 127.0.0.1 that tells an operator's programs how it is; off when not set.",
        ge=1,
        le=65535,
    )
    traces: TracesAccess | None = optional_section(TracesAccess, "traces_", "traces_url")
    send_rates: SendRates | None = setting(
        SendRates(),
        "Messages a second to a chat, a group and all, and at once to a chat; or off.",
        read=forms.send_rates,
    )
    send_seconds: float = setting(30.0, "Seconds a channel may take to send one message.", gt=0)
    policy: Policy = section(Policy)
    reading: ReadingBounds = section(ReadingBounds, "reading_")
    web: WebAccess = section(WebAccess, "web_")
    search: SearchAccess | None = optional_section(SearchAccess, "search_", "search")
    log: LogSettings = section(LogSettings, "log_")

    providers: tuple[ProviderSpec, ...] = ()
    """Other providers of models, those that cannot be used too."""
    models: Mapping[str, Traits] = field(default_factory=dict[str, Traits])
    """Known traits of models, by their whole name."""
    hook_secrets: Mapping[str, SecretStr] = field(default_factory=dict[str, SecretStr])
    """The variables that begin with `HOOK_`, which hold the secrets of hooks."""
    servers: tuple[ServerSpec, ...] = ()
    """Tool servers whose tools every chat may use."""
    secrets: tuple[SecretStr, ...] = ()
    """Keys, tokens and passwords that no log may show."""
    lines: tuple[SettingLine, ...] = ()
    """Every setting, as `steward config` prints it."""
    warnings: tuple[str, ...] = ()
    """Sentences about unknown settings, for the operator."""

    @property
    def duties(self) -> frozenset[Duty]:
        """Returns what this process does of all the work."""
        return frozenset(Duty(one) for one in self.role) or EVERY_DUTY

    @property
    def places(self) -> Mapping[str, str]:
        """Returns the settings of where everything lies, for another process of this home."""
        return {
            "STEWARD_HOME": str(self.home),
            "STEWARD_WORKSPACE": str(self.workspace),
            "STEWARD_DATABASE_URL": self.database_url,
        }
