"""Looks at everything a run needs, and says how to fix a fault."""

import asyncio
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from bot.domain.plans.template import Template
from bot.domain.skills.skill import SkillSet
from bot.domain.talk.errors import StewardError
from bot.domain.talk.unusable_folder import mend_disk
from bot.domain.text.broken_lines import broken
from bot.domain.tools.house import HOUSE
from bot.domain.value import frozen
from bot.ports.clock import Clock
from bot.ports.templates import Broken
from bot.settings import Settings
from bot.settings.prices import old_prices
from bot.shipped import command

Probe: TypeAlias = Callable[[], Awaitable[str]]
"""Tries one thing out and returns a sentence about it; raises a StewardError if it fails."""

PROBE_SECONDS = 20.0
_AT_ONCE = 8
"""Checks that are made side by side."""

_MEND_FILE = "Fix the file. The others work without it."
_MOST_SKILLS = 20
_TRIED_BYTES = 262_144

NETWORK = "Look at this machine's network: name lookup, firewall, proxy."
"""The remedy for a service that is not reached."""

_FEW_BYTES, _TOO_FEW_BYTES = 1_000_000_000, 100_000_000


@frozen
class Finding:
    """One line of the report; `mend` says what to do about it."""

    subject: str
    level: Literal["ok", "warn", "fail"]
    sentence: str
    mend: str = ""


