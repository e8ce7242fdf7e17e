"""The command that makes Steward a service of systemd."""

from collections.abc import Sequence
from pathlib import Path

import click

from bot.cli.program import Program
from bot.domain.talk.errors import SettingError

_NEXT = """\
Wrote {file}. Start it, now and at each start of the machine:

    systemctl daemon-reload
    systemctl enable --now steward

Its log, and at the first start the pairing link: journalctl -u steward"""


@click.command("service", short_help="Print or install a unit of systemd.")
@click.option("--user", metavar="NAME", help="The user that it runs as. If left out: you.")
@click.option(
    "credentials",
    "--credential",
    metavar="SETTING=FILE",
    multiple=True,
    help="A secret that systemd reads from a file as root. You can repeat it.",
)
@click.option(
    "further",
    "--writes",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    help="Another folder that it may write to, such as your projects. You can repeat it.",
)
@click.option("--install", is_flag=True, help="Write it to /etc/systemd/system, as root.")
@click.pass_obj
def service_command(
    program: Program,
    user: str | None,
    credentials: Sequence[str],
    further: Sequence[Path],
    install: bool,
) -> int:
    """Print a unit for systemd: a service that can write to its own folders alone.

    Call it in the folder with the .env of the service. --install writes the unit and makes folders.
    """
    if program.service is None:
        raise SettingError("This program makes no unit.")
    service = program.service(program.environ, program.folder, user, credentials, further)
    if not install:
        click.echo(service.unit(), nl=False)
        return 0
    click.echo(_NEXT.format(file=service.install()))
    return 0
