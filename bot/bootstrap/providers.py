"""The providers of models: those with a wire of their own (a new one is added here), and others."""

from collections.abc import Mapping, Sequence

from bot.adapters.anthropic.model import AnthropicModel
from bot.adapters.demo_model.model import DemoModel
from bot.adapters.openai.model import OpenAIModel
from bot.bootstrap.provider_form import OwnSettings, ProviderForm, ServedModel
from bot.domain.money.provider import ANTHROPIC, ANTHROPIC_URL, OPENAI, OPENAI_URL, ProviderSpec
from bot.domain.talk.errors import SettingError
from bot.ports.model import Model
from bot.settings import FIRST_MODEL, FIRST_OF_OPENAI, Settings

DEMO = "demo/demo"
"""The model that answers without a key."""

_DEMO_PAUSE = 0.01


def _anthropic_spec(settings: Settings) -> ProviderSpec | None:
    access = settings.anthropic
    if access.key is None:
        return None
    key, url = access.key.get_secret_value(), access.base_url or ANTHROPIC_URL
    return ProviderSpec(ANTHROPIC, url, key, trusted=True, key_name="ANTHROPIC_API_KEY")


def _openai_spec(settings: Settings) -> ProviderSpec | None:
    access = settings.openai
    if access.key is None:
        return None
    return ProviderSpec(
        OPENAI,
        access.base_url,
        access.key.get_secret_value(),
        output_field="max_completion_tokens",
        trusted=True,
        key_name="OPENAI_API_KEY",
    )


_OF_ANTHROPIC = OwnSettings(
    _anthropic_spec,
    FIRST_MODEL,
    "https://platform.claude.com/settings/keys",
    ANTHROPIC_URL,
    "ANTHROPIC_BASE_URL",
)
_OF_OPENAI = OwnSettings(
    _openai_spec,
    FIRST_OF_OPENAI,
    "https://platform.openai.com/api-keys",
    OPENAI_URL,
    "OPENAI_BASE_URL",
)

PROVIDERS: Sequence[ProviderForm] = (
    ProviderForm(ANTHROPIC, AnthropicModel, _OF_ANTHROPIC),
    ProviderForm(OPENAI, OpenAIModel, _OF_OPENAI),
)
"""Every provider with a wire of its own: one line each. Any other one speaks as OpenAI does."""


def form_of(provider: str) -> ProviderForm:
    """Returns the form of a provider by its name."""
    known = (form for form in PROVIDERS if form.name == provider)
    return next(known, ProviderForm(provider, OpenAIModel))


def usable(settings: Settings) -> Mapping[str, ProviderSpec]:
    """Returns the way to each provider that can be used, by its name."""
    own = [form.own.spec(settings) for form in PROVIDERS if form.own is not None]
    tables = [spec for spec in settings.providers if not spec.fault]
    return {spec.name: spec for spec in (*own, *tables) if spec is not None}


def made(settings: Settings, spec: ProviderSpec) -> ServedModel:
    """Returns the models of a provider, not yet entered."""
    return form_of(spec.name).wire(
        spec,
        times=settings.policy.model_times,
        window=settings.context_window,
        traits=settings.models,
    )


def provider_models(settings: Settings) -> Mapping[str, ServedModel]:
    """Returns the models of every provider that can be used, not yet entered."""
    return {name: made(settings, spec) for name, spec in usable(settings).items()}


def with_demo(models: Mapping[str, Model]) -> Mapping[str, Model]:
    return {**models, "demo": DemoModel(_DEMO_PAUSE)}


def first_model(settings: Settings, has: Mapping[str, object]) -> str:
    """Returns the model that answers where the chosen one has no key.

    Where nobody chose a model, the key of another provider is choice enough.
    """
    own = [form.own.first for form in PROVIDERS if form.own is not None and form.name in has]
    return own[0] if own and settings.policy.model == FIRST_MODEL else DEMO


def model_key(settings: Settings, models: Mapping[str, Model]) -> str:
    """Returns the model that chats begin with; without any key it is the demo model."""
    wanted = settings.policy.model
    fault = provider_fault(settings, wanted, "STEWARD_MODEL")
    if fault:
        raise SettingError(fault)
    if wanted.partition("/")[0] in models:
        return wanted
    return first_model(settings, models)


def fallback_keys(settings: Settings, models: Mapping[str, Model]) -> tuple[str, ...]:
    """Returns the models that may take over; those without a key are left out."""
    wanted = settings.policy.fallback_models
    for key in wanted:
        fault = provider_fault(settings, key, "STEWARD_FALLBACK_MODELS")
        if fault:
            raise SettingError(fault)
    return tuple(key for key in wanted if key.partition("/")[0] in models)


def provider_fault(settings: Settings, key: str, setting: str) -> str:
    """Returns a sentence about a model of a provider that Steward does not have; else nothing."""
    provider, _, name = key.partition("/")
    own = [form.name for form in PROVIDERS if form.own is not None]
    known = (*own, *[spec.name for spec in settings.providers if not spec.fault], "demo")
    if provider in known and name:
        return ""
    fault = next((p.fault for p in settings.providers if p.fault and p.name == provider), "")
    if fault:
        return f"{setting} names {key}, but [providers.{provider}] cannot be used: {fault}."
    listed = f"{', '.join(known[:-1])} and {known[-1]}"
    return f"{setting} names {key}, but there is no provider “{provider}” here: only {listed}."
