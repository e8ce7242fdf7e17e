"""The command that brings Steward itself up to date."""

from pathlib import Path

import click

from bot.cli.program import Program
from bot.cli.running import has_terminal, place_of, settings_of
from bot.domain.talk.errors import SettingError
from bot.setup.prompts import agreed


@click.command("update", short_help="Bring Steward up to date, or back if that fails.")
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    metavar="FOLDER",
    help="The folder with the new wheel of Steward; not for a checkout.",
)
@click.option("--look", is_flag=True, help="Say what is new, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--wait",
    type=click.IntRange(1, 86_400),
    default=120,
    metavar="SECONDS",
    help="Go back if nothing is heard of the new version for so long; 120 if not given.",
)
@click.pass_obj
def update_command(
    program: Program, source: Path | None, *, look: bool, yes: bool, wait: int
) -> int:
    """Bring Steward up to date: in a checkout by git, elsewhere by pip or uv.

    It says what is new and asks. Then it makes a backup, installs the new version and tries it. If
    it does not start, or does not reach each of your chat apps (without one: opens no page), the
    version from before is put back, with its database. Stop Steward first, and start it afterwards.
    A service of systemd is stopped and started for you, if you call this as root in its folder.

    Exit codes: 0 up to date; 1 taken back, not agreed to, or with --look: there is something new;
    2 wrong settings; 75 no room.
    """
    settings = settings_of(program, serves=True)
    if program.update is None:
        raise SettingError("This program cannot update itself.")
    if not (yes or look or has_terminal()):
        raise SettingError("Nobody can be asked: add --yes, or --look.")

    def wanted() -> bool:
        return not look and (yes or agreed("Update now?", otherwise=True))

    return program.update(
        settings,
        click.echo,
        folder=place_of(program).folder,
        source=source,
        agreed=wanted,
        wait=wait,
    )
