"""Builds the parts of an application as the settings want them."""

import os
from collections.abc import Callable, Mapping
from typing import TypeAlias

from bot.adapters.anthropic.model import AnthropicModel
from bot.adapters.apscheduler.calendar import CronCalendar
from bot.adapters.chroma.local_embedder import LocalEmbedder
from bot.adapters.chroma.vectors import ChromaVectors
from bot.adapters.dateparser.date_words import DateWords
from bot.adapters.demo_model.model import DemoModel
from bot.adapters.embeddings.embedder import Embeddings
from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.adapters.lanes.shared_lanes import SharedLanes
from bot.adapters.mcp.servers import ToolServers
from bot.adapters.openai.model import OpenAIModel
from bot.adapters.plan_folder.plan_folder import PlanFolder
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.adapters.sql.store import Store
from bot.adapters.telegram.api import TelegramApi
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
from bot.domain.money.provider import OPENAI, ProviderSpec
from bot.domain.skills.skill import SkillSet
from bot.domain.talk.errors import SettingError
from bot.flow.goals.planning import GoalPlanning
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.timetable import Timetable
from bot.logs import log_context
from bot.ports.clock import Clock
from bot.ports.descriptions import Descriptions
from bot.ports.embedder import Embedder
from bot.ports.lanes import Drain, Lanes, OwnedChats
from bot.ports.model import Model
from bot.ports.skills import Skills
from bot.ports.tool import Tool
from bot.ports.web import PageReader
from bot.settings import FIRST_MODEL, FIRST_OF_OPENAI, Settings
from bot.shipped import shipped

Hide: TypeAlias = Callable[..., None]
"""Hides texts from every later log line."""

DEMO = "demo/demo"
"""The model that answers without a key."""

LOCAL = "local"
"""The name of Chroma's own embedder in the settings."""

MEANING_FOLDER = "meaning"

_DEMO_PAUSE = 0.01


def providers(settings: Settings) -> tuple[str, ...]:
    """Returns the names of all providers, with a key or without."""
    return ("anthropic", "openai", *[p.name for p in settings.providers if not p.fault], "demo")


def openai_spec(settings: Settings) -> ProviderSpec | None:
    """Returns the way to OpenAI itself; None without its key."""
    access = settings.openai
    if access.key is None:
        return None
    return ProviderSpec(
        OPENAI,
        access.base_url,
        access.key.get_secret_value(),
        output_field="max_completion_tokens",
        trusted=True,
        key_name="OPENAI_API_KEY",
    )


def chat_servers(settings: Settings) -> tuple[ProviderSpec, ...]:
    """Returns OpenAI, if it has a key, and every other provider that can be used."""
    first = openai_spec(settings)
    others = [spec for spec in settings.providers if not spec.fault]
    return (*((first,) if first is not None else ()), *others)


def openai_model(settings: Settings, spec: ProviderSpec) -> OpenAIModel:
    return OpenAIModel(
        spec,
        times=settings.policy.model_times,
        window=settings.context_window,
        traits=settings.models,
    )


def provider_models(settings: Settings) -> Mapping[str, AnthropicModel | OpenAIModel]:
    """Returns the models of every provider that has its key, not yet entered."""
    anthropic = anthropic_model(settings)
    first = {"anthropic": anthropic} if anthropic is not None else {}
    return first | {spec.name: openai_model(settings, spec) for spec in chat_servers(settings)}


def anthropic_model(settings: Settings) -> AnthropicModel | None:
    access = settings.anthropic
    if access.key is None:
        return None
    return AnthropicModel(
        access.key.get_secret_value(),
        base_url=access.base_url,
        times=settings.policy.model_times,
        window=settings.context_window,
        traits=settings.models,
    )


def with_demo(models: Mapping[str, Model]) -> Mapping[str, Model]:
    return {**models, "demo": DemoModel(_DEMO_PAUSE)}


def telegram_api(settings: Settings) -> TelegramApi:
    token = settings.telegram.token
    if token is None:
        raise SettingError("TELEGRAM_BOT_TOKEN is not set")
    return TelegramApi(token.get_secret_value(), settings.telegram.api_url, settings.send_seconds)


def provider_fault(settings: Settings, key: str, setting: str) -> str:
    """Returns a sentence about a model of a provider that Steward does not have; else nothing."""
    provider, _, name = key.partition("/")
    known = providers(settings)
    if provider in known and name:
        return ""
    fault = next((p.fault for p in settings.providers if p.fault and p.name == provider), "")
    if fault:
        return f"{setting} names {key}, but [providers.{provider}] cannot be used: {fault}."
    listed = f"{', '.join(known[:-1])} and {known[-1]}"
    return f"{setting} names {key}, but there is no provider “{provider}” here: only {listed}."


def model_key(settings: Settings, models: Mapping[str, Model]) -> str:
    """Returns the model that chats begin with; without any key it is the demo model.

    Where nobody chose a model, the key of OpenAI alone is choice enough.
    """
    wanted = settings.policy.model
    fault = provider_fault(settings, wanted, "STEWARD_MODEL")
    if fault:
        raise SettingError(fault)
    if wanted.partition("/")[0] in models:
        return wanted
    return FIRST_OF_OPENAI if wanted == FIRST_MODEL and OPENAI in models else DEMO


def fallback_keys(settings: Settings, models: Mapping[str, Model]) -> tuple[str, ...]:
    """Returns the models that may take over; those without a key are left out."""
    wanted = settings.policy.fallback_models
    for key in wanted:
        fault = provider_fault(settings, key, "STEWARD_FALLBACK_MODELS")
        if fault:
            raise SettingError(fault)
    return tuple(key for key in wanted if key.partition("/")[0] in models)


def lanes(at_work: int, clock: Clock, owned: OwnedChats | None, drain: Drain) -> Lanes:
    """Returns lanes that name the chat in every log line."""

    async def told(chat: int) -> None:
        with log_context(chat=chat):
            await drain(chat)

    if owned is not None:
        return SharedLanes(told, clock, owned, at_work)
    return EmbeddedLanes(told, clock, at_work)


def embedder(settings: Settings) -> Embedder | None:
    """Returns the embedder that the settings name, not yet loaded; None when there is none."""
    access = settings.meaning
    if access.model is None:
        return None
    if access.model == LOCAL:
        return LocalEmbedder(settings.home / "embedder")
    key = access.key.get_secret_value() if access.key else None
    return Embeddings(access.url, access.model, key, access.price)


def vectors(settings: Settings, *, look: bool = False) -> ChromaVectors:
    """Returns the index of meaning, not yet opened; to `look` at it, it is copied first."""
    folder = settings.home / MEANING_FOLDER
    return ChromaVectors(folder, settings.meaning.index_url, settings.home, look=look)


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
