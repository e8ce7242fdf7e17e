"""What `steward doctor` may try out, each on what the settings name."""

import asyncio
from functools import partial

from bot.adapters.sql.store import open_store
from bot.adapters.system_clock import SystemClock
from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.tools.catalog import NAMES as STANDARD_TOOLS
from bot.adapters.tools.sandbox import Sandbox
from bot.bootstrap.parts import anthropic_model, plan_folder, skill_folders, tool_servers
from bot.doctor import Probes
from bot.domain.errors import SettingError, StoreTooOld
from bot.domain.server import ServerSpec
from bot.domain.skill import SKILL_TOOLS, SkillSet
from bot.settings import Settings


def probes(settings: Settings) -> Probes:
    """What `steward doctor` may try out."""
    return Probes(
        model=partial(_probe_model, settings),
        telegram=partial(_probe_telegram, settings),
        webhook=partial(_probe_webhook, settings),
        database=partial(_probe_database, settings),
        sandbox=partial(_probe_sandbox, settings),
        servers={
            spec.name: partial(_probe_server, settings, spec)
            for spec in settings.servers
            if not spec.fault
        },
        skills=partial(_probe_skills, settings),
        templates=plan_folder(settings).all,
        tools=STANDARD_TOOLS | SKILL_TOOLS,
    )


async def _probe_model(settings: Settings) -> str:
    model = anthropic_model(settings)
    if model is None:
        raise SettingError("there is no key")
    async with model:
        await model.check(settings.model.partition("/")[2])
    return f"The key is good and {settings.model} is there."


async def _probe_telegram(settings: Settings) -> str:
    async with _telegram_api(settings) as api:
        name = await TelegramAccount(api).check()
    return f"The token is good: it belongs to @{name}."


async def _probe_webhook(settings: Settings) -> str:
    webhook = settings.telegram.webhook
    async with _telegram_api(settings) as api:
        return await TelegramAccount(api).check_webhook(webhook.url if webhook else "")


def _telegram_api(settings: Settings) -> TelegramApi:
    token = settings.telegram.token
    if token is None:
        raise SettingError("there is no token")
    return TelegramApi(token.get_secret_value(), settings.telegram.api_url)


async def _probe_database(settings: Settings) -> str:
    try:
        async with open_store(settings.database_url, upgrade=False) as store:
            accounts = await store.people.accounts()
    except StoreTooOld as due:
        # To look is not to change: an older version may be running on it at this moment.
        return f"It opens; the next start upgrades it: {due}."
    return f"It opens and knows {len(accounts)} accounts."


async def _probe_skills(settings: Settings) -> SkillSet:
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
