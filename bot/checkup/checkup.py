"""Puts together all that `steward doctor` tries out."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from bot.adapters.home_door.caller import called
from bot.adapters.home_door.place import NAME
from bot.adapters.sql.store import open_store
from bot.adapters.system_clock import SystemClock
from bot.adapters.tools.sandbox import Sandbox
from bot.bootstrap.channel_form import ChannelForm
from bot.bootstrap.cut_off_update import cut_off
from bot.bootstrap.door_form import DoorForm
from bot.bootstrap.parts import plan_folder, skill_folders, tool_servers
from bot.bootstrap.providers import form_of, usable
from bot.bootstrap.web import search
from bot.checkup.database_probes import LOOK_SECONDS, try_database, try_folders, try_sizes
from bot.checkup.memory_probes import try_meaning, try_words
from bot.checkup.metrics_probe import metrics_checks
from bot.checkup.model_probes import try_model, try_provider
from bot.checkup.page_probe import page_checks
from bot.checkup.speech_probes import speech_checks
from bot.doctor import PROBE_SECONDS, Check, Checkup, Complaint, Finding
from bot.domain.money.provider import ANTHROPIC, OWN_SEARCHES
from bot.domain.skills.skill import SkillSet
from bot.domain.talk.errors import SettingError, StoreTooOld, ToolFailure
from bot.domain.talk.person import Person, owned_on_a_platform, owner_names
from bot.domain.tools.server import ServerSpec
from bot.domain.turn.tier import Tier, Tiers
from bot.settings import Settings
from bot.shipped import command
from bot.visits.visiting import hello, working_in

_ABOUT_MEMORY = "See docs/memory.md."
_ABOUT_KEPT = "See docs/operating.md."
_ABOUT_FILES = "See docs/scale.md."
_ABOUT_DOOR = "See docs/service.md."
_FIRST = "Nobody yet. The first person who chats in this terminal becomes the owner."
_OPEN = "Start Steward and open that link within 15 minutes."
_MEANING_SECONDS = 90.0
"""Seconds for the embedder and the index, which is loaded and looked through."""


def checkup(
    settings: Settings, forms: Sequence[ChannelForm], doors: Sequence[DoorForm] = ()
) -> Checkup:
    """Returns the checks of a run, models, channels, store, speech, sandbox and servers."""
    served = any(not form.missing(settings) for form in forms)
    # Nobody who talks on one platform has to hear that the others are not set up.
    told = [form for form in forms if not (served and form.missing(settings))]
    return Checkup(
        [
            *_running(settings),
            *[Finding("update", "warn", *told) for told in [cut_off()] if told],
            *_models(settings),
            *[check for form in told for check in form.checks(settings)],
            *[check for door in doors for check in door.checks(settings)],
            *page_checks(settings),
            *metrics_checks(settings),
            *_database(settings, served=served),
            *speech_checks(settings),
            _sandbox(settings),
            *_search(settings),
            *[_server(settings, spec) for spec in settings.servers if not spec.fault],
        ],
        partial(_known_skills, settings),
        plan_folder(settings).all,
    )


def _running(settings: Settings) -> Sequence[Check]:
    """Returns a check of the program that runs with this home; a home without a door has none."""
    if not _may_be_there(settings.home / NAME):
        return ()
    return (Check("program", partial(try_program, settings.home), _ABOUT_DOOR, "warn"),)


def _models(settings: Settings) -> Sequence[Check]:
    """Returns a check for the model and one for each of those that may take over."""
    policy, fallback = settings.policy, "STEWARD_FALLBACK_MODELS"
    named = {key.partition("/")[0] for key in (policy.model, *policy.fallback_models)}
    others = [spec for spec in usable(settings).values() if spec.name not in named]
    # Anthropic is tried with a model that the settings name, or not at all.
    idle = [spec for spec in others if spec.name != ANTHROPIC]
    return (
        Check("model", partial(try_model, settings, policy.model), "Look at STEWARD_MODEL."),
        *[
            Check("fallback", partial(_try_named, settings, key, fallback), f"Look at {fallback}.")
            for key in policy.fallback_models
        ],
        *[
            Check("tier", partial(_try_named, settings, key, name), f"Look at {name}.")
            for key, name in _tiers(settings)
        ],
        *[
            Check(
                f"providers.{spec.name}",
                partial(try_provider, settings, spec),
                f"Look at [providers.{spec.name}] in steward.toml.",
                "warn",
            )
            for spec in idle
        ],
    )


def _tiers(settings: Settings) -> Sequence[tuple[str, str]]:
    """Returns each tier whose model was chosen, with that model and its setting."""
    policy = settings.policy
    known = {policy.model, *policy.fallback_models}
    chosen = [(tier, policy.tiers.model(tier)) for tier in Tier]
    return [
        (model, f"STEWARD_{tier.name}_MODEL")
        for tier, model in chosen
        if model != Tiers().model(tier) and model not in known
    ]


async def _try_named(settings: Settings, key: str, setting: str) -> str:
    provider = key.partition("/")[0]
    if form_of(provider).own is not None and provider not in usable(settings):
        told = f"{key} cannot be used: there is no API key."
        name = f"{provider.upper()}_API_KEY"
        raise Complaint(told, f"Run `{command('setup')}`, or set {name}.", "warn")
    return await try_model(settings, key, setting)


def _database(settings: Settings, *, served: bool) -> Sequence[Check | Finding]:
    """Leaves a SQLite file alone that does not exist yet, since opening would make it."""
    file = Path(settings.database_url.partition(":///")[2])
    due = settings.database_url.startswith("sqlite") and file.parent == settings.home
    served_by = "" if due else ", and at the server that it names"
    look = f"Look at STEWARD_DATABASE_URL{served_by}."
    if due and not _may_be_there(file):
        found = Finding("database", "ok", "There is none yet: the first start makes it.")
        owner = Check("owner", partial(_probe_no_owner, settings, served), look)
        return (found, owner, *_meaning(settings, begun=False))
    owner = Check("owner", partial(_probe_owner, settings, served), look)
    kept = Check("kept", partial(try_sizes, settings), _ABOUT_KEPT, "warn")
    about = (owner, kept, *_memory(settings))
    if settings.worker_tags:
        about += (Check("files", partial(try_folders, settings), _ABOUT_FILES, "warn"),)
    probe = partial(try_database, settings)
    # A large file is looked through for a while; the rest of the probe has its own time.
    seconds = PROBE_SECONDS + LOOK_SECONDS
    return (Check("database", probe, look, seconds=seconds, then=about),)


def _memory(settings: Settings) -> Sequence[Check]:
    """Returns checks of both indexes; without them answers come all the same."""
    words = Check("memory", partial(try_words, settings), _ABOUT_MEMORY, "warn")
    return (words, *_meaning(settings, begun=True))


def _meaning(settings: Settings, *, begun: bool) -> Sequence[Check]:
    if settings.meaning.model is None:
        return ()
    tried = partial(try_meaning, settings, begun=begun)
    return (Check("meaning", tried, _ABOUT_MEMORY, "warn", seconds=_MEANING_SECONDS),)


async def _probe_no_owner(settings: Settings, served: bool) -> str:
    return _owner_told(settings, (), served=served)


def _may_be_there(file: Path) -> bool:
    try:
        return file.exists()
    except OSError:  # Nobody can look into its folder.
        return True


def _sandbox(settings: Settings) -> Check:
    return Check(
        "sandbox",
        partial(_probe_sandbox, settings),
        "Install bubblewrap and allow user namespaces: see docs/troubleshooting.md.",
        "warn",
        "Every command asks you first, and no rule can let one run without asking.",
    )


def _search(settings: Settings) -> Sequence[Check]:
    if settings.search is None:
        return ()
    return (Check("search", partial(_try_search, settings), "See docs/web.md.", "warn"),)


def _server(settings: Settings, spec: ServerSpec) -> Check:
    """Starts a tool server; a failure is a warning, since Steward works without its tools."""
    mend = f"Look at [mcp.{spec.name}] in steward.toml."
    probe = partial(_probe_server, settings, spec)
    # The server's own time counts first: after it the probe says itself what is wrong.
    seconds = PROBE_SECONDS + spec.start_seconds
    return Check(f"mcp.{spec.name}", probe, mend, "warn", seconds=seconds)


async def _probe_owner(settings: Settings, served: bool) -> str:
    try:
        async with open_store(settings.database_url, upgrade=False) as store:
            accounts = await store.people.accounts()
    except StoreTooOld:
        return "The next start upgrades the database, and knows then."
    return _owner_told(settings, accounts, served=served)


async def _known_skills(settings: Settings) -> SkillSet:
    skills = skill_folders(settings, SystemClock(), lambda *_: None)
    await asyncio.to_thread(skills.load)
    return skills.known


async def _probe_sandbox(settings: Settings) -> str:
    sandbox = Sandbox(network=settings.sandbox_network)
    if not await sandbox.works():
        raise SettingError(f"Commands run without a sandbox: {sandbox.fault or 'no reason given'}")
    return f"Commands run {await sandbox.where()}."


async def _probe_server(settings: Settings, spec: ServerSpec) -> str:
    async with tool_servers(settings) as servers:
        condition = await servers.tried(spec)
    count = len(condition.tools)
    told = f"It lends {count} {'tool' if count == 1 else 'tools'} ({spec.line})."
    return f"{told} Not offered: {'; '.join(condition.left_out)}." if condition.left_out else told


async def _try_search(settings: Settings) -> str:
    """Searches once, and tells how many things were found; raises Complaint."""
    access = settings.search
    if access is not None and (own := OWN_SEARCHES.get(access.service)):
        return f"{own} searches by itself while it answers; nothing was tried."
    service = search(settings)
    if access is None or service is None:
        wanted = access.fault if access is not None else "STEWARD_SEARCH"
        raise Complaint(f"{wanted} is not set, so nobody can search.", f"Set {wanted}.", "warn")
    try:
        found = await service.search("weather")
    except ToolFailure as fault:
        told = f"{str(fault)[0].upper()}{str(fault)[1:]}."
        raise Complaint(told, "Look at the settings STEWARD_SEARCH….", "warn") from None
    return f"{service.name} answers, with {len(found)} hits."


def _owner_told(settings: Settings, accounts: Sequence[tuple[str, Person]], *, served: bool) -> str:
    """Returns a sentence about the owners, or raises a Complaint with what makes somebody one.

    `served` is true when a platform is set up, so that it needs an owner there.
    """
    missing = [key for key in settings.owners if key not in dict(accounts)]
    names = " and ".join((*owner_names(accounts), *missing))
    if not served:
        return f"{names} owns it." if names else _FIRST
    if missing or owned_on_a_platform(accounts):
        return f"{names} {'own' if ' and ' in names else 'owns'} it."
    link = "the next start prints a pairing link"
    if not names:
        raise Complaint(f"Nobody owns it yet: {link}.", _OPEN, "warn")
    raise Complaint(f"{names} owns it, but in the terminal only: {link}.", _OPEN, "warn")


_LATEST = "newest message {at:%Y-%m-%d %H:%M} UTC"


async def try_program(home: Path) -> str:
    """Returns a sentence about the program that runs; raises a StewardError where none answers."""
    caller = await called(home, hello("look", working_in(None)))
    if caller is None:
        told = "Steward is not running. It was killed; its next start goes on with the work."
        raise Complaint(told, f"Start it: `{command('run')}`.", "warn")
    told = caller.welcome
    caller.close()
    since = datetime.fromisoformat(told["since"]).astimezone(UTC)
    serves = [_served(name, told["heard"].get(name)) for name in told["serves"]]
    what = " and ".join(serves) if serves else "no chat app"
    begun = f"{since:%Y-%m-%d %H:%M} UTC"
    process = f"Process {told['pid']} has run since {begun}, version {told['version']}."
    return f"{process} It serves {what}."


def _served(name: str, heard: str | None) -> str:
    if heard is None:
        return f"{name} (no message yet)"
    return f"{name} ({_LATEST.format(at=datetime.fromisoformat(heard).astimezone(UTC))})"
