"""The composition root: the one file that knows every adapter."""

import asyncio
import logging
import os
import secrets
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import NoReturn, Protocol, TypeAlias

from bot.adapters.anthropic.model import AnthropicModel
from bot.adapters.demo_model.model import DemoModel
from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.adapters.lanes.folder_lock import FolderLock
from bot.adapters.mcp.servers import ToolServers
from bot.adapters.media.media_reader import MediaReader
from bot.adapters.plan_folder.plan_folder import PlanFolder
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.adapters.sql.store import Store, open_store
from bot.adapters.system_clock import SystemClock
from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.addresses import is_group
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.telegram.files import TelegramFiles
from bot.adapters.telegram.groups import TelegramGroups
from bot.adapters.telegram.listener import TelegramListener
from bot.adapters.terminal.terminal import Terminal
from bot.adapters.tools.catalog import FixedCatalog, standard_tools
from bot.adapters.tools.hardening import harden
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.sending import clear_spool
from bot.adapters.tools.skills import skill_tools
from bot.doctor import Probes
from bot.domain.chat import Chat
from bot.domain.errors import ChannelError, SettingError, StoreTooOld
from bot.domain.message import RawUpdate
from bot.domain.person import AT_THE_MACHINE, Role, Sender
from bot.domain.server import ServerSpec
from bot.domain.skill import SkillSet
from bot.flow.application import Application, Policy, StorePorts, World, at_once
from bot.flow.flood_gate import FloodGate, GatedChannel
from bot.logs import log_context
from bot.ports.attachments import Files
from bot.ports.channel import Channel
from bot.ports.clock import Clock
from bot.ports.groups import Groups
from bot.ports.lanes import Drain
from bot.ports.model import Model
from bot.ports.people import People
from bot.ports.skills import Skills
from bot.ports.tool import Tool
from bot.settings import Settings

_LOG = logging.getLogger(__name__)

Hide: TypeAlias = Callable[..., None]
"""Takes texts that no log line may hold from then on."""

_DEMO = "demo/demo"
_SHIPPED = Path(__file__).resolve().parents[1]
"""Where the folders stand that come with the program."""

_SPOOL_DAYS = 30
"""How long a file waits for delivery before its copy is given up."""

_DEMO_PAUSE = 0.01


class Listener(Protocol):
    """A way updates come: each is accepted before the platform is told that it arrived."""

    async def listen(
        self, accept: Callable[[Sequence[RawUpdate]], Awaitable[None]]
    ) -> NoReturn: ...


@dataclass(frozen=True, slots=True)
class Running:
    """An application with the pieces that a way of running it needs."""

    application: Application
    store: Store
    anthropic: AnthropicModel | None


async def serve(settings: Settings, hide: Hide = lambda *_: None) -> int:
    """Serves every channel that has a token, until cancelled."""
    token = settings.telegram.token
    if token is None:
        raise SettingError("TELEGRAM_BOT_TOKEN is not set")
    harden()
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        api = TelegramApi(
            token.get_secret_value(), settings.telegram.api_url, settings.send_seconds
        )
        await stack.enter_async_context(api)
        gate = FloodGate(settings.send_rates, clock, is_group)
        channel = TelegramChannel(api, gated=settings.send_rates is not None)
        gated: Channel = GatedChannel(channel, gate)
        channels: Mapping[str, Channel] = {channel.name: gated}
        files: Mapping[str, Files] = {channel.name: TelegramFiles(api)}
        groups: Mapping[str, Groups] = {channel.name: TelegramGroups(api)}
        account = TelegramAccount(api)
        ready = partial(account.introduced, clock)
        opened = _open(settings, channels, files, groups, hide, ready)
        running = await stack.enter_async_context(opened)
        listener = _listener(settings, api, clock)
        accept = partial(running.application.intake.accept, channel.name)
        async with asyncio.TaskGroup() as group:
            group.create_task(listener.listen(accept), name="telegram updates")
            group.create_task(running.application.run(), name="application")
            group.create_task(_greet(running, account), name="greeting")
    return 0


def _listener(settings: Settings, api: TelegramApi, clock: Clock) -> Listener:
    webhook = settings.telegram.webhook
    if webhook is None:
        return TelegramListener(api, clock)
    # Its HTTP server is loaded only by those who want one.
    from bot.adapters.telegram.webhook import TelegramWebhook  # noqa: PLC0415

    secret = webhook.secret.get_secret_value() if webhook.secret else secrets.token_urlsafe(32)
    return TelegramWebhook(api, clock, webhook.url, secret, webhook.port)


