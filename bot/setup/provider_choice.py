"""Asks which service answers: Claude, OpenAI, or any server that speaks like OpenAI's."""

import dataclasses
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.doctor import Complaint
from bot.domain.money.provider import LONGEST_NAME, OWN_SEARCHES, ProviderSpec
from bot.domain.value import frozen, replace
from bot.settings import FIRST_MODEL, FIRST_OF_OPENAI, Settings, forms
from bot.settings.layers import ENVIRONMENT, PROVIDERS, TOML
from bot.settings.providers import OWN
from bot.setup.asking import Asker, Probes, SecretQuestion, after_fleeting
from bot.setup.prompts import agreed, prompted, say, say_choice
from bot.shipped.model_table import model_table

MODEL, ANTHROPIC_KEY, OPENAI_KEY = "STEWARD_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"
SEARCH = "STEWARD_SEARCH"
_CHOICES = (
    "Claude, by Anthropic",
    "OpenAI",
    "another server with the same interface as OpenAI: Ollama, vLLM, OpenRouter …",
)
_MOST_MODELS = 9
_STEP = "/v1"
"""The end of the address of nearly every such server."""

_PORTS = {11434: "ollama", 8080: "llamacpp"}


@frozen
class Chosen:
    """The answers about the model."""

    env: dict[str, str]
    """Values for .env."""
    provider: ProviderSpec | None = None
    """A new provider for steward.toml."""


class ServiceQuestion:
    """Asks for a service, then for what that service needs."""

    def __init__(self, asker: Asker, probes: Probes) -> None:
        self._asker = asker
        self._probes = probes

    def asked(self, settings: Settings) -> Chosen:
        """Returns the changes to save; raises click.Abort at Ctrl-C."""
        match self._service(settings):
            case 1:
                return self._with_search(self._of_anthropic(), FIRST_MODEL, settings)
            case 2:
                return self._with_search(self._of_openai(), FIRST_OF_OPENAI, settings)
            case _:
                return self._server(settings)

    def _service(self, settings: Settings) -> int:
        """Asks for a number; Enter takes the service that is set up already, or the first."""
        default = self._default(settings)
        say("Which service should answer?")
        for number, name in enumerate(_CHOICES, 1):
            say_choice(str(number), name)
        while True:
            typed = prompted(f"1, 2 or 3 (Enter takes {default}): ") or str(default)
            if typed in ("1", "2", "3"):
                return int(typed)
            say("Type 1, 2 or 3.")

    def _default(self, settings: Settings) -> int:
        provider = self._asker.present(MODEL)[0].partition("/")[0]
        if provider in {spec.name for spec in settings.providers}:
            return 3
        keys = [bool(self._asker.present(name)[0]) for name in (ANTHROPIC_KEY, OPENAI_KEY)]
        return 2 if provider == "openai" or keys == [False, True] else 1

    def _keyed(self, question: SecretQuestion, first: str, settings: Settings) -> Chosen:
        """Asks for a key, and makes the service the one that answers."""
        answer = self._asker.asked(question, settings)
        env = {question.name: answer.value} if answer.value else {}
        if answer.is_set:
            env |= self._model(first)
        return Chosen(env)

    def _with_search(self, question: SecretQuestion, first: str, settings: Settings) -> Chosen:
        """Offers the service's own search of the web beside a new key, with its price."""
        chosen = self._keyed(question, first, settings)
        if question.name not in chosen.env or self._asker.present(SEARCH)[0]:
            return chosen
        provider = first.partition("/")[0]
        name, dollars = OWN_SEARCHES[provider], model_table()[first]["price"]["search"]
        say(
            f"{name} can search the web when a question needs it. A search costs "
            f"${dollars / 1000:.2f}, on top of the tokens. /usage shows both."
        )
        if not agreed(f"Let {name} search the web?", otherwise=True):
            return chosen
        return replace(chosen, env=chosen.env | {SEARCH: provider})

    def _model(self, wanted: str) -> dict[str, str]:
        """Returns the setting of the model, where it names another service or nothing."""
        present, origin = self._asker.present(MODEL)
        provider = wanted.partition("/")[0]
        if (present or FIRST_MODEL).partition("/")[0] == provider:
            return {}
        if origin == ENVIRONMENT:
            say(f"{MODEL} is {present} in the environment, which counts before .env. Change it.")
            return {}
        say(f"{MODEL} becomes {wanted}.")
        return {MODEL: wanted}

    def _server(self, settings: Settings) -> Chosen:
        """Asks for address, key and model of a server until it answers or is left out."""
        while True:
            url = self._address()
            if not url:
                say("Skipped.")
                return Chosen({})
            known = _known(settings.providers, url)
            if known is not None and known.fault:
                say(f"✗ {TOML} has this address already, in a table that cannot be used:")
                say(f"[{PROVIDERS}.{known.name}]: {known.fault}.")
                say("Correct that table, then run setup again. Or give another address.")
                continue
            key = prompted("Its API key (hidden; Enter if it needs none): ", hidden=True)
            spec = _spec(url, key, known, {spec.name for spec in settings.providers})
            found = self._listed(settings, spec)
            if found is not None:
                break
        spec, listed = found
        model = _model_of(listed)
        if not model:
            say("Skipped.")
            return Chosen({})
        env = {spec.key_name: key} if key else {}
        named = f"{spec.name}/{model}"
        say(f"{MODEL} becomes {named}.")
        return Chosen(env | {MODEL: named}, spec if known is None else None)

    def _address(self) -> str:
        while True:
            typed = prompted("Its address, as in http://127.0.0.1:11434/v1 (Enter skips): ")
            try:
                return forms.service_url(typed) if typed else ""
            except ValueError as error:
                say(f"✗ This is no whole address: {error}.")

    def _listed(
        self, settings: Settings, spec: ProviderSpec
    ) -> tuple[ProviderSpec, Sequence[str]] | None:
        """Returns the server with the models that it lists; None when setup must ask again.

        An address without its last step, /v1, is completed.
        """
        if spec.key:
            try:
                forms.key(spec.key)
            except ValueError as error:
                say(f"✗ This is no API key: {error}.")
                return None
        while True:
            told = self._asker.tried(lambda: self._answered(settings, spec), spec.key)
            if not isinstance(told, Complaint):
                found, names = told
                at = "" if found.base_url == spec.base_url else f" at {found.base_url}"
                count = "1 model" if len(names) == 1 else f"{len(names)} models"
                say(f"✓ It answers{at} and lists {count}.")
                return told
            if not told.fleeting:
                say("Look at the address and the key, and type them again.")
                return None
            choice: Literal["again", "good", "left"] = after_fleeting(told)
            if choice == "good":
                return spec, ()
            if choice == "left":
                return None

    async def _answered(
        self, settings: Settings, spec: ProviderSpec
    ) -> tuple[ProviderSpec, Sequence[str]]:
        try:
            return spec, await self._probes.server(settings, spec)
        except Complaint as fault:
            whole = replace(spec, base_url=f"{spec.base_url.rstrip('/')}{_STEP}")
            if fault.fleeting or spec.base_url.endswith(_STEP):
                raise
            with suppress(Complaint):
                return whole, await self._probes.server(settings, whole)
            raise

    def _of_anthropic(self) -> SecretQuestion:
        return SecretQuestion(
            ANTHROPIC_KEY,
            "API key",
            "Make an API key at https://platform.claude.com/settings/keys and paste it here. "
            "Without one a demo answers.",
            "Make a new one, or copy it again.",
            forms.key,
            self._probes.anthropic_key,
            lambda settings, secret: dataclasses.replace(
                settings, anthropic=dataclasses.replace(settings.anthropic, key=secret)
            ),
        )

    def _of_openai(self) -> SecretQuestion:
        return SecretQuestion(
            OPENAI_KEY,
            "API key",
            "Make an API key at https://platform.openai.com/api-keys and paste it here. "
            "Without one a demo answers.",
            "Make a new one, or copy it again.",
            forms.key,
            self._probes.openai_key,
            _with_openai_key,
        )


