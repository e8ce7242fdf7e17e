"""Offers memory by meaning: by the service that answers, or by a small model on this machine."""

import logging
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial

import click
from pydantic import SecretStr

from bot.doctor import Complaint
from bot.domain.value import frozen, replace
from bot.settings import Settings
from bot.setup.asking import Asker, Probes, after_fleeting
from bot.setup.installing import NotInstalled, by_hand, can_install, install, is_there
from bot.setup.prompts import agreed, say
from bot.shipped import command
from bot.shipped.model_table import embedder_prices

_MODEL, _URL, _KEY = "STEWARD_EMBED_MODEL", "STEWARD_EMBED_URL", "STEWARD_EMBED_KEY"
_OPENAI_KEY = "OPENAI_API_KEY"
_OF_OPENAI = "text-embedding-3-small"
_LOCAL = "local"
_EMBEDS = re.compile(r"embed|bge|minilm|(^|[/-])(e5|gte)-", re.IGNORECASE)
"""Parts of the names of models that turn a meaning into numbers."""

_LOG_OF_THE_MODEL = "bot.adapters.chroma"


@frozen
class _Way:
    """An embedder: its settings, and what a person has to know before."""

    env: Mapping[str, str]
    told: str


class MeaningQuestion:
    """Offers one way, tries one sentence, installs the index; words serve until all has worked."""

    def __init__(self, asker: Asker, probes: Probes) -> None:
        self._asker = asker
        self._probes = probes

    @property
    def is_set(self) -> bool:
        return bool(self._asker.present(_MODEL)[0])

    def asked(self, settings: Settings) -> Mapping[str, str]:
        """Returns the values for .env; raises click.Abort at Ctrl-C."""
        say(
            "I find earlier answers by their words. I can also find them by their meaning: a "
            "question about a bike then finds the bicycle."
        )
        way, there = self._way(settings), is_there() or settings.meaning.index_url is not None
        say(way.told)
        if not there:
            say("It needs the index Chroma: 490 MB on this disk, from the registry of Python.")
        if not (there or can_install()):
            say(f"Install it by hand, then run `{command('setup memory')}`:")
            click.echo(by_hand())
            return {}
        if not agreed("Find answers by meaning, too?", otherwise=False):
            say(f"`{command('setup memory')}` offers it again.")
            return {}
        # A key that does not work is told before anything is installed; a local model needs both.
        local = way.env[_MODEL] == _LOCAL
        works = (there or not local or self._installed()) and self._tried(settings, way)
        if not works or not (there or local or self._installed()):
            say("Answers are found by their words.")
            return {}
        say("From the next start I find answers by their meaning, too. /status says how many.")
        return way.env

    def _way(self, settings: Settings) -> _Way:
        own = self._of_the_server(settings)
        if own is not None:
            return own
        return _of_openai() if self._asker.present(_OPENAI_KEY)[0] else _local()

    def _of_the_server(self, settings: Settings) -> _Way | None:
        """Returns the embedder of the server that answers; None if it lists none."""
        name = (self._asker.present("STEWARD_MODEL")[0]).partition("/")[0]
        spec = next((one for one in settings.providers if one.name == name), None)
        if spec is None or spec.fault:
            return None
        listed = self._asker.tried(partial(self._probes.server, settings, spec), spec.key)
        if isinstance(listed, Complaint):
            return None
        model = next((one for one in listed if _EMBEDS.search(one)), None)
        if model is None:
            say(
                f"Your server “{name}” has no model for that. If it is Ollama, `ollama pull "
                f"nomic-embed-text` adds one; then run `{command('setup memory')}`."
            )
            return None
        env = {_MODEL: model, _URL: spec.base_url} | ({_KEY: spec.key} if spec.key else {})
        return _Way(env, f"{model} of {name} reads each answer once.")

    def _tried(self, settings: Settings, way: _Way) -> bool:
        """Turns one sentence into numbers, again while the person wants to."""
        key = way.env.get(_KEY) or self._asker.present(_OPENAI_KEY)[0]
        meaning = replace(
            settings.meaning,
            model=way.env[_MODEL],
            url=way.env.get(_URL, settings.openai.base_url),
            key=SecretStr(key) if key else None,
        )
        placed = replace(settings, meaning=meaning)
        while True:
            with _fetching_told():
                told = self._asker.tried(partial(self._probes.meaning, placed), key)
            if not isinstance(told, Complaint):
                say(f"✓ {told}")
                return True
            if not told.fleeting:
                return False
            choice = after_fleeting(told)
            if choice != "again":
                return choice == "good"

    def _installed(self) -> bool:
        say("Installing … Ctrl-C stops it.")
        try:
            install(_told)
        except NotInstalled as fault:
            click.echo()
            say(f"✗ {fault}")
            say(f"`{by_hand()}` shows more. Then run `{command('setup memory')}` again.")
            return False
        click.echo("\n✓ Chroma is installed.")
        return True


def _of_openai() -> _Way:
    dollars = embedder_prices()[_OF_OPENAI][0]
    told = (
        f"OpenAI's {_OF_OPENAI} reads each answer once: ${dollars:f} for a million tokens, about a "
        "cent for a thousand answers."
    )
    return _Way({_MODEL: _OF_OPENAI}, told)


def _local() -> _Way:
    return _Way(
        {_MODEL: _LOCAL},
        "A small English model on this machine reads each answer. It is fetched once, 83 MB, and "
        "costs nothing. Nothing that is said here leaves the machine for it.",
    )


def _told(come: int, count: int) -> None:
    """Tells in one line how far pip is; a list has packages of other systems too."""
    of = f" of about {count}" if count else ""
    click.echo(f"\rPackages: {come}{of}", nl=False)


@contextmanager
def _fetching_told() -> Generator[None]:
    """Prints how much of the local model has come, which the program says to its log."""
    log, handler = logging.getLogger(_LOG_OF_THE_MODEL), logging.StreamHandler()
    before = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before[0])
        log.propagate = before[1]
