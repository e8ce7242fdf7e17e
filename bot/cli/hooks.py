"""The commands that list hooks and try them out."""

import asyncio
from typing import BinaryIO

import click

from bot.cli.program import HookWork, Program
from bot.cli.running import settings_of
from bot.domain.assignments.hook import LARGEST_BODY
from bot.domain.talk.errors import SettingError
from bot.settings import Settings


@click.group("hook")
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
    settings = settings_of(program)
    if program.hooks is None:
        raise SettingError("This program has no hooks.")
    return settings, program.hooks
