"""The program as it is shipped: its channels (a new one is added here), and the ways to run it."""

import sys
from collections.abc import Sequence
from pathlib import Path

from bot.adapters.loop_watch.loop_watch import LoopWatch
from bot.adapters.system_clock import SystemClock
from bot.adapters.terminal.echo import unechoed
from bot.adapters.tools.hardening import harden
from bot.bootstrap import asking, serving
from bot.bootstrap.channel_form import ChannelForm
from bot.bootstrap.checkup import checkup
from bot.bootstrap.discord import DiscordForm, try_discord_token
from bot.bootstrap.door_form import DoorForm
from bot.bootstrap.hooks import HookForm
from bot.bootstrap.http_serving import LateServers
from bot.bootstrap.probes import try_anthropic_key, try_openai_key, try_server, try_token
from bot.bootstrap.telegram import TelegramForm
from bot.bootstrap.terminal import TerminalForm
from bot.doctor import Finding, examine
from bot.logs import Secrets
from bot.settings import Settings
from bot.setup import Probes

_SERVERS = LateServers()

CHANNELS: Sequence[ChannelForm] = (TelegramForm(_SERVERS.serving), DiscordForm())
"""Every platform that is served if the settings set it up: one line each."""

DOORS: Sequence[DoorForm] = (HookForm(_SERVERS.serving),)
"""Every door for other programs that is open if the settings want it: one line each."""

FOREGROUND: ChannelForm = TerminalForm()
"""The channel of the terminal that the program was started in."""


def new_watch() -> LoopWatch:
    """Returns the watch over the event loop of a run."""
    return LoopWatch()


async def serve(settings: Settings, secrets: Secrets, watch: LoopWatch) -> int:
    """Serves every platform that is set up, until cancelled."""
    harden()
    return await serving.serve(settings, CHANNELS, secrets, watch, DOORS)


async def chat(settings: Settings, secrets: Secrets, watch: LoopWatch) -> int:
    """Talks in the terminal until the person leaves."""
    harden()
    with unechoed(sys.stdin):
        return await serving.serve(settings, (FOREGROUND,), secrets, watch, patient=False)


async def ask(
    settings: Settings, words: str, secrets: Secrets, *, piped: bytes = b"", as_json: bool = False
) -> int:
    """Asks one question, prints the answer, and returns the exit code."""
    harden()
    return await asking.ask(settings, words, secrets, piped=piped, as_json=as_json)


async def examined(settings: Settings, folder: Path) -> Sequence[Finding]:
    """Returns the report of `steward doctor`; `folder` is where .env and steward.toml lie."""
    return await examine(settings, checkup(settings, CHANNELS, DOORS), SystemClock(), folder)


PROBES = Probes(try_token, try_discord_token, try_anthropic_key, try_openai_key, try_server)
"""The ways in which `steward setup` tries what it is told."""


def unserved(settings: Settings) -> Sequence[tuple[str, str]]:
    """Returns each platform with the setting it lacks, or nothing if a platform is served."""
    lacks = [(form.title, form.missing(settings)) for form in CHANNELS]
    return lacks if all(missing for _, missing in lacks) else ()
