"""The manifest of a backup: what is in it, with a digest of each file."""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bot.adapters.backup.tree import LeftOut
from bot.domain.talk.errors import BackupBroken
from bot.domain.value import field, frozen

NAME = "manifest.json"
"""The last file of a backup: one that is cut off has none."""

FORMAT = 1


@frozen
class Member:
    """A file or a link of a backup; its digest is SHA-256, of a link that of its words."""

    name: str
    size: int
    sha256: str


def link_member(name: str, target: str) -> Member:
    """Returns the line of a link."""
    return Member(name, 0, hashlib.sha256(os.fsencode(target)).hexdigest())


@frozen
class Manifest:
    """The content of a backup, as the backup itself tells it."""

    made_at: str
    """The time of the snapshot, in UTC."""
    version: str
    """The version of the program that made it."""
    revision: str
    """The revision of the tables."""
    database: str
    """The kind of database that the rows came from."""
    counts: Mapping[str, int]
    """The number of rows of each table."""
    members: tuple[Member, ...]
    left_out: tuple[LeftOut, ...] = ()
    secrets: tuple[str, ...] = ()
    """Settings and files with secrets that it holds sealed, or not at all."""
    sealed: bool = False
    format: int = field(default=FORMAT)


_ADAPTER: TypeAdapter[Manifest] = TypeAdapter(Manifest)


def written(manifest: Manifest) -> bytes:
    """Returns it as JSON; names that are no text keep their bytes."""
    return json.dumps(_ADAPTER.dump_python(manifest), indent=1).encode("ascii")


def read(content: bytes) -> Manifest:
    """Reads it back; raises BackupBroken."""
    try:
        told: Any = json.loads(content)
        if isinstance(told, dict) and told.get("format") != FORMAT:
            raise BackupBroken("it was made by a newer version of Steward")
        return _ADAPTER.validate_python(told)
    except (ValueError, ValidationError):
        raise BackupBroken("its manifest cannot be read") from None
