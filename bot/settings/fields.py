"""Lists every setting with its name, type, bounds, default and sentence."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    SecretStr,
    model_validator,
)

from bot.domain.consent.rules import RULE_DOCUMENTS
from bot.domain.memory.recalled import RECALL_TOKENS
from bot.domain.money.provider import OPENAI_URL
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
from bot.domain.talk.rights import UNBOUND, Pace, read_pace
from bot.domain.tools.tool_choice import TOOL_BYTES
from bot.domain.turn.folding import LONG_ANSWER
from bot.domain.turn.tier import Tiers
from bot.settings import forms

PREFIX = "STEWARD_"
FIRST_MODEL = "anthropic/claude-sonnet-5-5"

FIRST_OF_OPENAI = "openai/gpt-5.1"
"""The model that answers when there is a key of OpenAI alone, and nobody chose one."""
"""The model that answers as long as nobody chose one."""

_LIMITS = Limits()
_TIMES = ModelTimes()
_BUNDLES = BundleBounds()
_ENCLOSURES = EnclosureBounds()
_INBOX = InboxBounds()
_UNDO = UndoBounds()
_TIERS = Tiers()
_READING = ReadingBounds()
_WEB = WebBounds()
_TASKS = ScheduleBounds()
_GOALS = GoalBounds()

Count = Annotated[int, Field(ge=1)]
CountOrNone = Annotated[int, Field(ge=0)]
Seconds = Annotated[FiniteFloat, Field(gt=0)]
Share = Annotated[FiniteFloat, Field(gt=0, lt=1)]
Bytes = Annotated[int, Field(ge=1000)]
Folder = Annotated[Path, AfterValidator(forms.folder)]
Accounts = Annotated[
    tuple[str, ...], BeforeValidator(lambda v: forms.accounts(str(forms.joined(v))))
]
SharedFolders = Annotated[
    tuple[str, ...], BeforeValidator(lambda v: forms.shared_folders(str(forms.joined(v))))
]
ModelName = Annotated[str, AfterValidator(forms.model)]
Models = Annotated[tuple[str, ...], BeforeValidator(lambda v: forms.models(str(forms.joined(v))))]
Minutes = Annotated[
    tuple[float, ...], BeforeValidator(lambda v: forms.minutes(str(forms.joined(v))))
]
Rates = Annotated[
    SendRates | None, BeforeValidator(lambda v: forms.send_rates(str(forms.joined(v))))
]
Documents = Annotated[
    tuple[str, ...], BeforeValidator(lambda v: forms.endings(str(forms.joined(v))))
]
MessagePace = Annotated[Pace, BeforeValidator(lambda v: read_pace(str(forms.joined(v))))]
WebHosts = Annotated[
    tuple[str, ...], BeforeValidator(lambda v: forms.web_hosts(str(forms.joined(v))))
]
ServiceUrl = Annotated[str, AfterValidator(forms.service_url)]
Dollars = Annotated[Decimal, Field(ge=0, lt=1_000_000)]
Upper = BeforeValidator(lambda value: str(value).upper())
Lower = BeforeValidator(lambda value: str(value).lower())


def _secret(check: Any) -> AfterValidator:
    return AfterValidator(lambda secret: SecretStr(check(secret.get_secret_value())))


def setting_name(field: str) -> str:
    """Returns the name people write: with the prefix, except for the providers' own names."""
    provider = field.startswith(("anthropic_", "openai_", "telegram_", "discord_"))
    return field.upper() if provider else PREFIX + field.upper()


def told(default: Any, sentence: str) -> Any:
    """Returns a field with the default and the sentence of a setting."""
    return Field(default, description=sentence)


