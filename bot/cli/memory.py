"""The commands that search and fill the memory, and print what people think of answers."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.cli.program import MemoryWork, Program
from bot.cli.running import settings_of
from bot.domain.talk.errors import SettingError
from bot.settings import Settings


@click.group("memory")
def memory_group() -> None:
    """Look into the memory, or fill it."""


_PERSON = click.option("--person", help="Whose memory, as in telegram:42; else the only owner's.")


@memory_group.command("search", short_help="Print what is remembered with these WORDS.")
@click.argument("words", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, help="The most to print.")
@_PERSON
@click.pass_obj
def search_command(
    program: Program, words: Sequence[str], *, as_json: bool, limit: int, person: str | None
) -> int:
    """Print what is remembered with these WORDS; the exit code is 1 when nothing is."""
    settings, work = _for_memory(program)
    said = " ".join(words)
    return asyncio.run(
        work.search(settings, said, click.echo, limit=limit, as_json=as_json, person=person)
    )


@memory_group.command("import", short_help="Take answers from a FILE.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_PERSON
@click.pass_obj
def import_command(program: Program, file: Path, *, person: str | None) -> int:
    """Take answers from a FILE: JSON Lines, or an export of ChatGPT or Claude, zipped or not.

    A line is an object with id, at, question and answer, and perhaps chat and person. Broken
    lines are named by their number, and the exit code is 1. The same file again adds nothing.
    """
    settings, work = _for_memory(program)
    return asyncio.run(work.take(settings, file, click.echo, person=person))


@memory_group.command("reindex")
@click.pass_obj
def reindex_command(program: Program) -> int:
    """Make the indexes of words and of meaning anew."""
    settings, work = _for_memory(program)
    return asyncio.run(work.reindex(settings, click.echo))


def _for_memory(program: Program) -> tuple[Settings, MemoryWork]:
    settings = settings_of(program)
    if program.memory is None:
        raise SettingError("This program has no memory.")
    return settings, program.memory


@click.command("feedback", short_help="Print what people think of answers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    help="Only since this day or moment, in UTC.",
)
@click.pass_obj
def feedback_command(program: Program, *, as_json: bool, since: datetime | None) -> int:
    """Print what people think of answers: counts, or each row without a word of the talk."""
    settings = settings_of(program)
    if program.feedback is None:
        raise SettingError("This program keeps no feedback.")
    begin = None if since is None else since.replace(tzinfo=UTC)
    return asyncio.run(program.feedback(settings, begin, click.echo, as_json=as_json))
