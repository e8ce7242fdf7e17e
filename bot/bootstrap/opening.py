"""Opens an application with its store, its models and its servers for one run."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, fields
from functools import partial

from bot.adapters.lanes.folder_lock import FolderLock
from bot.adapters.mcp.servers import ToolServers
from bot.adapters.media.media_reader import MediaReader
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.adapters.sql.store import Store, open_store
from bot.adapters.system_clock import SystemClock
from bot.adapters.tools.catalog import FixedCatalog
from bot.adapters.tools.sending import clear_spool
from bot.bootstrap.parts import (
    Hide,
    anthropic_model,
    fallback_keys,
    house_tools,
    lanes,
    model_key,
    models_by_provider,
    plan_folder,
    skill_folders,
    tool_servers,
)
from bot.bootstrap.workspaces import workspace_of
from bot.domain.person import Role, Sender
from bot.flow.application import Application
from bot.flow.composition import Composition
from bot.flow.world import Policy, StorePorts, World, at_once
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
    warm_up: Callable[[], Awaitable[None]]


@asynccontextmanager
async def opened(settings: Settings, channels: Channels, hide: Hide) -> AsyncGenerator[Running]:
    """Opens the store, the models, the servers and the skills; closes them in reverse order."""
    async with AsyncExitStack() as stack:
        stack.enter_context(FolderLock(settings.home))
        settings.workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
        await asyncio.to_thread(clear_spool, settings.home / "spool", _SPOOL_DAYS)
        store = await stack.enter_async_context(open_store(settings.database_url))
        await _admit(settings, store)
        anthropic = anthropic_model(settings)
        if anthropic is not None:
            await stack.enter_async_context(anthropic)
        servers = await stack.enter_async_context(tool_servers(settings))
        skills = await stack.enter_async_context(skill_folders(settings, SystemClock(), hide))
        models = models_by_provider(anthropic)
        parts = Composition(
            StorePorts(**{f.name: getattr(store, f.name) for f in fields(StorePorts)}),
            _world(settings, channels, store, models, servers, skills),
            _policy(settings, models),
        )
        warm_up = at_once if anthropic is None else anthropic.warm
        yield Running(Application(parts), store, warm_up)


def _world(
    settings: Settings,
    channels: Channels,
    store: Store,
    models: Mapping[str, Model],
    servers: ToolServers,
    skills: SkillFolders,
) -> World:
    clock = SystemClock()
    return World(
        clock=clock,
        channels=channels.by_name,
        models=models,
        catalog=FixedCatalog(house_tools(settings, store, clock, skills)),
        workspaces=partial(workspace_of, settings, store.people),
        lanes=partial(lanes, settings.lanes, clock),
        files=channels.files,
        groups=channels.groups,
        reader=MediaReader(settings.reading),
        templates=plan_folder(settings),
        skills=skills,
        ready=channels.ready,
        servers=servers,
        own_servers=settings.servers,
    )


def _policy(settings: Settings, models: Mapping[str, Model]) -> Policy:
    return Policy(
        model=model_key(settings, models),
        fallbacks=fallback_keys(settings, models),
        limits=settings.limits,
        times=settings.model_times,
        member_pace=settings.member_pace,
        long_answer=settings.long_answer,
        plan_explore=settings.plan_explore,
        skill_list=settings.skill_list_bytes,
        tool_bytes=settings.tool_bytes,
        rule_documents=frozenset(settings.rule_documents),
        bundles=settings.bundles,
        enclosures=settings.enclosures,
    )


async def _admit(settings: Settings, store: Store) -> None:
    """Admits the owners and members that the settings name."""
    for role, accounts in ((Role.OWNER, settings.owners), (Role.MEMBER, settings.allowed)):
        for account in accounts:
            channel, _, user = account.partition(":")
            await store.people.admit(Sender(channel, user, account), role)
