"""Keeps the garbage collector away from all that stays loaded for the whole run.

A loaded program is more than 300,000 objects that are never garbage. A full collection looks at
each of them: 0.2 s in which nobody is served, and more than a second of every start.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Generator[None]:
    """Collects nothing while the block loads a part of the program, and leaves it out for good."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.freeze()
            gc.enable()


def collect_from_now_on() -> None:
    """Begins to collect, if the start of the process has paused it: what is loaded by now stays."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
