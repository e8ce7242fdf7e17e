"""Opens an application with its store, its models and its servers for one run."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial

from bot.adapters.apscheduler.calendar import CronCalendar
from bot.adapters.charts.chart_files import ChartFiles
from bot.adapters.dateparser.date_words import DateWords
from bot.adapters.export_file import ExportFiles
from bot.adapters.hook_folder.hook_folder import HookFolder
from bot.adapters.lanes.folder_lock import FolderLock
from bot.adapters.mcp.servers import ToolServers
from bot.adapters.media.media_reader import MediaReader
from bot.adapters.persona_file.persona_file import PersonaFile
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.adapters.sql.patience import Patience
from bot.adapters.sql.store import Store, open_store
from bot.adapters.system_clock import SystemClock
from bot.adapters.tools.inbox_folder import WorkspaceInbox
from bot.adapters.tools.put_back import PutBack
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.sending import clear_spool
from bot.adapters.tzfpy.zone_map import zones_at
from bot.adapters.voice.sound_files import SoundFiles
from bot.bootstrap.collector import collect_from_now_on, uncollected
from bot.bootstrap.database import told
from bot.bootstrap.embedder import drop_unused
from bot.bootstrap.hooks import hook_folder
from bot.bootstrap.meaning import ByMeaning, opened_searches, till_of
from bot.bootstrap.parts import (
    Hide,
    lanes,
    plan_folder,
    skill_folders,
    tool_servers,
)
from bot.bootstrap.provider_form import ServedModel
from bot.bootstrap.providers import fallback_keys, model_key, provider_models, with_demo
from bot.bootstrap.speech import hearing, speaking
from bot.bootstrap.tools import tools_of
from bot.bootstrap.web import missing
from bot.bootstrap.workspaces import workspace_of
from bot.domain.memory.background import MOST_PERSONA
from bot.domain.talk.errors import WRITE_RIGHT, SettingError, StoreUnavailable
from bot.domain.talk.hold import Holds, never_held
from bot.domain.talk.person import Role, Sender
from bot.flow.application import Application
from bot.flow.composition import Composition
from bot.flow.money.till import Till
from bot.flow.policy import Policy
from bot.flow.world import StorePorts, World, at_once, never
from bot.logs import Secrets
from bot.ports.attachments import Files
from bot.ports.channel import Channel
from bot.ports.groups import Groups
from bot.ports.model import Model
from bot.settings import Settings

_SPOOL_DAYS = 30
"""Days after which the copy of a file that was not delivered is deleted."""


@dataclass(frozen=True, slots=True)
class Channels:
    """The channels of one run by name, with the files and groups that only some of them have."""

    by_name: Mapping[str, Channel]
    files: Mapping[str, Files] = field(default_factory=dict[str, Files])
    groups: Mapping[str, Groups] = field(default_factory=dict[str, Groups])
    ready: Callable[[], Awaitable[None]] = at_once


@dataclass(frozen=True, slots=True)
class Running:
    """An application that is open, with the store below it."""

    application: Application
    store: Store
    model: str
    """The model that chats begin with, as `provider/name`."""
    warm_up: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Below:
    """The parts that are open below the flow, and are closed when the run ends."""

    store: Store
    store_returned: Callable[[], Awaitable[None]]
    models: Mapping[str, Model]
    persona: PersonaFile
    servers: ToolServers
    skills: SkillFolders
    hooks: HookFolder | None
    by_meaning: ByMeaning
    secrets: Secrets


@asynccontextmanager
async def opened(
    settings: Settings,
    channels: Channels,
    secrets: Secrets,
    holds: Callable[[], Holds] = never_held,
    *,
    patient: bool = False,
) -> AsyncGenerator[Running]:
    """Opens the store, the models, the servers and the skills; closes them in reverse order.

    A `patient` run waits for a database that is away; any other one has a person who waits.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(FolderLock(settings.home))
        _make_workspace(settings)
        await asyncio.to_thread(clear_spool, settings.home / "spool", _SPOOL_DAYS)
        patience = Patience() if patient else None
        store = await _opened_store(settings, stack, patience)
        await _admit(settings, store)
        real = provider_models(settings)
        till = till_of(settings, store)
        returned = never if patience is None else patience.returned
        below = await _opened_below(settings, stack, secrets, _Open(store, returned, real, till))
        policy = _policy(settings, below.models)
        parts = Composition(
            StorePorts(**{f.name: getattr(store, f.name) for f in fields(StorePorts)}),
            _world(settings, channels, below, holds),
            policy,
            till=till,
        )
        first = real.get(policy.model.partition("/")[0])
        warm_up = partial(_warm, [*([first] if first is not None else []), *real.values()])
        collect_from_now_on()
        yield Running(Application(parts), store, policy.model, warm_up)


