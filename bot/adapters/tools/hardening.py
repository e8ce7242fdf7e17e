"""Protects this process's memory and environment from the programs it starts."""

import ctypes
import os
import sys

_PR_SET_DUMPABLE = 4


def harden() -> None:
    """Makes this process undumpable, so that its children cannot read its secrets.

    The kernel then gives /proc/<pid> to root: debuggers and other processes of the user cannot read
    environment, memory and descriptors, and no core file is written. A program that we start is
    dumpable again. Does nothing outside Linux; raises OSError if the kernel refuses.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
