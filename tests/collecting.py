"""Keeping the garbage collector from what stays: the tests themselves, and all that they import."""

import gc


def pytest_configure() -> None:
    """Stops the collector while modules are imported: next to nothing of it could be freed."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Starts the collector again; from now on it passes over all that is there already."""
    gc.freeze()
    gc.enable()
