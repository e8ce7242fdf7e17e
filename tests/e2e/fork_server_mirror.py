"""Prints what it finds around itself and ends with its argument, or waits for a signal.

With "last words" it says more while it ends.
"""

import asyncio
import atexit
import gc
import json
import locale
import logging
import os
import random
import signal
import sys
import threading
import warnings
from pathlib import Path

_SIGNALS = ("SIGINT", "SIGTERM", "SIGCHLD", "SIGPIPE", "SIGHUP", "SIGUSR1")


def main() -> None:
    asyncio.run(asyncio.sleep(0))
    found = {
        "arguments": sys.argv[1:],
        "environment": dict(os.environ),
        "folder": str(Path.cwd()),
        "path": sys.path,
        "files": sorted(f.name for f in Path("/proc/self/fd").iterdir() if f.is_symlink()),
        "signals": {name: str(signal.getsignal(getattr(signal, name))) for name in _SIGNALS},
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "warnings": [str(rule) for rule in warnings.filters],
        "streams": [(s.encoding, s.errors) for s in (sys.stdin, sys.stdout, sys.stderr)],
        "locale": (locale.getlocale(), sys.getfilesystemencoding()),
        "stdin": str(Path("/proc/self/fd/0").resolve()),
        "main": sys.modules["__main__"].__name__,
        "threads": threading.active_count(),
        "umask": os.umask(0o022),
        "log": ([str(one) for one in logging.getLogger().handlers], logging.getLogger().level),
        "collector": (gc.isenabled(), gc.get_threshold()),
    }
    chance = {
        "random": random.random(),
        "own session": os.getsid(0) == os.getpid(),
        "modules": sorted(sys.modules),
    }
    sys.stdout.write(json.dumps([found, chance]))
    sys.stdout.flush()
    if sys.argv[1] == "wait":
        signal.pause()
    if sys.argv[2:] == ["last words"]:
        _say_last_words()
    sys.exit(int(sys.argv[1]))


def _say_last_words() -> None:
    """Leaves words to the end of the process, each to another moment of it."""
    lost: list[object] = [asyncio.sleep(0)]
    lost.append(lost)
    atexit.register(sys.stdout.write, "atexit\n")
    threading.Thread(target=_say_after, args=(threading.main_thread(),)).start()
    sys.stdout.write("\nnot flushed\n")


def _say_after(main_thread: threading.Thread) -> None:
    main_thread.join()
    sys.stdout.write("thread\n")


if __name__ == "__main__":
    main()
