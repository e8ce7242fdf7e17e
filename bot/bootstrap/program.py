"""The program as it is shipped: its channels (a new one is added here), and the ways to run it."""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.adapters.loop_watch.loop_watch import LoopWatch
from bot.adapters.tools.hardening import harden
from bot.bootstrap import serving
from bot.bootstrap.backup_times import BackupForm
from bot.bootstrap.channel_form import ChannelForm
from bot.bootstrap.cut_off_update import cut_off
from bot.bootstrap.discord import DiscordForm
from bot.bootstrap.door_form import DoorForm
from bot.bootstrap.hooks import HookForm
from bot.bootstrap.http_serving import LateServers
from bot.bootstrap.metrics import MetricsForm
from bot.bootstrap.page import PageForm
from bot.bootstrap.service_manager import ServiceManagerForm
from bot.bootstrap.telegram import TelegramForm
from bot.bootstrap.traces import TracesForm
from bot.logs import Secrets
from bot.settings import Settings

_LOG = logging.getLogger(__name__)
_SERVERS = LateServers()

CHANNELS: Sequence[ChannelForm] = (TelegramForm(_SERVERS.serving), DiscordForm())
"""Every platform that is served if the settings set it up: one line each."""

PAGE = PageForm(_SERVERS.serving)
"""The page in a browser, beside whatever is served."""

METRICS = MetricsForm(_SERVERS.serving)

DOORS: Sequence[DoorForm] = (
    HookForm(_SERVERS.serving),
    ServiceManagerForm(),
    BackupForm(),
    METRICS,
    TracesForm(),
)
"""Every door for other programs that is open if the settings want it: one line each."""


async def serve(settings: Settings, secrets: Secrets, watch: LoopWatch) -> int:
    """Serves every platform that is set up, and the page, until cancelled."""
    # Loaded by a run alone: the doctor and the setup receive nobody.
    from bot.bootstrap.home import HomeForm

    harden()
    if told := cut_off():
        _LOG.warning("%s %s", *told)
    alone = bool(unserved(settings))
    page = PageForm(_SERVERS.serving, alone=alone)
    forms = CHANNELS if alone and page.missing(settings) else (*CHANNELS, HomeForm(), page)
    return await serving.serve(
        settings, forms, secrets, watch, DOORS, counted=METRICS.counted(settings)
    )


async def chat(
    settings: Settings, secrets: Secrets, watch: LoopWatch, *, folder: Path | None = None
) -> int:
    """Talks in the terminal until the person leaves, about a folder or in the workspace."""
    # Only a talk in the terminal loads what draws it.
    from bot.adapters.terminal.echo import unechoed
    from bot.bootstrap.terminal import TerminalForm

    harden()
    with unechoed(sys.stdin):
        return await serving.serve(
            settings, (PAGE, TerminalForm(folder)), secrets, watch, patient=False
        )


def unserved(settings: Settings) -> Sequence[tuple[str, str]]:
    """Returns each platform with the setting it lacks, or nothing if a platform is served."""
    lacks = [(form.title, form.missing(settings)) for form in CHANNELS]
    return lacks if all(missing for _, missing in lacks) else ()