def _with_openai_key(settings: Settings, secret: SecretStr) -> Settings:
    return dataclasses.replace(settings, openai=dataclasses.replace(settings.openai, key=secret))


def _known(providers: Sequence[ProviderSpec], url: str) -> ProviderSpec | None:
    """Returns the provider with this address, first one that can be used."""
    same = [spec for spec in providers if spec.base_url == url]
    return next((spec for spec in same if not spec.fault), same[0] if same else None)


def _spec(url: str, key: str, known: ProviderSpec | None, taken: set[str]) -> ProviderSpec:
    """Returns the provider that a server becomes; a known address keeps its name."""
    name = known.name if known is not None else _name(url, taken)
    variable = (known.key_name if known is not None else "") or f"{_variable(name)}_API_KEY"
    kept = key or (known.key if known is not None else "")
    return ProviderSpec(name, url, kept, key_name=variable if kept else "")


def _name(url: str, taken: set[str]) -> str:
    """Returns a free name that says which server it is."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("api.").removeprefix("www.")
    local = host.replace(".", "").isdecimal() or "." not in host or ":" in host
    told = _PORTS.get(parts.port or 0, "server") if local else host.rpartition(".")[0]
    plain = re.sub(r"[^a-z0-9]+", "-", told.lower()).strip("-")[: LONGEST_NAME - 4] or "server"
    names = (plain.rstrip("-"), *(f"{plain.rstrip('-')}-{n}" for n in range(2, 100)))
    return next(name for name in names if name not in taken and name not in OWN)


def _variable(name: str) -> str:
    return re.sub(r"[^A-Z0-9]", "_", name.upper())


def _model_of(listed: Sequence[str]) -> str:
    """Asks for a model by its number or name; Enter leaves it out, or takes the only one."""
    shown = listed[:_MOST_MODELS]
    for number, name in enumerate(shown, 1):
        say_choice(str(number), name)
    if more := len(listed) - len(shown):
        say(f"… and {more} more; type the name of one.")
    wish = "Which model? A number or a name" if shown else "Which model? Its name"
    only = listed[0] if len(listed) == 1 else ""
    typed = prompted(f"{wish} (Enter {'takes 1' if only else 'skips'}): ") or only
    if typed.isdecimal() and 1 <= int(typed) <= len(shown):
        return shown[int(typed) - 1]
    return typed
