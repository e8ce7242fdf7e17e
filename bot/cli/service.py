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
@click.option("--user", metavar="NAME", help="The user it runs as; you, if left out.")
@click.option(
    "credentials",
    "--credential",
    metavar="SETTING=FILE",
    multiple=True,
    help="A secret that systemd reads from a file, as root; can be repeated.",
)
@click.option(
    "further",
    "--writes",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    help="A further folder that it may write to, such as your projects; can be repeated.",
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
    """Print the unit of a service that may touch little but its own folders.

    Stand in the folder with its .env. With --install the unit is written, and its folders are made.
    """
    if program.service is None:
        raise SettingError("This program makes no unit.")
    service = program.service(program.environ, program.folder, user, credentials, further)
    if not install:
        click.echo(service.unit(), nl=False)
        return 0
    click.echo(_NEXT.format(file=service.install()))
    return 0
