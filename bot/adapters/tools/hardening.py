"""Keeping this process's memory and environment from the programs it starts."""

import ctypes
import os
import sys

_PR_SET_DUMPABLE = 4


def harden() -> None:
    """Makes this process undumpable, so that a child of the same user cannot read its secrets.

    The kernel then gives /proc/<pid> to root: environment, memory and descriptors are closed to
    debuggers and to other processes of the user, and no core file is written. A program started
    by us is dumpable again. Does nothing outside Linux; raises OSError if the kernel refuses.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
