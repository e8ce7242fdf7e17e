"""Goes through the questions, and writes the answers into `.env` and `steward.toml`."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import click

from bot.domain.money.provider import ProviderSpec
from bot.domain.text.visible_text import shown_name
from bot.logs import Secrets
from bot.settings import Settings, forms, given, read_settings
from bot.settings.env_file import write_env
from bot.settings.toml_file import add_provider
from bot.setup.asking import Asker, Probes, SecretQuestion
from bot.setup.meaning import MeaningQuestion
from bot.setup.prompts import agreed, say
from bot.setup.provider_choice import ANTHROPIC_KEY, MODEL, OPENAI_KEY, ServiceQuestion
from bot.setup.voice import VoiceQuestion
from bot.shipped import command

_TOKEN, _DISCORD_TOKEN = "TELEGRAM_BOT_TOKEN", "DISCORD_BOT_TOKEN"
_ASKED = (_TOKEN, _DISCORD_TOKEN, ANTHROPIC_KEY, OPENAI_KEY)


def no_terminal(folder: Path) -> str:
    """Returns what to do instead of a talk about settings."""
    return (
        f"There is no terminal to ask in. Write {_TOKEN}=… and {ANTHROPIC_KEY}=… into "
        f"{folder / '.env'} (make the folder first if it is missing). Then run "
        f"`chmod 600 {folder / '.env'}`."
    )


class Setup:
    """Asks for two tokens and a service; nothing is written before all are answered."""

    def __init__(
        self, environ: Mapping[str, str], folder: Path, probes: Probes, secrets: Secrets
    ) -> None:
        self._environ = environ
        self._folder = folder
        self._asker = Asker(environ, folder, secrets)
        self._token = _token_question(probes)
        self._discord = _discord_question(probes)
        self._service = ServiceQuestion(self._asker, probes)
        self._voice = VoiceQuestion(self._asker, probes)
        self._meaning = MeaningQuestion(self._asker, probes)

    def ask(self) -> bool:
        """Returns true when there is a token or a model at the end.

        Raises SettingError when a file cannot be read or written, and click.Abort at Ctrl-C.
        """
        settings = read_settings(self._environ, self._folder, without=_ASKED)
        say("Three questions connect me to Telegram, Discord and a model. Each can be left out.")
        try:
            say("\n1 of 3 · Telegram")
            token = self._asker.asked(self._token, settings)
            say("\n2 of 3 · Discord")
            discord = self._asker.asked(self._discord, settings)
            say("\n3 of 3 · The model")
            chosen = self._service.asked(settings)
        except (click.Abort, KeyboardInterrupt):
            say("\nStopped. Nothing was changed.")
            raise click.Abort from None
        tokens = {_TOKEN: token.value, _DISCORD_TOKEN: discord.value}
        self._save(tokens | chosen.env, chosen.provider)
        if chosen.env and not self._meaning.is_set:
            say("\nOne more · Memory")
            self._offer_meaning()
        if chosen.env:
            say(f"\nVoice messages are set up by `{command('setup voice')}`.")
        return any(given(self._environ, self._folder, name)[0] for name in (*_ASKED, MODEL))

    def ask_for_voice(self) -> None:
        """Asks for the services of speech; raises as `ask` does."""
        settings = read_settings(self._environ, self._folder, without=_ASKED)
        try:
            found = self._voice.asked(settings)
        except (click.Abort, KeyboardInterrupt):
            say("\nStopped. Nothing was changed.")
            raise click.Abort from None
        self._save(found)
        if found:
            say("They are used from the next start. `/voice on` in a chat lets answers be spoken.")

    def ask_for_meaning(self) -> None:
        """Offers memory by meaning; raises as `ask` does."""
        self._offer_meaning()

    def _offer_meaning(self) -> None:
        settings = read_settings(self._environ, self._folder, without=_ASKED)
        try:
            found = self._meaning.asked(settings)
        except (click.Abort, KeyboardInterrupt):
            say("\nStopped. Answers are found by their words.")
            raise click.Abort from None
        if found:
            self._save(found)

    def _save(self, values: Mapping[str, str], provider: ProviderSpec | None = None) -> None:
        answers = {name: value for name, value in values.items() if value}
        if not answers:
            say("\nNothing was changed.")
            return
        files: list[Path] = []
        if provider is not None:
            # First, so that no .env ever names a provider that there is not.
            files.append(add_provider(self._folder, provider))
        files.insert(0, write_env(self._folder, answers))
        them = "it" if len(files) == 1 else "them"
        say(f"\nSaved in {' and '.join(map(str, files))}. Only your user can read {them}.")


def _token_question(probes: Probes) -> SecretQuestion:
    async def trial(settings: Settings) -> str:
        return f"This is {await probes.token(settings)}."

    return SecretQuestion(
        _TOKEN,
        "Token",
        "In Telegram write /newbot to @BotFather (https://t.me/BotFather). It asks for a name and "
        "gives you a token: paste it here.",
        "Copy it again from @BotFather: /mybots, your bot, API Token.",
        forms.bot_token,
        trial,
        lambda settings, secret: dataclasses.replace(
            settings, telegram=dataclasses.replace(settings.telegram, token=secret)
        ),
    )


def _discord_question(probes: Probes) -> SecretQuestion:
    return SecretQuestion(
        _DISCORD_TOKEN,
        "Discord token",
        "At https://discord.com/developers/applications press New Application. Open its page "
        "“Bot”, switch on Message Content Intent, press Reset Token, and paste the token here.",
        "Make a new one there: your application, Bot, Reset Token.",
        forms.discord_token,
        probes.discord,
        lambda settings, secret: dataclasses.replace(
            settings, discord=dataclasses.replace(settings.discord, token=secret)
        ),
    )


def starts_now() -> bool:
    """Asks whether the run begins right away; Enter means yes."""
    if not agreed("\nStart now?", otherwise=True):
        say(f"Start later with `{command('run')}`.")
        return False
    return True


def settings_count(folder: Path, home: Path) -> bool:
    """Asks whether the settings in the folder that a person stands in are theirs.

    After a yes, `home` is where everything is kept.
    """
    beside = home == folder / "data"
    kept = "data/ of this folder, and work in there, too" if beside else shown_name(str(home))
    say(
        f"In {shown_name(str(folder))} there are settings for me: .env, steward.toml or data/. "
        "Settings can name programs that I start, so say yes only if you put them there "
        f"yourself. Then I keep everything in {kept}."
    )
    return agreed("Use them?", otherwise=False)


def works_in(folder: Path) -> bool:
    """Asks whether to work in a folder whose files other users of the machine may change."""
    say(
        f"{shown_name(str(folder))} is not yours alone: other users of this machine can "
        "change its files, and I would read what they write there. If you say no, I work in a "
        "folder of my own."
    )
    return agreed("Work in this folder?", otherwise=False)
