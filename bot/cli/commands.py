"""The commands that run Steward, talk to it, set it up and look at it."""

import asyncio
import logging
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from bot.cli.program import Program
from bot.cli.running import (
    has_terminal,
    log_to,
    log_to_file,
    place_of,
    run_to_end,
    settings_of,
    warn,
)
from bot.doctor import as_one_line, table, what_next
from bot.domain.talk.errors import SettingError
from bot.domain.text.broken_lines import broken
from bot.domain.text.visible_text import shown_name
from bot.ports.duties import Duty
from bot.settings import Settings
from bot.settings.forms import roles as read_roles
from bot.settings.whereabouts import KnownFolders
from bot.setup import Setup, no_terminal, say, starts_now, works_in
from bot.shipped import command
from bot.shipped.version import running_version
from bot.visits.error_line import print_error
from bot.visits.own_folder import is_own_folder, may_be_project

_ONE_PROCESS = (
    "With SQLite one process does all the work, so it has no roles. Leave out --role and "
    "STEWARD_ROLE, or let STEWARD_DATABASE_URL name a PostgreSQL database."
)
_NO_WAY = (
    "There is no way to talk to me: no chat app is set up, and the page is off. Set {names} or "
    "STEWARD_WEB_PORT, alike for each process with a role."
)
_NO_TERMINAL = "There is no terminal to chat in"
_NOWHERE = (
    f"{_NO_TERMINAL}, no chat app is set up, and the page is off: set {{names}} or "
    "STEWARD_WEB_PORT."
)
_ASK = 'To ask one thing without one, use: steward ask "your question"'
_ENDLESS = 100_000
"""Columns of an output that is no terminal."""

_MOST_PIPED = 20 * 1024 * 1024
"""Bytes of the standard input that a question can have beside it."""


@click.group()
@click.version_option(running_version(), prog_name="steward")
def steward() -> None:
    """A self-hosted assistant that asks before it acts."""


@steward.command("run", short_help="Serve every channel that has a token, or chat here.")
@click.option(
    "--role",
    "roles",
    multiple=True,
    type=click.Choice(["all", *(duty.value for duty in Duty)]),
    help="Do this part of the work; may be given several times. Needs PostgreSQL.",
)
@click.pass_obj
def run_command(program: Program, *, roles: Sequence[str]) -> int:
    """Serve every channel that has a token, or chat here when there is none.

    The page in the browser is served beside them, and alone where there is no terminal.

    On PostgreSQL several processes can share the work. Each does all of it, or what --role names:
    receive listens to the platforms, work answers, deliver sends, schedule does what is due by
    itself, and web serves the page and the hooks.
    """
    settings = settings_of(program, serves=True)
    if roles:
        settings = replace(settings, role=read_roles(",".join(roles)))
    if settings.role:
        return _serve_a_part(program, settings)
    return _serve_or_chat(program, settings)


@steward.command("setup", short_help="Ask for tokens and a key, try them and save them.")
@click.argument("what", type=click.Choice(["voice", "memory"]), required=False)
@click.pass_obj
def setup_command(program: Program, what: str | None) -> int:
    """Ask for tokens of Telegram and Discord and a model's service, try and save them.

    `steward setup voice` asks for services that hear voice messages and speak answers, and
    `steward setup memory` lets earlier answers be found by their meaning.
    """
    if not has_terminal():
        raise SettingError(no_terminal(place_of(program).folder))
    if what is not None:
        _set_up(program, what)
        return 0
    if not _set_up(program) or not starts_now():
        return 0
    return _serve_or_chat(program, settings_of(program))


def _set_up(program: Program, what: str | None = None) -> bool:
    """Asks for settings and saves them; returns True when a token or a model is set."""
    folder, known = place_of(program).folder, KnownFolders()
    counted = known.said("settings", folder) is True
    setup = Setup(program.environ, folder, program.probes, program.secrets)
    asks = {None: setup.ask, "voice": setup.ask_for_voice, "memory": setup.ask_for_meaning}
    found = asks[what]()
    if counted:
        # The yes of before was to the files as they were.
        known.remember("settings", folder, answer=True)
    return bool(found)


def _serve_a_part(program: Program, settings: Settings) -> int:
    """Serves with some roles alone, which takes a database and a way to talk for all of them."""
    if settings.database_url.startswith("sqlite"):
        raise SettingError(_ONE_PROCESS)
    unserved = program.unserved(settings)
    if unserved and not settings.page.port:
        raise SettingError(_NO_WAY.format(names=", ".join(name for _, name in unserved)))
    return _serve(program, settings)


def _serve_or_chat(program: Program, settings: Settings) -> int:
    unserved = program.unserved(settings)
    if not unserved or (settings.page.port and not has_terminal()):
        return _serve(program, settings)
    if not has_terminal():
        raise SettingError(_NOWHERE.format(names=", ".join(name for _, name in unserved)))
    _tell_where(program, settings)
    return _chat(program, settings)


def _serve(program: Program, settings: Settings) -> int:
    log_to(program, settings, logging.StreamHandler())
    warn(settings)
    return run_to_end(program, program.serve(settings))


