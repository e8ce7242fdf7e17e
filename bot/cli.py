"""The commands of `steward`."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

import click

from bot.doctor import Finding, table, what_next
from bot.domain.errors import WRITE_RIGHT, SettingError, StewardError
from bot.domain.hook import LARGEST_BODY
from bot.logs import Secrets, start_logging
from bot.settings import Settings, read_settings
from bot.setup import NO_TERMINAL, Probes, Setup, say, starts_now, wants_setup
from bot.shipped.version import running_version

_log = logging.getLogger(__name__)
CommandRun: TypeAlias = Coroutine[Any, Any, int]
"""Runs to its end and returns the exit code of the process."""

Say: TypeAlias = Callable[[str], None]
"""Prints a line."""

_NO_TERMINAL = "There is no terminal to chat in"
_ASK = 'To ask one thing without one, use: steward ask "your question"'
_MOST_PIPED = 20 * 1024 * 1024
"""Bytes of the standard input that a question can have beside it."""


class Ask(Protocol):
    """Asks one question; returns the exit code that `steward ask` documents."""

    def __call__(
        self, settings: Settings, words: str, *, piped: bytes = b"", as_json: bool = False
    ) -> CommandRun: ...


class SearchMemory(Protocol):
    """Prints what is remembered with some words; returns 1 when nothing is."""

    def __call__(
        self,
        settings: Settings,
        words: str,
        say: Say,
        *,
        limit: int,
        as_json: bool = False,
        person: str | None = None,
    ) -> CommandRun: ...


class ImportMemory(Protocol):
    """Takes answers from a file; returns 1 when parts of it could not be read."""

    def __call__(
        self, settings: Settings, file: Path, say: Say, *, person: str | None = None
    ) -> CommandRun: ...


class ExportFeedback(Protocol):
    """Prints what people think of answers, as JSON Lines or as counts."""

    def __call__(
        self, settings: Settings, since: datetime | None, say: Say, *, as_json: bool
    ) -> CommandRun: ...


@dataclass(frozen=True, slots=True)
class MemoryWork:
    """The work behind `steward memory`."""

    search: SearchMemory
    take: ImportMemory
    reindex: Callable[[Settings, Say], CommandRun]


@dataclass(frozen=True, slots=True)
class HookWork:
    """The work behind `steward hook`."""

    listed: Callable[[Settings, Say], CommandRun]
    """Prints every hook; returns 1 when a file is broken."""

    tried: Callable[[Settings, str, bytes, Say], CommandRun]
    """Calls a hook of the running program, and waits for the end of its run."""


@dataclass(frozen=True, slots=True)
class Program:
    """The work behind the commands, as the composition root put it together."""

    serve: Callable[[Settings], CommandRun]
    """Serves every platform that is set up."""

    chat: Callable[[Settings], CommandRun]
    """Talks in the terminal of this process."""

    ask: Ask
    """Asks one question and prints the answer."""

    examine: Callable[[Settings, Path], Coroutine[Any, Any, Sequence[Finding]]]
    """Returns the report of the doctor; the folder is where .env and steward.toml lie."""

    unserved: Callable[[Settings], Sequence[tuple[str, str]]]
    """Returns each platform with the setting it lacks, or nothing if a platform is served."""

    secrets: Secrets
    environ: Mapping[str, str]
    folder: Path
    """The folder of .env and steward.toml."""

    probes: Probes
    """The ways to try a token and a key for real."""

    new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    """Makes the event loop of a run that serves."""

    memory: MemoryWork | None = None
    """Searches and fills the memory."""

    hooks: HookWork | None = None
    """Lists hooks, and tries them out."""

    feedback: ExportFeedback | None = None
    """Prints what people think of answers."""


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


@click.group()
@click.version_option(running_version(), prog_name="steward")
def steward() -> None:
    """A self-hosted assistant that asks before it acts."""


@steward.command("run", short_help="Serve every channel that has a token, or chat here.")
@click.pass_obj
def run_command(program: Program) -> int:
    """Serve every channel that has a token, or chat here when there is none."""
    settings = _settings(program)
    tokens = (settings.telegram.token, settings.discord.token)
    nothing_set = tokens == (None, None) and not settings.has_model
    if nothing_set and _has_terminal() and wants_setup():
        _setup(program).ask()
        settings = _settings(program)
    return _serve_or_chat(program, settings)


@steward.command("setup", short_help="Ask for tokens and a key, try them and save them.")
@click.argument("what", type=click.Choice(["voice"]), required=False)
@click.pass_obj
def setup_command(program: Program, what: str | None) -> int:
    """Ask for tokens of Telegram and Discord and a model's service, try and save them.

    `steward setup voice` asks for services that hear voice messages and speak answers.
    """
    if not _has_terminal():
        raise SettingError(f"{NO_TERMINAL}.")
    if what is not None:
        _setup(program).ask_for_voice()
        return 0
    if not _setup(program).ask() or not starts_now():
        return 0
    return _serve_or_chat(program, _settings(program))


def _setup(program: Program) -> Setup:
    return Setup(program.environ, program.folder, program.probes, program.secrets)


def _serve_or_chat(program: Program, settings: Settings) -> int:
    unserved = program.unserved(settings)
    if not unserved:
        _start_logging(program, settings, logging.StreamHandler())
        _warn(settings)
        return _run(program, program.serve(settings))
    titles, names = (" and ".join(words) for words in zip(*unserved, strict=True))
    verb = "is" if len(unserved) == 1 else "are"
    if not _has_terminal():
        raise SettingError(f"{_NO_TERMINAL}, and {names} {verb} not set.")
    say(f"{titles} {verb} off: {names} {verb} not set. You talk to me here.")
    click.echo()
    return _chat(program, settings)


@steward.command()
@click.pass_obj
def chat(program: Program) -> int:
    """Talk to Steward in this terminal."""
    settings = _settings(program)
    if not _has_terminal():
        raise SettingError(f"{_NO_TERMINAL}. {_ASK}")
    return _chat(program, settings)


@steward.command(short_help="Ask one QUESTION and print the answer.")
@click.argument("question", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the text.")
@click.pass_obj
def ask(program: Program, question: Sequence[str], *, as_json: bool) -> int:
    """Ask one QUESTION; the answer goes to standard output, anything else to standard error.

    Text that is piped in comes along: cat log | steward ask "what broke?"

    Actions that need your approval are asked about in the terminal. Where there is none they are
    denied. Exit codes: 0 answered, 2 wrong settings, 3 failed, 4 stopped before the end, 5 an
    action was denied, 6 the answer is a question to you, 130 Ctrl-C.
    """
    settings = _settings(program)
    words, piped = " ".join(question).strip(), _piped()
    if not words:
        words, piped = piped.decode(errors="replace").strip(), b""
    if not words:
        raise click.UsageError('What is the question? As in: steward ask "what is in this folder?"')
    _to_file(program, settings)
    return _run(program, program.ask(settings, words, piped=piped, as_json=as_json))


def _piped() -> bytes:
    """Returns what is piped into the program, if anything is."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    piped = sys.stdin.buffer.read(_MOST_PIPED + 1)
    if len(piped) > _MOST_PIPED:
        raise click.UsageError("More than 20 MB came through the pipe. Cut it first, with tail.")
    return piped


