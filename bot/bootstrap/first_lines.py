"""The first lines of a run, for the person who started it."""

import os
import shutil
import sys
from collections.abc import Sequence

from bot.adapters.qr_code import drawn
from bot.bootstrap.providers import DEMO
from bot.domain.text.broken_lines import broken
from bot.flow.arrivals.doorway import PAIRING_MINUTES


def show(text: str) -> None:
    """Shows a text to the person who started the program, and writes it to no log.

    Anyone who reads a pairing link in time becomes the owner. In a terminal a long line breaks
    between words, and a link stays whole.
    """
    if sys.stdout.isatty():
        columns = shutil.get_terminal_size().columns
        text = "\n".join(broken(line, columns) for line in text.split("\n"))
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def served_line(name: str, model: str, owners: Sequence[str]) -> str:
    """Returns the one line that says which account is served, with which model, for whom."""
    people = f" for {' and '.join(owners)}" if owners else ""
    known = "the demo model" if model == DEMO else model
    return f"Serving {name} with {known}{people}. Ctrl-C ends it."


def pairing_lines(link: str, owners: Sequence[str]) -> str:
    """Returns the pairing link with its QR code, where the terminal can show one.

    `owners` are owners at the terminal, who become the same person on the platform.
    """
    if owners:
        told = f"To talk to it as {owners[0]}, open this link within {PAIRING_MINUTES} minutes:"
    else:
        told = f"Nobody owns it yet. Open this link within {PAIRING_MINUTES} minutes to own it:"
    code = ""
    if sys.stdout.isatty():
        plain = "NO_COLOR" in os.environ or os.environ.get("TERM", "dumb") == "dumb"
        code = drawn(link, shutil.get_terminal_size().columns, colour=not plain)
    return "\n".join(filter(None, (told, link, code)))