class Complaint(StewardError):
    """A fault that a probe explains itself, with the remedy for this very fault.

    `fleeting` is true when the same try may go well later.
    """

    def __init__(
        self,
        sentence: str,
        mend: str,
        level: Literal["warn", "fail"] = "fail",
        *,
        fleeting: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.mend = mend
        self.level: Literal["warn", "fail"] = level
        self.fleeting = fleeting


@frozen
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


@frozen
class Checkup:
    """Everything that is looked at because of how the program is put together."""

    checks: Sequence[Check | Finding]
    """The checks of models, channels, store and servers, in order.

    A finding stands for a check that the settings already decide.
    """
    skills: Callable[[], Awaitable[SkillSet]]
    templates: Callable[[], Awaitable[Sequence[Template | Broken]]]


async def examine(
    settings: Settings, checkup: Checkup, clock: Clock, folder: Path
) -> Sequence[Finding]:
    """Looks at everything; `folder` is where .env and steward.toml lie."""
    home = _writable("home", "STEWARD_HOME", settings.home)
    return [
        *_names(settings),
        *[finding for found in await _side_by_side(checkup.checks) for finding in found],
        *await _skills(checkup),
        *await _templates(checkup),
        home,
        *_workspace(settings, home),
        *([_disk(settings.home)] if home.level == "ok" else []),
        _clock(clock.now()),
        *_prices(settings, clock.now()),
        *_permissions(settings, folder),
    ]


def what_next(findings: Sequence[Finding]) -> str:
    """Returns the sentence below the report: the one thing to do next."""
    setup, start = f"`{command('setup')}`", f"`{command('run')}`"
    if failed := sum(finding.level == "fail" for finding in findings):
        told = "1 thing fails" if failed == 1 else f"{failed} things fail"
        return f"{told}. Follow the arrows, then run `{command('doctor')}` again."
    warned = {finding.subject for finding in findings if finding.level == "warn"}
    if {"telegram", "model"} <= warned:
        return f"Next: {setup} connects Telegram and a model; {start} shows a demo here."
    if "telegram" in warned:
        return f"Next: {setup} connects Telegram; {start} chats in this terminal."
    if "model" in warned:
        return f"Next: {setup} sets the API key. Until then the demo model answers."
    if "owner" in warned:
        return f"Next: {start}. Then open the link it prints, and you are the owner."
    if any(one.subject == "program" and one.level == "ok" for one in findings):
        return "Nothing stands in the way."
    return f"Nothing stands in the way. Start with {start}."


def table(findings: Sequence[Finding], columns: int) -> str:
    """Returns a line for each finding, and one more for its remedy; both break between words."""
    width = max(len(finding.subject) for finding in findings)
    indent = min(width + 8, columns // 3)
    lines: list[str] = []
    for finding in findings:
        told = f"{finding.level:4}  {finding.subject:{width}}  {finding.sentence}"
        lines.append(broken(told, columns, indent))
        if finding.mend:
            lines.append(broken(f"{'':{indent}}→ {finding.mend}", columns, indent + 2))
    return "\n".join(lines)


def as_one_line(findings: Sequence[Finding], fixed: Sequence[str] = (), left: str = "") -> str:
    """Returns the report for other programs: one line of JSON, with what was fixed or left."""
    lines = [
        {"subject": one.subject, "level": one.level, "sentence": one.sentence, "mend": one.mend}
        for one in findings
    ]
    told = {"fixed": list(fixed), "left": left, "findings": lines, "next": what_next(findings)}
    return json.dumps(told, ensure_ascii=False)


def _names(settings: Settings) -> Iterator[Finding]:
    for warning in settings.warnings:
        yield Finding("settings", "warn", warning, "Correct the name, or remove it.")
    if not settings.warnings:
        given = sum(line.origin != "default" for line in settings.lines)
        yield Finding("settings", "ok", f"{given} of {len(settings.lines)} settings are set.")


async def _side_by_side(checks: Sequence[Check | Finding]) -> Sequence[Sequence[Finding]]:
    """Returns the findings of each check: many servers take no longer than the slowest one."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def one(check: Check | Finding) -> Sequence[Finding]:
        async with places:
            return await _checked(check)

    return await asyncio.gather(*map(one, checks))


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
    except Complaint as complaint:
        return Finding(check.subject, complaint.level, str(complaint), complaint.mend)
    except (StewardError, OSError) as error:
        sentence = _sentence(str(error) or type(error).__name__)
    told = " ".join(filter(None, (sentence, check.consequence)))
    return Finding(check.subject, check.level, told, check.mend)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


async def _skills(checkup: Checkup) -> Sequence[Finding]:
    """Returns the number of skills and the first of their faults: nobody reads thousands."""
    try:
        skills = await checkup.skills()
    except (StewardError, OSError) as error:
        return (_unread("skills", error),)
    ready = len(skills.ready)
    told = f"{ready} {'skill is' if ready == 1 else 'skills are'} ready."
    odd = list(_odd_skills(skills))
    found = [Finding("skills", "ok", told), *odd[:_MOST_SKILLS]]
    if (more := len(odd) - _MOST_SKILLS) > 0:
        mend = "In the chat, /skills and /skills <name> tell you about the others."
        found.append(Finding("skills", "warn", f"And {more} more like this.", mend))
    return found


def _unread(subject: str, error: Exception) -> Finding:
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    mend = "Give your user the right to read the folders of STEWARD_HOME."
    return Finding(subject, "fail", f"They cannot be read: {_sentence(told)}", mend)


def _odd_skills(skills: SkillSet) -> Iterator[Finding]:
    """Yields skills that cannot be used, then those that are only odd."""
    ordered = [skill for _, skill in sorted(skills.skills.items())]
    for fault in skills.faults:
        mend = f"{fault.helps}." if fault.helps else _MEND_FILE
        yield Finding("skills", "warn", f"{fault}.", mend)
    for skill in ordered:
        name = skill.name
        if skill.unmet:
            yield Finding("skills", "warn", f"{name}: {skill.unmet}.", "See docs/skills.md.")
        for why in skills.dead_ends(skill):
            mend = "Fix that skill, or next_skill in this one's SKILL.md."
            yield Finding("skills", "warn", f"{name}: no skill can follow it: {why}.", mend)
        if unknown := skill.unknown_tools(frozenset(HOUSE)):
            sentence = f"{name}: no tools are called {', '.join(unknown)}."
            yield Finding("skills", "warn", sentence, "Correct tools in its SKILL.md.")
    for skill in ordered:
        for warning in skill.warnings:
            yield Finding("skills", "warn", f"{skill.name}: {warning}.", "It is used all the same.")


async def _templates(checkup: Checkup) -> Sequence[Finding]:
    try:
        templates = await checkup.templates()
    except (StewardError, OSError) as error:
        return (_unread("plans", error),)
    broken = [template for template in templates if isinstance(template, Broken)]
    told = f"{len(templates) - len(broken)} of {len(templates)} ready-made plans are ready."
    found = [Finding("plans", "ok", told)]
    return [*found, *(Finding("plans", "warn", f"{each}.", _MEND_FILE) for each in broken)]


def _writable(subject: str, setting: str, folder: Path) -> Finding:
    """Writes below the folder, or below the nearest one above it, and takes that away again."""
    place = _nearest(folder)
    try:
        write_below(place)
    except OSError as error:
        right = f"Give your user the right to read and write {place}, or change {setting}."
        mend = mend_disk(error, place) or right
        told = f"{folder} cannot be used: {error.strerror or 'no reason given'}."
        return Finding(subject, "fail", told, mend)
    return Finding(subject, "ok", f"{folder} can be written.")


def write_below(folder: Path) -> None:
    """Writes a file below a folder and takes it away again; raises OSError.

    A full disk still takes names and a few bytes.
    """
    with tempfile.TemporaryDirectory(prefix=".steward-", dir=folder) as made:
        next(folder.iterdir(), None)
        with (Path(made) / "tried").open("wb") as file:
            file.write(os.urandom(_TRIED_BYTES))
            file.flush()
            os.fsync(file.fileno())


def _workspace(settings: Settings, home: Finding) -> Iterator[Finding]:
    """Looks at the workspace; one inside a home that cannot be used is not blamed for it."""
    inside = settings.workspace.is_relative_to(settings.home)
    if home.level == "ok" or not inside:
        yield _writable("workspace", "STEWARD_WORKSPACE", settings.workspace)


def _disk(home: Path) -> Finding:
    free = shutil.disk_usage(_nearest(home)).free
    sentence = f"{free / 1e9:.1f} GB are free."
    if free >= _FEW_BYTES:
        return Finding("disk", "ok", sentence)
    level = "fail" if free < _TOO_FEW_BYTES else "warn"
    return Finding("disk", level, sentence, f"Make room on the disk of {home}.")


def _nearest(path: Path) -> Path:
    """Returns the folder itself, or the first folder above it that can be seen."""
    return next(place for place in (path, *path.parents) if _is_folder(place))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _prices(settings: Settings, now: datetime) -> Sequence[Finding]:
    old = old_prices(settings, now.date())
    if not old:
        return ()
    named = ", ".join(f"{name} ({day})" for name, day in old.items())
    told = f"Prices are older than a year, so costs may be wrong: {named}."
    mend = "Update Steward, or state prices yourself: docs/models.md tells how."
    return (Finding("prices", "warn", told, mend),)


def _clock(now: datetime) -> Finding:
    """Finds a clock wrong that is behind the day this program was installed."""
    installed = datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)
    if now < installed:
        return Finding(
            "clock",
            "fail",
            f"It says {now:%Y-%m-%d %H:%M} UTC, which is before this program was installed.",
            "Set this machine's clock; NTP keeps it right.",
        )
    return Finding("clock", "ok", f"It is {now:%Y-%m-%d %H:%M} UTC.")


def _permissions(settings: Settings, folder: Path) -> Iterator[Finding]:
    if _is_folder(settings.home) and _mode(settings.home) & 0o077:
        mend = f"chmod 700 {settings.home}"
        yield Finding("permissions", "warn", f"Other users can look into {settings.home}.", mend)
    with_secrets = {line.origin for line in settings.lines if line.secret and line.value}
    for name in sorted(with_secrets & {".env", "steward.toml"}):
        if _mode(folder / name) & 0o077:
            sentence = f"Other users can read the secrets in {name}."
            yield Finding("permissions", "warn", sentence, f"chmod 600 {name}")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
