"""The command that tells what a person said about folders, and takes an answer back."""

from pathlib import Path

import click

from bot.cli.program import Program
from bot.domain.text.visible_text import shown_name
from bot.settings.whereabouts import KnownFolders

_ABOUT = {"settings": "its settings count", "work": "I work there"}
_KEPT = "steward folders --forget FOLDER takes an answer back."


@click.command("folders", short_help="Print your answers about folders, or forget one.")
@click.option("--forget", "folder", metavar="FOLDER", help="Forget the answers about this folder.")
@click.pass_obj
def folders_command(program: Program, folder: str | None) -> int:
    """Print what you said about folders when you were asked; a forgotten answer is asked anew."""
    known = KnownFolders()
    if folder is not None:
        named = program.folder / Path(folder).expanduser()
        found = [known.forget(one) for one in {named, named.resolve()}]
        told = "Forgotten. I ask again" if any(found) else "I had asked nothing about this folder"
        click.echo(f"{told}: {shown_name(str(named))}")
        return 0 if any(found) else 2
    answers = known.answers()
    for place, about, yes in answers:
        click.echo(f"{shown_name(place)}  {_ABOUT.get(about, about)}: {'yes' if yes else 'no'}")
    click.echo(_KEPT if answers else "You were asked about no folder yet.")
    return 0
