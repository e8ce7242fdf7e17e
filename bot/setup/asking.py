"""Asks for secrets, and tries each for real before it is kept."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

import click
from pydantic import SecretStr

from bot.doctor import Complaint
from bot.domain.money.provider import ProviderSpec
from bot.domain.value import frozen
from bot.logs import Secrets
from bot.settings import Settings, given
from bot.settings.layers import ENVIRONMENT
from bot.settings.secret_files import CREDENTIALS, FILE
from bot.setup.prompts import prompted, say

T = TypeVar("T")

Verdict: TypeAlias = Literal["good", "bad", "left"]
"""Tells what becomes of an answer: it is kept, refused, or left out."""

Trial: TypeAlias = Callable[[Settings], Awaitable[str]]
"""Tries an answer for real; returns a sentence or raises a Complaint."""


@frozen
class Probes:
    """The ways to try an answer for real; each raises a Complaint if it fails."""

    token: Trial
    discord: Trial
    anthropic_key: Trial
    openai_key: Trial
    server: Callable[[Settings, ProviderSpec], Awaitable[Sequence[str]]]
    """Returns the names of the models that a server lists."""
    meaning: Trial
    """Turns one sentence into numbers by the embedder of the settings."""


@frozen
class SecretQuestion:
    """One secret that is asked for."""

    name: str
    """The name of the setting."""
    noun: str
    told: str
    """The way to get one."""
    again: str
    """The advice when it is refused."""
    form: Callable[[str], str]
    """Raises ValueError for a text that cannot be one."""
    trial: Trial
    place: Callable[[Settings, SecretStr], Settings]
    """Returns the settings with the secret in them."""


@frozen
class SecretAnswer:
    """The outcome of a question."""

    value: str = ""
    """The text to be saved; empty when nothing changes."""
    is_set: bool = False
    """True when the setting has a usable value now."""


@frozen
class Asker:
    """Asks questions beside the values that the environment and the files hold already."""

    _environ: Mapping[str, str]
    _folder: Path
    _secrets: Secrets

    def present(self, name: str) -> tuple[str, str]:
        """Returns the raw text of a setting and its origin; empty when it is not set."""
        return given(self._environ, self._folder, name)

    def asked(self, question: SecretQuestion, settings: Settings) -> SecretAnswer:
        present, origin = self.present(question.name)
        if present and (told := elsewhere(question.name, origin)):
            say(told)
            return SecretAnswer(is_set=self._secret_fault(question, settings, present) is None)
        say(question.told)
        if present:
            say(f"There is one in {origin} already.")
        refused = False
        while True:
            typed = self._typed(question, present)
            if not typed and (refused or not present):
                return _left(present)
            value = typed or present
            verdict = self._verdict(question, settings, value)
            if verdict == "good":
                return SecretAnswer(typed if typed != present else "", is_set=True)
            if verdict == "left":
                return _left(present)
            refused = refused or not typed

    def tried(self, trial: Callable[[], Awaitable[T]], *secrets: str) -> T | Complaint:
        """Returns what a try came to, and says its fault."""
        self._secrets.add(*filter(None, secrets))
        click.echo("Trying it …")
        try:
            return asyncio.run(_call(trial))
        except Complaint as fault:
            say(f"✗ {self._secrets.hidden(str(fault))}")
            return fault

    def _typed(self, question: SecretQuestion, present: str) -> str:
        choice = "keeps it" if present else "skips"
        return prompted(f"{question.noun} (hidden; Enter {choice}): ", hidden=True)

    def _verdict(self, question: SecretQuestion, settings: Settings, value: str) -> Verdict:
        """Tries a value, again while only the network is in the way and the person wants to."""
        while (fault := self._secret_fault(question, settings, value)) is not None:
            if not fault.fleeting:
                say(question.again)
                return "bad"
            choice = after_fleeting(fault)
            if choice != "again":
                return choice
        return "good"

    def _secret_fault(
        self, question: SecretQuestion, settings: Settings, value: str
    ) -> Complaint | None:
        """Says what came of a try; returns the fault, if there is one."""
        try:
            question.form(value)
        except ValueError as error:
            say(f"✗ This is no {question.noun.lower()}: {error}.")
            return Complaint(str(error), "")
        placed = question.place(settings, SecretStr(value))
        told = self.tried(lambda: question.trial(placed), value)
        if isinstance(told, Complaint):
            return told
        say(f"✓ {told}")
        return None


def elsewhere(name: str, origin: str) -> str:
    """Says where a setting stands that `.env` cannot change; empty for any other."""
    if origin == ENVIRONMENT:
        return f"{name} is set in the environment, which counts before .env."
    if origin == CREDENTIALS or origin.endswith(FILE):
        return f"{name} is read from a file of its own ({origin}). Change it there."
    return ""


def after_fleeting(fault: Complaint) -> Literal["again", "good", "left"]:
    """Asks what to do about a fault that the network alone may have caused."""
    say(fault.mend)
    while True:
        match prompted("Enter tries again, k keeps it, s skips: ").lower():
            case "":
                return "again"
            case "k" | "keep":
                say("Kept without a try.")
                return "good"
            case "s" | "skip":
                return "left"
            case _:
                say("Press Enter, or type k or s.")


def _left(present: str) -> SecretAnswer:
    say("Left as it is." if present else "Skipped.")
    return SecretAnswer()


async def _call(trial: Callable[[], Awaitable[T]]) -> T:
    return await trial()
