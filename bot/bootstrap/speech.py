"""Builds the services that hear and speak."""

from bot.domain.money.provider import ProviderSpec
from bot.ports.hearing import Hearing
from bot.ports.speaking import Speaking
from bot.settings import HearAccess, Settings, SpeakAccess


def hearing(settings: Settings) -> Hearing | None:
    """Returns the ears of the program; None where no service hears."""
    told = settings.hear
    if told is None:
        return None
    # Its library takes a while to load, and few have this setting.
    from bot.adapters.voice.hearing import EndpointHearing, HearingAccess

    key = speech_spec(told).key
    return EndpointHearing(HearingAccess(told.url, told.model, key, told.price, told.seconds))


def speaking(settings: Settings) -> Speaking | None:
    """Returns the voice of the program; None where no service speaks."""
    told = settings.speak
    if told is None:
        return None
    # As above.
    from bot.adapters.openai.speaking import EndpointSpeaking, SpeakingAccess

    access = SpeakingAccess(speech_spec(told), told.model, told.voice, told.price, told.seconds)
    return EndpointSpeaking(access)


def speech_spec(told: HearAccess | SpeakAccess) -> ProviderSpec:
    """Returns a service of speech as a provider, so that it can be asked for its models."""
    name = "hear" if isinstance(told, HearAccess) else "speak"
    key = told.key.get_secret_value() if told.key is not None else ""
    hidden = (key,) if key else ()
    return ProviderSpec(name, told.url, key, secrets=hidden, key_name=f"STEWARD_{name.upper()}_KEY")
