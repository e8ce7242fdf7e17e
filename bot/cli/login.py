"""The command that signs the person at this machine in on the page."""

import asyncio

import click

from bot.cli.program import Program
from bot.cli.running import settings_of
from bot.domain.talk.errors import SettingError


@click.command("login", short_help="Print a link that signs you in on the page.")
@click.pass_obj
def login_command(program: Program) -> int:
    """Print a link that signs you in on the page in the browser, once, within ten minutes."""
    settings = settings_of(program)
    if program.login is None:
        raise SettingError("This program has no page.")
    return asyncio.run(program.login(settings, click.echo))
