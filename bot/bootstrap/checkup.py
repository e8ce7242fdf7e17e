"""Puts together all that `steward doctor` tries out."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bot.adapters.sql.store import open_store
from bot.adapters.system_clock import SystemClock
from bot.adapters.tools.catalog import NAMES as STANDARD_TOOLS
from bot.adapters.tools.sandbox import Sandbox
from bot.bootstrap.channel_form import ChannelForm
from bot.bootstrap.parts import anthropic_model, plan_folder, skill_folders, tool_servers
from bot.doctor import PROBE_SECONDS, Check, Checkup, Finding
from bot.domain.errors import SettingError, StoreTooOld
from bot.domain.server import ServerSpec
from bot.domain.skill import SKILL_TOOLS, SkillSet
from bot.settings import Settings


def checkup(settings: Settings, forms: Sequence[ChannelForm]) -> Checkup:
    """Returns the checks of models, channels, store, sandbox and servers, in this order."""
    return Checkup(
        [
            _model(settings),
            *[check for form in forms for check in form.checks(settings)],
            _database(settings),
            _sandbox(settings),
            *[_server(settings, spec) for spec in settings.servers if not spec.fault],
        ],
        partial(_known_skills, settings),
        plan_folder(settings).all,
        STANDARD_TOOLS | SKILL_TOOLS,
    )


def _model(settings: Settings) -> Check | Finding:
    if not settings.model.startswith("anthropic/"):
        return Finding("model", "ok", f"{settings.model} answers.")
    if settings.anthropic.key is None:
        return Finding(
            "model", "warn", "There is no key: the demo model answers.", "Set ANTHROPIC_API_KEY."
        )
    mend = "Look at ANTHROPIC_API_KEY and STEWARD_MODEL."
    return Check("model", partial(_probe_model, settings), mend)


def _database(settings: Settings) -> Check | Finding:
    """Leaves a SQLite file alone that does not exist yet, since opening would make it."""
    file = Path(settings.database_url.partition(":///")[2])
    due = settings.database_url.startswith("sqlite") and file.parent == settings.home
    if due and not file.exists():
        return Finding("database", "ok", "There is none yet: the first run makes it.")
    return Check("database", partial(_probe_database, settings), "Look at STEWARD_DATABASE_URL.")


def _sandbox(settings: Settings) -> Check:
    return Check(
        "sandbox",
        partial(_probe_sandbox, settings),
        "Install bubblewrap and allow user namespaces.",
        "warn",
        "Every command asks, each time.",
    )


def _server(settings: Settings, spec: ServerSpec) -> Check:
    """Starts a tool server; a failure is a warning, since Steward works without its tools."""
    mend = f"Look at [mcp.{spec.name}] in steward.toml."
    probe = partial(_probe_server, settings, spec)
    # The server's own time counts first: after it the probe says itself what is wrong.
    seconds = PROBE_SECONDS + spec.start_seconds
    return Check(f"mcp.{spec.name}", probe, mend, "warn", seconds=seconds)


async def _probe_model(settings: Settings) -> str:
    model = anthropic_model(settings)
    if model is None:
        raise SettingError("there is no key")
    async with model:
        await model.check(settings.model.partition("/")[2])
    return f"The key is good and {settings.model} is there."


async def _probe_database(settings: Settings) -> str:
    try:
        async with open_store(settings.database_url, upgrade=False) as store:
            accounts = await store.people.accounts()
    except StoreTooOld as due:
        # The doctor changes nothing: an older version may be using the database right now.
        return f"It opens; the next start upgrades it: {due}."
    return f"It opens and knows {len(accounts)} accounts."


async def _known_skills(settings: Settings) -> SkillSet:
    skills = skill_folders(settings, SystemClock(), lambda *_: None)
    await asyncio.to_thread(skills.load)
    return skills.known


async def _probe_sandbox(settings: Settings) -> str:
    sandbox = Sandbox(network=settings.sandbox_network)
    if not await sandbox.works():
        raise SettingError("bubblewrap does not work here")
    return f"Commands run {await sandbox.where()}."


async def _probe_server(settings: Settings, spec: ServerSpec) -> str:
    async with tool_servers(settings) as servers:
        standing = await servers.tried(spec)
    count = len(standing.tools)
    told = f"It lends {count} {'tool' if count == 1 else 'tools'} ({spec.line})."
    return f"{told} Not offered: {'; '.join(standing.left_out)}." if standing.left_out else told
