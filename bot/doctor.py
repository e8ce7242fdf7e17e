"""Looks at what a run needs, and says how to mend what is wrong."""

import asyncio
import os
import shutil
import stat
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from bot.domain.errors import StewardError
from bot.domain.skill import SkillSet
from bot.domain.template import Template
from bot.ports.clock import Clock
from bot.ports.templates import Broken
from bot.settings import Settings, WebhookAccess

Probe: TypeAlias = Callable[[], Awaitable[str]]
"""Tries one thing out and says in a sentence what it found; raises a StewardError."""

PROBE_SECONDS = 20.0
_MEND_FILE = "Mend the file; the others are not concerned."
_FEW_BYTES, _TOO_FEW_BYTES = 1_000_000_000, 100_000_000
_SECRET_NAMES = (
    "ANTHROPIC_API_KEY",
    "TELEGRAM_BOT_TOKEN",
    "TELEGRAM_WEBHOOK_SECRET",
    "STEWARD_DATABASE_URL",
)


@dataclass(frozen=True, slots=True)
class Probes:
    """What can be tried out; those of model and Telegram reach the network and need a key.

    `tools` are the names of all tools that no server lends.
    """

    model: Probe
    telegram: Probe
    webhook: Probe
    database: Probe
    sandbox: Probe
    skills: Callable[[], Awaitable[SkillSet]]
    templates: Callable[[], Awaitable[Sequence[Template | Broken]]]
    tools: frozenset[str]
    servers: Mapping[str, Probe] = field(default_factory=dict[str, Probe])


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look showed; `mend` says what to do about it."""

    subject: str
    level: Literal["ok", "warn", "fail"]
    sentence: str
    mend: str = ""


async def examine(
    settings: Settings, probes: Probes, clock: Clock, folder: Path
) -> Sequence[Finding]:
    """Looks at everything in turn; `folder` is where .env and steward.toml lie."""
    return [
        *_names(settings),
        await _model(settings, probes.model),
        *[finding async for finding in _telegram(settings, probes)],
        await _database(settings, probes.database),
        await _sandbox(probes.sandbox),
        *[await _server(name, probe, settings) for name, probe in probes.servers.items()],
        *_skills(await probes.skills(), probes.tools),
        *_templates(await probes.templates()),
        _writable("home", "STEWARD_HOME", settings.home),
        _writable("workspace", "STEWARD_WORKSPACE", settings.workspace),
        _disk(settings.home),
        _clock(clock.now()),
        *_permissions(settings, folder),
    ]


def table(findings: Sequence[Finding]) -> str:
    """A line for each finding, and one more for what mends it."""
    width = max(len(finding.subject) for finding in findings)
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{finding.level:4}  {finding.subject:{width}}  {finding.sentence}")
        if finding.mend:
            lines.append(f"{'':{width + 8}}→ {finding.mend}")
    return "\n".join(lines)


def _names(settings: Settings) -> Iterator[Finding]:
    for warning in settings.warnings:
        yield Finding("settings", "warn", warning, "Correct the name, or remove it.")
    if not settings.warnings:
        given = sum(line.origin != "default" for line in settings.lines)
        yield Finding("settings", "ok", f"{given} of {len(settings.lines)} settings are given.")


async def _model(settings: Settings, probe: Probe) -> Finding:
    if not settings.model.startswith("anthropic/"):
        return Finding("model", "ok", f"{settings.model} answers.")
    if settings.anthropic.key is None:
        return Finding(
            "model", "warn", "There is no key: the demo model answers.", "Set ANTHROPIC_API_KEY."
        )
    return await _tried("model", probe, "Look at ANTHROPIC_API_KEY and STEWARD_MODEL.")


async def _telegram(settings: Settings, probes: Probes) -> AsyncIterator[Finding]:
    if settings.telegram.token is None:
        yield Finding(
            "telegram",
            "warn",
            "There is no token: only the terminal is served.",
            "Ask the BotFather for a bot and set TELEGRAM_BOT_TOKEN.",
        )
        return
    mend = "Look at TELEGRAM_BOT_TOKEN and TELEGRAM_API_URL."
    reached = await _tried("telegram", probes.telegram, mend)
    yield reached
    if reached.level == "ok":
        yield await _tried("updates", probes.webhook, _mend_webhook(settings.telegram.webhook))


def _mend_webhook(webhook: WebhookAccess | None) -> str:
    if webhook is None:
        return "Look at TELEGRAM_WEBHOOK_URL, which is not set."
    return (
        f"See that TELEGRAM_WEBHOOK_URL leads over a proxy to 127.0.0.1:{webhook.port}, and start "
        "Steward, which sets the webhook."
    )


async def _database(settings: Settings, probe: Probe) -> Finding:
    """Opening a SQLite file makes it, and to look is not to make."""
    file = Path(settings.database_url.partition(":///")[2])
    due = settings.database_url.startswith("sqlite") and file.parent == settings.home
    if due and not _exists(file):
        return Finding("database", "ok", "There is none yet: the first run makes it.")
    return await _tried("database", probe, "Look at STEWARD_DATABASE_URL.")


async def _sandbox(probe: Probe) -> Finding:
    found = await _tried("sandbox", probe, "Install bubblewrap and allow user namespaces.")
    if found.level == "ok":
        return found
    sentence = f"{found.sentence} Every command asks, each time."
    return Finding("sandbox", "warn", sentence, found.mend)


async def _server(name: str, probe: Probe, settings: Settings) -> Finding:
    """Starts a tool server; without it Steward works, but for the server's tools."""
    # The server's own time counts first: after it the probe says itself what is wrong.
    allowed = [server.start_seconds for server in settings.servers if server.name == name]
    seconds = PROBE_SECONDS + max(allowed, default=0.0)
    mend = f"Look at [mcp.{name}] in steward.toml."
    found = await _tried(f"mcp.{name}", probe, mend, seconds)
    return found if found.level == "ok" else replace(found, level="warn")


