"""Lines that are asked and said in a terminal."""

import shutil
import textwrap

import click

_WIDEST = 76


def prompted(words: str, *, hidden: bool = False) -> str:
    """Returns what a person typed, without spaces around it; raises click.Abort at Ctrl-C."""
    typed = click.prompt(words, default="", show_default=False, hide_input=hidden, prompt_suffix="")
    return str(typed).strip()


def say(text: str) -> None:
    """Prints a text, wrapped at words; a blank line before it is kept."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    body = text.lstrip("\n")
    wrapped = textwrap.fill(body, width, break_long_words=False, break_on_hyphens=False)
    click.echo("\n" * (len(text) - len(body)) + wrapped)


def say_choice(mark: str, text: str) -> None:
    """Prints one of several choices, indented behind its mark."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    lead = f"  {mark}  "
    indent = " " * len(lead)
    click.echo(textwrap.fill(text, width, initial_indent=lead, subsequent_indent=indent))


def agreed(question: str, *, otherwise: bool) -> bool:
    """Asks until the answer is yes, no or Enter."""
    choices = "[Y/n]" if otherwise else "[y/N]"
    answers = {"": otherwise, "y": True, "yes": True, "n": False, "no": False}
    while (typed := prompted(f"{question} {choices} ").lower()) not in answers:
        say("Type y or n.")
    return answers[typed]