def _tell_where(program: Program, settings: Settings) -> None:
    """Says where people talk while no chat app is set up: here, and at the address of the page."""
    page, names = settings.page.address, [name for _, name in program.unserved(settings)]
    where = f"here, and in a moment on my page at {page}" if page else "here"
    say(f"No chat app is set up, so you will talk to me {where}. Not set: {', '.join(names)}.")
    say(f"To set up a chat app or a model: Ctrl-D here, then `{command('setup')}`.")
    click.echo()


@steward.command()
@click.option(
    "--with",
    "beside",
    default="",
    metavar="PLATFORM",
    help="Show your private chat there, as in telegram.",
)
@click.pass_obj
def chat(program: Program, *, beside: str) -> int:
    """Talk to Steward in this terminal."""
    settings = settings_of(program)
    if not has_terminal():
        raise SettingError(f"{_NO_TERMINAL}. {_ASK}")
    if beside:
        log_to_file(program, settings)
        return run_to_end(program, program.chat(settings, beside=beside))
    return _chat(program, settings)


@steward.command(short_help="Ask one QUESTION and print the answer.")
@click.argument("question", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the text.")
@click.option(
    "--yes-to", multiple=True, metavar="RULE", help="Approve cards that this rule of yours covers."
)
@click.pass_obj
def ask(program: Program, question: Sequence[str], *, as_json: bool, yes_to: Sequence[str]) -> int:
    """Ask one QUESTION; the answer goes to standard output, anything else to standard error.

    Text that is piped in comes along: cat log | steward ask "what broke?"

    Actions that need your approval are asked about in the terminal. Without a terminal they are
    denied, except those that a rule named with --yes-to covers. Write the rule as /rules shows it
    in this folder.

    Exit codes: 0 answered, 2 wrong settings, 3 failed, 4 stopped before the end, 5 an action was
    denied, 6 the answer is a question to you, 7 the running program ended, 65 the database is
    damaged, 70 the program has a fault, 75 the database cannot work now, 130 Ctrl-C.
    """
    settings = settings_of(program)
    words, piped = " ".join(question).strip(), _piped()
    if not words:
        words, piped = piped.decode(errors="replace").strip(), b""
    if not words:
        raise click.UsageError('What is the question? As in: steward ask "what is in this folder?"')
    folder = folder_to_work_in(program, settings)
    log_to_file(program, settings)
    asking = program.ask(
        settings, words, folder=folder, yes_to=yes_to, piped=piped, as_json=as_json
    )
    return run_to_end(program, asking)


def _piped() -> bytes:
    """Returns what is piped into the program, if anything is."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    piped = sys.stdin.buffer.read(_MOST_PIPED + 1)
    if len(piped) > _MOST_PIPED:
        raise click.UsageError("More than 20 MB came through the pipe. Cut it first, with tail.")
    return piped


@steward.command(short_help="Say what works, what does not, and what helps.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one line of JSON.")
@click.option("--fix", is_flag=True, help="Fix first what is safe to fix, and say what that was.")
@click.pass_obj
def doctor(program: Program, *, as_json: bool, fix: bool) -> int:
    """Look at everything a run needs, and say how to fix what is wrong.

    --fix makes missing folders, takes the right to read from other users, deletes what earlier runs
    left behind, repairs rows and makes a damaged index anew. It changes nothing that you wrote.
    While Steward runs, it only makes folders and changes rights.
    """
    settings, folder = settings_of(program, look=False), place_of(program).folder
    log_to(program, settings, logging.StreamHandler())
    fixed: list[str] = []
    left = ""
    if fix and program.repair is not None:
        left = program.repair(settings, folder, fixed.append)
        if not (as_json or fixed or left):
            click.echo("Nothing had to be fixed.\n")
    findings = asyncio.run(program.examine(settings, folder))
    done = [*(f"fixed  {one}" for one in fixed), *([f"left   {left}"] if left else [])]
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _ENDLESS
    above = [broken(one, columns, 7) for one in done]
    lines = [*above, *([""] if done else []), table(findings, columns)]
    report = "\n".join((*lines, "", broken(what_next(findings), columns)))
    click.echo(program.secrets.hidden(as_one_line(findings, fixed, left) if as_json else report))
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
        print_error(f"warning: {warning}")


def _chat(program: Program, settings: Settings) -> int:
    """Chats in the foreground; the log goes to a file, so that it does not mix with the talk."""
    folder = folder_to_work_in(program, settings)
    log_to_file(program, settings)
    return run_to_end(program, program.chat(settings, folder=folder))


def folder_to_work_in(program: Program, settings: Settings) -> Path | None:
    """Returns the folder that the person stands in; None for the workspace of the settings.

    A home, a folder with the home of Steward in it or around it, and the checkout that Steward runs
    from are no projects. A folder that other users can change is asked about once; raises
    SettingError where nobody can be asked.
    """
    standing = program.folder.resolve()
    if not may_be_project(standing, settings.home, settings.workspace):
        return None
    if is_own_folder(standing):
        return standing
    known = KnownFolders()
    answer = known.said("work", standing)
    if answer is None and not has_terminal():
        raise SettingError(
            f"Other users can change {shown_name(str(standing))}, and there is no terminal to ask "
            "you if I may work there. Run `steward chat` there once, or set STEWARD_WORKSPACE."
        )
    if answer is None:
        answer = works_in(standing)
        known.remember("work", standing, answer)
    return standing if answer else None
