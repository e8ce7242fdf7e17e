"""The first words of a talk in the terminal, as they travel to a terminal beside the program."""

from collections.abc import Mapping
from typing import Any

from bot.adapters.terminal.update import folder_of
from bot.bootstrap.channel_form import Host
from bot.bootstrap.providers import DEMO
from bot.domain.talk.message import Address
from bot.settings import Settings
from bot.shipped import command
from bot.shipped.version import running_version

_DEMO = f"the demo: it shows how I work. Run `{command('setup')}` for a real model."
_TRIES = ("What is in this folder?", "Write a note about today", "/plan sort these files by year")
_TRIES_IN_PROJECT = (
    "What is this project?",
    "Run the tests and fix what fails",
    "/plan add a command that prints the version",
)
_TRIES_OF_DEMO = (
    "Make minutes of my meeting notes",
    "Tidy my table of expenses",
    "/plan make a report",
)


async def welcome(settings: Settings, host: Host, address: Address) -> Mapping[str, Any]:
    """Returns the version, the folder, the model, some tries and the commands."""
    model = await host.model_in(address)
    demo = model == DEMO
    offers = [[name, told, host.usages.get(name, "")] for name, told in host.menus.machine]
    project = folder_of(address)
    tries = _TRIES if project is None else _TRIES_IN_PROJECT
    return {
        "version": running_version(),
        "folder": str(project or settings.workspace),
        "home": None if project is None else str(settings.home),
        "model": _DEMO if demo else model,
        "tries": _TRIES_OF_DEMO if demo else tries,
        "commands": [*offers, ["quit", "leave", ""]],
    }
