"""Finds the folders that come with the program: here in a wheel, at the top in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_ROOT = _PACKAGE if (_PACKAGE / "alembic").is_dir() else _PACKAGE.parents[1]


def shipped(name: str) -> Path:
    """Returns the folder of this name, such as `skills`."""
    return _ROOT / name
