"""The checks of the program as it is shipped, and the trials of its setup."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bot.adapters.system_clock import SystemClock
from bot.bootstrap.discord import try_discord_token
from bot.bootstrap.program import CHANNELS, DOORS
from bot.bootstrap.telegram_trials import try_token
from bot.checkup.checkup import checkup
from bot.checkup.memory_probes import try_embedder
from bot.checkup.model_probes import try_key, try_server
from bot.doctor import Finding, examine
from bot.domain.money.provider import ANTHROPIC, OPENAI
from bot.settings import Settings
from bot.setup import Probes

PROBES = Probes(
    try_token,
    try_discord_token,
    partial(try_key, provider=ANTHROPIC),
    partial(try_key, provider=OPENAI),
    try_server,
    try_embedder,
)
"""The ways in which `steward setup` tries what it is told."""


async def examined(settings: Settings, folder: Path) -> Sequence[Finding]:
    """Returns the report of `steward doctor`; `folder` is where .env and steward.toml lie."""
    return await examine(settings, checkup(settings, CHANNELS, DOORS), SystemClock(), folder)
