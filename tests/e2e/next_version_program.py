"""The program of a later version, which has the migrations of a folder of the test."""

import os
from pathlib import Path

from bot.__main__ import main
from bot.adapters.sql import migrating

if __name__ == "__main__":
    migrating.MIGRATIONS = Path(os.environ["NEXT_MIGRATIONS"])
    migrating.REVISIONS = (*migrating.REVISIONS, os.environ["NEXT_REVISION"])
    main()
