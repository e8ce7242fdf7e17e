"""Looks at everything a run needs, and says how to fix a fault."""

import asyncio
import os
import shutil
import stat
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from bot.domain.errors import StewardError
from bot.domain.skill import SkillSet
from bot.domain.template import Template
from bot.ports.clock import Clock
from bot.ports.templates import Broken
from bot.settings import Settings

Probe: TypeAlias = Callable[[], Awaitable[str]]
"""Tries one thing out and returns a sentence about it; raises a StewardError if it fails."""

PROBE_SECONDS = 20.0
_MEND_FILE = "Mend the file; the others are not concerned."
_MOST_SKILLS = 20
_FEW_BYTES, _TOO_FEW_BYTES = 1_000_000_000, 100_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `mend` says what to do about it."""

    subject: str
    level: Literal["ok", "warn", "fail"]
    sentence: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is tried out, and the remedy that is told if it fails."""

    subject: str
    probe: Probe
    mend: str
    level: Literal["warn", "fail"] = "fail"
    """The level of the finding if the probe fails."""

    consequence: str = ""
    """A sentence that is added if the probe fails."""

    seconds: float = PROBE_SECONDS
    """The time that the probe may take."""

    then: tuple["Check", ...] = ()
    """Checks that make sense only if this one is good."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """Everything that is looked at because of how the program is put together."""

    checks: Sequence[Check | Finding]
    """The checks of models, channels, store and servers, in order.

    A finding stands for a check that the settings already decide.
    """

    skills: Callable[[], Awaitable[SkillSet]]
    templates: Callable[[], Awaitable[Sequence[Template | Broken]]]
    tools: frozenset[str]
    """The names of all tools that no server lends."""


async def examine(
    settings: Settings, checkup: Checkup, clock: Clock, folder: Path
) -> Sequence[Finding]:
    """Looks at everything in turn; `folder` is where .env and steward.toml lie."""
    return [
        *_names(settings),
        *[finding for check in checkup.checks for finding in await _checked(check)],
        *_skills(await checkup.skills(), checkup.tools),
        *_templates(await checkup.templates()),
        _writable("home", "STEWARD_HOME", settings.home),
        _writable("workspace", "STEWARD_WORKSPACE", settings.workspace),
        _disk(settings.home),
        _clock(clock.now()),
        *_permissions(settings, folder),
    ]


def table(findings: Sequence[Finding]) -> str:
    """Returns a line for each finding, and one more for its remedy."""
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


async def _checked(check: Check | Finding) -> Sequence[Finding]:
    if isinstance(check, Finding):
        return (check,)
    found = await _tried(check)
    if found.level != "ok":
        return (found,)
    return (found, *[finding for next in check.then for finding in await _checked(next)])


async def _tried(check: Check) -> Finding:
    try:
        async with asyncio.timeout(check.seconds):
            return Finding(check.subject, "ok", _sentence(await check.probe()))
    except TimeoutError:
        sentence = f"No answer within {check.seconds:g} s."
    except (StewardError, OSError) as error:
        sentence = _sentence(str(error) or type(error).__name__)
    told = " ".join(filter(None, (sentence, check.consequence)))
    return Finding(check.subject, check.level, told, check.mend)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _skills(skills: SkillSet, tools: frozenset[str]) -> Iterator[Finding]:
    """Yields the number of skills and the first of their faults: nobody reads thousands."""
    yield Finding("skills", "ok", f"{len(skills.ready)} can be used.")
    found = list(_odd_skills(skills, tools))
    yield from found[:_MOST_SKILLS]
    if (more := len(found) - _MOST_SKILLS) > 0:
        mend = "In the chat /skills and /skills <name> tell of the others."
        yield Finding("skills", "warn", f"And {more} more of the kind.", mend)


def _odd_skills(skills: SkillSet, tools: frozenset[str]) -> Iterator[Finding]:
    """Yields skills that cannot be used, then those that are only odd."""
    ordered = [skill for _, skill in sorted(skills.skills.items())]
    for fault in skills.faults:
        yield Finding("skills", "warn", f"{fault}.", _MEND_FILE)
    for skill in ordered:
        name = skill.name
        if skill.unmet:
            yield Finding("skills", "warn", f"{name}: {skill.unmet}.", "See docs/skills.md.")
        for why in skills.dead_ends(skill):
            mend = "Mend that skill, or next_skill in this one's SKILL.md."
            yield Finding("skills", "warn", f"{name}: nothing goes on after it: {why}.", mend)
        if unknown := skill.unknown_tools(tools):
            sentence = f"{name}: no tools are called {', '.join(unknown)}."
            yield Finding("skills", "warn", sentence, "Correct tools in its SKILL.md.")
    for skill in ordered:
        for warning in skill.warnings:
            yield Finding("skills", "warn", f"{skill.name}: {warning}.", "It is used all the same.")


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
    """Returns the folder itself, or the first folder above it that exists."""
    return next(place for place in (path, *path.parents) if place.is_dir())


def _clock(now: datetime) -> Finding:
    """Finds a clock wrong that is behind the day this program was installed."""
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
    with_secrets = {line.origin for line in settings.lines if line.secret and line.value}
    for name in sorted(with_secrets & {".env", "steward.toml"}):
        if _mode(folder / name) & 0o077:
            sentence = f"Others can read the secrets in {name}."
            yield Finding("permissions", "warn", sentence, f"chmod 600 {name}")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
