"""The version of the program that runs."""

from importlib.metadata import PackageNotFoundError, version


def running_version() -> str:
    """Returns the version, or `unknown` in a copy that was never installed."""
    try:
        return version("steward")
    except PackageNotFoundError:
        return "unknown"
