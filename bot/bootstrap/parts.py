"""Builds the parts of an application as the settings want them."""

import os
from collections.abc import Callable, Collection
from typing import TypeAlias

from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.adapters.lanes.ringing_lanes import RingingLanes
from bot.adapters.lanes.shared_lanes import SharedLanes
from bot.adapters.mcp.servers import ToolServers
from bot.adapters.plan_folder.plan_folder import PlanFolder
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.domain.skills.skill import SkillSet
from bot.logs import log_context
from bot.ports.bell import Bell
from bot.ports.clock import Clock
from bot.ports.duties import EVERY_DUTY, Duty
from bot.ports.lanes import Drain, Lanes, OwnedChats
from bot.settings import Settings
from bot.shipped import shipped

Hide: TypeAlias = Callable[..., None]
"""Hides texts from every later log line."""


def lanes(
    at_work: int,
    clock: Clock,
    owned: OwnedChats | None,
    bell: Bell,
    drain: Drain,
    *,
    duties: Collection[Duty] = EVERY_DUTY,
) -> Lanes:
    """Returns lanes that name the chat in every log line."""

    async def told(chat: int) -> None:
        with log_context(chat=chat):
            await drain(chat)

    if Duty.WORK not in duties:
        return RingingLanes(bell)
    if owned is not None:
        return SharedLanes(told, clock, owned, bell, at_work)
    return EmbeddedLanes(told, clock, at_work)


def skill_folders(settings: Settings, clock: Clock, hide: Hide) -> SkillFolders:
    """Returns the skills of the program and of the home; the home's win.

    The keys of providers are no variables of skills, whatever a skill is allowed to see.
    """
    roots = (settings.skills or shipped("skills"), settings.home / "skills")
    keys = {
        "OPENAI_API_KEY",
        "STEWARD_EMBED_KEY",
        "STEWARD_SEARCH_KEY",
        *(spec.key_name for spec in settings.providers),
    }
    environ = {name: value for name, value in os.environ.items() if name not in keys}

    def tell(skills: SkillSet) -> None:
        hide(*skills.secrets)

    return SkillFolders(roots, settings.home, environ, clock, tell)


def plan_folder(settings: Settings) -> PlanFolder:
    """Returns the ready-made plans of the home and of the program; the home's win."""
    return PlanFolder(settings.home / "plans", shipped("plans"))


def tool_servers(settings: Settings) -> ToolServers:
    return ToolServers(settings.home / "servers", settings.home / "spool")
