"""Finds the folders and commands that come with the program, in a wheel and in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_ROOT = _PACKAGE if (_PACKAGE / "alembic").is_dir() else _PACKAGE.parents[1]


def shipped(name: str) -> Path:
    """Returns the folder of this name, such as `skills`."""
    return _ROOT / name


def in_checkout() -> bool:
    """Returns true when the program runs from a checkout that `make` has set up."""
    return _ROOT != _PACKAGE and (_ROOT / "Makefile").is_file() and (_ROOT / ".venv").is_dir()


def checkout() -> Path | None:
    """Returns the checkout that the program runs from; None where it was installed."""
    return _ROOT if in_checkout() else None


def installs(part: str) -> str:
    """Returns what a person types to install an optional part of the program."""
    return f"make {part}" if in_checkout() else f"pip install steward[{part}]"


def command(name: str) -> str:
    """Returns what a person types for a command of the program, such as `setup`."""
    if not in_checkout():
        return f"steward {name}"
    if Path.cwd() != _ROOT:
        return f"{_ROOT}/.venv/bin/steward {name}"
    return "make run" if name == "run" else f".venv/bin/steward {name}"
