"""Refuses to change rows while another Steward works with them."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from bot.adapters.lanes.folder_lock import FolderLock
from bot.adapters.sql.moment import file_at, moment_of
from bot.adapters.sql.peers import living
from bot.adapters.sql.sqlite import OwnFile
from bot.domain.talk.errors import SettingError
from bot.settings import Settings

_STOP = "Stop it, then try again."
_MOMENT, _LOOK_SECONDS = 3.0, 0.2


@contextmanager
def standing_alone(settings: Settings) -> Iterator[None]:
    """Holds the home; raises SettingError when its database is used, also from another home."""
    with FolderLock(settings.home, _STOP, passing=True):
        refuse_shared(settings.database_url)
        yield


def refuse_shared(url: str) -> None:
    """Raises SettingError when another Steward works with the database."""
    file = file_at(url)
    if file is None:
        since = time.monotonic()
        # The server may need a moment to see that a process has died.
        while (others := _serving(url)) and time.monotonic() - since < _MOMENT:
            time.sleep(_LOOK_SECONDS)
        if others:
            told = "Another Steward works" if others == 1 else f"{others} other Stewards work"
            mend = _STOP if others == 1 else "Stop them, then try again."
            raise SettingError(f"{told} with this database, with a home of its own. {mend}")
    elif file.is_file():
        with closing(OwnFile()) as held:
            held.take(file)


def _serving(url: str) -> int:
    with moment_of(url) as connection:
        return len(living(connection))