class Fields(BaseModel):
    """Settings as they are written; every field can be left out."""

    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=setting_name),
        extra="ignore",
        frozen=True,
        str_strip_whitespace=True,
        protected_namespaces=(),
    )

    home: Folder = told(Path("data"), "The folder of everything Steward keeps.")
    workspace: Folder | None = told(None, "The folder its tools work in; workspace below home.")
    shared_folders: SharedFolders = told(
        (), "Chats that work in a folder others may share, as in telegram:-1001=team."
    )
    owners: Accounts = told((), "The owners of this Steward, as in telegram:42,discord:7.")
    allowed: Accounts = told((), "The other people who may talk to it, written the same way.")
    member_pace: MessagePace = told(
        UNBOUND, "Messages a member may send, as in 20/min,200/h,1000/d; off for no limit."
    )
    timezone: Annotated[str, AfterValidator(forms.timezone)] | None = told(
        None, "The time zone of people without one of their own; when not set, each is asked once."
    )
    database_url: Annotated[str, AfterValidator(forms.database_url)] | None = told(
        None, "The database; a SQLite file below home, or postgresql://user:password@host/name."
    )
    skills: Folder | None = told(None, "A folder of skills; those of the program when not set.")
    skill_list_bytes: CountOrNone = told(
        SKILL_LIST, "Bytes of the list of skills in a request; the model searches for the others."
    )
    recall_tokens: CountOrNone = told(
        RECALL_TOKENS, "Tokens of earlier answers that come with a message; 0 recalls nothing."
    )
    embed_model: Annotated[str, AfterValidator(forms.embed_model)] | None = told(
        None,
        "The model that finds by meaning: answers, skills, tools; local for one without a server.",
    )
    embed_url: ServiceUrl | None = told(
        None,
        "Its OpenAI-compatible server, up to and with /v1; OpenAI itself when not set.",
    )
    embed_key: Annotated[SecretStr, _secret(forms.key)] | None = told(
        None, "The key of that server; OPENAI_API_KEY for OpenAI when not set."
    )
    embed_price: Dollars | None = told(
        None, "Dollars for a million of its tokens; known for OpenAI's, otherwise unknown."
    )
    chroma_url: ServiceUrl | None = told(
        None, "A Chroma server for the index of meaning; a folder below home when not set."
    )
    tool_bytes: Annotated[int, Field(ge=20_000)] = told(
        TOOL_BYTES, "Bytes of tools in a request; the model searches for the others."
    )
    lanes: Count = told(256, "Chats worked on at once; the others wait.")
    task_at_once: Count = told(
        _TASKS.at_once,
        "Chats in which tasks run at once; others wait, people come first.",
    )
    task_grace_hours: Annotated[FiniteFloat, Field(ge=0)] = told(
        _TASKS.grace_hours, "Hours after which a missed time of a repeating task is left out."
    )
    task_runs: Count = told(
        _TASKS.runs, "Runs of one task in a day; a task can have a smaller limit of its own."
    )
    goal_pace: Literal["hourly", "daily", "weekly"] = told(
        _GOALS.pace, "Pace of a new goal: hourly, daily or weekly."
    )
    goal_day_dollars: Annotated[FiniteFloat, Field(gt=0, lt=1_000_000)] = told(
        _GOALS.day_dollars, "Dollars that a new goal may cost in a day."
    )
    goal_dollars: Annotated[FiniteFloat, Field(gt=0, lt=1_000_000)] = told(
        _GOALS.dollars, "Dollars that a new goal may cost in all."
    )
    goal_days: Annotated[int, Field(ge=1, le=3_650)] = told(
        _GOALS.days, "Days after which a goal is paused."
    )
    goal_diary_tokens: Annotated[int, Field(ge=100)] = told(
        _GOALS.diary_tokens, "Tokens of a goal's diary with which its runs begin."
    )
    rule_documents: Documents = told(
        RULE_DOCUMENTS, "Endings of files that a standing rule for a folder covers."
    )
    sandbox_network: bool = told(False, "Whether commands in the sandbox reach the network.")

    model: ModelName = told(FIRST_MODEL, "The model that answers, as provider/name.")
    fallback_models: Models = told(
        (), "Models that take over, in this order, when one does not answer; provider/name, …."
    )
    fast_model: ModelName = told(
        _TIERS.fast, "The model of the tier fast, for small things; provider/name."
    )
    balanced_model: ModelName = told(
        _TIERS.balanced, "The model of the tier balanced, for most things; provider/name."
    )
    deep_model: ModelName = told(
        _TIERS.deep, "The model of the tier deep, for code and hard questions; provider/name."
    )
    tier_raise: bool = told(
        True, "Whether a chat on a tier changes to deep for code and repeated failures."
    )
    budget_day: Dollars | None = told(
        None, "Dollars that everybody together may spend in a day; no limit when not set."
    )
    budget_person: Dollars | None = told(
        None, "Dollars that one person may spend in a day; no limit when not set."
    )
    budget_turn: Dollars | None = told(
        None,
        "Dollars that one message may cost in all; no limit when not set.",
    )
    context_window: Annotated[int, Field(ge=4000)] | None = told(
        None, "Tokens the model may see; its own window when not set."
    )
    anthropic_api_key: Annotated[SecretStr, _secret(forms.key)] | None = told(
        None, "The key of the Messages API; without one the demo model answers."
    )
    anthropic_base_url: ServiceUrl | None = told(
        None, "Another address of the Messages API than the provider's own."
    )
    openai_api_key: Annotated[SecretStr, _secret(forms.key)] | None = told(
        None, "The key of OpenAI; with it models such as openai/gpt-5.1 can answer."
    )
    openai_base_url: ServiceUrl = told(
        OPENAI_URL, "Another address of OpenAI's Chat Completions, up to and with /v1."
    )
    hear_url: ServiceUrl | None = told(
        None, "The address of a service that hears voice messages, up to and with /v1."
    )
    hear_model: Annotated[str, Field(min_length=1)] = told(
        "whisper-1", "The model that hears voice messages."
    )
    hear_key: Annotated[SecretStr, _secret(forms.key)] | None = told(
        None, "The key of the service that hears, if it wants one."
    )
    hear_price: Dollars | None = told(
        None, "Dollars that a minute of sound costs there; unknown when not set."
    )
    hear_seconds: Seconds = told(60.0, "Seconds that hearing one voice message may take.")
    speak_url: ServiceUrl | None = told(
        None, "The address of a service that speaks answers, up to and with /v1."
    )
    speak_model: Annotated[str, Field(min_length=1)] = told(
        "tts-1", "The model that speaks answers."
    )
    speak_voice: Annotated[str, Field(min_length=1)] = told(
        "alloy", "The voice in which it speaks, as the service names it."
    )
    speak_key: Annotated[SecretStr, _secret(forms.key)] | None = told(
        None, "The key of the service that speaks, if it wants one."
    )
    speak_price: Dollars | None = told(
        None, "Dollars that a million characters cost there; unknown when not set."
    )
    speak_seconds: Seconds = told(60.0, "Seconds that speaking one answer may take.")
    telegram_bot_token: Annotated[SecretStr, _secret(forms.bot_token)] | None = told(
        None, "The token of the Telegram bot; with it Telegram is served."
    )
    telegram_api_url: ServiceUrl = told(
        "https://api.telegram.org", "The address of the Bot API; change it for your own server."
    )
    telegram_webhook_url: Annotated[str, AfterValidator(forms.webhook_url)] | None = told(
        None, "The public https address that Telegram calls; when not set, Steward asks Telegram."
    )
    telegram_webhook_secret: Annotated[SecretStr, _secret(forms.webhook_secret)] | None = told(
        None, "The secret that Telegram sends with each call; a new one at each start when not set."
    )
    telegram_rich_messages: bool = told(
        True, "Tables and formulas as Telegram shows them; false for apps that cannot."
    )
    discord_bot_token: Annotated[SecretStr, _secret(forms.discord_token)] | None = told(
        None, "The token of the Discord bot; with it Discord is served."
    )
    discord_api_url: ServiceUrl = told(
        "https://discord.com/api/v10", "The address of Discord's API; change it for a test server."
    )
    discord_shards: Annotated[int, Field(ge=1, le=64)] = told(
        1, "Connections to Discord; one serves up to 2,500 servers."
    )
    webhook_port: Annotated[int, Field(ge=1, le=65535)] = told(
        8080, "The port of 127.0.0.1 to which a proxy hands these calls on."
    )
    hooks_listen: Annotated[int, Field(ge=1, le=65535)] | None = told(
        None, "The port of 127.0.0.1 on which other programs call hooks; off when not set."
    )
    send_rates: Rates = told(
        SendRates(), "Messages a second to a chat, a group and all, and at once to a chat; or off."
    )
    send_seconds: Seconds = told(30.0, "Seconds a channel may take to send one message.")

    bundle_seconds: Annotated[FiniteFloat, Field(ge=0, le=60)] = told(
        _BUNDLES.seconds, "Seconds to wait for the next piece of a message that comes in pieces."
    )
    bundle_messages: Annotated[int, Field(ge=1, le=90)] = told(
        _BUNDLES.messages, "Pieces that one message may have."
    )
    bundle_characters: Annotated[int, Field(ge=4096)] = told(
        _BUNDLES.characters, "Characters such a message may have in all."
    )
    enclosure_bytes: Bytes = told(_ENCLOSURES.bytes, "Bytes of one file that is fetched.")
    enclosure_seconds: Seconds = told(
        _ENCLOSURES.seconds, "Seconds to fetch, keep and read all files of a message."
    )
    inbox_files: Count = told(_INBOX.files, "Files that inbox/ of a workspace may hold.")
    inbox_bytes: Bytes = told(_INBOX.bytes, "Bytes that inbox/ of a workspace may hold.")
    inbox_days: CountOrNone = told(
        _INBOX.days, "Days after which files that people sent are deleted; 0 keeps them."
    )
    undo_days: CountOrNone = told(
        _UNDO.days, "Days in which changes of files can be undone; 0 keeps no old contents."
    )
    undo_bytes: Bytes = told(_UNDO.bytes, "Bytes of old contents that are kept for each chat.")
    reading_memory: Annotated[int, Field(ge=64_000_000)] = told(
        _READING.memory, "Bytes of memory of the process that reads one file."
    )
    reading_seconds: Seconds = told(_READING.seconds, "Seconds reading one file may take.")
    reading_cpu_seconds: Count = told(
        _READING.cpu_seconds, "Seconds of the processor reading one file may take."
    )
    reading_at_once: Count = told(_READING.at_once, "Files read side by side.")

    web: bool = told(True, "Whether pages of the web can be fetched.")
    web_hosts: WebHosts = told(
        (), "Only these hosts are fetched from; host:port allows one place even if it is private."
    )
    web_denied: WebHosts = told((), "Hosts that are never fetched from, as in example.org.")
    web_bytes: Bytes = told(_WEB.bytes, "Bytes of one page that is fetched.")
    web_seconds: Seconds = told(
        _WEB.seconds, "Seconds that fetching one page may take, redirects included."
    )
    web_redirects: CountOrNone = told(_WEB.redirects, "Redirects that are followed.")
    web_at_once: Count = told(_WEB.at_once, "Pages fetched side by side.")
    search: Annotated[Literal["brave", "tavily", "searxng", "anthropic"] | None, Lower] = told(
        None, "The service that searches the web: brave, tavily, searxng, or anthropic (Claude's)."
    )
    search_key: Annotated[SecretStr, _secret(forms.key)] | None = told(
        None, "The key of that service; SearXNG needs none."
    )
    search_url: ServiceUrl | None = told(
        None, "The address of a SearXNG server, or another one of the service."
    )

    soft_rounds: Count = told(
        _LIMITS.soft_rounds, "Rounds of a turn after which the model is asked to wrap up."
    )
    max_rounds: Count = told(_LIMITS.max_rounds, "Rounds after which a turn ends in any case.")
    calls_per_round: Count = told(_LIMITS.calls_per_round, "Tool calls one reply may make.")
    calls_per_turn: Count = told(_LIMITS.calls_per_turn, "Tool calls one turn may make.")
    turn_seconds: Seconds = told(
        _LIMITS.turn_seconds, "Working time of a turn; waiting for people does not count."
    )
    tools_seconds: Seconds = told(_LIMITS.tools_seconds, "Time of all tools of a round together.")
    tool_seconds: Seconds = told(
        _LIMITS.tool_seconds, "Time of one tool that does not state its own."
    )
    result_bytes: Bytes = told(_LIMITS.result_bytes, "Bytes of one result the model reads.")
    round_bytes: Bytes = told(_LIMITS.round_bytes, "Bytes of a round's results together.")
    repeat_calls: Annotated[int, Field(ge=2)] = told(
        _LIMITS.repeat_calls, "Number of the identical call before which the person is asked."
    )
    repeat_grant: Count = told(_LIMITS.repeat_grant, "Identical calls one “Go on” allows.")
    same_error_hint: Count = told(
        _LIMITS.same_error_hint, "Equal errors after which the model gets a hint."
    )
    same_error_stop: Count = told(
        _LIMITS.same_error_stop, "Equal errors after which the turn ends."
    )
    empty_retries: CountOrNone = told(
        _LIMITS.empty_retries, "How often an empty answer of the model is tried again."
    )
    pauses: CountOrNone = told(_LIMITS.pauses, "Pauses of the provider that a turn accepts.")
    attempts: Count = told(
        _LIMITS.attempts,
        "Failed starts of a turn without progress before it waits for its new try.",
    )
    counted_after_seconds: Seconds = told(
        _LIMITS.counted_after_seconds,
        "Seconds a step must run before a death of the program counts as a failed start.",
    )
    rest_minutes: Minutes = told(
        _LIMITS.rest_minutes,
        "Minutes until each new try of a turn that keeps failing, or none for no new try.",
    )
    plan_explore: bool = told(True, "Whether reading tools run while a plan is collected.")
    plan_steps: Count = told(_LIMITS.plan_steps, "Steps a plan may have.")
    plan_rounds: Count = told(
        _LIMITS.plan_rounds, "Rounds beyond one for each step until a plan is asked to finish."
    )
    errands: CountOrNone = told(
        _LIMITS.errands, "Errands that one turn may send out; 0 turns them off."
    )
    errand_rounds: Count = told(
        _LIMITS.errand_rounds, "Rounds after which an errand is asked for its answer."
    )
    plan_calls: CountOrNone = told(
        _LIMITS.plan_calls, "Calls a plan may take beyond two for each step."
    )
    pipeline_depth: CountOrNone = told(
        _LIMITS.pipeline_depth, "How often in a turn one skill may hand over to the next."
    )
    compact_at: Share = told(
        _LIMITS.compact_at, "Share of the window above which old turns are summarised."
    )
    compact_to: Share = told(_LIMITS.compact_to, "Share of the window that is left after that.")
    images_in_view: CountOrNone = told(_LIMITS.images_in_view, "Pictures one request may hold.")
    approval_hours: Seconds = told(
        _LIMITS.approval_hours,
        "Hours until an open card expires; those of tasks do not expire.",
    )
    card_seconds: Seconds = told(
        _LIMITS.card_seconds, "Seconds in which a card must be delivered, or its call is blocked."
    )
    long_answer: Annotated[int, Field(ge=1000)] = told(
        LONG_ANSWER, "Characters above which an answer is long; /long chooses how it is sent."
    )

    model_connect_seconds: Seconds = told(
        _TIMES.connect_seconds, "Seconds to reach the model's provider."
    )
    model_first_byte_seconds: Seconds = told(
        _TIMES.first_byte_seconds, "Seconds until the model's first byte."
    )
    model_silence_seconds: Seconds = told(
        _TIMES.silence_seconds, "Seconds a model may be silent within its reply."
    )
    model_call_seconds: Seconds = told(_TIMES.call_seconds, "Seconds of a model call in all.")
    model_retries: CountOrNone = told(
        _TIMES.retries, "How often a failed model call is tried again."
    )
    model_backoff_seconds: Seconds = told(
        _TIMES.backoff_seconds, "Seconds before the first new try; each later wait doubles."
    )
    model_backoff_max_seconds: Seconds = told(
        _TIMES.backoff_max_seconds, "The longest wait before a new try, in seconds."
    )

    log: Annotated[Literal["text", "json"], Lower] = told(
        "text", "The form of log lines: text, or json with one object a line."
    )
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], Upper] = told(
        "INFO", "The lowest level of log lines that are written."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        """Refuses bounds that make sense only in the other order."""
        pairs = (
            ("soft_rounds", "max_rounds"),
            ("calls_per_round", "calls_per_turn"),
            ("result_bytes", "round_bytes"),
            ("same_error_hint", "same_error_stop"),
            ("compact_to", "compact_at"),
            ("model_backoff_seconds", "model_backoff_max_seconds"),
        )
        for lower, upper in pairs:
            low, high = getattr(self, lower), getattr(self, upper)
            if low > high:
                raise ValueError(
                    f"{setting_name(lower)} ({low:g}) should not be above "
                    f"{setting_name(upper)} ({high:g})"
                )
        return self
