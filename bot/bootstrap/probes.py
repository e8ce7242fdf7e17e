"""Tries token, key and models for real; each fault is a complaint in plain words."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.adapters.anthropic.model import BASE_URL, AnthropicModel
from bot.adapters.openai.model import OpenAIModel
from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.api import PUBLIC_URL
from bot.bootstrap.parts import (
    DEMO,
    anthropic_model,
    chat_servers,
    openai_model,
    openai_spec,
    provider_fault,
    telegram_api,
)
from bot.doctor import Complaint
from bot.domain.money.provider import OPENAI, OPENAI_URL, ProviderSpec
from bot.domain.talk.errors import (
    ChannelDenied,
    ChannelError,
    ChannelUnreachable,
    FloodWait,
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    NoSuchModel,
    SettingError,
)
from bot.domain.talk.unreached import why_unreached
from bot.flow.models.looking_up import near_names
from bot.settings import FIRST_MODEL, FIRST_OF_OPENAI, Settings
from bot.settings.forms import without_password
from bot.shipped import command

KEYS_PAGE = "https://platform.claude.com/settings/keys"
OPENAI_KEYS_PAGE = "https://platform.openai.com/api-keys"
NETWORK = "Look at this machine's network: name lookup, firewall, proxy."


async def try_token(settings: Settings) -> str:
    """Returns the bot's name, as in @steward_bot, when Telegram accepts the token."""
    url = settings.telegram.api_url
    elsewhere = "" if url == PUBLIC_URL else f" Look at TELEGRAM_API_URL too: {url}."
    try:
        async with telegram_api(settings) as api:
            return f"@{await TelegramAccount(api).check()}"
    except ChannelDenied:
        told = "Telegram does not accept the bot token."
        mend = f"Copy it again from @BotFather, then run `{command('setup')}`.{elsewhere}"
        raise Complaint(told, mend) from None
    except FloodWait as wait:
        told = f"Telegram asks for a pause of {wait.retry_after:g} s."
        raise Complaint(told, "Wait that long, then try again.", fleeting=True) from None
    except ChannelUnreachable as fault:
        told = f"{fault} ({url})."
        raise Complaint(told, f"{NETWORK}{elsewhere}", fleeting=True) from None
    except ChannelError as fault:
        told = f"Telegram refuses the question for the bot's name: {fault}."
        raise Complaint(told, f"Look at TELEGRAM_BOT_TOKEN.{elsewhere}") from None


@dataclass(frozen=True, slots=True)
class _Place:
    """A place to ask for a model, with hints for a person when that fails."""

    model: AnthropicModel | OpenAIModel
    url: str
    """The address that is asked."""
    key: str
    """The setting or variable of the key; empty for a server without one."""
    mend: str
    """The sentence about a key that is not accepted."""
    elsewhere: str = ""
    """A further sentence when the address is not the provider's own."""


def _place(settings: Settings, provider: str) -> _Place | None:
    """Returns the place of a provider; None when its key is missing."""
    if provider == "anthropic":
        model, url = anthropic_model(settings), settings.anthropic.base_url
        mend = f"Make a new key at {KEYS_PAGE} and run `{command('setup')}`."
        also = f" Look at ANTHROPIC_BASE_URL too: {url}." if url else ""
        return _Place(model, url or BASE_URL, "ANTHROPIC_API_KEY", mend, also) if model else None
    spec = next((s for s in chat_servers(settings) if s.name == provider), None)
    if spec is None:
        return None
    model, url = openai_model(settings, spec), without_password(spec.base_url)
    where = "OPENAI_BASE_URL" if provider == OPENAI else f"[providers.{provider}] in steward.toml"
    also = "" if spec.base_url == OPENAI_URL else f" Look at {where} too: {url}."
    mend = f"Correct {spec.key_name}." if spec.key_name else "Give it a key."
    if provider == OPENAI:
        mend = f"Make a new key at {OPENAI_KEYS_PAGE} and run `{command('setup')}`."
    return _Place(model, url, spec.key_name or where, mend, also)


