"""Puts together the world of an application from what is open and what needs no opening."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from bot.adapters.apscheduler.calendar import CronCalendar
from bot.adapters.charts.chart_files import ChartFiles
from bot.adapters.dateparser.date_words import DateWords
from bot.adapters.export_file import ExportFiles
from bot.adapters.media.media_reader import MediaReader
from bot.adapters.system_clock import SystemClock
from bot.adapters.tools.inbox_folder import WorkspaceInbox
from bot.adapters.tools.put_back import PutBack
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.sending import clear_spool
from bot.adapters.tzfpy.zone_map import zones_at
from bot.adapters.voice.sound_files import SoundFiles
from bot.bootstrap.below import Below
from bot.bootstrap.parts import lanes, plan_folder
from bot.bootstrap.speech import hearing, speaking
from bot.bootstrap.tools import tools_of
from bot.bootstrap.web import missing, own_searches
from bot.bootstrap.workspaces import workspace_of
from bot.domain.talk.hold import Holds
from bot.domain.value import field, frozen
from bot.flow.world import World, at_once, heard_by_nobody, no_fault
from bot.ports.attachments import Files
from bot.ports.channel import Channel, Overhear
from bot.ports.groups import Groups
from bot.settings import Settings

Held: TypeAlias = Callable[[], Holds]
"""Returns how often the program kept everybody waiting."""


@frozen
class Channels:
    """The channels of one run by name, with the files and groups that only some of them have."""

    by_name: Mapping[str, Channel]
    files: Mapping[str, Files] = field(default_factory=dict[str, Files])
    groups: Mapping[str, Groups] = field(default_factory=dict[str, Groups])
    ready: Callable[[], Awaitable[None]] = at_once
    next_fault: Callable[[], Awaitable[str]] = no_fault
    overhear: Overhear = heard_by_nobody


def world_of(settings: Settings, channels: Channels, below: Below, holds: Held) -> World:
    reader, sandbox = MediaReader(settings.reading), Sandbox(network=settings.sandbox_network)
    clock = SystemClock()
    return World(
        clock=clock,
        channels=channels.by_name,
        models=below.models,
        tools=tools_of(settings, below.ground.store, clock, sandbox, reader),
        workspaces=partial(workspace_of, settings, below.ground.store.people),
        lanes=partial(
            lanes,
            settings.lanes,
            clock,
            below.ground.store.owned_chats,
            below.ground.store.bell,
            duties=settings.duties,
        ),
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
        channel_faults=channels.next_fault,
        overhear=channels.overhear,
        servers=below.servers,
        meaning=below.by_meaning.answers,
        descriptions=below.by_meaning.descriptions,
        hooks=below.hooks,
        conceal=below.secrets.hidden,
        clear_copies=partial(_clear_copies, settings.home / "spool"),
        charts=ChartFiles(settings.home / "spool", settings.home / "charts"),
        hearing=hearing(settings),
        speaking=speaking(settings),
        sounds=SoundFiles(settings.home / "voice"),
        own_servers=settings.servers,
        searches=own_searches(settings),
        tools_missing=missing(settings),
        commands_run=sandbox.condition,
        walls=sandbox.walls,
        store_returned=below.ground.store_returned,
        store_works=below.ground.store.works,
        holds=holds,
        cron=CronCalendar(),
        moment_words=DateWords(),
        zones_at=zones_at,
        page=settings.page.address,
        duties=settings.duties,
        tags=settings.worker_tags,
        folder_name=partial(_folder_name, settings.workspace),
    )


def _folder_name(root: Path, folder: Path) -> str:
    """Returns a digest of the place below the workspace: a name may say whose folder it is."""
    place = folder.relative_to(root) if folder.is_relative_to(root) else folder
    return sha256(str(place).encode(errors="surrogateescape")).hexdigest()[:32]


async def _clear_copies(spool: Path, before: datetime, besides: Collection[str]) -> None:
    await asyncio.to_thread(clear_spool, spool, before, besides)
