"""The files that pages load beside themselves: their addresses name their content."""

import hashlib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "static"
"""The folder that holds them and nothing else."""


@cache
def static_url(name: str) -> str:
    """Returns the address of a file; another content has another address, so it is kept long."""
    mark = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={mark}"
