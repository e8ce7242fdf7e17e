"""Builds the parts of an application as the settings want them."""

import os
from collections.abc import Callable
from typing import TypeAlias

from bot.adapters.apscheduler.calendar import CronCalendar
from bot.adapters.dateparser.date_words import DateWords
from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.adapters.lanes.shared_lanes import SharedLanes
from bot.adapters.mcp.servers import ToolServers
from bot.adapters.plan_folder.plan_folder import PlanFolder
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.adapters.sql.store import Store
from bot.adapters.tools.catalog import WorkspaceTools, standard_tools
from bot.adapters.tools.command import RunCommand
from bot.adapters.tools.errands import Delegate
from bot.adapters.tools.goals import GoalShelf, goal_tools
from bot.adapters.tools.memory import Searched, memory_tools
from bot.adapters.tools.other_chats import OtherChats
from bot.adapters.tools.reading_files import reading_tools
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.sent_files import SentFiles
from bot.adapters.tools.skills import skill_tools
from bot.adapters.tools.tasks import TaskShelf, task_tools
from bot.adapters.tools.writing_files import writing_tools
from bot.bootstrap.web import tools_for_the_web
from bot.domain.clock.zones import Zones
from bot.domain.skills.skill import SkillSet
from bot.flow.goals.planning import GoalPlanning
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.timetable import Timetable
from bot.logs import log_context
from bot.ports.clock import Clock
from bot.ports.descriptions import Descriptions
from bot.ports.lanes import Drain, Lanes, OwnedChats
from bot.ports.skills import Skills
from bot.ports.tool import Tool
from bot.ports.web import PageReader
from bot.settings import Settings
from bot.shipped import shipped

Hide: TypeAlias = Callable[..., None]
"""Hides texts from every later log line."""


def lanes(at_work: int, clock: Clock, owned: OwnedChats | None, drain: Drain) -> Lanes:
    """Returns lanes that name the chat in every log line."""

    async def told(chat: int) -> None:
        with log_context(chat=chat):
            await drain(chat)

    if owned is not None:
        return SharedLanes(told, clock, owned, at_work)
    return EmbeddedLanes(told, clock, at_work)


def house_tools(
    settings: Settings,
    store: Store,
    clock: Clock,
    skills: Skills,
    sandbox: Sandbox,
    searched: Searched,
    reader: PageReader,
    descriptions: Descriptions | None = None,
) -> tuple[Tool, ...]:
    policy = settings.policy
    others = OtherChats(folder for _, folder in settings.shared_folders)
    sent = SentFiles(store.received, store.journal, clock)
    workspace = WorkspaceTools(
        reading=reading_tools(store.ledger, others, sent),
        writing=writing_tools(policy.documents, policy.undo.bytes if policy.undo.days else 0),
        run_command=RunCommand(sandbox, round(policy.limits.tool_seconds), others, sent),
    )
    house = standard_tools(
        clock=clock,
        chats=store.chats,
        journal=store.journal,
        workspace=workspace,
        spool=settings.home / "spool",
        web=tools_for_the_web(settings, reader),
    )
    about_memory = memory_tools(searched, store.notes, store.chats, store.people)
    about_skills = skill_tools(skills, policy.limits.pipeline_depth, descriptions)
    about_tasks = _about_tasks(settings, store, clock)
    sent_out = (Delegate(store.errands),) if policy.limits.errands else ()
    return *house, *about_skills, *about_memory, *about_tasks, *sent_out


def _about_tasks(settings: Settings, store: Store, clock: Clock) -> tuple[Tool, ...]:
    timetable = Timetable(CronCalendar(), DateWords())
    zones = Zones(settings.policy.timezone)
    making = TaskMaking(store.scheduled, timetable, store.chats, store.people, zones)
    shelf = TaskShelf(store.scheduled, making, timetable, store.people, clock)
    planning = GoalPlanning(store.goals, store.scheduled, making, timetable)
    return *task_tools(shelf), *goal_tools(GoalShelf(store.goals, planning, clock))


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