async def try_model(settings: Settings, key: str, setting: str = "STEWARD_MODEL") -> str:
    """Returns a sentence when the provider accepts the API key and has the model `key`.

    `setting` is the name of the setting that names the model.
    """
    fault = provider_fault(settings, key, setting)
    if fault:
        raise Complaint(fault, f"Set {setting} to a model of a known provider, or to {DEMO}.")
    provider, _, name = key.partition("/")
    if provider == "demo":
        return "The demo model answers. It needs no key and no network."
    place = _place(settings, provider)
    if place is None and key == FIRST_MODEL and openai_spec(settings) is not None:
        return await try_model(settings, FIRST_OF_OPENAI, setting)
    if place is None:
        told = "There is no API key, so the demo model answers."
        wanted = f"{provider.upper()}_API_KEY"
        raise Complaint(told, f"Run `{command('setup')}`, or set {wanted}.", "warn")
    async with place.model:
        try:
            await _asked(place, name)
        except NoSuchModel:
            told = f"The model's provider has no model “{name}” for this key."
            near = " or ".join(await near_names(place.model, name))
            meant = f" Did you mean {near}?" if near else ""
            raise Complaint(told, f"Correct {setting}.{meant}") from None
    return f"The key is good, and {key} is there."


async def try_anthropic_key(settings: Settings) -> str:
    """Returns a sentence when Anthropic accepts the API key, with or without the model."""
    return await _try_key(settings, "anthropic", FIRST_MODEL)


async def try_openai_key(settings: Settings) -> str:
    """Returns a sentence when OpenAI accepts the API key, with or without the model."""
    return await _try_key(settings, OPENAI, FIRST_OF_OPENAI)


async def _try_key(settings: Settings, provider: str, first: str) -> str:
    place = _place(settings, provider)
    if place is None:
        raise SettingError(f"{provider.upper()}_API_KEY is not set")
    chosen, _, name = settings.policy.model.partition("/")
    wanted = name if chosen == provider else first.partition("/")[2]
    try:
        async with place.model:
            await _asked(place, wanted)
    except NoSuchModel:
        return f"The key is good, but there is no model “{wanted}” for it: correct STEWARD_MODEL."
    return f"The key is good, and {wanted} is there."


async def try_server(settings: Settings, spec: ProviderSpec) -> Sequence[str]:
    """Returns the names of the models that a server lists."""
    where = spec.key_name or "the address"
    place = _Place(
        openai_model(settings, spec),
        without_password(spec.base_url),
        where,
        f"Correct {where}.",
    )
    async with openai_model(settings, spec) as model:
        try:
            return await model.models()
        except ModelError as fault:
            raise _complaint(place, fault) from None


async def try_provider(settings: Settings, spec: ProviderSpec) -> str:
    """Returns a sentence about a provider whose models no setting names."""
    place = _place(settings, spec.name)
    if place is None or not isinstance(place.model, OpenAIModel):
        raise SettingError(f"{spec.name} cannot be used")
    async with place.model as model:
        try:
            names = await model.models()
        except ModelError as fault:
            # Nothing names its models, so everything works without it.
            found = _complaint(place, fault)
            raise Complaint(str(found), found.mend, "warn", fleeting=found.fleeting) from None
    count = "1 model" if len(names) == 1 else f"{len(names)} models"
    return f"It answers and lists {count}."


async def _asked(place: _Place, name: str) -> None:
    """Asks the provider for a model; raises NoSuchModel, or a Complaint for any other fault."""
    try:
        await place.model.check(name)
    except NoSuchModel:
        raise
    except ModelError as fault:
        raise _complaint(place, fault) from None


def _complaint(place: _Place, fault: ModelError) -> Complaint:
    """Returns what a person can do about a provider that does not answer as it should."""
    match fault:
        case ModelDenied():
            told = f"The model's provider does not accept the API key: {_said(fault)}."
            return Complaint(told, f"{place.mend}{place.elsewhere}")
        case ModelOverloaded():
            told = f"The model's provider has trouble of its own: {_said(fault)}."
            return Complaint(told, "Try again in a few minutes.", fleeting=True)
        case ModelUnreachable():
            why = why_unreached(fault)
            told = f"The model's provider cannot be reached at {place.url}: {why}."
            return Complaint(told, f"{NETWORK}{place.elsewhere}", fleeting=True)
        case _:
            told = f"The model's provider refuses the question for its models: {_said(fault)}."
            return Complaint(told, f"Look at {place.key}.{place.elsewhere}")


def _said(fault: ModelError) -> str:
    """Returns the provider's own words without the number before them and the stop behind."""
    number, mark, words = str(fault).partition(": ")
    return (words if mark and number.isdigit() else str(fault)).rstrip(".") or "no reason given"