async def chat(settings: Settings, terminal: Terminal, hide: Hide = lambda *_: None) -> int:
    """Talks in the terminal until the person leaves."""
    harden()
    async with terminal:
        channels: Mapping[str, Channel] = {terminal.channel.name: terminal.channel}
        async with _open(settings, channels, {}, {}, hide) as running:
            application = running.application
            await running.store.people.admit(terminal.sender, Role.OWNER)
            await _show_open_cards(running.store, terminal)
            async with asyncio.TaskGroup() as group:
                work = group.create_task(application.run(), name="application")
                accept = partial(application.intake.accept, terminal.channel.name)
                await terminal.converse(accept)
                await application.delivery.flushed()
                work.cancel()
    return 0


async def _show_open_cards(store: Store, terminal: Terminal) -> None:
    """A screen that was cleared or closed shows its open cards again, ready to be decided."""
    home = await store.chats.at(terminal.address, private=True)
    keys = [card.key_in(home.id) for card in await store.approvals.open_in(home.id)]
    plan = await store.plans.live(home.id)
    if plan is not None:
        keys.append(plan.key_in(home.id))
    for key in keys:
        row = await store.outbox.row(key)
        if row is not None and row.message_ids:
            await terminal.channel.edit(row.address, row.message_ids[-1], row.pieces[-1])


def probes(settings: Settings) -> Probes:
    """What `steward doctor` may try out."""
    return Probes(
        model=partial(_probe_model, settings),
        telegram=partial(_probe_telegram, settings),
        webhook=partial(_probe_webhook, settings),
        database=partial(_probe_database, settings),
        sandbox=partial(_probe_sandbox, settings),
        servers={spec.name: partial(_probe_server, settings, spec) for spec in settings.servers},
        skills=partial(_probe_skills, settings),
    )


@asynccontextmanager
async def _open(
    settings: Settings,
    channels: Mapping[str, Channel],
    files: Mapping[str, Files],
    groups: Mapping[str, Groups],
    hide: Hide,
    ready: Callable[[], Awaitable[None]] = at_once,
) -> AsyncGenerator[Running]:
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        stack.enter_context(FolderLock(settings.home))
        settings.workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
        await asyncio.to_thread(clear_spool, settings.home / "spool", _SPOOL_DAYS)
        store = await stack.enter_async_context(open_store(settings.database_url))
        await _admit(settings, store)
        anthropic = _anthropic(settings)
        if anthropic is not None:
            await stack.enter_async_context(anthropic)
        servers = ToolServers(settings.home / "servers", settings.home / "spool")
        await stack.enter_async_context(servers)
        skills = _skill_folders(settings, clock, hide)
        await stack.enter_async_context(skills)
        world = World(
            clock=clock,
            channels=channels,
            models=_models(anthropic),
            catalog=FixedCatalog(_tools(settings, store, clock, skills)),
            workspaces=partial(_workspace, settings, store.people),
            lanes=partial(_lanes, settings.lanes, clock),
            files=files,
            groups=groups,
            templates=PlanFolder(settings.home / "plans", _SHIPPED / "plans"),
            skills=skills,
            reader=MediaReader(settings.reading),
            ready=ready,
            servers=servers,
            own_servers=settings.servers,
        )
        policy = Policy(
            model=_model_key(settings, world.models),
            fallbacks=_fallbacks(settings, world.models),
            limits=settings.limits,
            times=settings.model_times,
            member_pace=settings.member_pace,
            long_answer=settings.long_answer,
            plan_explore=settings.plan_explore,
            skill_list=settings.skill_list_bytes,
            bundles=settings.bundles,
            enclosures=settings.enclosures,
        )
        ports = StorePorts(**{f.name: getattr(store, f.name) for f in fields(StorePorts)})
        yield Running(Application(ports, world, policy), store, anthropic)


async def _admit(settings: Settings, store: Store) -> None:
    """Owners and members named by the settings are people from the start."""
    for role, accounts in ((Role.OWNER, settings.owners), (Role.MEMBER, settings.allowed)):
        for account in accounts:
            channel, _, user = account.partition(":")
            await store.people.admit(Sender(channel, user, account), role)


def _anthropic(settings: Settings) -> AnthropicModel | None:
    access = settings.anthropic
    if access.key is None:
        return None
    return AnthropicModel(
        access.key.get_secret_value(),
        base_url=access.base_url,
        times=settings.model_times,
        window=settings.context_window,
    )


def _models(anthropic: AnthropicModel | None) -> Mapping[str, Model]:
    demo: Mapping[str, Model] = {"demo": DemoModel(_DEMO_PAUSE)}
    return demo if anthropic is None else {"anthropic": anthropic, **demo}