@dataclass(frozen=True, slots=True)
class _Open:
    """The parts that the others below the flow are opened with."""

    store: Store
    store_returned: Callable[[], Awaitable[None]]
    providers: Mapping[str, ServedModel]
    till: Till


async def _opened_below(
    settings: Settings, stack: AsyncExitStack, secrets: Secrets, known: _Open
) -> _Below:
    """Opens the models, the persona, the servers, the skills, the hooks and the memory."""
    clock, store = SystemClock(), known.store
    for model in known.providers.values():
        await stack.enter_async_context(model)
    persona = PersonaFile(settings.home / "persona.md", MOST_PERSONA, clock)
    await stack.enter_async_context(persona)
    servers = await stack.enter_async_context(tool_servers(settings))
    skills = await stack.enter_async_context(skill_folders(settings, clock, secrets.add))
    hooks = await _opened_hooks(settings, stack, secrets.add)
    models = with_demo(known.providers)
    await drop_unused(settings, store)
    searches = opened_searches(settings, store, known.till, skills)
    by_meaning = await stack.enter_async_context(searches)
    returned = known.store_returned
    return _Below(store, returned, models, persona, servers, skills, hooks, by_meaning, secrets)


async def _opened_hooks(settings: Settings, stack: AsyncExitStack, hide: Hide) -> HookFolder | None:
    if settings.hooks_listen is None:
        return None
    return await stack.enter_async_context(hook_folder(settings, SystemClock(), hide))


def _make_workspace(settings: Settings) -> None:
    try:
        settings.workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        told = f"STEWARD_WORKSPACE cannot be {settings.workspace}: {error.strerror}."
        raise SettingError(f"{told} {WRITE_RIGHT}") from error


async def _opened_store(
    settings: Settings, stack: AsyncExitStack, patience: Patience | None
) -> Store:
    """Opens the store and asks for the right to write, which no message should have to find out.

    A server that is not up yet is waited for. A file that cannot be written now is told at once.
    """
    try:
        store = await stack.enter_async_context(
            open_store(settings.database_url, patience=patience, alone=True)
        )
        await store.check_writable()
    except StoreUnavailable as fault:
        raise told(settings, fault) from fault
    if patience is not None:
        patience.begin()
    return store


async def _warm(models: Sequence[ServedModel]) -> None:
    """Loads the libraries of models, a second each, before the first message needs them.

    The model that answers comes first, so that no other provider's list delays it.
    """
    for model in dict.fromkeys(models):
        with uncollected():
            await model.warm()
        await model.learn()


def _world(
    settings: Settings, channels: Channels, below: _Below, holds: Callable[[], Holds]
) -> World:
    reader, sandbox = MediaReader(settings.reading), Sandbox(network=settings.sandbox_network)
    return World(
        clock=SystemClock(),
        channels=channels.by_name,
        models=below.models,
        tools=tools_of(settings, below.store, SystemClock(), sandbox, reader),
        workspaces=partial(workspace_of, settings, below.store.people),
        lanes=partial(lanes, settings.lanes, SystemClock(), below.store.owned_chats),
        files=channels.files,
        groups=channels.groups,
        reader=reader,
        inbox_folder=WorkspaceInbox(settings.policy.inbox),
        workspace_door=PutBack(settings.policy.undo.bytes),
        persona=below.persona,
        packing=ExportFiles(settings.home / "spool"),
        templates=plan_folder(settings),
        skills=below.skills,
        ready=channels.ready,
        servers=below.servers,
        meaning=below.by_meaning.answers,
        descriptions=below.by_meaning.descriptions,
        hooks=below.hooks,
        conceal=below.secrets.hidden,
        charts=ChartFiles(settings.home / "spool", settings.home / "charts"),
        hearing=hearing(settings),
        speaking=speaking(settings),
        sounds=SoundFiles(settings.home / "voice"),
        own_servers=settings.servers,
        tools_missing=missing(settings),
        commands_run=sandbox.standing,
        walls=sandbox.walls,
        store_returned=below.store_returned,
        holds=holds,
        cron=CronCalendar(),
        moment_words=DateWords(),
        zones_at=zones_at,
    )


def _policy(settings: Settings, models: Mapping[str, Model]) -> Policy:
    """Returns what the flow obeys, with the models that can answer."""
    model, others = model_key(settings, models), fallback_keys(settings, models)
    return replace(settings.policy, model=model, fallback_models=others)


async def _admit(settings: Settings, store: Store) -> None:
    """Admits the owners and members that the settings name."""
    for role, accounts in ((Role.OWNER, settings.owners), (Role.MEMBER, settings.allowed)):
        for account in accounts:
            channel, _, user = account.partition(":")
            await store.people.admit(Sender(channel, user, account), role)
