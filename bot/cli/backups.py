"""The commands that make, prove and bring back copies of everything."""

from pathlib import Path

import click

from bot.cli.program import BackupWork, Program
from bot.cli.running import has_terminal, place_of, settings_of
from bot.domain.talk.errors import SettingError
from bot.settings import Settings
from bot.setup.prompts import agreed, prompted

_PASSPHRASE = "BACKUP_PASSPHRASE"
_FOLDER = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("backup", short_help="Copy everything to one FILE.")
@click.argument("file", required=False, type=_FILE)
@click.option("--with-secrets", is_flag=True, help="Add keys and tokens, sealed.")
@click.option(
    "--every",
    type=click.Choice(["hour", "day", "week", "never"]),
    help="Have a running Steward make one so often.",
)
@click.option(
    "--keep",
    type=click.IntRange(1, 1000),
    default=7,
    metavar="NUMBER",
    help="Of those, keep so many; 7 if not given.",
)
@click.option("--by-service", is_flag=True, hidden=True)
@click.pass_obj
def backup_command(
    program: Program,
    file: Path | None,
    *,
    with_secrets: bool,
    every: str | None,
    keep: int,
    by_service: bool,
) -> int:
    """Copy everything to one FILE, also while Steward runs: rows, workspaces, sent files, settings.

    Without a FILE it is put in the folder backups of the home. Keys and tokens stay out of it.
    --with-secrets adds them, sealed with a passphrase: you are asked for it, or it stands in
    BACKUP_PASSPHRASE.
    """
    settings, work = _for_backups(program, serves=by_service)
    if every is not None:
        if file is not None or with_secrets:
            raise click.UsageError("--every stands alone, or with --keep.")
        return work.set_times(settings, every, keep, click.echo)
    secret = _new_passphrase(program) if with_secrets else None
    place = None if file is None else program.folder / file
    folder = place_of(program).folder
    return work.back_up(
        settings,
        place,
        click.echo,
        folder=folder,
        environ=program.environ,
        passphrase=secret,
        by_service=by_service,
    )


@click.command("verify", short_help="Prove that a home or a backup is whole.")
@click.argument("place", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--fix", is_flag=True, help="Set right what can be, while Steward is stopped.")
@click.pass_obj
def verify_command(program: Program, place: Path | None, *, fix: bool) -> int:
    """Prove that a home or a backup is whole; PLACE is a folder or a file, else your own home.

    Exit codes: 0 everything holds, 1 something does not, 2 wrong settings, 65 the database or
    the backup is damaged.
    """
    settings, work = _for_backups(program)
    named = None if place is None else program.folder / place
    return work.verify(settings, named, click.echo, fix=fix)


@click.command("restore", short_help="Bring a backup back into an empty home.")
@click.argument("file", type=_FILE)
@click.option("--into", type=_FOLDER, help="A folder for it, instead of your home.")
@click.pass_obj
def restore_command(program: Program, file: Path, into: Path | None) -> int:
    """Bring a backup back into an empty home, after everything in the FILE was checked.

    A home that is in use is never written over. What the backup had begun is not begun again:
    cards are closed, tasks that were due do not run, and owners are asked about each message that
    may have been sent already. BACKUP_PASSPHRASE opens sealed secrets.
    """
    settings, work = _for_backups(program)
    place = None if into is None else program.folder / into
    folder = place_of(program).folder if place is None else place
    secret = program.environ.get(_PASSPHRASE, "")
    return work.restore(
        settings, program.folder / file, click.echo, folder=folder, into=place, passphrase=secret
    )


@click.command("rollback", short_help="Go back to the copy from before the last upgrade.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def rollback_command(program: Program, *, yes: bool) -> int:
    """Go back to the copy from before the last upgrade; Steward must be stopped.

    It says first what was written since and is lost. What is there now is kept beside the copy.
    Afterwards start the version from before: this one would upgrade the database again.
    """
    settings, work = _for_backups(program)
    if not yes and not has_terminal():
        raise SettingError("Nobody can be asked: add --yes.")
    return work.roll_back(
        settings, click.echo, agreed=lambda: yes or agreed("Go back?", otherwise=False)
    )


@click.command("move", short_help="Move all rows to another database.")
@click.argument("to")
@click.pass_obj
def move_command(program: Program, to: str) -> int:
    """Move all rows to the other kind of database, and compare each; Steward must be stopped.

    TO is the address of an empty PostgreSQL database, as in postgresql://user@host/name, or
    sqlite for the file in the home. Put a password in PGPASSWORD or ~/.pgpass, as others see the
    command line. The old database stays as it was.
    """
    settings, work = _for_backups(program)
    return work.move(settings, to, click.echo)


def _for_backups(program: Program, *, serves: bool = False) -> tuple[Settings, BackupWork]:
    settings = settings_of(program, serves=serves)
    if program.backups is None:
        raise SettingError("This program makes no backups.")
    return settings, program.backups


def _new_passphrase(program: Program) -> str:
    """Returns the passphrase for sealing: from the environment, or typed twice."""
    if given := program.environ.get(_PASSPHRASE, ""):
        return given
    if not has_terminal():
        raise SettingError(f"Nobody can be asked for the passphrase: set {_PASSPHRASE}.")
    while True:
        typed = prompted("A passphrase for the secrets: ", hidden=True)
        if typed and typed == prompted("The same once more: ", hidden=True):
            return typed
        click.echo("These were not the same.")