@steward.command(short_help="Say what works, what does not, and what helps.")
@click.pass_obj
def doctor(program: Program) -> int:
    """Look at everything a run needs, and say how to fix what is wrong."""
    settings = _settings(program, look=False)
    _start_logging(program, settings, logging.StreamHandler())
    findings = asyncio.run(program.examine(settings, program.folder))
    click.echo(program.secrets.hidden(f"{table(findings)}\n\n{what_next(findings)}"))
    return int(any(finding.level == "fail" for finding in findings))


@steward.command(short_help="Print every setting with its value and its origin.")
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


@steward.group("memory")
def memory_group() -> None:
    """Look into the memory, or fill it."""


_PERSON = click.option("--person", help="Whose memory, as in telegram:42; else the only owner's.")


@memory_group.command("search", short_help="Print what is remembered with these WORDS.")
@click.argument("words", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, help="The most to print.")
@_PERSON
@click.pass_obj
def search_command(
    program: Program, words: Sequence[str], *, as_json: bool, limit: int, person: str | None
) -> int:
    """Print what is remembered with these WORDS; the exit code is 1 when nothing is."""
    settings, work = _for_memory(program)
    said = " ".join(words)
    return asyncio.run(
        work.search(settings, said, click.echo, limit=limit, as_json=as_json, person=person)
    )


