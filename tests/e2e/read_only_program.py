"""Starts the program where the disk of its home is mounted read-only."""

import os
from pathlib import Path

from bot.__main__ import main
from tests.without import mount_read_only, part_from_the_machine

if __name__ == "__main__":
    part_from_the_machine()
    mount_read_only(Path(os.environ["STEWARD_HOME"]))
    main()
