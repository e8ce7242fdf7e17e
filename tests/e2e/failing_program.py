"""The program with a planted fault in its work, and with signals while it loads."""

import os
import signal
import sys
from importlib.abc import MetaPathFinder
from typing import Any

from bot.__main__ import main
from bot.bootstrap import program
from bot.one_off import asking


class _Signals(MetaPathFinder):
    """Sends the process signals as soon as the long way is loaded."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        if fullname == "bot.start":
            os.kill(os.getpid(), signal.SIGUSR1)
            os.kill(os.getpid(), signal.SIGUSR2)
            if os.environ.get("FAILING_HANGS_UP"):
                os.kill(os.getpid(), signal.SIGHUP)


async def _fails() -> int:
    raise KeyError("a channel that nobody serves")


def _failing(*_: Any, **__: Any) -> Any:
    return _fails()


if __name__ == "__main__":
    program.serve = asking.ask = _failing
    sys.meta_path.insert(0, _Signals())
    main()
