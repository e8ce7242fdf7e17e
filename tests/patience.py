"""The time that a test waits for what must come: a busy machine may take long, and is no fault."""

PATIENCE = 90.0
"""Seconds; only a test that fails waits for all of them."""
