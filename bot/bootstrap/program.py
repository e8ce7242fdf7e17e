"""The program as it is shipped: its channels, and the ways to run it."""

from collections.abc import Sequence
from pathlib import Path

from bot.adapters.system_clock import SystemClock
from bot.adapters.tools.hardening import harden
from bot.bootstrap import serving
from bot.bootstrap.channel_form import ChannelForm
from bot.bootstrap.checkup import checkup
from bot.bootstrap.parts import Hide
from bot.bootstrap.telegram import TelegramForm
from bot.bootstrap.terminal import TerminalForm
from bot.doctor import Finding, examine
from bot.settings import Settings

CHANNELS: Sequence[ChannelForm] = (TelegramForm(),)
"""Every platform that is served if the settings set it up: one line each."""

FOREGROUND: ChannelForm = TerminalForm()
"""The channel of the terminal that the program was started in."""


async def serve(settings: Settings, hide: Hide) -> int:
    """Serves every platform that is set up, until cancelled."""
    harden()
    return await serving.serve(settings, CHANNELS, hide)


async def chat(settings: Settings, hide: Hide) -> int:
    """Talks in the terminal until the person leaves."""
    harden()
    return await serving.serve(settings, (FOREGROUND,), hide)


async def examined(settings: Settings, folder: Path) -> Sequence[Finding]:
    """Returns the report of `steward doctor`; `folder` is where .env and steward.toml lie."""
    return await examine(settings, checkup(settings, CHANNELS), SystemClock(), folder)


def unserved(settings: Settings) -> Sequence[tuple[str, str]]:
    """Returns each platform with the setting it lacks, or nothing if a platform is served."""
    lacks = [(form.title, form.missing(settings)) for form in CHANNELS]
    return lacks if all(missing for _, missing in lacks) else ()
