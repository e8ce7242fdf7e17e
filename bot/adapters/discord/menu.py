"""The commands as Discord lists them: made of the one table, and set only when they changed."""

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.domain.talk.errors import ChannelError

ABOUT_MESSAGE = "Ask Steward"
"""The command that stands below the right button on a message."""

WORDS = "words"
"""The one option of every command: the words behind its name."""

_TYPED, _ON_MESSAGE, _TEXT = 1, 3, 3
_IN_SERVERS, _IN_PRIVATE = 0, 1
_LONGEST_SUMMARY = 100
_LONGEST_WORDS = 1_000
_MOST_COMMANDS = 100
_PATH = "/applications/{application_id}/commands"
_CHOICE = re.compile(r"[a-z][a-z -]*")
_STANDS_FOR_WORDS = frozenset({"city", "model", "name", "number", "text", "topic", "words"})
"""Words of a usage that stand for what a person types."""

_OPTIONAL = re.compile(r"\[([^\]]*)\]")
_OPEN = re.compile(r"<[^>]*>|\[[^\]]*\]")
_log = logging.getLogger(__name__)


def listed(commands: Sequence[tuple[str, str]], usages: Mapping[str, str]) -> list[dict[str, Any]]:
    """Returns the commands in the form of Discord, and the one on a message."""
    shown = [
        _command(name, summary, usages.get(name, ""))
        for name, summary in commands[: _MOST_COMMANDS - 1]
    ]
    places = {"contexts": [_IN_SERVERS, _IN_PRIVATE]}
    return [*shown, {"type": _ON_MESSAGE, "name": ABOUT_MESSAGE, **places}]


def _command(name: str, summary: str, usage: str) -> dict[str, Any]:
    option: dict[str, Any] = {
        "type": _TEXT,
        "name": WORDS,
        # The code of `/start` is no part of its usage, so every command takes words.
        "description": _whole_words(usage) or "leave this empty",
        "required": False,
        "max_length": _LONGEST_WORDS,
        "autocomplete": bool(suggested(usage, "")),
    }
    return {
        "type": _TYPED,
        "name": name,
        "description": summary[:_LONGEST_SUMMARY] or name,
        "contexts": [_IN_SERVERS, _IN_PRIVATE],
        "options": [option],
    }


def _whole_words(usage: str) -> str:
    """Returns the words that may follow a command; if they are too long, the first of them."""
    if len(usage) <= _LONGEST_SUMMARY:
        return usage
    head = usage[: _LONGEST_SUMMARY - len("…")]
    return f"{head[: head.rfind('|') + 1] or head}…"


def suggested(usage: str, typed: str) -> list[str]:
    """Returns the fixed words that may come right behind a command, as far as they fit."""
    first = _OPTIONAL.match(usage)
    parts = _OPEN.sub("<>", first[1] if first else usage).split("|")
    fixed = [part.strip() for part in parts]
    begun = typed.strip().lower()
    said = [word for word in fixed if _CHOICE.fullmatch(word) and word not in _STANDS_FOR_WORDS]
    return [word for word in said if word.startswith(begun)]


class Menu:
    """Sets the list when it differs from the one that Discord has; that one is asked for."""

    def __init__(self, api: DiscordApi) -> None:
        self._api = api

    async def set(self, commands: Sequence[Mapping[str, Any]]) -> None:
        """Logs a failure only: every command can be typed as text."""
        try:
            names = {"application_id": await self._api.application()}
            known = await self._api.call("GET", _PATH, names=names)
            if _digest(known if isinstance(known, list) else []) != _digest(commands):
                await self._api.call("PUT", _PATH, list(commands), names=names)
        except ChannelError as fault:
            _log.warning("The commands were not listed: %s", fault)


def _digest(commands: Sequence[object]) -> str:
    """Returns a mark of what a person sees of the commands, whatever Discord adds to them."""
    shown = sorted(_seen(Fields(command)) for command in commands)
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def _seen(command: Fields) -> list[Any]:
    options = [
        [option.text("name"), option.text("description"), option.flag("autocomplete")]
        for option in command.items("options")
    ]
    return [command.text("name"), command.text("description") or "", options]
