"""The files that pages load beside themselves: their addresses name their content."""

import hashlib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "static"
"""The folder that holds them and nothing else."""

TEMPLATES = FOLDER.parent / "templates"


@cache
def page_mark() -> str:
    """Returns the mark of this version of the page: other scripts or templates have another one."""
    files = sorted(one for folder in (FOLDER, TEMPLATES) for one in folder.rglob("*.*"))
    return hashlib.sha256(b"".join(one.read_bytes() for one in files)).hexdigest()[:12]


@cache
def static_url(name: str) -> str:
    """Returns the address of a file; another content has another address, so it is kept long."""
    mark = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={mark}"
