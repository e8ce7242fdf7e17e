"""Asks for the services of speech: one that hears voice messages, and one that speaks answers."""

from collections.abc import Mapping, Sequence
from functools import partial

from bot.doctor import Complaint
from bot.domain.money.provider import OPENAI_URL, ProviderSpec
from bot.domain.value import frozen
from bot.settings import Settings, forms
from bot.setup.asking import Asker, Probes, after_fleeting, elsewhere
from bot.setup.prompts import prompted, say

_OPENAI_KEY = "OPENAI_API_KEY"
_OPENAI = "o"


@frozen
class _Speech:
    """One of the two services."""

    name: str
    """The word in the names of its settings."""
    wish: str
    """The question for its model."""
    models: Sequence[str]
    """Models to take when the person names none, as far as the service lists them."""

    def setting(self, what: str) -> str:
        return f"STEWARD_{self.name}_{what}"


_HEARING = _Speech("HEAR", "Which model hears?", ("whisper-1", "gpt-4o-mini-transcribe"))
_SPEAKING = _Speech("SPEAK", "Which model speaks?", ("tts-1", "gpt-4o-mini-tts", "kokoro"))


@frozen
class _Found:
    """A service that was tried: its way, and the models that it lists."""

    spec: ProviderSpec
    listed: Sequence[str]


class VoiceQuestion:
    """Asks for an address, a key and a model of each; nothing is kept that was not tried."""

    def __init__(self, asker: Asker, probes: Probes) -> None:
        self._asker = asker
        self._probes = probes

    def asked(self, settings: Settings) -> Mapping[str, str]:
        """Returns the values for .env; raises click.Abort at Ctrl-C."""
        say("A service hears your voice messages, and one speaks answers to them.")
        say("Each has the same interface as OpenAI: OpenAI itself, Groq, or a server of your own.")
        say("\n1 of 2 · Hearing")
        heard = self._service(settings, _HEARING, None)
        env = self._named(_HEARING, heard)
        say("\n2 of 2 · Speaking")
        spoken = self._service(settings, _SPEAKING, heard)
        env |= self._named(_SPEAKING, spoken)
        if spoken is not None:
            voice = prompted("Which voice? (Enter takes alloy): ")
            env[_SPEAKING.setting("VOICE")] = voice or "alloy"
        return env

    def _service(self, settings: Settings, speech: _Speech, same: _Found | None) -> _Found | None:
        """Asks for a service until one answers; None when it is left out."""
        present, origin = self._asker.present(speech.setting("URL"))
        if present and (told := elsewhere(speech.setting("URL"), origin)):
            say(told)
            return None
        if present:
            say(f"There is one in {origin} already: {forms.without_password(present)}.")
        while (url := self._address(present, same)) is not None:
            if same is not None and url == same.spec.base_url:
                return same
            key = self._key(url)
            name = speech.setting("KEY")
            spec = ProviderSpec(speech.name.lower(), url, key, key_name=name, secrets=(key,))
            found = self._tried(settings, spec)
            if found is not None:
                return found
        say("Left as it is." if present else "Skipped.")
        return None

    def _address(self, present: str, same: _Found | None) -> str | None:
        """Returns an address; None for none."""
        enter = "Enter takes the same" if same is not None else "Enter skips"
        skip = ", s skips" if same is not None else ""
        while True:
            typed = prompted(
                f"Its address, up to and with /v1 ({_OPENAI} is OpenAI, {enter}{skip}): "
            )
            if typed.lower() == _OPENAI:
                return OPENAI_URL
            if typed.lower() == "s" or not typed:
                return same.spec.base_url if same is not None and not typed else None
            try:
                return forms.service_url(typed)
            except ValueError as error:
                say(f"✗ This is no whole address: {error}.")

    def _key(self, url: str) -> str:
        """Returns a key; that of OpenAI is known where a model of it answers already."""
        known = self._asker.present(_OPENAI_KEY)[0] if url == OPENAI_URL else ""
        enter = f"Enter takes that of {_OPENAI_KEY}" if known else "Enter if it needs none"
        while True:
            typed = prompted(f"Its API key (hidden; {enter}): ", hidden=True) or known
            try:
                return forms.key(typed) if typed else ""
            except ValueError as error:
                say(f"✗ This is no API key: {error}.")

    def _tried(self, settings: Settings, spec: ProviderSpec) -> _Found | None:
        """Asks for the service's models, again while the person wants to; None begins anew."""
        while True:
            told = self._asker.tried(partial(self._probes.server, settings, spec), spec.key)
            if not isinstance(told, Complaint):
                count = "1 model" if len(told) == 1 else f"{len(told)} models"
                say(f"✓ It answers and lists {count}.")
                return _Found(spec, told)
            # A service of speech may have no list at all, so even a refusal can be kept.
            choice = after_fleeting(told)
            if choice == "good":
                return _Found(spec, ())
            if choice == "left":
                return None

    def _named(self, speech: _Speech, found: _Found | None) -> dict[str, str]:
        """Returns the settings of a service, once its model is known."""
        if found is None:
            return {}
        first = next((m for m in speech.models if m in found.listed), speech.models[0])
        while (model := prompted(f"{speech.wish} (Enter takes {first}): ")) and found.listed:
            if model in found.listed:
                break
            say(f"✗ It lists no model “{model}”.")
        model = model or first
        env = {speech.setting("URL"): found.spec.base_url, speech.setting("MODEL"): model}
        return env | ({speech.setting("KEY"): found.spec.key} if found.spec.key else {})
