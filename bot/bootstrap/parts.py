"""Builds the parts of an application as the settings want them."""

import os
from collections.abc import Callable, Mapping
from typing import TypeAlias

from bot.adapters.anthropic.model import AnthropicModel
from bot.adapters.demo_model.model import DemoModel
from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.adapters.mcp.servers import ToolServers
from bot.adapters.plan_folder.plan_folder import PlanFolder
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.adapters.sql.store import Store
from bot.adapters.tools.catalog import standard_tools
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.skills import skill_tools
from bot.domain.errors import SettingError
from bot.domain.skill import SkillSet
from bot.logs import log_context
from bot.ports.clock import Clock
from bot.ports.lanes import Drain
from bot.ports.model import Model
from bot.ports.skills import Skills
from bot.ports.tool import Tool
from bot.settings import Settings
from bot.shipped import shipped

Hide: TypeAlias = Callable[..., None]
"""Hides texts from every later log line."""

_DEMO = "demo/demo"
_DEMO_PAUSE = 0.01


def anthropic_model(settings: Settings) -> AnthropicModel | None:
    access = settings.anthropic
    if access.key is None:
        return None
    return AnthropicModel(
        access.key.get_secret_value(),
        base_url=access.base_url,
        times=settings.model_times,
        window=settings.context_window,
    )


def models_by_provider(anthropic: AnthropicModel | None) -> Mapping[str, Model]:
    demo: Mapping[str, Model] = {"demo": DemoModel(_DEMO_PAUSE)}
    return demo if anthropic is None else {"anthropic": anthropic, **demo}


def model_key(settings: Settings, models: Mapping[str, Model]) -> str:
    """Returns the model that chats begin with; without a key it is the demo model."""
    provider, _, name = settings.model.partition("/")
    if provider in models and name:
        return settings.model
    if provider == "anthropic":
        return _DEMO
    raise SettingError(f"STEWARD_MODEL names a provider that is not set up: {provider!r}")


def fallback_keys(settings: Settings, models: Mapping[str, Model]) -> tuple[str, ...]:
    """Returns the models that may take over; those without a key are left out."""
    providers = {key: key.partition("/")[0] for key in settings.fallback_models}
    for provider in providers.values():
        if provider not in models and provider != "anthropic":
            named = f"names a provider that is not set up: {provider!r}"
            raise SettingError(f"STEWARD_FALLBACK_MODELS {named}")
    return tuple(key for key, provider in providers.items() if provider in models)


def lanes(at_work: int, clock: Clock, drain: Drain) -> EmbeddedLanes:
    """Returns lanes that name the chat in every log line."""

    async def told(chat: int) -> None:
        with log_context(chat=chat):
            await drain(chat)

    return EmbeddedLanes(told, clock, at_work)


def house_tools(settings: Settings, store: Store, clock: Clock, skills: Skills) -> tuple[Tool, ...]:
    house = standard_tools(
        clock=clock,
        chats=store.chats,
        journal=store.journal,
        ledger=store.ledger,
        sandbox=Sandbox(network=settings.sandbox_network),
        spool=settings.home / "spool",
        command_seconds=round(settings.limits.tool_seconds),
    )
    return *house, *skill_tools(skills, settings.limits.pipeline_depth)


def skill_folders(settings: Settings, clock: Clock, hide: Hide) -> SkillFolders:
    """Returns the skills of the program and of the home; the home's win."""
    roots = (settings.skills or shipped("skills"), settings.home / "skills")

    def tell(skills: SkillSet) -> None:
        hide(*skills.secrets)

    return SkillFolders(roots, settings.home, os.environ, clock, tell)


def plan_folder(settings: Settings) -> PlanFolder:
    """Returns the templates of plans of the home and of the program; the home's win."""
    return PlanFolder(settings.home / "plans", shipped("plans"))


def tool_servers(settings: Settings) -> ToolServers:
    return ToolServers(settings.home / "servers", settings.home / "spool")
