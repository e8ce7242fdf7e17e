"""Prints what it finds around itself and ends with its argument, or waits for a signal."""

import asyncio
import json
import locale
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
    sys.exit(int(sys.argv[1]))


if __name__ == "__main__":
    main()
