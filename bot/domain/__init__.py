"""Frozen values and rules: no I/O, no async, standard library only."""
