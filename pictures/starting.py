"""The ways in which the plays start the program: anew, or forked where the tests have it loaded."""

from contextvars import ContextVar
from dataclasses import dataclass

from tests.e2e.launching import Command, Launch, anew, launch_anew


@dataclass(frozen=True, slots=True)
class Starts:
    """The ways to a program of its own: as a process, and as the command of a terminal."""

    launch: Launch = launch_anew
    command: Command = anew


STARTS: ContextVar[Starts] = ContextVar("starts", default=Starts())  # noqa: B039 - it is frozen
