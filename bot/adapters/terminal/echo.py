"""The echo of the terminal itself, which would show a line a second time above the prompt."""

import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TextIO

if sys.platform != "win32":
    import termios

    _FLAGS = 3
    """The place of the local flags among the attributes of a terminal."""

    @contextmanager
    def unechoed(keys: TextIO) -> Generator[None]:
        """Keeps what is typed before a prompt off the screen: the prompt shows it once it stands.

        Does nothing where the keys do not come from a terminal.
        """
        try:
            keyboard = keys.fileno()
            before = termios.tcgetattr(keyboard)
        except (OSError, ValueError, AttributeError, termios.error):
            yield
            return
        silent = [*before]
        silent[_FLAGS] &= ~termios.ECHO
        termios.tcsetattr(keyboard, termios.TCSANOW, silent)
        try:
            yield
        finally:
            # The terminal may be gone by now.
            with suppress(OSError, ValueError, termios.error):
                termios.tcsetattr(keyboard, termios.TCSADRAIN, before)

else:

    @contextmanager
    def unechoed(keys: TextIO) -> Generator[None]:
        """Does nothing: such a terminal shows nothing before it is asked for a line."""
        del keys
        yield
