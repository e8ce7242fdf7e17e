"""Visits to a running program: `steward chat` and `steward ask` without loading the program."""
