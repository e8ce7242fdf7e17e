"""Opens the parts below the flow: models, persona, servers, skills, hooks and the memory."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack

from bot.adapters.hook_folder.hook_folder import HookFolder
from bot.adapters.mcp.servers import ToolServers
from bot.adapters.persona_file.persona_file import PersonaFile
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.adapters.sql.store import Store
from bot.adapters.system_clock import SystemClock
from bot.bootstrap.embedder import drop_unused
from bot.bootstrap.hooks import hook_folder
from bot.bootstrap.meaning import ByMeaning, opened_searches
from bot.bootstrap.parts import Hide, skill_folders, tool_servers
from bot.bootstrap.provider_form import ServedModel
from bot.bootstrap.providers import with_demo
from bot.domain.memory.background import MOST_PERSONA
from bot.domain.value import frozen
from bot.flow.money.till import Till
from bot.logs import Secrets
from bot.ports.model import Model
from bot.settings import Settings


@frozen
class Ground:
    """The parts that the others below the flow are opened with."""

    store: Store
    store_returned: Callable[[], Awaitable[None]]
    providers: Mapping[str, ServedModel]
    till: Till


@frozen
class Below:
    """The parts that are open below the flow, and are closed when the run ends."""

    ground: Ground
    models: Mapping[str, Model]
    persona: PersonaFile
    servers: ToolServers
    skills: SkillFolders
    hooks: HookFolder | None
    by_meaning: ByMeaning
    secrets: Secrets


async def opened_below(
    settings: Settings, stack: AsyncExitStack, secrets: Secrets, ground: Ground
) -> Below:
    """Opens the models, the persona, the servers, the skills, the hooks and the memory."""
    clock = SystemClock()
    for model in ground.providers.values():
        await stack.enter_async_context(model)
    persona = PersonaFile(settings.home / "persona.md", MOST_PERSONA, clock)
    await stack.enter_async_context(persona)
    servers = await stack.enter_async_context(tool_servers(settings))
    skills = await stack.enter_async_context(skill_folders(settings, clock, secrets.add))
    hooks = await _opened_hooks(settings, stack, secrets.add)
    models = with_demo(ground.providers)
    await drop_unused(settings, ground.store)
    searches = opened_searches(settings, ground.store, ground.till, skills)
    by_meaning = await stack.enter_async_context(searches)
    return Below(ground, models, persona, servers, skills, hooks, by_meaning, secrets)


async def _opened_hooks(settings: Settings, stack: AsyncExitStack, hide: Hide) -> HookFolder | None:
    if settings.hooks_listen is None:
        return None
    return await stack.enter_async_context(hook_folder(settings, SystemClock(), hide))