async def _tried(subject: str, probe: Probe, mend: str, seconds: float = PROBE_SECONDS) -> Finding:
    try:
        async with asyncio.timeout(seconds):
            return Finding(subject, "ok", _sentence(await probe()))
    except TimeoutError:
        return Finding(subject, "fail", f"No answer within {seconds:g} s.", mend)
    except (StewardError, OSError) as error:
        return Finding(subject, "fail", _sentence(str(error) or type(error).__name__), mend)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _skills(skills: SkillSet, tools: frozenset[str]) -> Iterator[Finding]:
    yield Finding("skills", "ok", f"{len(skills.ready)} can be used.")
    for fault in skills.faults:
        yield Finding("skills", "warn", f"{fault}.", _MEND_FILE)
    for name, skill in sorted(skills.skills.items()):
        if skill.unmet:
            yield Finding("skills", "warn", f"{name}: {skill.unmet}.", "See docs/skills.md.")
        for why in skills.dead_ends(skill):
            mend = "Mend that skill, or next_skill in this one's SKILL.md."
            yield Finding("skills", "warn", f"{name}: nothing goes on after it: {why}.", mend)
        if unknown := skill.unknown_tools(tools):
            sentence = f"{name}: no tools are called {', '.join(unknown)}."
            yield Finding("skills", "warn", sentence, "Correct allowed-tools in its SKILL.md.")


def _templates(templates: Sequence[Template | Broken]) -> Iterator[Finding]:
    broken = [template for template in templates if isinstance(template, Broken)]
    told = f"{len(templates) - len(broken)} of {len(templates)} templates can be used."
    yield Finding("plans", "ok", told)
    for template in broken:
        yield Finding("plans", "warn", f"{template}.", _MEND_FILE)


def _writable(subject: str, setting: str, folder: Path) -> Finding:
    place = _nearest(folder)
    if os.access(place, os.W_OK | os.X_OK):
        return Finding(subject, "ok", f"{folder} can be written.")
    mend = f"Give this user the right to write in {place}, or set {setting}."
    return Finding(subject, "fail", f"{folder} cannot be written.", mend)


def _disk(home: Path) -> Finding:
    free = shutil.disk_usage(_nearest(home)).free
    sentence = f"{free / 1e9:.1f} GB are free."
    if free >= _FEW_BYTES:
        return Finding("disk", "ok", sentence)
    level = "fail" if free < _TOO_FEW_BYTES else "warn"
    return Finding("disk", level, sentence, f"Make room on the disk of {home}.")


def _nearest(path: Path) -> Path:
    """The folder itself, or the first one above it that is there."""
    return next(place for place in (path, *path.parents) if place.is_dir())


def _clock(now: datetime) -> Finding:
    """The clock cannot be right when it is behind the day this program was put here."""
    installed = datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)
    if now < installed:
        return Finding(
            "clock",
            "fail",
            f"It says {now:%Y-%m-%d %H:%M} UTC, before this program was installed.",
            "Set the machine's clock, by NTP perhaps.",
        )
    return Finding("clock", "ok", f"It is {now:%Y-%m-%d %H:%M} UTC.")


def _permissions(settings: Settings, folder: Path) -> Iterator[Finding]:
    if settings.home.is_dir() and _mode(settings.home) & 0o077:
        mend = f"chmod 700 {settings.home}"
        yield Finding("permissions", "warn", f"Others can look into {settings.home}.", mend)
    with_secrets = {
        line.origin for line in settings.lines if line.name in _SECRET_NAMES and line.value
    }
    for name in sorted(with_secrets & {".env", "steward.toml"}):
        if _mode(folder / name) & 0o077:
            sentence = f"Others can read the secrets in {name}."
            yield Finding("permissions", "warn", sentence, f"chmod 600 {name}")


def _exists(path: Path) -> bool:
    return path.exists()


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
