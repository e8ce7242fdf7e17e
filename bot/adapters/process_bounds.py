"""Bounds that a process sets itself before it looks at what strangers or models made."""

import contextlib
import resource


def bound(memory: int, seconds: int, file: int = 0) -> None:
    """Bounds memory and each written file in bytes, and processor time in seconds.

    From then on the process starts no other one.
    """
    bounds = (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, file),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
    )
    for kind, most in bounds:
        # Not every system knows every limit.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
