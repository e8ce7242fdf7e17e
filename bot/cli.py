"""The commands of `steward`."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TypeAlias

import click

from bot.doctor import Finding, table
from bot.domain.errors import SettingError, StewardError
from bot.logs import Secrets, start_logging
from bot.settings import Settings, read_settings

_log = logging.getLogger(__name__)
Work: TypeAlias = Coroutine[Any, Any, int]
"""Runs to its end and returns the exit code of the process."""

_NO_KEY = "ANTHROPIC_API_KEY is not set: the demo model answers."
_NO_TERMINAL = "There is no terminal to chat in"


@dataclass(frozen=True, slots=True)
class Program:
    """The work behind the commands, as the composition root put it together."""

    serve: Callable[[Settings], Work]
    """Serves every platform that is set up."""

    chat: Callable[[Settings], Work]
    """Talks in the terminal of this process."""

    examine: Callable[[Settings, Path], Coroutine[Any, Any, Sequence[Finding]]]
    """Returns the report of the doctor; the folder is where .env and steward.toml lie."""

    unserved: Callable[[Settings], Sequence[tuple[str, str]]]
    """Returns each platform with the setting it lacks, or nothing if a platform is served."""

    secrets: Secrets
    environ: Mapping[str, str]
    folder: Path
    """The folder of .env and steward.toml."""


def run(program: Program, arguments: Sequence[str]) -> int:
    """Carries out one command line and returns the exit code."""
    try:
        code = steward.main(
            list(arguments), prog_name="steward", standalone_mode=False, obj=program
        )
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 128 + signal.SIGINT
    except StewardError as error:
        return _told(program, error)
    except ExceptionGroup as group:
        # Parts that ran side by side: one fault of our own is told like a single one.
        ours, others = group.split(StewardError)
        if ours is None or others is not None:
            raise
        return _told(program, _first(ours))
    return int(code or 0)


def _told(program: Program, error: Exception) -> int:
    """Says a foreseen fault in one sentence; returns the exit code for it."""
    sentence = " ".join(str(error).split()) or type(error).__name__
    click.echo(program.secrets.hidden(f"steward: {sentence}"), err=True)
    return 2


def _first(group: ExceptionGroup[StewardError]) -> Exception:
    error: Exception = group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _version() -> str:
    try:
        return version("steward")
    except PackageNotFoundError:
        return "unknown"


@click.group()
@click.version_option(_version(), prog_name="steward")
def steward() -> None:
    """A self-hosted assistant that asks before it acts."""


@steward.command("run")
@click.pass_obj
def run_command(program: Program) -> int:
    """Serve every channel that has a token, or chat here when there is none."""
    settings = _settings(program)
    unserved = program.unserved(settings)
    if not unserved:
        _start_logging(program, settings, logging.StreamHandler())
        _warn(settings)
        return asyncio.run(_until_told(program.serve(settings)))
    titles, names = (" and ".join(words) for words in zip(*unserved, strict=True))
    verb = "is" if len(unserved) == 1 else "are"
    if not _has_terminal():
        raise SettingError(f"{_NO_TERMINAL}, and {names} {verb} not set.")
    click.echo(f"{names} {verb} not set: {titles} {verb} not served, you talk to Steward here.")
    return _chat(program, settings)


@steward.command()
@click.pass_obj
def chat(program: Program) -> int:
    """Talk to Steward in this terminal."""
    settings = _settings(program)
    if not _has_terminal():
        raise SettingError(f"{_NO_TERMINAL}.")
    return _chat(program, settings)


@steward.command()
@click.pass_obj
def doctor(program: Program) -> int:
    """Look at everything a run needs, and say what mends it."""
    settings = _settings(program)
    _start_logging(program, settings, logging.StreamHandler())
    findings = asyncio.run(program.examine(settings, program.folder))
    click.echo(program.secrets.hidden(table(findings)))
    return int(any(finding.level == "fail" for finding in findings))


@steward.command()
@click.option("--explain", is_flag=True, help="Say what each setting is for.")
@click.pass_obj
def config(program: Program, *, explain: bool) -> None:
    """Print every setting with its value and where that comes from."""
    settings = _settings(program)
    width = max(len(line.name) for line in settings.lines)
    for line in settings.lines:
        value = line.value or "(not set)"
        click.echo(f"{line.name:{width}}  {value:<36}  {line.origin}")
        if explain:
            click.echo(f"{'':{width}}  {line.sentence}")
    for server in settings.servers:
        trusted = ", trusted" if server.trusted else ""
        line = server.line or "(cannot be used)"
        click.echo(f"{f'mcp.{server.name}':{width}}  {line:<36}  steward.toml{trusted}")
    for warning in settings.warnings:
        click.echo(f"warning: {warning}", err=True)


def _settings(program: Program) -> Settings:
    settings = read_settings(program.environ, program.folder)
    program.secrets.add(*(secret.get_secret_value() for secret in settings.secrets))
    return settings


def _start_logging(program: Program, settings: Settings, handler: logging.Handler) -> None:
    start_logging(handler, program.secrets, style=settings.log.format, level=settings.log.level)


def _warn(settings: Settings) -> None:
    for warning in settings.warnings:
        _log.warning("%s", warning)


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _chat(program: Program, settings: Settings) -> int:
    """Chats in the foreground; the log goes to a file, so that it does not mix with the talk."""
    for warning in settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    if settings.anthropic.key is None:
        click.echo(_NO_KEY)
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = RotatingFileHandler(
            settings.home / "chat.log", maxBytes=1_000_000, backupCount=1, encoding="utf-8"
        )
    except OSError as error:
        raise SettingError(f"STEWARD_HOME cannot be used: {error.strerror}.") from error
    _start_logging(program, settings, file)
    return asyncio.run(_until_told(program.chat(settings)))


async def _until_told(work: Work) -> int:
    """Runs the work to its end, or until SIGTERM (code 0) or SIGINT (130) asks for one."""
    task = asyncio.ensure_future(work)
    codes = {signal.SIGTERM: 0, signal.SIGINT: 128 + signal.SIGINT}
    told: list[int] = []

    def tell(code: int) -> None:
        told.append(code)
        task.cancel()

    loop = asyncio.get_running_loop()
    for number, code in codes.items():
        loop.add_signal_handler(number, tell, code)
    try:
        return await task
    except asyncio.CancelledError:
        if not told:
            raise
        return told[0]