def _lanes(at_work: int, clock: Clock, drain: Drain) -> EmbeddedLanes:
    """Lanes whose every log line tells its chat."""

    async def told(chat: int) -> None:
        with log_context(chat=chat):
            await drain(chat)

    return EmbeddedLanes(told, clock, at_work)


def _tools(settings: Settings, store: Store, clock: Clock, skills: Skills) -> tuple[Tool, ...]:
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


def _skill_folders(settings: Settings, clock: Clock, hide: Hide) -> SkillFolders:
    """The program's skills and those of the home, which win."""
    roots = (settings.skills or _SHIPPED / "skills", settings.home / "skills")

    def tell(skills: SkillSet) -> None:
        hide(*skills.secrets)

    return SkillFolders(roots, settings.home, os.environ, clock, tell)


def _model_key(settings: Settings, models: Mapping[str, Model]) -> str:
    """The model chats begin with; without a key for it the demo model answers."""
    provider, _, name = settings.model.partition("/")
    if provider in models and name:
        return settings.model
    if provider == "anthropic":
        return _DEMO
    raise SettingError(f"STEWARD_MODEL names a provider that is not set up: {provider!r}")


def _fallbacks(settings: Settings, models: Mapping[str, Model]) -> tuple[str, ...]:
    """The models that may take over; without a key the demo model answers and none is needed."""
    providers = {key: key.partition("/")[0] for key in settings.fallback_models}
    for provider in providers.values():
        if provider not in models and provider != "anthropic":
            named = f"names a provider that is not set up: {provider!r}"
            raise SettingError(f"STEWARD_FALLBACK_MODELS {named}")
    return tuple(key for key, provider in providers.items() if provider in models)


async def _workspace(settings: Settings, people: People, chat: Chat, person: int) -> Path:
    """The workspace itself in an owner's private chats, a folder of its own for every other.

    What the settings name for a chat comes first.
    """
    root, asker = settings.workspace, await people.get(person)
    shared = _shared(dict(settings.shared_folders), chat)
    if shared is None and chat.private and asker is not None and asker.is_owner:
        return root
    address = chat.moved_from or chat.address
    names = (address.channel, address.chat, address.thread or "")
    folder = root / (shared or f"chats/{'-'.join(name for name in names if name)}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _shared(folders: Mapping[str, str], chat: Chat) -> str | None:
    """The folder of a topic, or else of its group, by its number now or before it moved."""
    addresses = [address for address in (chat.address, chat.moved_from) if address is not None]
    keys = (key for a in addresses for key in (a.key, replace(a, thread=None).key))
    return next((folders[key] for key in keys if key in folders), None)


async def _greet(running: Running, account: TelegramAccount) -> None:
    """What may come after the first poll: the menu, the pairing link, the SDK."""
    commands = [(c.name, c.summary) for c in running.application.commands]
    await account.set_menu(commands)
    await _offer_pairing(running, account)
    if running.anthropic is not None:
        await running.anthropic.warm()


async def _offer_pairing(running: Running, account: TelegramAccount) -> None:
    """Prints the link that makes its first visitor the owner; it goes past the log."""
    accounts = await running.store.people.accounts()
    if any(p.is_owner and not key.startswith(f"{AT_THE_MACHINE}:") for key, p in accounts):
        return
    try:
        identity = await account.identity()
    except ChannelError as fault:
        _LOG.warning("no pairing link: %s", fault)
        return
    code = await running.application.doorway.pairing_code()
    link = f"https://t.me/{identity.username}?start={code}"
    # Not to the log: whoever reads the link within its time becomes the owner.
    sys.stdout.write(f"Nobody owns this assistant yet. Open within 15 minutes: {link}\n")
    sys.stdout.flush()


async def _probe_model(settings: Settings) -> str:
    model = _anthropic(settings)
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
    skills = _skill_folders(settings, SystemClock(), lambda *_: None)
    await asyncio.to_thread(skills.load)
    return skills.known


async def _probe_sandbox(settings: Settings) -> str:
    sandbox = Sandbox(network=settings.sandbox_network)
    if not await sandbox.works():
        raise SettingError("bubblewrap does not work here")
    return f"Commands run {await sandbox.where()}."


async def _probe_server(settings: Settings, spec: ServerSpec) -> str:
    async with ToolServers(settings.home / "servers", settings.home / "spool") as servers:
        standing = await servers.tried(spec)
    told = f"It lends {len(standing.tools)} tools ({spec.line})."
    return f"{told} Not offered: {'; '.join(standing.left_out)}." if standing.left_out else told