@memory_group.command("import", short_help="Take answers from a FILE.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_PERSON
@click.pass_obj
def import_command(program: Program, file: Path, *, person: str | None) -> int:
    """Take answers from a FILE: JSON Lines, or an export of ChatGPT or Claude, zipped or not.

    A line is an object with id, at, question and answer, and perhaps chat and person. Broken
    lines are named by their number, and the exit code is 1. The same file again adds nothing.
    """
    settings, work = _for_memory(program)
    return asyncio.run(work.take(settings, file, click.echo, person=person))


@memory_group.command("reindex")
@click.pass_obj
def reindex_command(program: Program) -> int:
    """Make the indexes of words and of meaning anew."""
    settings, work = _for_memory(program)
    return asyncio.run(work.reindex(settings, click.echo))


def _for_memory(program: Program) -> tuple[Settings, MemoryWork]:
    settings = _settings(program)
    if program.memory is None:
        raise SettingError("This program has no memory.")
    return settings, program.memory


@steward.command("feedback", short_help="Print what people think of answers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    help="Only since this day or moment, in UTC.",
)
@click.pass_obj
def feedback_command(program: Program, *, as_json: bool, since: datetime | None) -> int:
    """Print what people think of answers: counts, or each row without a word of the talk."""
    settings = _settings(program)
    if program.feedback is None:
        raise SettingError("This program keeps no feedback.")
    begin = None if since is None else since.replace(tzinfo=UTC)
    return asyncio.run(program.feedback(settings, begin, click.echo, as_json=as_json))


@steward.group("hook")
def hook_group() -> None:
    """List the hooks that other programs may call, or try one out."""


@hook_group.command("list", short_help="Print every hook.")
@click.pass_obj
def hook_list_command(program: Program) -> int:
    """Print every hook; the exit code is 1 when a file cannot be used."""
    settings, work = _for_hooks(program)
    return asyncio.run(work.listed(settings, click.echo))


@hook_group.command("test", short_help="Call the hook NAME with the JSON of a FILE.")
@click.argument("name")
@click.argument("file", required=False, type=click.File("rb"))
@click.pass_obj
def hook_test_command(program: Program, name: str, file: BinaryIO | None) -> int:
    """Call the hook NAME of the running program with the JSON of a FILE, and wait for the end.

    Without a FILE the body is {"test": true}; - reads standard input. Exit codes: 0 done, 1 the
    run failed or was stopped, 2 wrong settings, 3 the call was not taken.
    """
    settings, work = _for_hooks(program)
    body = b'{"test": true}' if file is None else file.read(LARGEST_BODY + 1)
    return asyncio.run(work.tried(settings, name, body, click.echo))


def _for_hooks(program: Program) -> tuple[Settings, HookWork]:
    settings = _settings(program)
    if program.hooks is None:
        raise SettingError("This program has no hooks.")
    return settings, program.hooks


def _settings(program: Program, *, look: bool = True) -> Settings:
    settings = read_settings(program.environ, program.folder, look=look)
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
    _to_file(program, settings)
    return _run(program, program.chat(settings))


def _to_file(program: Program, settings: Settings) -> None:
    """Writes the log to a file, and says on the standard error what is odd about the settings."""
    for warning in settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = RotatingFileHandler(
            settings.home / "chat.log", maxBytes=1_000_000, backupCount=1, encoding="utf-8"
        )
    except OSError as error:
        told = f"STEWARD_HOME cannot be {settings.home}: {error.strerror}."
        raise SettingError(f"{told} {WRITE_RIGHT}") from error
    _start_logging(program, settings, file)


def _run(program: Program, work: CommandRun) -> int:
    with asyncio.Runner(loop_factory=program.new_loop) as runner:
        return runner.run(_until_told(work))


def _wait_for_children_in(loop: asyncio.AbstractEventLoop) -> None:
    """Has the loop itself wait for child processes, as it does from Python 3.12 on.

    Before, a thread waited for each child, and on a busy machine its start held everybody up.
    """
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):
        watcher = asyncio.PidfdChildWatcher()
        watcher.attach_loop(loop)
        asyncio.set_child_watcher(watcher)


async def _until_told(work: CommandRun) -> int:
    """Runs the work to its end, or until SIGTERM (code 0) or SIGINT (130) asks for one."""
    task = asyncio.ensure_future(work)
    codes = {signal.SIGTERM: 0, signal.SIGINT: 128 + signal.SIGINT}
    told: list[int] = []

    def tell(code: int) -> None:
        told.append(code)
        task.cancel()

    loop = asyncio.get_running_loop()
    _wait_for_children_in(loop)
    for number, code in codes.items():
        loop.add_signal_handler(number, tell, code)
    try:
        return await task
    except asyncio.CancelledError:
        if not told:
            raise
        return told[0]
