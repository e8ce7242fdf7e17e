"""Recorded sessions: the contents of a screen at each moment, as values and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

Run = tuple[str, str]
"""Some characters, and the names of their styles with spaces between them."""


@dataclass(frozen=True, slots=True)
class Bubble:
    """One message of a chat."""

    runs: tuple[Run, ...]
    mine: bool = False
    sender: str = ""
    """Name above the message, in groups."""
    file: str = ""
    buttons: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ChatMoment:
    """A chat on a phone, and beside it the shell that the program runs in."""

    seconds: float
    """Seconds for which a film shows it."""
    bubbles: tuple[Bubble, ...]
    pressed: str = ""
    """Label of the button under the finger."""
    notice: str = ""
    """Words that a press brought up, for the person who pressed alone."""
    shell: tuple[str, ...] = ()
    running: bool = True


@dataclass(frozen=True, slots=True)
class ScreenMoment:
    """The lines of a terminal."""

    seconds: float
    """Seconds for which a film shows it."""
    lines: tuple[tuple[Run, ...], ...]

    @property
    def text(self) -> str:
        """Returns its characters without colours."""
        lines = ("".join(words for words, _ in line).rstrip() for line in self.lines)
        return "\n".join(lines).rstrip()


Moment = ChatMoment | ScreenMoment


@dataclass(frozen=True, slots=True)
class Session:
    """Moments in their order; a still picture shows the only one."""

    title: str
    """Says what the picture shows, for people who cannot see it."""
    moments: tuple[Moment, ...]
    header: str = "Steward"
    """Name of the chat, or title of the terminal's window."""
    poster: int = -1
    """Number of the moment that stands where films do not play."""
    columns: int = 0
    """Width of the terminal; 0 for a phone."""


def to_json(session: Session) -> str:
    """Returns the session as text in which a change of a word is a change of a line."""
    return json.dumps(asdict(session), ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> Session:
    """Reads what `to_json` wrote."""
    values = json.loads(text)
    read = _screen_moment if values["columns"] else _chat_moment
    return Session(**values | {"moments": tuple(read(one) for one in values["moments"])})


def _chat_moment(values: dict[str, Any]) -> ChatMoment:
    bubbles = tuple(_bubble(one) for one in values["bubbles"])
    return ChatMoment(**values | {"bubbles": bubbles, "shell": tuple(values["shell"])})


def _bubble(values: dict[str, Any]) -> Bubble:
    buttons = tuple(tuple(row) for row in values["buttons"])
    return Bubble(**values | {"runs": _runs(values["runs"]), "buttons": buttons})


def _screen_moment(values: dict[str, Any]) -> ScreenMoment:
    return ScreenMoment(values["seconds"], tuple(_runs(line) for line in values["lines"]))


def _runs(found: Sequence[Sequence[str]]) -> tuple[Run, ...]:
    return tuple((words, styles) for words, styles in found)
