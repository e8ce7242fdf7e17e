"""Tries the services that hear and speak, for the doctor."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial

from bot.bootstrap.providers import made
from bot.bootstrap.speech import speech_spec
from bot.doctor import Check, Complaint
from bot.domain.money.provider import ProviderSpec
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import ModelDenied, ModelError
from bot.domain.talk.unreached import why_unreached
from bot.settings import HearAccess, Settings, SpeakAccess


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
    name = await _tried(settings, speech_spec(told), told.model)
    _check_price(settings, told.price, "heard", "STEWARD_HEAR_PRICE")
    return f"Voice messages are heard by {name}."


async def _try_speaking(settings: Settings, told: SpeakAccess) -> str:
    name = await _tried(settings, speech_spec(told), told.model)
    _check_price(settings, told.price, "spoken", "STEWARD_SPEAK_PRICE")
    if settings.hear is None:
        unheard = "Only answers to voice messages are spoken, and nothing hears these."
        raise Complaint(unheard, "Set STEWARD_HEAR_URL.", "warn")
    return f"Answers are spoken by {name}, voice {told.voice}; /voice on asks for it in a chat."


async def _tried(settings: Settings, spec: ProviderSpec, wanted: str) -> str:
    """Returns the name of the model once the service has accepted the key; costs nothing."""
    setting = f"STEWARD_{spec.name.upper()}"
    try:
        async with made(settings, spec) as model:
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
