"""The form of a door: something beside the channels by which other programs reach Steward."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from bot.adapters.sql.store import Store
from bot.doctor import Check, Finding
from bot.domain.value import frozen
from bot.flow.application import Application
from bot.settings import Settings


class Serving(Protocol):
    """Serves an HTTP application at a path on a port; the setting is named by faults."""

    def __call__(
        self, app: Any, path: str, port: int, setting: str, at_once: int | None = None
    ) -> AbstractAsyncContextManager[int]: ...


@frozen
class Inside:
    """The parts of a run that doors lead to."""

    application: Application
    store: Store
    reached: Mapping[str, Callable[[], bool]]
    """Tells of each channel if its platform was reached lately."""


class DoorForm(Protocol):
    def keep_open(self, settings: Settings, inside: Inside) -> Coroutine[Any, Any, None]:
        """Keeps the door open until cancelled; returns at once if the settings have none."""
        ...

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        """Returns the checks that `steward doctor` runs on this door."""
        ...
