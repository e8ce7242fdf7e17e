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


@cache
def version() -> str:
    """Returns the mark of all templates and files: an open page of another one is out of date."""
    whole = hashlib.sha256()
    for folder in (FOLDER, FOLDER.parent / "templates"):
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            whole.update(path.read_bytes())
    return whole.hexdigest()[:12]
