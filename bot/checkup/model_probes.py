"""Tries the keys and models of providers for real; each fault is a complaint in plain words."""

from collections.abc import Sequence

from bot.bootstrap.provider_form import OwnSettings, ServedModel
from bot.bootstrap.providers import DEMO, first_model, form_of, made, provider_fault, usable
from bot.doctor import NETWORK, Complaint
from bot.domain.money.provider import ProviderSpec
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    NoSuchModel,
    SettingError,
)
from bot.domain.talk.unreached import NOBODY, why_unreached
from bot.domain.value import frozen
from bot.flow.models.looking_up import near_names
from bot.settings import FIRST_MODEL, Settings
from bot.settings.forms import without_password
from bot.shipped import command


@frozen
class _Place:
    """A place to ask for a model, with hints for a person when that fails."""

    model: ServedModel
    url: str
    """The address that is asked."""
    key: str
    """The setting or variable of the key; the place of the provider for a server without one."""
    mend: str
    """The sentence about a key that is not accepted."""
    elsewhere: str = ""
    """A further sentence when the address is not the provider's own."""


def _place(settings: Settings, provider: str) -> _Place | None:
    """Returns the place of a provider; None when its key is missing."""
    spec, own = usable(settings).get(provider), form_of(provider).own
    if spec is None:
        return None
    url = without_password(spec.base_url)
    where = own.url_setting if own is not None else f"[providers.{provider}] in steward.toml"
    usual = own is not None and spec.base_url == own.url
    also = "" if usual else f" Look at {where} too: {url}."
    return _Place(made(settings, spec), url, spec.key_name or where, _mend_key(spec, own), also)


def _mend_key(spec: ProviderSpec, own: OwnSettings | None) -> str:
    if own is not None:
        return f"Make a new key at {own.keys_page} and run `{command('setup')}`."
    return f"Correct {spec.key_name}." if spec.key_name else "Give it a key."


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
    other = first_model(settings, usable(settings))
    if place is None and key == FIRST_MODEL and other != DEMO:
        return await try_model(settings, other, setting)
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


async def try_key(settings: Settings, provider: str) -> str:
    """Returns a sentence when a provider accepts its API key, with or without the model."""
    place, own = _place(settings, provider), form_of(provider).own
    if place is None or own is None:
        raise SettingError(f"{provider.upper()}_API_KEY is not set")
    chosen, _, name = settings.policy.model.partition("/")
    wanted = name if chosen == provider else own.first.partition("/")[2]
    try:
        async with place.model:
            await _asked(place, wanted)
    except NoSuchModel:
        return f"The key is good, but there is no model “{wanted}” for it: correct STEWARD_MODEL."
    return f"The key is good, and {wanted} is there."


async def try_server(settings: Settings, spec: ProviderSpec) -> Sequence[str]:
    """Returns the names of the models that a server lists."""
    where = spec.key_name or "the address"
    model, url = made(settings, spec), without_password(spec.base_url)
    place = _Place(model, url, where, f"Correct {where}.")
    async with model:
        try:
            return await model.models()
        except ModelError as fault:
            raise _complaint(place, fault) from None


async def try_provider(settings: Settings, spec: ProviderSpec) -> str:
    """Returns a sentence about a provider whose models no setting names."""
    place = _place(settings, spec.name)
    if place is None:
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
        case ModelDenied() if str(fault).startswith("404"):
            told = f"No models are served at {place.url} (404)."
            return Complaint(told, f"Check the address: it usually ends with /v1.{place.elsewhere}")
        case ModelDenied():
            told = f"The model's provider does not accept the API key: {_said(fault)}."
            return Complaint(told, f"{place.mend}{place.elsewhere}")
        case ModelOverloaded():
            told = f"The model's provider has trouble of its own: {_said(fault)}."
            return Complaint(told, "Try again in a few minutes.", fleeting=True)
        case ModelUnreachable():
            why = why_unreached(fault)
            told = f"The model's provider cannot be reached at {place.url}: {why}."
            started = "Is that server running, and is its port right?"
            mend = started if why == NOBODY else NETWORK
            return Complaint(told, f"{mend}{place.elsewhere}", fleeting=True)
        case _:
            told = f"The model's provider refuses the question for its models: {_said(fault)}."
            return Complaint(told, f"Look at {place.key}.{place.elsewhere}")


def _said(fault: ModelError) -> str:
    """Returns the provider's own words without the number before them and the stop behind."""
    number, mark, words = str(fault).partition(": ")
    return (words if mark and number.isdigit() else str(fault)).rstrip(".") or "no reason given"
