"""The commands that run Steward, talk to it, set it up and look at it."""

import asyncio
import logging
import sys
from collections.abc import Sequence

import click

from bot.cli.program import Program
from bot.cli.running import log_to, log_to_file, run_to_end, settings_of, warn
from bot.doctor import table, what_next
from bot.domain.talk.errors import SettingError
from bot.settings import Settings
from bot.setup import NO_TERMINAL, Setup, say, starts_now, wants_setup
from bot.shipped.version import running_version

_NO_TERMINAL = "There is no terminal to chat in"
_ASK = 'To ask one thing without one, use: steward ask "your question"'
_MOST_PIPED = 20 * 1024 * 1024
"""Bytes of the standard input that a question can have beside it."""


@click.group()
@click.version_option(running_version(), prog_name="steward")
def steward() -> None:
    """A self-hosted assistant that asks before it acts."""


@steward.command("run", short_help="Serve every channel that has a token, or chat here.")
@click.pass_obj
def run_command(program: Program) -> int:
    """Serve every channel that has a token, or chat here when there is none."""
    settings = settings_of(program)
    tokens = (settings.telegram.token, settings.discord.token)
    nothing_set = tokens == (None, None) and not settings.has_model
    if nothing_set and _has_terminal() and wants_setup():
        _setup(program).ask()
        settings = settings_of(program)
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
    return _serve_or_chat(program, settings_of(program))


def _setup(program: Program) -> Setup:
    return Setup(program.environ, program.folder, program.probes, program.secrets)


def _serve_or_chat(program: Program, settings: Settings) -> int:
    unserved = program.unserved(settings)
    if not unserved:
        log_to(program, settings, logging.StreamHandler())
        warn(settings)
        return run_to_end(program, program.serve(settings))
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
    settings = settings_of(program)
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
    settings = settings_of(program)
    words, piped = " ".join(question).strip(), _piped()
    if not words:
        words, piped = piped.decode(errors="replace").strip(), b""
    if not words:
        raise click.UsageError('What is the question? As in: steward ask "what is in this folder?"')
    log_to_file(program, settings)
    return run_to_end(program, program.ask(settings, words, piped=piped, as_json=as_json))


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
    settings = settings_of(program, look=False)
    log_to(program, settings, logging.StreamHandler())
    findings = asyncio.run(program.examine(settings, program.folder))
    click.echo(program.secrets.hidden(f"{table(findings)}\n\n{what_next(findings)}"))
    return int(any(finding.level == "fail" for finding in findings))


@steward.command(short_help="Print every setting with its value and its origin.")
@click.option("--explain", is_flag=True, help="Say what each setting is for.")
@click.pass_obj
def config(program: Program, *, explain: bool) -> None:
    """Print every setting with its value and where that comes from."""
    settings = settings_of(program)
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


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _chat(program: Program, settings: Settings) -> int:
    """Chats in the foreground; the log goes to a file, so that it does not mix with the talk."""
    log_to_file(program, settings)
    return run_to_end(program, program.chat(settings))
