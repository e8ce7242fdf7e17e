"""Builds the services that hear and speak, and tries them for the doctor."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial

from bot.adapters.openai.model import OpenAIModel
from bot.adapters.openai.speaking import EndpointSpeaking, SpeakingAccess
from bot.doctor import Check, Complaint
from bot.domain.money.provider import ProviderSpec
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import ModelDenied, ModelError
from bot.domain.talk.unreached import why_unreached
from bot.ports.hearing import Hearing
from bot.ports.speaking import Speaking
from bot.settings import HearAccess, Settings, SpeakAccess


def hearing(settings: Settings) -> Hearing | None:
    """Returns the ears of the program; None where no service hears."""
    told = settings.hear
    if told is None:
        return None
    # Its library takes a while to load, and few have this setting.
    from bot.adapters.voice.hearing import EndpointHearing, HearingAccess  # noqa: PLC0415

    key = _spec(told).key
    return EndpointHearing(HearingAccess(told.url, told.model, key, told.price, told.seconds))


def speaking(settings: Settings) -> Speaking | None:
    """Returns the voice of the program; None where no service speaks."""
    told = settings.speak
    if told is None:
        return None
    access = SpeakingAccess(_spec(told), told.model, told.voice, told.price, told.seconds)
    return EndpointSpeaking(access)


def speech_checks(settings: Settings) -> Sequence[Check]:
    """Returns a check for each service of speech that is set; Steward works without them."""
    found: list[Check] = []
    if settings.hear is not None:
        probe = partial(_try_hearing, settings, settings.hear)
        found.append(Check("hearing", probe, "Look at STEWARD_HEAR_URL.", "warn"))
    if settings.speak is not None:
        probe = partial(_try_speaking, settings, settings.speak)
        found.append(Check("speaking", probe, "Look at STEWARD_SPEAK_URL.", "warn"))
    return found


async def _try_hearing(settings: Settings, told: HearAccess) -> str:
    name = await _tried(_spec(told), told.model)
    _check_price(settings, told.price, "heard", "STEWARD_HEAR_PRICE")
    return f"Voice messages are heard by {name}."


async def _try_speaking(settings: Settings, told: SpeakAccess) -> str:
    name = await _tried(_spec(told), told.model)
    _check_price(settings, told.price, "spoken", "STEWARD_SPEAK_PRICE")
    if settings.hear is None:
        unheard = "Only answers to voice messages are spoken, and nothing hears these."
        raise Complaint(unheard, "Set STEWARD_HEAR_URL.", "warn")
    return f"Answers are spoken by {name}, voice {told.voice}; /voice on asks for it in a chat."


async def _tried(spec: ProviderSpec, wanted: str) -> str:
    """Returns the name of the model once the service has accepted the key; costs nothing."""
    setting = f"STEWARD_{spec.name.upper()}"
    try:
        async with OpenAIModel(spec) as model:
            names = await model.models()
    except ModelDenied as fault:
        if fault.trouble is Trouble.MODEL:
            return f"{wanted} (the service lists no models, so the name was not checked)"
        told = "The service does not accept the key."
        raise Complaint(told, f"Correct {setting}_KEY.", "warn") from None
    except ModelError as fault:
        told = f"The service does not answer: {why_unreached(fault)}."
        raise Complaint(told, f"Look at {setting}_URL.", "warn", fleeting=True) from None
    if names and wanted not in names:
        raise Complaint(
            f"The service has no model “{wanted}”.", f"Correct {setting}_MODEL.", "warn"
        )
    return wanted


def _check_price(settings: Settings, price: Decimal | None, done: str, setting: str) -> None:
    if price is None and settings.policy.budgets:
        told = f"There is a budget and no price, so nothing is {done}."
        raise Complaint(told, f"Set {setting}; 0 if it is free.", "warn")


def _spec(told: HearAccess | SpeakAccess) -> ProviderSpec:
    """Returns a service of speech as a provider, so that it can be asked for its models."""
    name = "hear" if isinstance(told, HearAccess) else "speak"
    key = told.key.get_secret_value() if told.key is not None else ""
    hidden = (key,) if key else ()
    return ProviderSpec(name, told.url, key, secrets=hidden, key_name=f"STEWARD_{name.upper()}_KEY")
