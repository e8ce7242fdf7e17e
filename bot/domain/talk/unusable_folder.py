"""A folder that cannot be written: its disk has a fault, which may pass, or a setting is wrong."""

import errno

from bot.domain.talk.errors import SettingError, StewardError, StoreUnwritable

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FAILS = frozenset({errno.EROFS, errno.EIO})


def mend_disk(error: OSError, folder: object) -> str:
    """Returns what to do about the disk of a folder; empty where the fault is another one."""
    if error.errno in _NO_ROOM:
        return f"Make room on the disk of {folder}."
    if error.errno in _FAILS:
        return f"Look at the disk of {folder}: it is read-only, or it fails."
    return ""


def unusable(setting: str, folder: object, error: OSError) -> StewardError:
    """Returns a fault that may pass by itself, or one that a person sets right."""
    if mend := mend_disk(error, folder):
        return StoreUnwritable(f"{folder} cannot be written: {error.strerror}. {mend}")
    return SettingError(
        f"{setting} cannot be {folder}: {error.strerror}. "
        "Give your user the right to write there, or choose another folder."
    )
