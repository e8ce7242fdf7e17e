"""The program without root's right to pass over file modes, so that a closed folder is closed."""

import ctypes
import os
from typing import ClassVar

from bot.__main__ import main

_VERSION = 0x20080522
_PASSING = (1 << 1) | (1 << 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


class _Header(ctypes.Structure):
    _fields_: ClassVar = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Rights(ctypes.Structure):
    _fields_: ClassVar = [
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    ]


def obey() -> None:
    """Gives up the two rights; anyone but root has none of them anyway."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, rights = _Header(_VERSION, 0), (_Rights * 2)()
    for call, change in ((libc.capget, False), (libc.capset, True)):
        if change:
            rights[0].effective &= ~_PASSING
            rights[0].permitted &= ~_PASSING
        if call(ctypes.byref(header), rights) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    obey()
    main()
