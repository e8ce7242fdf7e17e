"""The command that makes Steward a service of systemd."""

import os
import pwd
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from bot.cli.program import Program
from bot.domain.talk.errors import SettingError
from bot.one_off.service_unit import Service, credential, installed, user_of
from bot.settings import read_settings
from bot.settings.whereabouts import KnownFolders, whereabouts
from bot.shipped import checkout

_FILE = Path("/etc/systemd/system/steward.service")
_NEXT = """\
Wrote {file}. Start it, now and at each start of the machine:

    systemctl daemon-reload
    systemctl enable --now steward

Its log, and at the first start the pairing link: journalctl -u steward"""
_NO_FOLDER = (
    "No settings are here. Go to the folder with the .env of the service, for instance "
    "/srv/steward, or set STEWARD_HOME."
)


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
@click.option("--install", is_flag=True, help=f"Write it to {_FILE}, as root.")
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
    service = _service(program, user_of(user), further)
    try:
        service = replace(service, credentials=[credential(one) for one in credentials])
    except ValueError as fault:
        raise SettingError(f"--credential cannot be used: {fault}.") from None
    unit = service.unit()
    if not install:
        click.echo(unit, nl=False)
        return 0
    _make(service)
    installed(unit, _FILE)
    click.echo(_NEXT.format(file=_FILE))
    return 0


def _service(program: Program, user: str, further: Sequence[Path]) -> Service:
    """Returns the service as its start finds its folders, whoever asks."""
    place = whereabouts(
        program.environ, program.folder, KnownFolders(), checkout=checkout(), serves=True
    )
    stranger = pwd.getpwnam(user).pw_uid != os.getuid()
    if stranger and place.folder != program.folder and not program.environ.get("STEWARD_HOME"):
        raise SettingError(_NO_FOLDER)
    # A secret may stand in a file that only the service can read.
    environ = {n: v for n, v in program.environ.items() if not n.endswith("_FILE")}
    settings = read_settings(environ, place.folder, home=place.home, look=False)
    writes = [settings.workspace, *further]
    if settings.database_url.startswith("sqlite"):
        writes.append(Path(settings.database_url.partition(":///")[2]).parent)
    apart = [one for one in writes if not one.is_relative_to(settings.home)]
    return Service(user, place.folder, settings.home, apart)


def _make(service: Service) -> None:
    """Makes missing folders, for the user of the service alone."""
    owner = pwd.getpwnam(service.user)
    for folder in (service.home, *service.writes):
        try:
            if not folder.exists():
                folder.mkdir(mode=0o700, parents=True)
                os.chown(folder, owner.pw_uid, owner.pw_gid)
        except OSError as error:
            told = f"{folder} cannot be made: {error.strerror}."
            raise SettingError(f"{told} Run this as root.") from error
