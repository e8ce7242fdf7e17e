"""Ends a run on a damaged database, and tells the owners so in their chats."""

import asyncio
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NoReturn

from bot.adapters.sql.store import Store
from bot.bootstrap.database import told
from bot.bootstrap.kept_backups import newest
from bot.bootstrap.telling_owners import tell_owners
from bot.domain.talk.errors import StoreDamaged
from bot.ports.channel import Channel
from bot.settings import Settings

_DAY_SECONDS = 86_400.0
_MARK = "damage-told"
_WORDS = (
    "My database is damaged, so I have stopped and answer nobody. Nothing was deleted. On the "
    "machine: `steward doctor` says more, and docs/incidents.md says how to bring a backup back."
)
_NEWEST = " The newest backup is {copy}."


async def end_on_damage(store: Store) -> NoReturn:
    """Waits for damage that anybody meets, and ends the tasks beside this one."""
    raise await store.damage.met()


def damage_in(ended: StoreDamaged | ExceptionGroup[Exception]) -> StoreDamaged | None:
    """Returns the damage among the faults that ended a run."""
    if isinstance(ended, StoreDamaged):
        return ended
    damage = ended.subgroup(StoreDamaged)
    return None if damage is None else damage_in(damage.exceptions[0])


async def told_owners(
    settings: Settings,
    fault: StoreDamaged,
    owners: Collection[str],
    channels: Mapping[str, Channel],
) -> StoreDamaged:
    """Tells owners, once a day and without the database; returns the fault for the operator."""
    if not _told_lately(settings.home / _MARK):
        copy = await asyncio.to_thread(newest, settings.home)
        words = _WORDS + (_NEWEST.format(copy=copy) if copy else "")
        await tell_owners(owners, channels, words)
    # What was met at the opening has its advice already.
    return fault if isinstance(fault.__cause__, StoreDamaged) else told(settings, fault)


def _told_lately(mark: Path) -> bool:
    """Returns True when owners were told within a day; a supervisor may start us every second."""
    try:
        lately = mark.exists() and time.time() - mark.stat().st_mtime < _DAY_SECONDS
        if not lately:
            mark.touch()
    except OSError:
        return False
    return lately
